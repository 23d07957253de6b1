package dev.skerry.nic.flow;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;

/** Flow sets for tests. */
public final class Flows {
    private Flows() {
    }

    /** Random flows between endpoints: starts within {@code slots}, 1 to {@code maxCells} cells each, with bursts. */
    public static FlowSet random(final long seed, final int endpoints, final int count, final long slots,
        final int maxCells) {
        final Random random = new Random(seed);
        final long[] starts = random.longs(count, 0, slots).toArray();
        Arrays.sort(starts);
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < count; flow++) {
            final int from = random.nextInt(endpoints);
            // Every fourth flow goes to endpoint 0, so that its buckets run out of tokens.
            final int aim = from != 0 && random.nextInt(4) == 0 ? 0 : random.nextInt(endpoints);
            final int to = aim == from ? (from + 1) % endpoints : aim;
            final int cells = 1 + random.nextInt(random.nextInt(maxCells) + 1);
            flows.add(1000 + flow, from, to, 244L * cells, cells, flow % 5 == 0 || flow == 0 ? starts[flow]
                : flows.startSlot(flow - 1));
        }
        return flows;
    }

    /** An endless flow from each endpoint to the one so many further on. */
    public static FlowSet endless(final int endpoints, final int by) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < endpoints; from++) {
            flows.add(from, from, (from + by) % endpoints, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }

    /** A flow from each endpoint to each other one. */
    public static FlowSet allToAll(final int endpoints, final int cells) {
        final FlowSet flows = new FlowSet();
        for (int pair = 0; pair < endpoints * endpoints; pair++) {
            if (pair / endpoints != pair % endpoints) {
                add(flows, pair / endpoints, pair % endpoints, cells, 0);
            }
        }
        return flows;
    }

    /** Adds a flow of Shoal's payloads, the next one by number. */
    public static void add(final FlowSet flows, final int from, final int to, final int cells, final long slot) {
        flows.add(flows.size(), from, to, 56L * cells, cells, slot);
    }

    /** Some of the flows, by their number, and their classes; {@code kept}: gets their numbers. */
    public static FlowSet only(final FlowSet flows, final IntPredicate keep, final List<Integer> kept) {
        final FlowSet some = new FlowSet();
        for (int flow = 0; flow < flows.size(); flow++) {
            if (keep.test(flow)) {
                some.add(flows.id(flow), flows.source(flow), flows.destination(flow), flows.bytes(flow),
                    flows.cells(flow), flows.startSlot(flow));
                some.setClass(flows.trafficClass(flow));
                kept.add(flow);
            }
        }
        return some;
    }

    /** Cells of all flows. */
    public static long cells(final FlowSet flows) {
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            cells += flows.cells(flow);
        }
        return cells;
    }
}
