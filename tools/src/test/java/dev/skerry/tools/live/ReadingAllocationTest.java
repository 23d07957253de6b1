package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.skerry.nic.count.NanoHistogram;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;

/** A reading of a histogram, which every port has a second, takes memory for what was counted since the last one. */
final class ReadingAllocationTest {
    private static final int READINGS = 100;
    private static final int MOST_BYTES = 2_048;

    @Test
    void shouldTakeMemoryForWhatWasCounted() {
        final NanoHistogram counted = new NanoHistogram();
        final NanoHistogram before = new NanoHistogram();
        counted.record(Long.MAX_VALUE);
        counted.since(before);
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long start = threads.getCurrentThreadAllocatedBytes();
        for (int reading = 0; reading < READINGS; reading++) {
            counted.record(1_000 * reading);
            counted.since(before);
        }
        final long bytes = threads.getCurrentThreadAllocatedBytes() - start;
        assertTrue(bytes < READINGS * MOST_BYTES, () -> bytes + " bytes in " + READINGS + " readings");
    }
}
