/**
 * Creates a run from its options. {@code RunOptions} contains the typed options; the choices in {@code dev.skerry.spi}
 * turn them into a checked fabric and engine; {@code Scenario} adds flows, faults and length. {@link
 * dev.skerry.tools.run.NodeChoice} and {@link dev.skerry.tools.run.FabricOptions} do the same for a single node and for
 * packets.
 */
package dev.skerry.tools.run;
