package dev.skerry.dataplane.port;

/** What is wrong with a link: the first fault, with the two numbers that show it. One thread. */
public final class MemifVerdict {
    private MemifFault fault;
    private long found;
    private long bound;

    /** Nothing is wrong. */
    public MemifVerdict() {
    }

    /** The first fault, or null. */
    public MemifFault fault() {
        return fault;
    }

    /**
     * Notes a fault, unless one is noted already. Lost memory is told even then: the JVM reports it somewhat after the
     * access, and what was read in between and found wrong was not the peer's.
     *
     * @param what  is wrong.
     * @param value that is wrong.
     * @param limit it breaks.
     */
    public void raise(final MemifFault what, final long value, final long limit) {
        if (fault == null || what == MemifFault.MEMORY_LOST) {
            fault = what;
            found = value;
            bound = limit;
        }
    }

    /** The fault in words with its numbers. */
    @Override
    public String toString() {
        return fault == null ? "sound" : fault.sentence() + ": found=" + found + " bound=" + bound;
    }
}
