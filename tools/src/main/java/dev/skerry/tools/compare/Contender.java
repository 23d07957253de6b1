package dev.skerry.tools.compare;

import dev.skerry.tools.compare.CompareOptions.Column;
import dev.skerry.tools.report.OfferedLoad;
import dev.skerry.tools.report.Page;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.report.RunResult.Unfinished;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.report.SizeBin.OpenFlows;
import dev.skerry.tools.report.Summary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * One fabric of a comparison and what it did. Immutable; any thread may read.
 *
 * @param column      of the comparison.
 * @param own         what was typed of its own options, for all columns or for this one, a word each.
 * @param summary     of its run.
 * @param terms       on which it ran.
 * @param payloadGbps payload that a node sends or receives at most.
 * @param stateBytes  off-heap memory of the model.
 */
public record Contender(
    Column column,
    List<String> own,
    Summary summary,
    Terms terms,
    double payloadGbps,
    long stateBytes) {

    /**
     * The terms, and what follows from them.
     *
     * @param gbps        rate of a node into the fabric.
     * @param lanes       that it is spread over.
     * @param nodes       of the fabric, nodes that only forward included.
     * @param cellBytes   of a whole cell.
     * @param headerBytes of its header.
     * @param slotNs      from a cell of a lane to its next.
     * @param guardNs     of it in which circuits change.
     * @param fibreNs     delay from a node to another, through the fabric.
     */
    public record Terms(double gbps, int lanes, int nodes, int cellBytes, int headerBytes, double slotNs,
        double guardNs, double fibreNs) {
    }


    /** Copies the list. */
    public Contender {
        own = List.copyOf(own);
    }

    RunResult.Totals totals() {
        return summary.result().totals();
    }

    /** The name of its folder of results. */
    public String folder() {
        return column.name().replaceAll("[^A-Za-z0-9.]+", "-");
    }

    /** Its name as the papers write it. */
    String name() {
        return column.title();
    }

    double timeUs() {
        return us(totals().slots());
    }

    OfferedLoad load() {
        return summary.result().measured().load();
    }

    /** Cells per node, slot and channel as payload of each node that may send; partly filled cells count whole. */
    private double gbps(final double cells) {
        return cells * terms.nodes * terms.lanes * 8.0 * payloadBytes() / (totals().endpoints() * terms.slotNs);
    }

    /** What arrivals brought while they were measured; NaN if that is not known. */
    double offeredGbps() {
        return gbps(load().offered());
    }

    /** What was delivered in the same time; over the whole run where flows do not arrive over time. */
    double deliveredGbps() {
        return load().flows() >= 0 ? gbps(load().delivered()) : totals().slots() == 0 ? 0
            : totals().cellsDelivered() * 8.0 * payloadBytes() / (totals().endpoints() * timeUs() * 1e3);
    }

    private Guarantee guarantee() {
        return summary.result().terms().guarantee();
    }

    /** Payload of every node under any traffic that no node sends or receives more of; NaN if none is promised. */
    double guaranteeGbps() {
        return payloadGbps * guarantee().throughput();
    }

    boolean isSaturated() {
        return load().isSaturated(guarantee());
    }

    /** Whether its completion times depend on how long the run was. */
    public boolean isUnsteady() {
        return load().isKnown() && !load().isSteady();
    }

    /** Yes, no, and why not. */
    String steady() {
        return !load().isKnown() ? "not judged" : load().isSteady() ? "yes" : isSaturated() ? "no, saturated" : "no";
    }

    /** What a reader has to know before the numbers are used, a line each. */
    public List<String> warnings() {
        final List<String> warnings = new ArrayList<>();
        final OpenFlows open = byBytes().all().open();
        if (open.flows() > 0) {
            warnings.add(String.format(Locale.ROOT, "%,d of %,d flows did not finish", open.flows(),
                byBytes().all().started()));
        }
        summary.unsteady().ifPresent(warnings::add);
        return warnings;
    }

    /** Load, steady state and unfinished flows in short. */
    Page.Tile tile() {
        final SizeBin all = byBytes().all();
        return new Page.Tile(name() + ": steady state", steady(), (load().isKnown() ? String.format(Locale.ROOT,
            "%.1f of %.1f Gb/s a node delivered; ", deliveredGbps(), offeredGbps()) : "")
            + String.format(Locale.ROOT, "%,d of %,d flows unfinished", all.open().flows(), all.started()));
    }

    private double us(final long slots) {
        return slots * terms.slotNs / 1e3;
    }

    double warmUpUs() {
        return us(summary.result().measured().warmUpSlots());
    }

    int payloadBytes() {
        return terms.cellBytes - terms.headerBytes;
    }

    /** Indices of the completed flows that count. */
    private IntStream counted() {
        final long[] start = summary.result().flows().startSlot();
        final long from = summary.result().measured().warmUpSlots();
        return IntStream.range(0, start.length).filter(i -> start[i] >= from);
    }

    /** Completion times in us by flow size, beside those of flows that did not complete. */
    SizeBin.Table byBytes() {
        final RunResult.Flows flows = summary.result().flows();
        final Unfinished open = summary.result().measured().unfinished();
        return SizeBin.tableOf(counted().mapToLong(i -> flows.bytes()[i]).toArray(),
            counted().mapToDouble(i -> us(flows.completionSlots()[i])).toArray(), open.bytes(),
            Arrays.stream(open.ageSlots()).mapToDouble(this::us).toArray());
    }

    /** Sorted completion times of the completed flows of a range of sizes. */
    double[] completionUs(final long fromBytes, final long toBytes) {
        final RunResult.Flows flows = summary.result().flows();
        return counted().filter(i -> flows.bytes()[i] >= fromBytes && flows.bytes()[i] < toBytes)
            .mapToDouble(i -> us(flows.completionSlots()[i])).sorted().toArray();
    }

    /** How many flows of a range of sizes started and did not complete. */
    long unfinished(final long fromBytes, final long toBytes) {
        return Arrays.stream(summary.result().measured().unfinished().bytes())
            .filter(bytes -> bytes >= fromBytes && bytes < toBytes).count();
    }
}
