/**
 * Packet ports of the programs, named by a line of text each. To memory: {@link dev.skerry.tools.port.LoopPort} gives
 * back what it is sent. To files and from them, and from a generator that measures: the packages beneath; a port whose
 * packets come to an end is a {@link dev.skerry.tools.port.FinitePort}, and {@link dev.skerry.tools.port.PortText} cuts
 * such a line of text into its parts.
 *
 * <p>To other processes, the control part: {@link dev.skerry.tools.port.MemifPort} is a port in memory shared
 * with a memif 2.0 peer such as DPDK (docs/spec/memif.md), in either role, named by a
 * {@link dev.skerry.tools.port.MemifAddress}; several server ports may share the socket of one
 * {@link dev.skerry.tools.port.MemifServer}.
 *
 * <p>Beneath, from the outside in: a connection is the state machine of one peer, in the server's or the client's role;
 * it speaks messages over a Unix socket that passes descriptors; regions are sealed memory files; and one class binds
 * the C library. All system calls are made by {@code poll}, on the thread that owns the port, none while packets move,
 * and none of them waits. A peer that breaks the rules is disconnected with one named reason
 * ({@link dev.skerry.dataplane.port.MemifFault}); the port then waits for the next peer.
 */
package dev.skerry.tools.port;
