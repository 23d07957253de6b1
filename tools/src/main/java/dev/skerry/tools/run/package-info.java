/**
 * A run from its options: {@code RunOptions} holds them as typed, {@code FabricChoice} and {@code EngineChoice} turn
 * them into a checked fabric and engine, {@code Scenario} adds flows, faults and length.
 *
 * <p>{@link dev.skerry.tools.run.CircuitParts} is the one place that knows every circuit fabric. {@link
 * dev.skerry.tools.run.NodeChoice} and {@link dev.skerry.tools.run.FabricOptions} are the same choices for a node alone
 * and for packets.
 */
package dev.skerry.tools.run;
