package dev.skerry.tools.port.pcap;

/** The packet a reader stands on. Its bytes lie in {@link CaptureBytes#window} until the reader moves. */
final class CapturedPacket {
    /** The link type of Ethernet. */
    static final int ETHERNET = 1;

    /** The most bytes of a packet, as in libpcap and Wireshark. */
    static final int MAX_BYTES = 262_144;

    private long place;
    private int length;
    private long stampNs;
    private int linkType;

    void set(final long place, final int length, final long stampNs, final int linkType) {
        this.place = place;
        this.length = length;
        this.stampNs = stampNs;
        this.linkType = linkType;
    }

    /** Index of its first byte in the window. */
    long place() {
        return place;
    }

    /** Bytes captured, 0 to {@link #MAX_BYTES}; the packet on the wire may have been longer. */
    int length() {
        return length;
    }

    /** Nanoseconds since 1970. */
    long stampNs() {
        return stampNs;
    }

    /** What the packet is, {@link #ETHERNET} or something that a port cannot carry. */
    int linkType() {
        return linkType;
    }
}
