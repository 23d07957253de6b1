package dev.skerry.tools.figure.shale;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.report.SizeBin;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Completion times of flows that share their destination with no very long flow while they last: Shale Appendix B.3.
 * Pure functions; any thread.
 */
final class FlowsApart {
    private FlowsApart() {
    }

    /**
     * The bins of those flows.
     *
     * @param longBytes a flow above this is a very long one.
     */
    static List<SizeBin> bins(final ShaleRuns.Loaded run, final long longBytes) {
        final FlowSet flows = run.flows();
        final long[] end = new long[flows.size()];
        Arrays.fill(end, Long.MAX_VALUE);
        final int[] completed = run.outcome().completed();
        for (int i = 0; i < completed.length; i++) {
            end[completed[i]] = run.outcome().completedIn()[i];
        }
        final int[] longOnes = IntStream.range(0, flows.size()).filter(flow -> flows.bytes(flow) > longBytes).toArray();
        final int[] apart = IntStream.of(completed)
            .filter(flow -> IntStream.of(longOnes).noneMatch(other -> other != flow
                && flows.destination(other) == flows.destination(flow)
                && flows.startSlot(other) <= end[flow] && end[other] >= flows.startSlot(flow)))
            .toArray();
        final int delay = run.summary().result().totals().propagationSlots();
        return SizeBin.tableOf(IntStream.of(apart).mapToLong(flows::bytes).toArray(),
            IntStream.of(apart).mapToDouble(flow -> (end[flow] + 1 - flows.startSlot(flow))
                / ((double) flows.cells(flow) + delay)).toArray()).bins();
    }
}
