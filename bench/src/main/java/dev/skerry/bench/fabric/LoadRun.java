package dev.skerry.bench.fabric;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.run.Scenario;

import java.util.SplittableRandom;

/**
 * A fabric under a share of the load that it guarantees, advanced by the caller with one thread: flows of 32 cells per
 * channel between random nodes at even intervals. After its last flow it starts again, warm-up included.
 */
final class LoadRun implements AutoCloseable {
    private static final int FLOW_CELLS = 32;
    private static final int MAX_FLOWS = 200_000;
    private static final long MAX_LINK_SLOTS = 1L << 29;
    private static final int MAX_SLOTS = 1 << 22;
    private static final int WARM_UP = 1_500;
    private static final long LATER = 1L << 40;
    private static final long SEED = 1;

    private final Scenario scenario;
    private final long horizon;
    private Engine engine;
    private long slots;

    /**
     * Builds the fabric and warms it up.
     *
     * @param options options of the command {@code run} that describe the fabric.
     * @param utilisation share of the fabric's guarantee, 0 to 1.
     */
    LoadRun(final String options, final double utilisation) {
        // The caller decides how many slots are run.
        final RunOptions run = RunOptions.of((options + " --slots 1").split(" "));
        final long[] last = new long[1];
        scenario = Scenario.of(run, choice -> flows(choice, utilisation, last));
        horizon = last[0];
        start();
    }

    private static FlowSet flows(final FabricChoice choice, final double utilisation, final long[] last) {
        final int endpoints = choice.fabric().population().endpoints();
        final double perSlot = utilisation * choice.guarantee() * endpoints / FLOW_CELLS;
        final int cells = FLOW_CELLS * choice.fabric().channels();
        last[0] = Math.min(MAX_SLOTS, MAX_LINK_SLOTS / choice.fabric().directedLinks());
        last[0] = perSlot == 0 ? last[0] : Math.min(last[0], (long) (MAX_FLOWS / perSlot));
        final SplittableRandom random = new SplittableRandom(SEED);
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < (long) (last[0] * perSlot); flow++) {
            final int source = random.nextInt(endpoints);
            flows.add(flow, source, (source + 1 + random.nextInt(endpoints - 1)) % endpoints,
                (long) cells * choice.format().payloadBytes(), cells,
                (long) ((flow + random.nextDouble()) / perSlot));
        }
        // An engine ends with its last flow; this one starts later than any run ends.
        flows.add(flows.size(), 0, 1, 1, 1, LATER);
        return flows;
    }

    private void start() {
        engine = scenario.fabric() instanceof final Stardust stardust
            ? new StardustEngine(stardust, scenario.flows(), Faults.NONE, ReachTiming.USUAL, 1, false)
            : new LockStep(FabricKind.partsOf(scenario.choice().circuits()), scenario.flows(), Faults.NONE, 1, false);
        slots = 0;
        advance(WARM_UP);
    }

    /** Ensures that there is traffic for this many further slots. */
    void prepare(final int more) {
        if (slots + more > horizon) {
            engine.close();
            start();
        }
    }

    /** Runs this many further slots; returns the number of links that cells crossed in them. */
    long advance(final int more) {
        final long before = hops();
        if (engine instanceof final LockStep lockStep) {
            lockStep.advance(more);
        } else {
            ((StardustEngine) engine).advance(more);
        }
        slots += more;
        return hops() - before;
    }

    private long hops() {
        return engine.count(NicCounter.CELLS_INJECTED) + engine.count(NicCounter.CELLS_FORWARDED);
    }

    /**
     * Returns the links that can carry a cell in a slot: channels of all nodes, or Stardust's links in both directions.
     */
    long links() {
        return scenario.fabric().directedLinks();
    }

    @Override
    public void close() {
        engine.close();
    }
}
