package dev.skerry.tools.port.pcap;

/** Current packet of a reader. Its bytes lie in {@link CaptureBytes#window} until the reader moves. */
final class CapturedPacket {
    /** Link type of Ethernet. */
    static final int ETHERNET = 1;

    /** Maximum packet length in bytes, the same as in libpcap and Wireshark. */
    static final int MAX_BYTES = 262_144;

    private long place;
    private int length;
    private long wire;
    private long stampNs;
    private int linkType;

    /**
     * Sets the packet.
     *
     * @param place    offset of its first byte in the window.
     * @param captured bytes that are there.
     * @param onWire   bytes that it had.
     * @param fcs      bytes at its end that are a frame check sequence, which a port does not carry.
     * @param stampNs  in ns since 1970.
     * @param linkType of its interface.
     */
    void set(final long place, final int captured, final long onWire, final int fcs, final long stampNs,
        final int linkType) {
        this.place = place;
        // A packet that is cut has lost its end first.
        this.length = (int) Math.max(0, captured - Math.max(0, fcs - Math.max(0, onWire - captured)));
        this.wire = Math.max(0, onWire - fcs);
        this.stampNs = stampNs;
        this.linkType = linkType;
    }

    /** Offset of its first byte in the window. */
    long place() {
        return place;
    }

    /** Captured bytes without a frame check sequence, 0 to {@link #MAX_BYTES}. */
    int length() {
        return length;
    }

    /** Bytes that it had on the wire, without a frame check sequence. */
    long wire() {
        return wire;
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
