package dev.skerry.bench.fabric;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.run.CircuitParts;
import dev.skerry.tools.traffic.Workload;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A fabric under one of three kinds of traffic, stepped by a benchmark: {@code permutation}, where every node sends to
 * one other node at full rate; {@code short}, the papers' short flows at a given load; {@code idle}, without flows.
 * Short flows are drawn for a limited number of slots; after these the fabric starts again, warm-up included.
 */
final class FabricRun implements AutoCloseable {
    private static final long SEED = 1;
    private static final int HORIZON = 30_000;
    private static final int WARM_UP = 2_000;
    private static final int JUDGED_FROM = 20_000;

    private final CircuitFabric fabric;
    private final FlowSet flows;
    private final Faults faults;
    private final String traffic;
    private final int threads;
    private LockStep engine;
    private long slots;

    /** The traffic, the load of its short flows (1.0 is line rate), and payload bytes per cell. */
    record Offered(String traffic, double load, int payloadBytes) {
    }

    /** Builds a fabric without faults. */
    FabricRun(final CircuitFabric fabric, final Offered offered, final int threads) {
        this(fabric, offered, Faults.NONE, threads);
    }

    FabricRun(final CircuitFabric fabric, final Offered offered, final Faults faults, final int threads) {
        this.fabric = fabric;
        this.faults = faults;
        this.traffic = offered.traffic;
        this.threads = threads;
        this.flows = offered.traffic.equals("idle") ? later()
            : Workload.named(offered.traffic, offered.load, fabric.channels(), OptionalInt.empty(),
                OptionalLong.empty()).generate(fabric.population().endpoints(), offered.payloadBytes, HORIZON, SEED);
        start();
    }

    /** A single flow that never starts, because an engine ends with its last flow. */
    private static FlowSet later() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1, 1, Long.MAX_VALUE);
        return flows;
    }

    private void start() {
        engine = new LockStep(CircuitParts.of(fabric), flows, faults, threads, false);
        slots = 0;
        if (!traffic.equals("idle")) {
            advance(WARM_UP);
        }
    }

    /** Ensures that there is traffic for this many further slots. */
    void prepare(final int more) {
        if (traffic.equals("short") && slots + more > HORIZON) {
            engine.close();
            start();
        }
    }

    /** Runs this many further slots; returns the cells delivered in them. */
    long advance(final int more) {
        final long before = engine.count(NicCounter.CELLS_DELIVERED);
        engine.advance(more);
        slots += more;
        return engine.count(NicCounter.CELLS_DELIVERED) - before;
    }

    /**
     * Checks that the fabric delivered enough cells.
     *
     * @param least fewest cells that a permutation delivers per node, channel and slot.
     */
    void check(final double least) {
        final double delivered = engine.count(NicCounter.CELLS_DELIVERED)
            / ((double) fabric.nodes() * fabric.channels() * slots);
        final boolean works = switch (traffic) {
            case "idle" -> delivered == 0;
            case "permutation" -> slots < JUDGED_FROM || delivered >= least;
            default -> delivered > 0;
        };
        if (!works) {
            throw new IllegalStateException("the fabric did not do its work: traffic=" + traffic + " slots=" + slots
                + " delivered per node and slot=" + delivered);
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
