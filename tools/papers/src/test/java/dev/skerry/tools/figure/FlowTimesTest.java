package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.figure.ShoalPareto.FlowTimes;
import org.junit.jupiter.api.Test;

/** Times of flows as Shoal's authors count them. */
final class FlowTimesTest {
    /** Two short flows, one of which is open, and two long ones of 1 MB, one of which has received half. */
    @Test
    void shouldCountOpenLongFlowsByWhatTheyReceived() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1_000, 20, 0);
        flows.add(1, 0, 2, 1_000, 20, 0);
        flows.add(2, 0, 3, 1_000_000, 20_000, 0);
        flows.add(3, 0, 4, 1_000_000, 20_000, 1_000);
        final FlowTimes times = new FlowTimes(10, flows, new long[] {500, FlowTimes.OPEN, 10_000, FlowTimes.OPEN},
            new long[] {0, 10, 0, 500_000}, 11_000);
        assertArrayEquals(new double[] {5}, times.shortUs());
        // 8 Mbit in 100 us and 4 Mbit in 100 us.
        assertEquals(60, times.goodputGbps(), 1e-9);
    }
}
