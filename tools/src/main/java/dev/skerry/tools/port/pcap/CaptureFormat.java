package dev.skerry.tools.port.pcap;

/** What a capture is written as. */
public enum CaptureFormat {
    /** The classic file, with stamps in nanoseconds. */
    PCAP,
    /** Blocks, one interface, with stamps in nanoseconds. */
    PCAPNG
}
