package dev.skerry.tools.port.pcap;

/** A capture that cannot be read on: where, why, what to do. */
final class CaptureDamage extends Exception {
    private static final long serialVersionUID = 1;

    private final long offset;
    private final String advice;

    /**
     * One complaint.
     *
     * @param offset byte of the file, unpacked if it is packed.
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
