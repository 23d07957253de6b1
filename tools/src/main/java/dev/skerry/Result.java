package dev.skerry;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.execution.RunDone;
import dev.skerry.tools.input.InputException;
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
 * The result of a run. {@link #json} returns the output of {@code skerry run --json}, and {@link #report} the output
 * without {@code --json}. Read the {@link #warnings} before you use the numbers.
 *
 * <pre>{@code
 * Result result = Shale.nodes(16).workload("web").load(0.1).slots(5_000).build().run();
 * result.warnings().forEach(System.err::println);
 * System.out.printf("%d of %d flows complete, throughput %.3f, digest %s%n", result.flowsCompleted(),
 *     result.flows().size(), result.throughput(), result.digest());
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 */
public final class Result {
    private final RunDone done;
    private final Summary summary;

    Result(final RunDone done) {
        this.done = done;
        this.summary = Summary.of(done.result());
    }

    /**
     * A flow and its completion time.
     *
     * @param id              identifier of the flow; by default its position in the list of flows.
     * @param source          sending node.
     * @param destination     receiving node.
     * @param bytes           payload bytes; {@link Long#MAX_VALUE} for an endless flow.
     * @param startSlot       slot from which it could send; {@link Long#MAX_VALUE} if it never started because it was
     *                        waiting for other flows.
     * @param completionSlots slots from {@code startSlot} until its last cell was delivered; -1 if it is not complete.
     *                        Multiply it by {@link Fabric#slotNs} for nanoseconds.
     */
    public record Flow(long id, int source, int destination, long bytes, long startSlot, long completionSlots) {
        /** Whether all cells of the flow were delivered. */
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

    /** Number of slots that were simulated. */
    public long slots() {
        return totals().slots();
    }

    /** Cells delivered per node, slot and channel, over the measured window or, if there is none, the whole run. */
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

    /** All other numbers that are not zero, such as counters of drops. The keys are the names in {@link #json}. */
    public Map<String, Number> events() {
        return summary.result().events().stream().filter(event -> event.value() instanceof Number)
            .collect(Collectors.toUnmodifiableMap(RunResult.Measure::key, event -> (Number) event.value()));
    }

    /** Digest of all deliveries. It is the same for the same settings, flows and seed, whatever the thread count. */
    public String digest() {
        return Numbers.digest(totals().digest());
    }

    /** Warnings that affect how the numbers may be used, for example that flows did not finish. */
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
     * @param folder a folder that does not exist yet; missing parents are created.
     * @throws IllegalArgumentException if the folder exists or cannot be written.
     */
    public void write(final Path folder) {
        try {
            ResultFiles.write(summary, done.flows()::writeInto, TableFormats.of("csv"), folder);
        } catch (final InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private RunResult.Totals totals() {
        return summary.result().totals();
    }
}
