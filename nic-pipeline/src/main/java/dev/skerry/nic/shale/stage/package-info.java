/**
 * The pipeline of a bank of Shale's NICs: {@code ShaleFlowScheduler} (flows to cells), {@code ShaleTransmitter} (which
 * cell leaves in a slot), the link and its circuits, {@code ShaleReceiver} (deliver, or queue for the next hop), and
 * {@code ShaleFaults} around them. Stages take blocks of up to 2,048 nodes through each step together. If few nodes of
 * a block have work ({@code FewNodes}), only these are listed, and very few, or all in a small fabric, go one after the
 * other; runs with faults always take blocks.
 */
package dev.skerry.nic.shale.stage;
