package dev.skerry.bench.fabric;

import dev.skerry.bench.Compare;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

import java.util.stream.IntStream;

/** Shale, hop-by-hop with spray-short (P = 89, T = 1, T_F = 4). A permutation must reach its guarantee, 1/(2h). */
@Compare(question = "node-slots of Shale; 'loop' is a loop over as much memory", unit = "node-slot",
    by = "traffic", ours = "permutation", baselines = {"loop", "holes", "failing", "idle"}, counter = "nodeSlots")
public class ShaleBenchmark extends MeasuredFabric {
    private static final int SLOTS = 890;
    private static final int PROPAGATION_SLOTS = 89;
    /** One node in this many is absent. */
    private static final int NODES_PER_HOLE = 40;
    /** Nodes that go down, so that all others learn of unusable paths. */
    private static final int NODES_DOWN = 4;
    /**
     * Share of the guarantee that a run must deliver. It is lower with failures, because some nodes that send and
     * receive are down.
     */
    private static final double LEAST_SHARE = 0.95;
    private static final double LEAST_SHARE_IF_FAILING = 0.9;
    private static final long SEED = 1;

    /** Number of nodes and of phases. */
    @Param({"1024x2", "10000x2", "10000x4"})
    public String size;

    /**
     * The traffic: {@code holes} is a permutation with one node in forty absent, {@code failing} a permutation with
     * four nodes down, {@code loop} the baseline.
     */
    @Param({"permutation", "holes", "failing", "idle", "loop"})
    public String traffic;

    /** Builds the fabric and its flows. */
    @Setup(Level.Trial)
    public void build() {
        final String[] nodesAndPhases = size.split("x");
        final int nodes = Integer.parseInt(nodesAndPhases[0]);
        final int h = Integer.parseInt(nodesAndPhases[1]);
        final Phased schedule = new Phased(h, Population.radixFor(h, nodes));
        final Population population = traffic.equals("holes")
            ? Population.of(schedule, nodes - nodes / NODES_PER_HOLE, 0) : Population.complete(schedule);
        final Shale shale = new Shale(schedule, population, Mechanisms.HBH_SPRAY, 1, 4, PROPAGATION_SLOTS, SEED);
        final boolean whole = !traffic.equals("holes") && !traffic.equals("failing");
        final boolean fails = traffic.equals("failing");
        measure(shale, SLOTS, (fails ? LEAST_SHARE_IF_FAILING : LEAST_SHARE) * shale.guarantee()
            * population.endpoints() / shale.nodes(), whole ? traffic : "permutation",
            fails ? failing(nodes) : Faults.NONE);
    }

    private static Faults failing(final int nodes) {
        return new Faults(new FaultPlan(IntStream.range(0, NODES_DOWN).<Fault>mapToObj(
            n -> new Fault.Node(PROPAGATION_SLOTS, n * (nodes / NODES_DOWN) + n, false)).toList()), SEED);
    }
}
