package dev.skerry.tools.port.pcap;

/** Current packet of a reader. Its bytes lie in {@link CaptureBytes#window} until the reader moves. */
final class CapturedPacket {
    /** Link type of Ethernet. */
    static final int ETHERNET = 1;

    /** Maximum packet length in bytes, the same as in libpcap and Wireshark. */
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

    /** Offset of its first byte in the window. */
    long place() {
        return place;
    }

    /** Captured bytes, 0 to {@link #MAX_BYTES}; the packet on the wire may have been longer. */
    int length() {
        return length;
    }

    /** Stamp in ns since 1970. */
    long stampNs() {
        return stampNs;
    }

    /** Link type, {@link #ETHERNET} or a type that a port cannot carry. */
    int linkType() {
        return linkType;
    }
}
