package dev.skerry.bench.fabric;

import dev.skerry.bench.Compare;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Shoal with the exact release rule. A permutation must reach its fair rate, N/(2(N - 1)) of every channel
 * (docs/spec/shoal.md §9.2 G2).
 */
@Compare(question = "node-slots of Shoal; 'loop' is a loop over as much memory", unit = "node-slot",
    by = "traffic", ours = "permutation", baselines = {"loop", "idle"}, counter = "nodeSlots")
public class ShoalBenchmark extends MeasuredFabric {
    private static final int SLOTS = 1022;
    private static final double LEAST = 0.48;

    /** Number of nodes. */
    @Param({"512"})
    public int nodes;

    /** Cells that a node sends in a slot: 1 as in the authors' simulator, 4 as in the paper. */
    @Param({"1", "4"})
    public int channels;

    /** Propagation delay in slots. */
    @Param({"0"})
    public int propagationSlots;

    /** The traffic; {@code loop} is the baseline. */
    @Param({"permutation", "idle", "loop"})
    public String traffic;

    /** Builds the fabric and its flows. */
    @Setup(Level.Trial)
    public void build() {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, false, propagationSlots);
        measure(shoal, SLOTS, LEAST, traffic, Faults.NONE);
    }
}
