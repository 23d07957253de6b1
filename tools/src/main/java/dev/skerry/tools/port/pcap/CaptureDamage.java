package dev.skerry.tools.port.pcap;

/** A capture that cannot be read further: where, why, and what to do. */
final class CaptureDamage extends Exception {
    private static final long serialVersionUID = 1;

    private final long offset;
    private final String advice;

    /**
     * Creates the error.
     *
     * @param offset offset in the file, decompressed if it is gzip.
     * @param why    what is wrong there.
     * @param advice what to do.
     */
    CaptureDamage(final long offset, final String why, final String advice) {
        super(why);
        this.offset = offset;
        this.advice = advice;
    }

    long offset() {
        return offset;
    }

    String advice() {
        return advice;
    }
}
