/**
 * Packet ports, each named by one line of text that {@link dev.skerry.tools.port.PortText} parses. {@link
 * dev.skerry.tools.port.LoopPort} is a loopback in memory. The packages pcap and generator connect to capture files and
 * to a measuring generator. A port whose packets may come to an end is a {@link dev.skerry.tools.port.FinitePort}.
 *
 * <p>{@link dev.skerry.tools.port.TapPort} is a TAP device of this machine, {@link dev.skerry.tools.port.InterfacePort}
 * one of its interfaces. Their bursts make system calls, none of which blocks, except that an interface's packets come
 * through a mapped ring.
 *
 * <p>{@link dev.skerry.tools.port.MemifPort} connects to a memif 2.0 peer in another process, such as DPDK, in either
 * role (docs/spec/memif.md). A {@link dev.skerry.tools.port.MemifAddress} names it. Several server ports may share the
 * socket of one {@link dev.skerry.tools.port.MemifServer}.
 *
 * <p>Its layers, from the top: a connection runs the state machine of one peer, as server or client. It exchanges
 * messages over a Unix socket that passes descriptors. Regions are sealed memory files. Two classes bind the C library.
 * Only {@code poll} makes system calls, on the thread that owns the port; none of them blocks, and moving packets makes
 * none. A peer that breaks a rule is disconnected with one reason ({@link dev.skerry.dataplane.port.MemifFault}); the
 * port then waits for the next peer.
 */
package dev.skerry.tools.port;
