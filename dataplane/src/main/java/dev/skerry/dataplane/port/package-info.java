/**
 * Entry and exit of packets, in bursts. {@link dev.skerry.dataplane.port.PacketPort} fills and drains
 * {@link dev.skerry.dataplane.port.PacketBurst}s and counts every packet. {@link dev.skerry.dataplane.port.MemifLink}
 * is the data path of memif 2.0 (docs/spec/memif.md). Its peer may write anything at any time: each of its numbers is
 * read once and checked; the first invalid one ends the link with a {@link dev.skerry.dataplane.port.MemifFault}.
 */
package dev.skerry.dataplane.port;
