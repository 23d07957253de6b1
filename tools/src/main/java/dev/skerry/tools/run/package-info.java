/**
 * A run from its options: {@code RunOptions} holds them as typed, the choices of {@code dev.skerry.spi} turn
 * them into a checked fabric and engine, {@code Scenario} adds flows, faults and length.
 *
 * <p>A {@link dev.skerry.spi.FabricKind} is a fabric as one row of a table; nothing here names one. {@link
 * dev.skerry.tools.run.NodeChoice} and {@link dev.skerry.tools.run.FabricOptions} are the same choices for a node alone
 * and for packets.
 */
package dev.skerry.tools.run;
