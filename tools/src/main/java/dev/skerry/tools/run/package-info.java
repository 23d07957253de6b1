/**
 * A run created from its options: {@code RunOptions} holds them as typed, the choices of {@code dev.skerry.spi} turn
 * them into a checked fabric and engine, and {@code Scenario} adds flows, faults and length.
 * {@link dev.skerry.tools.run.NodeChoice} and {@link dev.skerry.tools.run.FabricOptions} do the same for a single node
 * and for packets.
 */
package dev.skerry.tools.run;
