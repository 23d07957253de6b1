package dev.skerry.tools.port.pcap;

/** The packets of a format, one after the other. */
sealed interface CaptureRecords permits PcapRecords, PcapngBlocks {
    /**
     * Moves to the next packet.
     *
     * @param packet takes what is known of it.
     * @return false at the end of the file.
     * @throws CaptureDamage if the file cannot be read on.
     */
    boolean next(CapturedPacket packet) throws CaptureDamage;

    /** What stands at the end of a file that is cut. */
    static CaptureDamage cut(final CaptureBytes bytes, final String within, final long there, final long needed) {
        return bytes.breakage().isEmpty()
            ? new CaptureDamage(bytes.offset(), "the file ends within " + within + ", " + there + " of " + needed
                + " bytes are there", "copy the file again or capture anew; all packets before were delivered")
            : new CaptureDamage(bytes.offset(), bytes.breakage(),
                "copy or compress the file again; all packets before were delivered");
    }

    /** What stands at a number that cannot be. */
    static CaptureDamage impossible(final CaptureBytes bytes, final String why) {
        return new CaptureDamage(bytes.offset(), why,
            "copy the file again or repair it with pcapfix; all packets before were delivered");
    }
}
