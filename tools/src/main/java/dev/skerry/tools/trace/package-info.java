/**
 * Golden vectors for RTL: a {@link dev.skerry.tools.trace.VectorSource} gives the values of named signals slot by slot,
 * of nodes ({@link dev.skerry.tools.trace.NodeVectors}), circuit switches ({@link
 * dev.skerry.tools.trace.FabricVectors.SwitchVectors}) or a PIEO ({@link dev.skerry.tools.trace.PieoVectors}); {@link
 * dev.skerry.tools.trace.VectorFiles.VcdWriter} and {@link dev.skerry.tools.trace.VectorFiles} write them.
 */
package dev.skerry.tools.trace;
