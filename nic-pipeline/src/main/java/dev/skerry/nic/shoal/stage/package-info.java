/**
 * The pipeline of a bank of Shoal's NICs, in the order a cell meets it: {@code ShoalFlowScheduler} (flows to cells),
 * {@code ShoalTransmitter} with {@code ShoalAdmission} (which cell joins a queue, which leaves it), the link and its
 * circuits, {@code ShoalReceiver} (deliver, or queue for the second hop). Stages take a whole bank of nodes through
 * each step together. {@code ShoalFailures} guards them: it serves hindered nodes one by one, between blocks of others.
 */
package dev.skerry.nic.shoal.stage;
