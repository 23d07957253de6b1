package dev.skerry.dataplane.port;

/** The first fault of a link, with the two numbers that show it. One thread. */
public final class MemifVerdict {
    private MemifFault fault;
    private long found;
    private long bound;

    /** No fault. */
    public MemifVerdict() {
    }

    /** The first fault, or null. */
    public MemifFault fault() {
        return fault;
    }

    /**
     * Keeps the first fault. Lost memory replaces it: the JVM reports it somewhat after the access, and values read in
     * between and found wrong were not the peer's.
     *
     * @param what  the fault.
     * @param value the wrong value.
     * @param limit the bound that it breaks.
     */
    public void raise(final MemifFault what, final long value, final long limit) {
        if (fault == null || what == MemifFault.MEMORY_LOST) {
            fault = what;
            found = value;
            bound = limit;
        }
    }

    /** The fault in words, with its numbers. */
    @Override
    public String toString() {
        return fault == null ? "sound" : fault.sentence() + ": found=" + found + " bound=" + bound;
    }
}
