package dev.skerry.bench.fabric;

import dev.skerry.bench.Compare;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The speed of link-slots with few cells: the same fabric under 1, 2, 10 and 96 % of its guarantee. If work is done for
 * nodes without a cell, all loads take about the same time.
 */
@Compare(question = "link-slots of a fabric at a share of its guarantee, in percent", unit = "link-slot",
    by = "percent", ours = "1", baselines = {"2", "10", "96"}, counter = "linkSlots")
public class LoadBenchmark extends PerSecond {
    private static final int LINK_SLOTS = 1 << 18;

    /** The fabric. */
    @Param({"shale-256", "shale-1024", "shale-10000", "shale-10000-4", "shoal-512", "stardust-n62"})
    public String fabric;

    /** Load, in percent of the fabric's guarantee. */
    @Param({"1", "2", "10", "96"})
    public int percent;

    private LoadRun run;
    private int slots;
    private long crossed;

    /** The work of one invocation. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Moved {
        /** Links times slots. */
        public long linkSlots;
        /** Links that cells crossed. */
        public long hops;
    }

    /** Builds the fabric and runs the warm-up. */
    @Setup(Level.Trial)
    public void build() {
        final String[] part = fabric.split("-");
        run = new LoadRun("--fabric " + part[0] + switch (part[0]) {
            case "stardust" -> " --topology " + part[1];
            case "shoal" -> " --channels 1 --nodes " + part[1];
            default -> " --nodes " + part[1] + " --h " + (part.length > 2 ? part[2] : "2");
        }, percent / 100.0);
        slots = (int) Math.max(1, LINK_SLOTS / run.links());
    }

    /** Ensures that there are flows left. */
    @Setup(Level.Invocation)
    public void prepare() {
        run.prepare(slots);
    }

    /** Checks that cells crossed the fabric. */
    @TearDown(Level.Trial)
    public void check() {
        run.close();
        if (crossed == 0) {
            throw new IllegalStateException("no cell crossed the fabric: fabric=" + fabric + " percent=" + percent);
        }
    }

    /** Runs about a quarter of a million link-slots. */
    @Benchmark
    public long run(final Moved moved) {
        final long hops = run.advance(slots);
        crossed += hops;
        moved.linkSlots += slots * run.links();
        moved.hops += hops;
        return hops;
    }
}
