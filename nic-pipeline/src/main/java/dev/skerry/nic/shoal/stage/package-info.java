/**
 * The pipeline of a bank of Shoal's NICs, in the order a cell meets it: {@code ShoalFlowScheduler} (flows to cells),
 * {@code ShoalTransmitter} (which cell joins a queue, which leaves it), the link and its circuits,
 * {@code ShoalReceiver} (deliver, or queue for the second hop). Both take a whole bank of nodes through each step
 * together, and hindered nodes one by one, between blocks of others; {@code ShoalFailures} says which those are.
 */
package dev.skerry.nic.shoal.stage;
