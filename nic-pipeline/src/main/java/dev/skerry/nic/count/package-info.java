/**
 * What a run counts: {@link dev.skerry.nic.count.NicCounter} by name, {@link dev.skerry.nic.count.NodeMaxima} by node,
 * deliveries over time, latencies, and the {@link dev.skerry.nic.count.Outcome} that holds them all at the end.
 */
package dev.skerry.nic.count;
