/**
 * Captures as packet ports: {@link dev.skerry.tools.port.pcap.PcapPort} reads a file of packets, writes one, or both,
 * as {@link dev.skerry.tools.port.pcap.PcapSettings} say.
 *
 * <p>Reading, from the outside in: {@code CaptureReplay} says which packet is due; {@code CaptureReader} tells the
 * formats apart, goes from packet to packet and says in one line where a file is damaged; {@code PcapRecords} and
 * {@code PcapngBlocks} are the two formats; {@code StampScale} makes nanoseconds of time stamps; {@code CaptureBytes}
 * is the file, mapped, or unpacked as it is read. Files are others': every number in them is checked before it is
 * used, and all access is bounded by the segment.
 *
 * <p>Writing: {@code CaptureWriter} puts records into a buffer; {@code CaptureFile} is where the buffer goes, through
 * gzip if wanted, under a {@code .partial} name until it is complete. Neither way allocates per packet.
 *
 * <p>Formats: libpcap's pcap-savefile(5) and the Internet draft "PCAP Now Generic (pcapng) Capture File Format".
 */
package dev.skerry.tools.port.pcap;
