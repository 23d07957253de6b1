package dev.skerry.nic.flow;

import java.util.Arrays;
import java.util.Random;

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
}
