package dev.skerry.tools.report;

import dev.skerry.nic.engine.RunLog;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The files that the simulator of Shale's authors writes of a run and {@link ResultFiles} does not
 * (docs/spec/shale.md §11). Immutable; any thread.
 *
 * @param places     nodes and channels of the schedule: cells that it could deliver in a slot.
 * @param phaseLinks links of a phase.
 * @param buckets    whether the fabric has buckets.
 * @param queues     whether each link of a node has a queue of its own.
 * @param snapshots  what nodes hold, ascending; the last one at the end of the run.
 * @param longest    the longest queue of each link.
 * @param lengths    the queue of each link at the end.
 * @param incomplete flows under way at the end.
 */
public record RunLogFiles(int places, int phaseLinks, boolean buckets, boolean queues, List<RunLog.Snapshot> snapshots,
    RunLog.Links longest, RunLog.Links lengths, Incomplete incomplete) {

    /**
     * Flows of which some cells have arrived and some have not, an index each.
     *
     * @param id       the user's flow id.
     * @param received cells that have arrived.
     * @param ageSlots slots from the start of the flow to the end of the run, propagation included.
     * @param cells    of the flow.
     */
    public record Incomplete(long[] id, int[] received, long[] ageSlots, int[] cells) {
    }

    /**
     * Writes them into a folder that is there.
     *
     * @throws IOException if they cannot be written.
     */
    public void writeInto(final Path folder) throws IOException {
        ResultFiles.table(folder, "throughput", "slot,cells_delivered,throughput,throughput_after", snapshots.size(),
            this::throughput);
        ResultFiles.table(folder, "incomplete-flows", "flow_id,received_cells,age_slots,cells", incomplete.id.length,
            i -> incomplete.id[i] + "," + incomplete.received[i] + "," + incomplete.ageSlots[i] + ","
                + incomplete.cells[i]);
        for (int i = 1; i < snapshots.size(); i++) {
            final RunLog.Snapshot at = snapshots.get(i);
            final String when = i == snapshots.size() - 1 ? "final" : Long.toString(at.slot());
            ResultFiles.writeNodes(folder, "buffer-occupancy-" + when, at.held());
            if (buckets) {
                ResultFiles.writeNodes(folder, "active-buckets-" + when, at.active());
            }
        }
        if (queues) {
            writeLinks(folder, "link-queue-lengths", longest);
            writeLinks(folder, "link-queue-lengths-final", lengths);
        }
    }

    /** Cells per node, slot and channel since the line before, and from this line to the end. */
    private String throughput(final int i) {
        final RunLog.Snapshot at = snapshots.get(i);
        final String since = i == 0 ? "" : rate(snapshots.get(i - 1), at);
        final String after = i == snapshots.size() - 1 ? "" : rate(at, snapshots.getLast());
        return at.slot() + "," + at.delivered() + "," + since + "," + after;
    }

    private String rate(final RunLog.Snapshot from, final RunLog.Snapshot to) {
        return String.format(Locale.ROOT, "%.6f",
            (to.delivered() - from.delivered()) / ((double) places * (to.slot() - from.slot())));
    }

    private void writeLinks(final Path folder, final String name, final RunLog.Links links) throws IOException {
        ResultFiles.table(folder, name, "node,phase,link,cells", links.node().length, i -> links.node()[i] + ","
            + links.link()[i] / phaseLinks + "," + links.link()[i] % phaseLinks + "," + links.length()[i]);
    }
}
