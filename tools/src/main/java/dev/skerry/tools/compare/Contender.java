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
 * One fabric of a comparison and its results. Immutable; any thread may read.
 *
 * @param column      column of the comparison.
 * @param own         typed options of its own, for all columns or for this one, one word each.
 * @param summary     summary of its run.
 * @param terms       terms on which it ran.
 * @param payloadGbps largest payload that a node sends or receives.
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
     * The terms, and values derived from them.
     *
     * @param gbps        rate of a node into the fabric.
     * @param lanes       lanes over which it is spread.
     * @param nodes       nodes of the fabric, including nodes that only forward.
     * @param cellBytes   bytes of a whole cell.
     * @param headerBytes bytes of its header.
     * @param slotNs      time from a cell of a lane to its next.
     * @param guardNs     part of it in which circuits change.
     * @param fibreNs     delay from one node to another, through the fabric.
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

    /** Returns the name of its folder of results. */
    public String folder() {
        return column.name().replaceAll("[^A-Za-z0-9.]+", "-");
    }

    /** Returns its name as the papers write it. */
    String name() {
        return column.title();
    }

    double timeUs() {
        return us(totals().slots());
    }

    OfferedLoad load() {
        return summary.result().measured().load();
    }

    /**
     * Converts cells per node, slot and channel to payload of each node that may send; partly filled cells count as
     * full.
     */
    private double gbps(final double cells) {
        return cells * terms.nodes * terms.lanes * 8.0 * payloadBytes() / (totals().endpoints() * terms.slotNs);
    }

    /** Returns the payload of arrivals while they were measured; NaN if that is not known. */
    double offeredGbps() {
        return gbps(load().offered());
    }

    /** Returns the payload delivered in the same time; over the whole run if flows do not arrive over time. */
    double deliveredGbps() {
        return load().flows() >= 0 ? gbps(load().delivered()) : totals().slots() == 0 ? 0
            : totals().cellsDelivered() * 8.0 * payloadBytes() / (totals().endpoints() * timeUs() * 1e3);
    }

    private Guarantee guarantee() {
        return summary.result().terms().guarantee();
    }

    /**
     * Returns the payload of every node under any traffic that does not exceed the rate of a node; NaN if none is
     * guaranteed.
     */
    double guaranteeGbps() {
        return payloadGbps * guarantee().throughput();
    }

    boolean isSaturated() {
        return load().isSaturated(guarantee());
    }

    /** Tells whether its completion times depend on the length of the run. */
    public boolean isUnsteady() {
        return load().isKnown() && !load().isSteady();
    }

    /** Returns yes, no, or the reason why not. */
    String steady() {
        return !load().isKnown() ? "not judged" : load().isSteady() ? "yes" : isSaturated() ? "no, saturated" : "no";
    }

    /** Returns warnings that a reader needs before the numbers are used, one line each. */
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

    /** Returns load, steady state and unfinished flows in short. */
    Page.Tile tile() {
        final SizeBin all = byBytes().all();
        return new Page.Tile(name() + ": steady state", steady(), (load().isKnown() ? String.format(Locale.ROOT,
            "%.1f of %.1f Gb/s per node delivered; ", deliveredGbps(), offeredGbps()) : "")
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

    /** Returns the indices of the completed flows that count. */
    private IntStream counted() {
        final long[] start = summary.result().flows().startSlot();
        final long from = summary.result().measured().warmUpSlots();
        return IntStream.range(0, start.length).filter(i -> start[i] >= from);
    }

    /** Returns completion times in us by flow size, beside those of flows that did not complete. */
    SizeBin.Table byBytes() {
        final RunResult.Flows flows = summary.result().flows();
        final Unfinished open = summary.result().measured().unfinished();
        return SizeBin.tableOf(counted().mapToLong(i -> flows.bytes()[i]).toArray(),
            counted().mapToDouble(i -> us(flows.completionSlots()[i])).toArray(), open.bytes(),
            Arrays.stream(open.ageSlots()).mapToDouble(this::us).toArray());
    }

    /** Returns the sorted completion times of the completed flows of a range of sizes. */
    double[] completionUs(final long fromBytes, final long toBytes) {
        final RunResult.Flows flows = summary.result().flows();
        return counted().filter(i -> flows.bytes()[i] >= fromBytes && flows.bytes()[i] < toBytes)
            .mapToDouble(i -> us(flows.completionSlots()[i])).sorted().toArray();
    }

    /** Returns the number of flows of a range of sizes that started and did not complete. */
    long unfinished(final long fromBytes, final long toBytes) {
        return Arrays.stream(summary.result().measured().unfinished().bytes())
            .filter(bytes -> bytes >= fromBytes && bytes < toBytes).count();
    }
}
