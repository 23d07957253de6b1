/**
 * What stands beside RTL: {@link dev.skerry.nic.model.NodeModel}, one node stepped by hand, {@link
 * dev.skerry.nic.model.FabricModel}, a whole fabric, and {@link dev.skerry.nic.model.Mismatches}, which explains where
 * two of them differ. No threads, no files, no JVM flags.
 */
package dev.skerry.nic.model;
