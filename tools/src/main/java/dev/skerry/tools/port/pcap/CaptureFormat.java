package dev.skerry.tools.port.pcap;

/** File format of a capture that is written. */
public enum CaptureFormat {
    /** Classic pcap, with stamps in nanoseconds. */
    PCAP,
    /** pcapng with one interface, with stamps in nanoseconds. */
    PCAPNG
}
