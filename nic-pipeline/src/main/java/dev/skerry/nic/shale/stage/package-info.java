/**
 * The pipeline of a bank of Shale's NICs, in the order a cell meets it: {@code ShaleFlowScheduler} (flows to cells),
 * {@code ShaleTransmitter} (which cell leaves in a slot), the link and its circuits, {@code ShaleReceiver} (deliver, or
 * queue for the next hop). {@code ShaleFaults} plays what fails around them.
 *
 * <p>Stages take blocks of up to 512 nodes through each step together: one loop for each structure that a step touches,
 * without calls and without unpredictable branches. Nodes are first sorted by what happens at them, without a branch.
 * Each kind of work is then a loop over a list of nodes; exceptions are listed and done last. Nobody asks for active
 * buckets between two slots, so they are noted in a slot and counted later, node after node.
 *
 * <p>Cache lines of Shale that a node-slot touches under full load with h = 2, counting 64 bytes and the usual short
 * queue. All nodes use the same link in a slot, so these lines are streamed: queue sent from 16/16, the three columns
 * of the link written 6/16 and read 6/16, the columns of the maxima 3/16, round-robin pointer 1/16; scattered:
 * queue joined 12/16, flow 4/16 at the source and 4/16 at the destination. Hop-by-hop adds the ledger of the link 8/16,
 * its owed tokens 4/16, the ledger of the link back 8/16, the log of active buckets written 4/16 and read 4/16, their
 * entries 1/16; scattered: owed tokens of the previous hop 12/16. What never changes is not counted. Together 5 3/4
 * lines with hop-by-hop, 3 1/4 without; {@link dev.skerry.nic.count.CacheLines} has the sums, the roofline of speed.
 * With priority a queue is 2/16 instead of 16/16, and each of the 3/4 of a cell that joins and leaves one scatters over
 * 6 lines: its entry, one more of the heap as it joins and two as it leaves, its bucket twice.
 */
package dev.skerry.nic.shale.stage;
