package dev.skerry.tools.report;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * {@code flows.csv}: a line for every flow of a run, in order of start slot, whatever became of it. {@code
 * completion_slots} is empty unless the state is {@code complete}; a flow that is {@code unfinished} started and a flow
 * that is {@code waiting} did not. {@code ideal_slots} are cells + propagation, by which the papers normalise
 * (docs/spec/shale.md §10.1); 0 for an endless flow. {@code alone_slots} are those of the same flow alone, by which
 * {@link Slowdown} divides; empty if it did not run alone. Endless flows have no bytes and no cells.
 *
 * @param flows            of the run.
 * @param outcome          what came of them.
 * @param propagationSlots P.
 * @param aloneSlots       slots of each flow alone, 0 if it did not run alone; empty if none did.
 */
public record FlowsFile(FlowSet flows, Outcome outcome, int propagationSlots, long[] aloneSlots) {
    private static final long NOT_COMPLETE = -1;

    /**
     * Writes the file into a folder that is there.
     *
     * @throws IOException if it cannot be written.
     */
    public void writeInto(final Path folder) throws IOException {
        final long[] completion = new long[flows.size()];
        Arrays.fill(completion, NOT_COMPLETE);
        for (int i = 0; i < outcome.completed().length; i++) {
            final int flow = outcome.completed()[i];
            completion[flow] = outcome.completedIn()[i] + 1 - flows.startSlot(flow);
        }
        ResultFiles.table(folder, "flows", "flow_id,source,destination,bytes,cells,class,start_slot,completion_slots,"
            + "ideal_slots,state,alone_slots", flows.size(), flow -> line(flow, completion[flow]));
    }

    private String line(final int flow, final long completion) {
        final boolean complete = completion != NOT_COMPLETE;
        final boolean endless = flows.cells(flow) == FlowSet.ENDLESS;
        return flows.id(flow) + "," + flows.source(flow) + "," + flows.destination(flow) + ","
            + (endless ? "" : flows.bytes(flow)) + "," + (endless ? "" : flows.cells(flow)) + ","
            + flows.trafficClass(flow) + "," + flows.startSlot(flow) + "," + (complete ? completion : "") + ","
            + (endless ? 0 : (long) flows.cells(flow) + propagationSlots) + ","
            + (complete ? "complete" : flows.startSlot(flow) < outcome.slots() ? "unfinished" : "waiting") + ","
            + (aloneSlots.length == 0 || aloneSlots[flow] == 0 ? "" : aloneSlots[flow]);
    }
}
