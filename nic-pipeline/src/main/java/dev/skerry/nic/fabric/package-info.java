/**
 * The points at which fabrics differ, for stages that are written once: {@link dev.skerry.nic.shale.Admission} says
 * what may be sent now and what rides along, a router says which queue a received cell joins.
 *
 * <p>{@link dev.skerry.nic.fabric.Fabric} is the fabric itself as the engine sees it.
 */
package dev.skerry.nic.fabric;
