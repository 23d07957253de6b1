/**
 * The pipeline of a bank of Shoal's NICs, in the order a cell meets it: {@code ShoalFlowScheduler} (flows to cells),
 * {@code ShoalTransmitter} with {@code ShoalAdmission} (which cell joins a queue, which leaves it), the link and its
 * circuits, {@code ShoalReceiver} (deliver, or queue for the second hop). Stages take a whole bank of nodes through
 * each step together. {@code ShoalFailures} guards them: it serves hindered nodes one by one, between blocks of others.
 *
 * <p>Cache lines of Shoal, the same for each of its channels, with a flow a node. Streamed: loads 1/16, searches 1/16,
 * first cells of the queues sent from 4/16, joined queues 2/16 to send and 2/16 to receive, cells sent written 1/16
 * and, of four epochs, read 4/16, throttles of the link 1/16 and of the link back 1/16, the three columns of the link
 * written 6/16 and read 6/16, reports 2/16, the only flow of the scheduler's node 1/16 and its message at hand 1/16,
 * the columns of the maxima 3/16. Scattered: the load reported 15/16, of the queue joined the load 8/16 and the first
 * cell 8/16, flow 4/16 at the source and 4/16 at the destination. Together some 4 2/3. Every further flow of a node
 * costs a sixteenth more, or a line if its neighbours in number are not active.
 */
package dev.skerry.nic.shoal.stage;
