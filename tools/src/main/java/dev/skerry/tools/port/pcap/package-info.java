/**
 * Captures as packet ports: {@link dev.skerry.tools.port.pcap.PcapPort} reads a file of packets, writes one, or both,
 * as {@link dev.skerry.tools.port.pcap.PcapSettings} say.
 *
 * <p>To read, {@code CaptureReplay} decides which packet is due. {@code CaptureReader} detects the format, moves from
 * packet to packet and reports damage in one line. {@code PcapRecords} and {@code PcapngBlocks} are the two formats.
 * {@code StampScale} converts time stamps to nanoseconds. {@code CaptureBytes} is the file, mapped or decompressed
 * piece by piece. Files are untrusted: every number is checked before use, and the segment bounds all access.
 *
 * <p>To write, {@code CaptureWriter} puts records into a buffer. {@code CaptureFile} writes the buffer, optionally
 * through gzip, under a {@code .partial} name until the file is complete. Neither way allocates per packet.
 *
 * <p>Formats: libpcap's pcap-savefile(5) and the Internet draft "PCAP Now Generic (pcapng) Capture File Format".
 */
package dev.skerry.tools.port.pcap;
