package dev.skerry.tools.compare;

import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.report.Summary;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One fabric of a comparison and what it did. Immutable; any thread may read.
 *
 * @param fabric        shoal, shale or stardust.
 * @param summary       of its run.
 * @param terms         on which it ran.
 * @param payloadGbps   payload that a node sends or receives at most.
 * @param guaranteeGbps payload that every node gets under any traffic that no node sends or receives more of; NaN if
 *                      nothing is guaranteed.
 * @param stateBytes    off-heap memory of the model.
 */
public record Contender(
    String fabric,
    Summary summary,
    Terms terms,
    double payloadGbps,
    double guaranteeGbps,
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

    private static final double MIB = 1 << 20;

    RunResult.Totals totals() {
        return summary.result().totals();
    }

    /** Its name as the papers write it. */
    String name() {
        return Character.toUpperCase(fabric.charAt(0)) + fabric.substring(1);
    }

    double timeUs() {
        return totals().slots() * terms.slotNs / 1e3;
    }

    /** Payload of the cells delivered, partly filled ones counted whole, for each of the nodes that may send. */
    double carriedGbps() {
        return totals().cellsDelivered() * 8.0 * payloadBytes() / (totals().endpoints() * timeUs() * 1e3);
    }

    /** Bytes of the flows completed. */
    double goodputGbps() {
        return Arrays.stream(summary.result().flows().bytes()).sum() * 8.0 / (totals().endpoints() * timeUs() * 1e3);
    }

    int payloadBytes() {
        return terms.cellBytes - terms.headerBytes;
    }

    double stateMiB() {
        return stateBytes / MIB;
    }

    double linkSlotsPerSecond() {
        return totals().linkSlotsPerSecond();
    }

    /** Completion time of every completed flow, in us. */
    double[] completionUs() {
        return Arrays.stream(summary.result().flows().completionSlots()).mapToDouble(s -> s * terms.slotNs / 1e3)
            .toArray();
    }

    /** Completion times in us by flow size, and of all flows last. */
    SizeBin.Table byBytes() {
        return SizeBin.tableOf(summary.result().flows().bytes(), completionUs());
    }

    /** Sorted completion times of the flows of a range of sizes. */
    double[] completionUs(final long fromBytes, final long toBytes) {
        final long[] bytes = summary.result().flows().bytes();
        final double[] all = completionUs();
        return IntStream.range(0, all.length).filter(i -> bytes[i] >= fromBytes && bytes[i] < toBytes)
            .mapToDouble(i -> all[i]).sorted().toArray();
    }

    /** What a reader must know to judge its numbers. */
    List<String> remarks() {
        return switch (fabric) {
            case "shoal" -> List.of("Shoal: a cell crosses the fabric twice, by a relay, so half of the rate carries "
                + "others' cells; its schedule is that of Appendix A where that hides the delay; circuits only, queues "
                + "are at nodes, one for each neighbour.");
            case "shale" -> List.of("Shale: a cell takes up to 2h hops by other nodes, so 1/(2h) of the rate is "
                + "guaranteed; circuits only, queues are at nodes, one for each neighbour.");
            default -> List.of("Stardust: a cell crosses switches that read its header, once, so links need no guard "
                + "band and no relay, and the fabric needs switches; its hosts have the rate of the links divided by "
                + "the speed-up.",
                "Stardust: the flows of a pair of hosts go one after another, elsewhere in turn.",
                "Stardust: queues are those before links, of switches too; a flow is complete with the last byte that "
                + "the port sends to its host, elsewhere with the arrival of the last cell; reordering is the cells "
                + "waiting for others at once, elsewhere how far a cell came behind.");
        };
    }
}
