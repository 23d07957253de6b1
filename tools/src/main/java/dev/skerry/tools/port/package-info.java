/**
 * Packet ports, each named by one line of text that {@link dev.skerry.tools.port.PortText} parses: a capture file, a
 * generator, a memif peer, a TAP device, a network interface, or a loopback in memory. Each kind is one class with its
 * settings. None of their bursts waits.
 *
 * <p>{@link dev.skerry.tools.port.DevicePort.TapPort} is a TAP device of this machine, {@link
 * dev.skerry.tools.port.InterfacePort} one of its interfaces. Their bursts make system calls, none of which blocks,
 * except that an interface's packets come through a mapped ring.
 *
 * <p>{@link dev.skerry.tools.port.MemifPort} connects to a memif 2.0 peer in another process, such as DPDK, in either
 * role (docs/spec/memif.md). A {@link dev.skerry.tools.port.MemifPort.MemifAddress} names it. Several server ports may
 * share a socket ({@link dev.skerry.tools.port.MemifPort.MemifSockets}). A connection runs the state machine of one
 * peer, as server or client, and exchanges messages over a Unix socket that passes descriptors. Regions are sealed
 * memory files. Only {@code poll} makes system calls, on the thread that owns the port; none of them blocks, and moving
 * packets makes none. A peer that breaks a rule is disconnected with one reason ({@link
 * dev.skerry.dataplane.port.MemifFault}); the port then waits for the next peer. One class binds the C library.
 *
 * <p>{@link dev.skerry.tools.port.PcapPort} reads a file of packets, writes one, or both. {@code CaptureReader} detects
 * the format, moves from packet to packet and reports damage in one line; {@code CaptureBytes} is the file, mapped or
 * decompressed piece by piece. Files are untrusted: every number is checked before use, and the segment bounds all
 * access. {@code CaptureWriter} puts records into buffers that a thread of its own writes to the file, optionally
 * through gzip, under a {@code .partial} name until the file is complete. Neither way allocates per packet. Formats:
 * libpcap's pcap-savefile(5) and the Internet draft "PCAP Now Generic (pcapng) Capture File Format".
 *
 * <p>{@link dev.skerry.tools.port.GeneratorPort} generates packets and measures those it receives. Every packet is
 * Ethernet, IPv4 and UDP with correct checksums, and carries flow, sequence number, time and a check of its own ({@code
 * ProbeLayout}). The clock and the seed are arguments, so equal settings give equal packets.
 */
package dev.skerry.tools.port;
