/**
 * The NICs of Shoal. A bank's pipeline is {@code ShoalFlowScheduler} (flows to cells), {@code ShoalTransmitter} (which
 * cell joins a queue, which leaves it), the link and its circuits, and {@code ShoalReceiver} (deliver, or queue for the
 * second hop); {@code ShoalFailures} serves hindered nodes one by one. State of each link of each node is laid out by
 * link, then node, so that the work of a slot streams through memory; a history is laid out by epoch modulo those kept.
 * {@code ShoalParts} is the entry for an engine, and {@code ShoalFollower} checks nodes designed by others
 * (docs/spec/shoal.md §4).
 */
package dev.skerry.nic.shoal;
