/**
 * Where packets enter and leave a dataplane, in bursts. {@link dev.skerry.dataplane.port.PacketPort} fills and drains
 * {@link dev.skerry.dataplane.port.PacketBurst}s and counts every packet ({@link
 * dev.skerry.dataplane.port.PortCounter}).
 *
 * <p>The data path of memif 2.0 (docs/spec/memif.md): {@link dev.skerry.dataplane.port.MemifRing} has the
 * fields and accesses them, {@link dev.skerry.dataplane.port.MemifReceiver} and
 * {@link dev.skerry.dataplane.port.MemifSender} move packets in either role,
 * {@link dev.skerry.dataplane.port.MemifLink} is all rings of one peer. The peer may write anything at any time: each
 * of its numbers is read once and checked; the first wrong one ends the link with a
 * {@link dev.skerry.dataplane.port.MemifFault}.
 */
package dev.skerry.dataplane.port;
