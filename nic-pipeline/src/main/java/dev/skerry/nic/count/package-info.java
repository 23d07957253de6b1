/**
 * Counts of a run: {@link dev.skerry.nic.count.NicCounter} names the events, {@link dev.skerry.nic.count.NodeMaxima}
 * keeps the maxima of nodes, further classes keep deliveries over time and latencies.
 * {@link dev.skerry.nic.count.Outcome} combines them at the end.
 */
package dev.skerry.nic.count;
