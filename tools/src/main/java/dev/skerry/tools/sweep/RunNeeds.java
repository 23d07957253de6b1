package dev.skerry.tools.sweep;

/**
 * What a run takes, known before it runs. Immutable.
 *
 * @param heapBytes  on the heap beside those of any run.
 * @param stateBytes off the heap.
 * @param threads    that work at the same time.
 * @param resumes    whether it can write a checkpoint when it is stopped, and go on from it.
 */
public record RunNeeds(long heapBytes, long stateBytes, int threads, boolean resumes) {
    /** A JVM with its code, its heap before the first flow, and the results of a run while they are written. */
    private static final long PROCESS_BYTES = 256L << 20;

    /** A command that knows what its run takes. */
    public interface Known {
        /** What it takes; refuses options as the run does. */
        RunNeeds needs();
    }

    /** Bytes that the process takes at most, about. */
    long bytes() {
        return PROCESS_BYTES + heapBytes + stateBytes;
    }
}
