package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.report.Distribution.Quantiles;
import dev.skerry.tools.report.SizeBin.OpenFlows;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

class SizeBinTest {
    private static final double EXACT = 1e-12;

    @Test
    void shouldInterpolateQuantilesAsTheAuthorsSimulatorDoes() {
        final double[] sorted = {10, 20, 40, 80};
        // Position p * 4 - 0.5 on {10, 20, 40, 80}: 0.5, 1.5, 2.1, and beyond both ends.
        assertEquals(15, Quantiles.of(sorted, 0.25), EXACT);
        assertEquals(30, Quantiles.of(sorted, 0.5), EXACT);
        assertEquals(44, Quantiles.of(sorted, 0.65), EXACT);
        assertEquals(10, Quantiles.of(sorted, 0.1), EXACT);
        assertEquals(80, Quantiles.of(sorted, 0.99), EXACT);
        assertEquals(2.5, Quantiles.of(new double[] {1, 2, 3, 9}, 0.5), EXACT);
        assertEquals(7, Quantiles.of(new double[] {7}, 0.5), EXACT);
        assertTrue(Double.isNaN(Quantiles.of(new double[0], 0.5)));
        assertThrows(IllegalArgumentException.class, () -> Quantiles.of(sorted, 1.01));
        final double[] many = IntStream.range(0, 2_000).asDoubleStream().toArray();
        assertEquals(1_997.5, Quantiles.of(many, 0.999), 1e-9);
        assertEquals(1_979.5, Quantiles.of(many, 0.99), 1e-9);
    }

    @Test
    void shouldPutEveryEdgeIntoTheUpperBin() {
        final long[] bytes = {1, 4095, 4096, 16_383, 16_384, (1L << 30) - 1, 1L << 30, 1L << 40};
        final RunResult.Flows flows = flows(bytes);
        final SizeBin.Table table = SizeBin.tableOf(flows, 0, RunResult.Measured.ALL);
        assertEquals(List.of(2L, 2L, 1L, 0L, 0L, 0L, 0L, 0L, 0L, 1L, 2L),
            table.bins().stream().map(SizeBin::flows).toList());
        assertEquals(List.of("0 - 4k", "4k - 16k", "16k - 64k", "64k - 256k", "256k - 1M", "1M - 4M", "4M - 16M",
            "16M - 64M", "64M - 256M", "256M - 1G", "1G and more"), table.bins().stream().map(SizeBin::label).toList());
        assertEquals(bytes.length, table.all().flows());
        assertEquals("all flows", table.all().label());
    }

    @Test
    void shouldNormaliseByCellsAndPropagation() {
        final SizeBin.Table table = SizeBin.tableOf(Samples.small(false).flows(), 10,
            RunResult.Measured.ALL);
        // 22 / (1 + 10) = 2 and 27 / (17 + 10) = 1.
        final SizeBin first = table.bins().getFirst();
        assertEquals(1.5, first.mean(), EXACT);
        assertEquals(1.5, first.p50(), EXACT);
        assertEquals(2, first.p999(), EXACT);
        assertTrue(Double.isNaN(table.bins().get(2).mean()), "no flow of 16k to 64k");
        assertEquals(1.75, table.all().mean(), EXACT);
    }

    @Test
    void shouldAgreeWithSortingEachBinByItself() {
        final long seed = 20_240_811;
        final Random random = new Random(seed);
        final long[] bytes = new long[5_000];
        Arrays.setAll(bytes, i -> (long) Math.exp(random.nextDouble() * 22));
        final RunResult.Flows flows = flows(bytes);
        Arrays.setAll(flows.completionSlots(), i -> 1 + random.nextInt(1_000_000));
        for (final SizeBin bin : SizeBin.tableOf(flows, 3, RunResult.Measured.ALL).bins()) {
            double[] expected = new double[bytes.length];
            int n = 0;
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] >= bin.fromBytes() && bytes[i] < bin.toBytes()) {
                    expected[n++] = flows.completionSlots()[i] / (flows.cells()[i] + 3.0);
                }
            }
            expected = Arrays.copyOf(expected, n);
            Arrays.sort(expected);
            final String where = "seed " + seed + ", bin " + bin.label();
            assertEquals(n, bin.flows(), where);
            assertEquals(Quantiles.of(expected, 0.99), bin.p99(), EXACT, where);
            assertEquals(Quantiles.of(expected, 1), bin.max(), EXACT, where);
        }
    }

    private static RunResult.Flows flows(final long[] bytes) {
        final int[] cells = new int[bytes.length];
        Arrays.setAll(cells, i -> (int) Math.ceilDiv(bytes[i], 244));
        final long[] completion = new long[bytes.length];
        Arrays.setAll(completion, i -> 2L * cells[i]);
        return new RunResult.Flows(new long[bytes.length], bytes, cells, completion, new long[bytes.length]);
    }

    /** Whenever the open flows would have completed, the percentiles of all lie within the bounds; they are reached. */
    @Test
    void shouldHoldThePercentilesOfEveryEnd() {
        for (long seed = 0; seed < 500; seed++) {
            final Random random = new Random(seed);
            final double[] ends = random.doubles(1 + random.nextInt(200), 1, 100).toArray();
            final int open = random.nextInt(ends.length + 1);
            final double[] complete = Arrays.copyOfRange(ends, open, ends.length);
            final double[] atLeast = Arrays.copyOf(ends, open);
            Arrays.setAll(atLeast, i -> atLeast[i] * random.nextDouble());
            final OpenFlows flows = OpenFlows.of(complete, atLeast);
            assertEquals(open, flows.flows());
            assertEquals((double) open / ends.length, flows.share(), 1e-12);
            Arrays.sort(ends);
            final double[] shares = {0.5, 0.99, 0.999};
            final OpenFlows.Bounds[] bounds = {flows.p50(), flows.p99(), flows.p999()};
            for (int i = 0; i < shares.length; i++) {
                final double of = Quantiles.of(ends, shares[i]);
                assertTrue(bounds[i].least() <= of && of <= bounds[i].most(), "seed " + seed + " share=" + shares[i]
                    + " of=" + of + " " + bounds[i]);
                if (open == 0) {
                    assertEquals(new OpenFlows.Bounds(of, of), bounds[i], "seed " + seed);
                }
            }
        }
    }

    @Test
    void shouldSayWhereAPercentileHasNoUpperBound() {
        final OpenFlows flows = OpenFlows.of(new double[] {3, 1, 2}, new double[] {1.5});
        assertEquals("1.750 to 2.500", flows.p50().text());
        assertEquals("at least 3.000", flows.p99().text());
        assertTrue(Double.isNaN(flows.carriedBy(4).p99().most()), "four flows carry no p99");
    }
}
