package dev.skerry.tools.report;

import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.report.RunResult.Measure;
import org.HdrHistogram.Histogram;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Results to report about. */
final class Samples {
    private Samples() {
    }

    /** Four flows on three nodes: small enough for every number to be worked out by hand. */
    static RunResult small(final boolean interrupted) {
        final Histogram latency = new Histogram(3);
        for (final long slots : new long[] {11, 12, 12, 40}) {
            latency.recordValue(slots);
        }
        return new RunResult(settings("3", "2"), terms(2), interrupted,
            new RunResult.Totals(3, 250, 10, 40, 33, 5, 2, 1, 5, 4, 7, 9, 4, 6, 0.044, 0.5, 1500, 6000, 0xbeefL),
            new RunResult.Flows(
                new long[] {7, 1, 9_000_000_000L, 3},
                new long[] {4095, 4096, 100, 70_000},
                new int[] {17, 17, 1, 287},
                new long[] {27, 54, 22, 594},
                new long[] {0, 5, 100, 12}),
            new RunResult.Nodes(new int[] {9, 0, 3}, new int[] {7, 0, 2}, new int[] {4, 1, 1}),
            new RunResult.Timeline(100, new long[] {12, 18, 3}),
            List.of(new Measure("droppedDamaged", "", 2L, "cells dropped because they were damaged")), latency,
            List.of(), RunResult.Measured.ALL);
    }

    /** Nothing happened: no slot, no flow, no cell, one idle node. */
    static RunResult empty() {
        return new RunResult(Map.of(), RunResult.Terms.UNKNOWN, false,
            new RunResult.Totals(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Double.NaN, 0, Double.NaN,
                Double.NaN, 0),
            new RunResult.Flows(new long[0], new long[0], new int[0], new long[0], new long[0]),
            new RunResult.Nodes(new int[1], new int[1], new int[1]),
            new RunResult.Timeline(1, new long[0]), List.of(), new Histogram(3), List.of(), RunResult.Measured.ALL);
    }

    /** A result with other settings, terms, totals and events. */
    static RunResult with(final RunResult some, final Map<String, String> settings, final RunResult.Terms terms,
        final boolean interrupted, final RunResult.Totals totals, final List<Measure> events) {
        return new RunResult(settings, terms, interrupted, totals, some.flows(), some.nodes(), some.timeline(), events,
            some.latency(), List.of(), RunResult.Measured.ALL);
    }

    /** Shaped like a run of Shale on the short-flow workload (docs/spec/shale.md §10.2, §10.4). */
    static RunResult plausible(final int nodes, final int flows, final boolean interrupted) {
        final Random random = new Random(42);
        final long[] id = new long[flows];
        final long[] bytes = new long[flows];
        final int[] cells = new int[flows];
        final long[] completion = new long[flows];
        final long[] start = new long[flows];
        for (int i = 0; i < flows; i++) {
            id[i] = i;
            bytes[i] = random.nextInt(2) == 0 ? 1460 : (long) Math.exp(7.3 + random.nextDouble() * 7.6);
            cells[i] = (int) Math.ceilDiv(bytes[i], 244);
            final double slowdown = 1 + 5 * Math.exp(random.nextGaussian() * 1.1) * (1 + 30.0 / (cells[i] + 8));
            completion[i] = (long) ((cells[i] + 13) * slowdown);
            start[i] = random.nextInt(100_000);
        }
        final int[] buffer = new int[nodes];
        final int[] queue = new int[nodes];
        final int[] buckets = new int[nodes];
        Arrays.setAll(buffer, i -> (int) (60 + random.nextGaussian() * 8));
        Arrays.setAll(queue, i -> (int) (15 + random.nextGaussian() * 3));
        Arrays.setAll(buckets, i -> (int) (80 + random.nextGaussian() * 9));
        final long[] delivered = new long[100];
        Arrays.setAll(delivered, i ->
            (long) (256_000 * (0.205 - 0.15 * Math.exp(-i / 6.0) + random.nextGaussian() * 0.008)));
        final Histogram latency = new Histogram(3);
        for (int i = 0; i < 50_000; i++) {
            latency.recordValue(16 + (long) Math.exp(3.5 + random.nextGaussian()));
        }
        final long sum = Arrays.stream(delivered).sum();
        return new RunResult(settings("256", "2"), terms(2), interrupted,
            new RunResult.Totals(nodes, 100_000, 13, sum + 4_211, sum, 4_211, 0, 0, flows + 212, flows, 25, 81, 103,
                1_204, sum / 256e5, 2.81, 9.11e6, 9.11e6, 0x3fa9_01c4_77d2_0be1L),
            new RunResult.Flows(id, bytes, cells, completion, start),
            new RunResult.Nodes(buffer, queue, buckets), new RunResult.Timeline(1_000, delivered), List.of(),
            latency, List.of(), RunResult.Measured.ALL);
    }

    /** Of Shale with h phases, as {@link #settings} has it. */
    static RunResult.Terms terms(final int h) {
        return new RunResult.Terms(1, 5.632, 244, new Guarantee("1/(2h)", 1.0 / (2 * h)));
    }

    static Map<String, String> settings(final String nodes, final String h) {
        final Map<String, String> settings = new LinkedHashMap<>();
        for (final String option : ("fabric=shale nodes=" + nodes + " h=" + h + " cc=hbh+spray tokens=1 "
            + "first-hop-tokens=1 workload=short load=0.24 slots=100000 slot-ns=5.632 cell-bytes=256 header-bytes=12 "
            + "payload-bytes=244 propagation-slots=13 seed=1 threads=1 mode=lockstep check=false").split(" ")) {
            settings.put(option.split("=")[0], option.split("=")[1]);
        }
        return settings;
    }
}
