package dev.skerry.tools.report;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skerry.nic.count.HeldTimeline;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.report.HtmlReport.RunPlots;
import dev.skerry.tools.report.Page.Machine;
import org.HdrHistogram.Histogram;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The files of a run in their {@link OutFolder}. {@code summary.json} is written last, so a folder without it is left
 * from a crash. Thread-safe for different folders.
 */
public final class ResultFiles {
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    private ResultFiles() {
    }

    /**
     * Writes all files of a run.
     *
     * @param summary summary of the run.
     * @param more    writer of further files.
     * @param tables  additional format for all tables.
     * @param out     folder to write; missing parents are created.
     * @return the folder written: {@code out}, with the suffix {@code .partial} if the run was interrupted.
     * @throws InputException if the folder exists or cannot be written; then nothing is left on the disk.
     */
    public static Path write(final Summary summary, final OutFolder.Content more, final TableFormats tables,
        final Path out) {
        return OutFolder.write(out, summary.result().interrupted(), folder -> {
            more.write(folder);
            writeInto(summary, folder);
            tables.convert(folder);
        });
    }

    /**
     * Writes all files of a run into an existing folder.
     *
     * @throws IOException if they cannot be written.
     */
    public static void writeInto(final Summary summary, final Path folder) throws IOException {
        final RunResult result = summary.result();
        final Machine machine = Machine.here();
        final RunResult.Nodes nodes = result.nodes();
        writeFlows(result.flows(), folder);
        writeTimeline(result, folder);
        if (!nodes.overTime().isEmpty()) {
            writeHeld(nodes.overTime(), folder);
        }
        writeNodes(folder, "buffer-occupancy", nodes.bufferOccupancy());
        writeNodes(folder, "queue-lengths", nodes.queueLength());
        writeNodes(folder, "active-buckets", nodes.activeBuckets());
        Files.write(folder.resolve("fct.hgrm"), percentiles(completionTimes(result.flows())));
        Files.write(folder.resolve("latency.hgrm"), percentiles(result.latency()));
        Files.writeString(folder.resolve("run.txt"), runText(summary, machine), UTF_8);
        Files.writeString(folder.resolve("report.html"), HtmlReport.of(summary, machine), UTF_8);
        PlotFigure.writeAll(new RunPlots(summary).all(), folder);
        Files.writeString(folder.resolve("summary.json"), summary.json(), UTF_8);
    }

    /** Writes a table: the heads, then one line for each index from 0. */
    static void table(final Path folder, final String name, final String columns, final int lines,
        final IntFunction<String> line) throws IOException {
        try (Writer out = Files.newBufferedWriter(folder.resolve(name + ".csv"), US_ASCII)) {
            out.write(columns);
            out.write('\n');
            for (int i = 0; i < lines; i++) {
                out.write(line.apply(i));
                out.write('\n');
            }
        }
    }

    private static void writeFlows(final RunResult.Flows flows, final Path folder) throws IOException {
        table(folder, "fct", "flow_id,cells,completion_slots,start_slot", flows.id().length, i -> flows.id()[i] + ","
            + flows.cells()[i] + "," + flows.completionSlots()[i] + "," + flows.startSlot()[i]);
    }

    /** Writes the cells delivered in at most 512 equal intervals; the last interval ends with the run. */
    private static void writeTimeline(final RunResult result, final Path folder) throws IOException {
        final RunResult.Timeline timeline = result.timeline();
        final double places = result.totals().throughput() == 0 ? Double.NaN
            : result.totals().cellsDelivered() / (result.totals().throughput() * result.totals().slots());
        table(folder, "timeline", "slot,slots,cells_delivered,throughput", timeline.delivered().length, i -> {
            final long from = i * timeline.intervalSlots();
            final long slots = Math.min(timeline.intervalSlots(), result.totals().slots() - from);
            final double share = timeline.delivered()[i] / (places * slots);
            return from + "," + slots + "," + timeline.delivered()[i] + ","
                + Numbers.fixed(Double.isFinite(share) ? share : 0, 6);
        });
    }

    private static void writeHeld(final List<HeldTimeline.At> overTime, final Path folder) throws IOException {
        table(folder, "queues", "slot,cells_queued,most_cells_at_a_node,active_buckets,most_buckets_at_a_node",
            overTime.size(), i -> {
                final HeldTimeline.Sample held = overTime.get(i).sample();
                return overTime.get(i).slot() + "," + held.cells() + "," + held.mostCells() + "," + held.buckets() + ","
                    + held.mostBuckets();
            });
    }

    /** Writes a table with a value for each node. */
    static void writeNodes(final Path folder, final String name, final int[] values) throws IOException {
        table(folder, name, "node,value", values.length, node -> node + "," + values[node]);
    }

    private static Histogram completionTimes(final RunResult.Flows flows) {
        final Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
        for (final long slots : flows.completionSlots()) {
            histogram.recordValue(slots);
        }
        return histogram;
    }

    private static byte[] percentiles(final Histogram histogram) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, UTF_8)) {
            histogram.outputPercentileDistribution(out, TICKS_PER_HALF_DISTANCE, 1.0);
        }
        return bytes.toByteArray();
    }

    private static String runText(final Summary summary, final Machine machine) {
        final StringBuilder text = new StringBuilder();
        if (summary.result().interrupted()) {
            text.append("PARTIAL: the run was interrupted after ").append(summary.result().totals().slots())
                .append(" slots.\n\n");
        }
        text.append("./skerry run ").append(String.join(" ", summary.commandLine())).append("\n\n");
        summary.result().settings().forEach((key, value) ->
            text.append(Summary.clean(key)).append(" = ").append(Summary.clean(value)).append('\n'));
        return text.append('\n')
            .append("seed   ").append(summary.setting("seed", Numbers.NONE)).append('\n')
            .append("digest ").append(Numbers.digest(summary.result().totals().digest())).append('\n')
            .append("when   ").append(machine.when()).append('\n')
            .append("JDK    ").append(machine.jdk()).append('\n')
            .append("CPU    ").append(machine.cpu()).append(", ").append(machine.cores()).append(" logical cores\n")
            .append("heap   ").append(machine.heapMiB()).append(" MiB at most\n")
            .append("system ").append(machine.system()).append('\n')
            .toString();
    }

    /**
     * {@code flows.csv}: one line for every flow of a run, in the order of their start slots. {@code completion_slots}
     * is empty unless the state is {@code complete}; an {@code unfinished} flow has started, a {@code waiting} flow has
     * not. A flow that waits for others starts when it may send; its {@code start_slot} is empty if this did not
     * happen. {@code ideal_slots} are cells + propagation, by which the papers normalise (docs/spec/shale.md §10.1); 0
     * for an endless flow. {@code alone_slots} are the slots of the same flow alone, by which {@link Slowdown} divides;
     * empty if it did not run alone. Endless flows have no bytes and no cells.
     *
     * @param flows            flows of the run.
     * @param outcome          outcome of the run.
     * @param propagationSlots propagation delay in slots.
     * @param aloneSlots       slots of each flow alone, 0 if it did not run alone; empty if no flow did.
     */
    public record FlowsFile(FlowSet flows, Outcome outcome, int propagationSlots, long[] aloneSlots) {
        /**
         * Writes the file into an existing folder.
         *
         * @throws IOException if it cannot be written.
         */
        public void writeInto(final Path folder) throws IOException {
            final long[] completion = completionSlots();
            ResultFiles.table(folder, "flows",
                "flow_id,source,destination,bytes,cells,class,start_slot,completion_slots,"
                + "ideal_slots,state,alone_slots", flows.size(), flow -> line(flow, completion[flow]));
            JobTimes.of(flows, outcome).writeInto(folder);
        }

        /** Returns for each flow the slots from its start to its last cell; 0 if it is not complete. */
        public long[] completionSlots() {
            return Slowdown.completionSlots(flows, outcome);
        }

        /** Tells whether some flows were never released because the flows that they wait for are not complete. */
        public boolean areSomeWaiting() {
            return flows.waits() != null && IntStream.range(0, flows.size())
                .anyMatch(flow -> flows.startSlot(flow) == Long.MAX_VALUE);
        }

        private String line(final int flow, final long completion) {
            final boolean complete = completion > 0;
            final boolean endless = flows.cells(flow) == FlowSet.ENDLESS;
            return flows.id(flow) + "," + flows.source(flow) + "," + flows.destination(flow) + ","
                + (endless ? "" : flows.bytes(flow)) + "," + (endless ? "" : flows.cells(flow)) + ","
                + flows.trafficClass(flow) + ","
                + (flows.startSlot(flow) == Long.MAX_VALUE ? "" : flows.startSlot(flow)) + ","
                + (complete ? completion : "") + ","
                + (endless ? 0 : (long) flows.cells(flow) + propagationSlots) + ","
                + (complete ? "complete" : flows.startSlot(flow) < outcome.slots() ? "unfinished" : "waiting") + ","
                + (aloneSlots.length == 0 || aloneSlots[flow] == 0 ? "" : aloneSlots[flow]);
        }
    }

    /**
     * The files that the simulator of Shale's authors writes in addition to those of {@link ResultFiles}
     * (docs/spec/shale.md §11). Immutable and thread-safe.
     *
     * @param places     nodes times channels of the schedule, which is the maximum number of cells delivered in a slot.
     * @param phaseLinks number of links in a phase.
     * @param buckets    whether the fabric has buckets.
     * @param queues     whether each link of a node has its own queue.
     * @param snapshots  cells held by nodes, in order of time; the last snapshot is from the end of the run.
     * @param longest    longest queue of each link.
     * @param lengths    queue of each link at the end.
     * @param incomplete flows in progress at the end.
     */
    public record RunLogFiles(int places, int phaseLinks, boolean buckets, boolean queues,
        List<RunLog.Snapshot> snapshots,
        RunLog.Links longest, RunLog.Links lengths, Incomplete incomplete) {

        /**
         * Flows of which only some cells have arrived, one array index per flow.
         *
         * @param id       flow id of the user.
         * @param received cells that have arrived.
         * @param ageSlots slots from the start of the flow to the end of the run, including propagation.
         * @param cells    cells of the flow.
         */
        public record Incomplete(long[] id, int[] received, long[] ageSlots, int[] cells) {
        }

        /**
         * Writes the files into an existing folder.
         *
         * @throws IOException if they cannot be written.
         */
        public void writeInto(final Path folder) throws IOException {
            ResultFiles.table(folder, "throughput", "slot,cells_delivered,throughput,throughput_after",
                snapshots.size(),
                this::throughput);
            ResultFiles.table(folder, "incomplete-flows", "flow_id,received_cells,age_slots,cells",
                incomplete.id.length,
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

        /**
         * Returns the cells per node, slot and channel since the previous snapshot, and from this snapshot to the end.
         */
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
}
