/**
 * A fabric as seen by the engines: {@link dev.skerry.nic.fabric.Fabric} holds its dimensions,
 * {@link dev.skerry.nic.fabric.Bank} steps a range of its nodes, {@link dev.skerry.nic.fabric.FabricParts} creates the
 * banks, and {@link dev.skerry.nic.fabric.Edge} is the entry and exit of payload. No class here refers to a particular
 * fabric.
 */
package dev.skerry.nic.fabric;
