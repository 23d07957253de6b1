/**
 * Where packets enter and leave a dataplane, in bursts, as DPDK's ethernet ports do.
 *
 * <p>A {@link dev.skerry.dataplane.port.PacketPort} fills and drains a {@link dev.skerry.dataplane.port.PacketBurst};
 * neither allocates nor waits, and every packet is counted under a name of
 * {@link dev.skerry.dataplane.port.PortCounter}.
 *
 * <p>The data path of memif 2.0 (spec/memif): {@link dev.skerry.dataplane.port.MemifLayout} says where the fields lie,
 * a {@link dev.skerry.dataplane.port.MemifRing} reads and writes them, a
 * {@link dev.skerry.dataplane.port.MemifReceiver} and a {@link dev.skerry.dataplane.port.MemifSender} move packets in
 * either role, and a {@link dev.skerry.dataplane.port.MemifLink} is all rings of one peer. The peer is another process
 * that may write anything at any time: each of its numbers is read once, checked and then used from a local, and the
 * first that is wrong ends the link with a {@link dev.skerry.dataplane.port.MemifFault}. Sockets, descriptors and the
 * handshake are the control part's, in the tools.
 */
package dev.skerry.dataplane.port;
