package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.live.LiveRun.SlotRateMonitor;
import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

final class SlotRateMonitorTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final StringWriter out = new StringWriter();
    private final SlotRateMonitor status = new SlotRateMonitor(new PrintWriter(out), 0);
    private long nowNs;
    private long slots;
    private long cells;
    private long idleNs;

    /** Some seconds at a rate, with a share of rest. */
    private void pass(final int seconds, final long slotsPerSecond, final long cellsPerSecond, final double rest) {
        for (int step = 0; step < seconds * 100; step++) {
            nowNs += SECOND_NS / 100;
            slots += (long) (slotsPerSecond * (1 - rest) / 100);
            cells += (long) (cellsPerSecond * (1 - rest) / 100);
            idleNs += (long) (SECOND_NS / 100 * rest);
            status.tell(nowNs, slots, cells, idleNs);
        }
    }

    private List<String> lines() {
        return out.toString().lines().toList();
    }

    @Test
    void shouldSayOnceThatSlotsAreFarFewerThanAtTheStart() {
        pass(10, 700_000, 900_000, 0);
        assertEquals(List.of(), lines());
        pass(20, 60_000, 80_000, 0);
        assertEquals(1, lines().size(), out::toString);
        assertTrue(lines().get(0).matches("skerry: live: slots: 60,000 a second now, 700,000 at the start: .*, .*"),
            out::toString);
    }

    @Test
    void shouldSayItAgainAfterItWasWell() {
        pass(10, 700_000, 900_000, 0.5);
        pass(10, 60_000, 80_000, 0);
        pass(2, 700_000, 900_000, 0);
        pass(10, 60_000, 80_000, 0);
        assertEquals(1, lines().size(), "two good seconds are not reported");
        pass(10, 700_000, 900_000, 0);
        pass(10, 60_000, 80_000, 0);
        assertEquals(2, lines().size(), out::toString);
    }

    /** Full slots take longer than empty ones; a fabric at rest has no slots; one bad second is none. */
    @Test
    void shouldNotMistakeWorkOrRestForSlowness() {
        pass(6, 2_700_000, 30_000, 0.8);
        pass(10, 320_000, 1_290_000, 0);
        pass(10, 320_000, 1_290_000, 0.99);
        pass(10, 0, 0, 1);
        pass(2, 60_000, 80_000, 0);
        pass(10, 2_700_000, 30_000, 0.8);
        assertEquals(List.of(), lines());
    }
}
