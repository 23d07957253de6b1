package dev.skerry.tools.compare;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.FabricChoice;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.TraceReader;
import dev.skerry.tools.traffic.Workload;
import dev.skerry.tools.traffic.Workload.WorkloadChoice;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;

/**
 * Flows without cells and slots: source, destination, bytes and start in seconds, from which the flows of any fabric
 * are derived as from a trace. Immutable after creation; any thread may read.
 */
public final class CommonFlows {
    /**
     * Limits of a trace: pairs of flows of which one waits for the other, and flows for which one waits, as a line has
     * 64 KiB.
     */
    private static final int MOST_PAIRS = 10_000_000;
    private static final int MOST_AWAITED = 5_000;

    private final FlowSet flows;
    private final double byteNs;
    private final List<String> remarks;

    private CommonFlows(final FlowSet flows, final double byteNs, final List<String> remarks) {
        this.flows = flows;
        this.byteNs = byteNs;
        this.remarks = remarks;
    }

    /**
     * Returns the flows of a synthetic workload, generated with cells of a byte and slots of its time at the rate of a
     * node.
     */
    public static CommonFlows of(final CompareOptions options) {
        final double byteNs = options.cellNs() / options.cellBytes;
        final long until = (long) Math.ceil(options.sendingUs() * 1e3 / byteNs);
        final Workload collective = options.collectives.collective(options.workload, options.flowBytes, options.load,
            options.incastSenders);
        final WorkloadChoice choice = new WorkloadChoice(options.workload, options.load, options.incastSenders,
            flowBytes(options, until));
        final Workload workload = collective != null ? collective : choice.workload(options.usualLoad(), 1);
        return new CommonFlows(workload.generate(options.nodes, 1, until, options.seed), byteNs,
            choice.remarks(workload));
    }

    /** Returns the bytes of a flow; a permutation without a size sends a little longer than the run lasts. */
    private static Long flowBytes(final CompareOptions options, final long until) {
        return options.flowBytes == null && options.workload.equals("permutation") ? Long.valueOf(until)
            : options.flowBytes;
    }

    /** Returns remarks for the user. */
    public List<String> remarks() {
        return remarks;
    }

    /** Returns the number of flows. */
    public int size() {
        return flows.size();
    }

    /** Returns the bytes of all flows. */
    public long bytes() {
        long sum = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            sum += flows.bytes(flow);
        }
        return sum;
    }

    private double startSeconds(final int flow) {
        return flows.startSlot(flow) * byteNs * 1e-9;
    }

    /**
     * Returns the flows in the cells and slots of a fabric: {@code ceil(bytes / payload)}, {@code floor(start / slot)}.
     */
    public FlowSet of(final FabricChoice choice) {
        final int payload = choice.format().payloadBytes();
        final double slotSeconds = TraceReader.slotSeconds(choice.wholeSlotNs());
        final FlowSet own = new FlowSet();
        for (int flow = 0; flow < flows.size(); flow++) {
            own.add(flows.id(flow), flows.source(flow), flows.destination(flow), flows.bytes(flow),
                (int) ((flows.bytes(flow) - 1) / payload + 1), (long) Math.floor(startSeconds(flow) / slotSeconds));
        }
        if (flows.waits() != null) {
            // Collectives have no delays, which would have to be converted to slots of the fabric.
            own.setWaits(flows.waits());
        }
        return own;
    }

    /**
     * Refuses flows with more waits than a trace can hold.
     *
     * @throws InputException if {@link #write} could not write them, or the trace could not be read.
     */
    public void checkTrace(final Path out) {
        if (flows.waits() != null) {
            final LongSummaryStatistics awaited = flows.waits().awaited();
            Choices.refuseIf(awaited.getSum() > MOST_PAIRS || awaited.getMax() > MOST_AWAITED, "--out", out,
                "the flows have " + awaited.getSum() + " dependencies in all, one flow has " + awaited.getMax()
                + ", but a trace supports at most " + MOST_PAIRS + " and " + MOST_AWAITED, "leave it out, or give "
                + "fewer "
                + "--nodes or --rounds");
        }
    }

    /** Writes the flows as a trace that {@code skerry run --flows} reads. */
    public void write(final Path file) throws IOException {
        final StringBuilder[] awaited = new StringBuilder[flows.size()];
        Arrays.setAll(awaited, flow -> new StringBuilder());
        for (int flow = 0; flow < flows.size() && flows.waits() != null; flow++) {
            final long id = flows.id(flow);
            flows.waits().waitingFor(flow).forEach(waiting -> awaited[waiting]
                .append(awaited[waiting].isEmpty() ? ",after=" : "+").append(id));
        }
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
            out.write("flow_id,source,destination,bytes,start_seconds\n");
            for (int flow = 0; flow < flows.size(); flow++) {
                out.write(flows.id(flow) + "," + flows.source(flow) + "," + flows.destination(flow) + ","
                    + flows.bytes(flow) + "," + startSeconds(flow) + awaited[flow] + "\n");
            }
        }
    }
}
