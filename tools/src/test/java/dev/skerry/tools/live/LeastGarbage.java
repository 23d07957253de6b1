package dev.skerry.tools.live;

import com.sun.management.ThreadMXBean;
import dev.skerry.nic.fabric.Engine;

import java.lang.management.ManagementFactory;

/**
 * The least that the thread which watches a run allocates in any window of slots. Code that is not compiled yet may
 * allocate, so the first windows say little.
 */
final class LeastGarbage implements Engine.Watch {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final int windowSlots;
    private final long enough;
    private long before;
    private long bytes = Long.MAX_VALUE;

    /** Goes on until a window has fewer bytes than {@code enough}. */
    LeastGarbage(final int windowSlots, final long enough) {
        this.windowSlots = windowSlots;
        this.enough = enough;
    }

    @Override
    public boolean onProgress(final long slot, final long delivered, final long completed) {
        if (slot % windowSlots == 0) {
            final long now = threads.getCurrentThreadAllocatedBytes();
            bytes = slot > windowSlots ? Math.min(bytes, now - before) : bytes;
            before = now;
        }
        return bytes >= enough;
    }

    /** Bytes in the best window, {@link Long#MAX_VALUE} before the second one. */
    long bytes() {
        return bytes;
    }
}
