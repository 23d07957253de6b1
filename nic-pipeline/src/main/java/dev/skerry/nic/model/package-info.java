/**
 * Models for comparison with RTL: {@link dev.skerry.nic.model.NodeModel} is a single node, {@link
 * dev.skerry.nic.model.FabricModel} a whole fabric; the caller steps both. {@link dev.skerry.nic.model.Mismatches}
 * lists the differences from the RTL. The models need no threads, files or JVM flags.
 */
package dev.skerry.nic.model;
