/**
 * A fabric as the engines see it: {@link dev.skerry.nic.fabric.Fabric} has its dimensions,
 * {@link dev.skerry.nic.fabric.Bank} steps a range of its nodes, {@link dev.skerry.nic.fabric.FabricParts} makes the
 * banks, and {@link dev.skerry.nic.fabric.Edge} is where payload enters and leaves. No class here names a particular
 * fabric.
 */
package dev.skerry.nic.fabric;
