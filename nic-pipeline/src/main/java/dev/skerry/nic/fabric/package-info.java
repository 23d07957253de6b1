/**
 * The points at which fabrics differ, for stages that are written once: a bank is the NICs of a range of
 * nodes, {@link dev.skerry.nic.fabric.FabricParts} is what an engine asks a fabric for.
 *
 * <p>{@link dev.skerry.nic.fabric.Fabric} is the fabric itself as the engine sees it.
 */
package dev.skerry.nic.fabric;
