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
 * <p>A slot costs what there is to do. {@code QueueBits} say, for each position in the epoch, which nodes have a cell,
 * a flow or feedback; a queue that was asked and may not send is left out until something comes to it. Where few nodes
 * of a block are left ({@code FewNodes}), they are listed and go through the same steps; where only a handful are left,
 * or the bank is small, they go one after the other. {@code ArrivalFlags} tell receivers which places of the link hold
 * something. Runs with faults always take blocks.
 */
package dev.skerry.nic.shale.stage;
