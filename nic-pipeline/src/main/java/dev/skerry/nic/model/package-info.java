/**
 * Models to run beside RTL: {@link dev.skerry.nic.model.NodeModel} is one node stepped by hand,
 * {@link dev.skerry.nic.model.FabricModel} a whole fabric, and {@link dev.skerry.nic.model.Mismatches} explains where
 * two of them differ. No threads, files or JVM flags.
 */
package dev.skerry.nic.model;
