package dev.skerry.tools.port.pcap;

/** Reads the packets of one format in file order. */
sealed interface CaptureRecords permits PcapRecords, PcapngBlocks {
    /**
     * Moves to the next packet.
     *
     * @param packet receives the packet's place, length, stamp and link type.
     * @return false at the end of the file.
     * @throws CaptureDamage if the file cannot be read further.
     */
    boolean next(CapturedPacket packet) throws CaptureDamage;

    /** The error for a truncated file. */
    static CaptureDamage cut(final CaptureBytes bytes, final String within, final long there, final long needed) {
        return bytes.breakage().isEmpty()
            ? new CaptureDamage(bytes.offset(), "the file ends within " + within + ", " + there + " of " + needed
                + " bytes are there", "copy the file again or capture anew; all packets before were delivered")
            : new CaptureDamage(bytes.offset(), bytes.breakage(),
                "copy or compress the file again; all packets before were delivered");
    }

    /** The error for an impossible number. */
    static CaptureDamage impossible(final CaptureBytes bytes, final String why) {
        return new CaptureDamage(bytes.offset(), why,
            "copy the file again or repair it with pcapfix; all packets before were delivered");
    }
}
