package dev.skerry.tools.report;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Flows that started and were not complete at the end of a run, an index each. Endless flows are not among them: they
 * cannot complete. Arrays are not changed.
 *
 * @param bytes    payload bytes.
 * @param cells    cells.
 * @param ageSlots slots from the start slot to the end of the run; the flow takes longer.
 */
public record Unfinished(long[] bytes, int[] cells, long[] ageSlots) {
    /** All are complete. */
    public static final Unfinished NONE = new Unfinished(new long[0], new int[0], new long[0]);

    /** Of a run; flows that started before a slot do not count. */
    static Unfinished of(final FlowSet flows, final Outcome outcome, final long from) {
        final boolean[] done = new boolean[flows.size()];
        for (final int flow : outcome.completed()) {
            done[flow] = true;
        }
        final int[] open = IntStream.range(0, flows.size()).filter(flow -> !done[flow]
            && flows.cells(flow) != FlowSet.ENDLESS && flows.startSlot(flow) >= from
            && flows.startSlot(flow) < outcome.slots()).toArray();
        return new Unfinished(Arrays.stream(open).mapToLong(flows::bytes).toArray(),
            Arrays.stream(open).map(flows::cells).toArray(),
            Arrays.stream(open).mapToLong(flow -> outcome.slots() - flows.startSlot(flow)).toArray());
    }
}
