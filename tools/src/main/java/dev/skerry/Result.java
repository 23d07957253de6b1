package dev.skerry;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.execution.RunDone;
import dev.skerry.tools.report.Numbers;
import dev.skerry.tools.report.ResultFiles;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.Summary;
import dev.skerry.tools.report.TableFormats;
import dev.skerry.tools.report.TerminalReport;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The result of a run. Immutable; any thread may read it.
 *
 * <p>{@link #json} is what {@code skerry run --json} prints, and {@link #report} what it prints otherwise. Read the
 * {@link #warnings} before you use the numbers.
 */
public final class Result {
    private final RunDone done;
    private final Summary summary;

    Result(final RunDone done) {
        this.done = done;
        this.summary = Summary.of(done.result());
    }

    /**
     * A flow and when it was complete.
     *
     * @param id              of the flow, by default its position among all flows.
     * @param source          sending node.
     * @param destination     receiving node.
     * @param bytes           payload bytes; {@link Long#MAX_VALUE} for a flow without end.
     * @param startSlot       slot from which it could send; {@link Long#MAX_VALUE} if it waited until the end.
     * @param completionSlots slots from then until its last cell was delivered; -1 if it is not complete.
     */
    public record Flow(long id, int source, int destination, long bytes, long startSlot, long completionSlots) {
        /** Whether all of it was delivered. */
        public boolean isComplete() {
            return completionSlots >= 0;
        }
    }

    /** All flows, in order of their start. */
    public List<Flow> flows() {
        final FlowSet flows = done.flows().flows();
        final long[] slots = done.flows().completionSlots();
        return IntStream.range(0, flows.size()).mapToObj(flow -> new Flow(flows.id(flow),
            flows.source(flow), flows.destination(flow), flows.bytes(flow), flows.startSlot(flow),
            slots[flow] > 0 ? slots[flow] : -1)).toList();
    }

    /** Slots that ran. */
    public long slots() {
        return totals().slots();
    }

    /** Cells delivered per node, slot and channel: in the measured window, or in the whole run if there is none. */
    public double throughput() {
        return summary.result().throughput();
    }

    /** Cells that sources sent. */
    public long cellsInjected() {
        return totals().cellsInjected();
    }

    /** Cells that arrived at their destination. */
    public long cellsDelivered() {
        return totals().cellsDelivered();
    }

    /** Cells that were in the fabric when the run ended. */
    public long cellsHeld() {
        return totals().cellsHeld();
    }

    /** Cells that were lost. */
    public long cellsDropped() {
        return totals().cellsDropped();
    }

    /** Flows that were complete when the run ended. */
    public long flowsCompleted() {
        return totals().flowsCompleted();
    }

    /** Everything else that was counted and is not zero, by its name in {@link #json}. */
    public Map<String, Number> events() {
        return summary.result().events().stream().filter(event -> event.value() instanceof Number)
            .collect(Collectors.toUnmodifiableMap(RunResult.Measure::key, event -> (Number) event.value()));
    }

    /** Digest of all deliveries: equal for equal settings, flows and seed, whatever the number of threads. */
    public String digest() {
        return Numbers.digest(totals().digest());
    }

    /** What must be known before the numbers are used, for example that flows did not finish. */
    public List<String> warnings() {
        return summary.warnings();
    }

    /** The summary as JSON. */
    public String json() {
        return summary.json();
    }

    /** The report as text. */
    public String report() {
        return TerminalReport.of(summary);
    }

    /**
     * Writes the files that {@code skerry run --out} writes.
     *
     * @param folder a new folder.
     * @throws IllegalArgumentException if it exists and is not empty, or cannot be written.
     */
    public void write(final Path folder) {
        ResultFiles.write(summary, done.flows()::writeInto, TableFormats.of("csv"), folder);
    }

    private RunResult.Totals totals() {
        return summary.result().totals();
    }
}
