package dev.skerry.tools.figure.stardust;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;

import java.util.Arrays;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * The flows of Stardust Figure 10b (docs/spec/stardust.md §10 row 13): host 0 sends flows of drawn sizes to the last
 * host, each 1 ms after the last one ended, beside 1,728 endless flows of other hosts. One thread.
 */
final class WebFlows {
    static final long[] SIZES = {250, 500, 1000, 1500, 2000, 3000, 4000, 10_000, 100_000, 1_000_000};

    /** Segments that hosts send before anything is acknowledged: RFC 6928, and the artefact of NDP. */
    static final int FIRST_PACKETS = 10;

    private static final int ENDLESS = 4 * StardustTcp.HOSTS;
    private static final int FROM = 0;
    private static final int TO = StardustTcp.HOSTS - 1;
    private static final double WARM_UP_MS = 10;
    private static final double PAUSE_MS = 1;
    private static final double STEP_MS = 0.5;
    private static final double LATEST_MS = 1e9;
    private static final double PATIENCE_MS = 1000;
    private static final int USE_FROM = 0;
    private static final int USE_TO = 1;
    private static final int USE_SIZE = 2;

    private final StardustTcp times = StardustTcp.PAPER;
    private final FlowSet flows = new FlowSet();
    private final int count;

    /** Flows of a seed; the last one is of the size that has a rule, whatever is drawn. */
    WebFlows(final int count, final long seed) {
        this.count = count;
        final long key = CounterRandom.mix(seed);
        for (int flow = 0; flow < ENDLESS; flow++) {
            final int from = 1 + CounterRandom.below(CounterRandom.bits(key, 0, flow, USE_FROM), StardustTcp.HOSTS - 1);
            final int to = CounterRandom.below(CounterRandom.bits(key, 0, flow, USE_TO), StardustTcp.HOSTS - 1);
            CircuitRuns.endless(flows, from, to == from ? from - 1 : to);
        }
        for (int i = 0; i < count; i++) {
            final long size = i == count - 1 ? SIZES[SIZES.length - 1]
                : SIZES[CounterRandom.below(CounterRandom.bits(key, 0, i, USE_SIZE), SIZES.length)];
            flows.add(ENDLESS + i, FROM, TO, size, (int) (size / times.payloadBytes()) + 1, times.slots(WARM_UP_MS)
                + (i == 0 ? 0 : slots(LATEST_MS)));
        }
    }

    private long slots(final double ms) {
        return (long) (ms * 1e6 / times.slotNs());
    }

    FlowSet flows() {
        return flows;
    }

    /**
     * Runs until the last flow has ended.
     *
     * @param network         is advanced by some slots.
     * @param completedBefore the slot after that in which a flow ended, 0 if it has not.
     * @return how long each took in ms, NaN for a flow that did not end in a second.
     */
    double[] run(final LongConsumer network, final IntToLongFunction completedBefore, final Effort effort) {
        final double[] took = new double[count];
        Arrays.fill(took, Double.NaN);
        final long step = times.slots(STEP_MS);
        long slot = 0;
        for (int i = 0; i < count; i++) {
            final int flow = ENDLESS + i;
            final long patience = flows.startSlot(flow) + slots(PATIENCE_MS);
            while (completedBefore.applyAsLong(flow) == 0 && slot < patience) {
                network.accept(step);
                slot += step;
                effort.done((double) i / count);
            }
            if (completedBefore.applyAsLong(flow) == 0) {
                return took;
            }
            took[i] = times.ms(completedBefore.applyAsLong(flow) - flows.startSlot(flow));
            if (i + 1 < count) {
                flows.startAt(flow + 1, completedBefore.applyAsLong(flow) + times.slots(PAUSE_MS));
            }
        }
        return took;
    }

    /** Of some times those of flows of a size, ascending. */
    double[] ofSize(final double[] took, final long size) {
        return IntStream.range(0, took.length).filter(i -> flows.bytes(ENDLESS + i) == size)
            .mapToDouble(i -> took[i]).sorted().toArray();
    }
}
