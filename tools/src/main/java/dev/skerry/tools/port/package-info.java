/**
 * Packet ports, each described by one line of text that {@link dev.skerry.tools.port.PortText} parses: a capture file,
 * a generator, a memif peer, a TAP device, a network interface, or a loopback in memory. Each kind of port is one class
 * with its settings. Bursts never block.
 *
 * <p>{@link dev.skerry.tools.port.DevicePort.TapPort} is a TAP device of this machine, {@link
 * dev.skerry.tools.port.InterfacePort} one of its network interfaces. Their bursts make non-blocking system calls,
 * except that packets from an interface are read from a mapped ring.
 *
 * <p>{@link dev.skerry.tools.port.MemifPort} connects to a memif 2.0 peer in another process, such as DPDK, in either
 * role (docs/spec/memif.md). Its address is a {@link dev.skerry.tools.port.MemifPort.MemifAddress}. Several server
 * ports may share a socket ({@link dev.skerry.tools.port.MemifPort.MemifSockets}). A connection runs the state machine
 * of one peer, as server or client, and exchanges messages over a Unix socket that passes descriptors. Regions are
 * sealed memory files. Only {@code poll} makes system calls, on the thread that owns the port; they do not block, and
 * moving packets needs none. A peer that violates the protocol is disconnected with one reason ({@link
 * dev.skerry.dataplane.port.MemifFault}); the port then waits for the next peer. Only one class binds the C library.
 *
 * <p>{@link dev.skerry.tools.port.PcapPort} reads files of packets, writes one, or both. {@code CaptureReader} detects
 * the format, moves from packet to packet and reports damage in one line; {@code CaptureBytes} reads the file through a
 * window, decompressing gzip. Files are untrusted: every number is checked before use, and the segment bounds all
 * access. {@code CaptureWriter} collects records in buffers, which a separate thread writes to the file, optionally
 * compressed with gzip, under a {@code .partial} name until the file is complete. Neither direction allocates per
 * packet. Formats: libpcap's pcap-savefile(5) and the Internet draft "PCAP Now Generic (pcapng) Capture File Format".
 *
 * <p>{@link dev.skerry.tools.port.GeneratorPort} generates packets and measures those it receives. Without a template,
 * a packet is Ethernet, IPv4 and UDP with correct checksums. It carries flow, sequence number, time and a check ({@code
 * ProbeLayout}). Clock and seed are parameters, so equal settings produce equal packets.
 */
package dev.skerry.tools.port;
