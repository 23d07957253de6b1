package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.figure.ShaleRuns.TenthOfHeavy;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** The heavy-tailed workload of Shale's figures: its sizes, its division between schedules, and flows apart. */
final class HeavyWorkloadTest {
    /** The sizes in MB that follow from the table for the paper's shares (docs/spec/shale.md §10.3). */
    @ParameterizedTest
    @CsvSource({"1, 2, 39.6", "1, 4, 67.3", "1, 5, 80.9", "1, 6, 95.4", "1, 8, 541", "2, 2, 58.4", "2, 4, 91.1",
        "2, 5, 273.5", "2, 6, 446.6", "2, 8, 714.9"})
    void shouldGiveBothSchedulesTheSameLoad(final int fewer, final int tenths, final double megabytes) {
        assertEquals(megabytes, ShaleFabrics.cutOff(SizeDistribution.HEAVY, fewer, tenths) / 1e6,
            0.005 * megabytes);
    }

    @Test
    void shouldShortenLongFlowsOnly() {
        final TenthOfHeavy sizes = new TenthOfHeavy();
        double bytes = 0;
        for (int step = 0; step < 1000; step++) {
            final double uniform = (step + 0.5) / 1000;
            final long whole = SizeDistribution.HEAVY.bytes(uniform);
            assertEquals(whole <= 2107 * 1460 ? whole : 2107 * 1460 + (whole - 2107 * 1460) / 10, sizes.bytes(uniform),
                1460, "uniform " + uniform);
            bytes += sizes.bytes(uniform) / 1000.0;
        }
        assertEquals(bytes / 244, sizes.meanCells(244), 0.01 * bytes / 244);
    }

    /** A flow to node 0 beside a very long one, one to node 1, and one to node 0 after the long one has ended. */
    @Test
    void shouldTellFlowsBesideAVeryLongOne() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 2, 0, 244L * 2_000, 2_000, 0);
        flows.add(1, 3, 0, 244, 1, 100);
        flows.add(2, 3, 1, 244, 1, 200);
        flows.add(3, 3, 0, 244, 1, 60_000);
        final ShaleRuns.Loaded run = ShaleRuns.loaded(ShaleRuns.fabric(2, 4, 0, 1, 6, 1), flows,
            70_000, 0, new Effort(true, 1, 1));
        final List<SizeBin> apart = ShaleRuns.apart(run, 244L * 1_000);
        assertEquals(2, apart.getFirst().flows());
        assertEquals(1, apart.getLast().flows());
        assertEquals(3, ShaleRuns.apart(run, 244L * 3_000).getFirst().flows());
    }
}
