package dev.skerry.tools.resources;

import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.ResourceTable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The maxima of Shale nodes in a run. Immutable; any thread may read.
 *
 * @param phases h.
 * @param radix r.
 * @param tokens larger of T and T_F.
 * @param pieoEntries entries of a PIEO.
 * @param tokensOwed tokens of a return FIFO.
 * @param buckets active buckets of a node.
 * @param fifoCells cells of a shared FIFO.
 * @param fifos shared FIFOs of a node that hold cells.
 * @param heldCells cells of a node.
 * @param slotClocks clock cycles of a slot.
 * @param reorder largest distance of a cell behind its flow, cells.
 */
public record MeasuredHost(int phases, int radix, int tokens, int pieoEntries, int tokensOwed, int buckets,
    int fifoCells, int fifos, int heldCells, int slotClocks, int reorder) {
    /**
     * The maxima of nodes in runs with the setup of Figure 13 (docs/spec/shale.md §10.3): hbh+spray, T = T_F = 1,
     * P = 89, short flows at the paper's load, from an empty fabric, seed 1 (bench/results), by phases and then by
     * nodes. The entries of a PIEO are from 100,000 slots, the other values from 40,000 slots with 4,096 nodes and from
     * 20,000 with 10,000.
     */
    public static final List<MeasuredHost> FIGURE_13 = List.of(
        new MeasuredHost(2, 64, 1, 64, 6, 296, 41, 118, 176, 9, 3455),
        new MeasuredHost(2, 100, 1, 74, 5, 301, 35, 121, 191, 9, 3718),
        new MeasuredHost(4, 8, 1, 14, 5, 133, 7, 26, 27, 9, 452),
        new MeasuredHost(4, 10, 1, 17, 4, 115, 8, 28, 30, 9, 332));
    /** The size of the paper's evaluation: two phases, 10,000 nodes. */
    public static final MeasuredHost PAPER_SIZE = FIGURE_13.get(1);
    private static final int ENTRY_BYTES = 256;
    /** Larger than any summary. */
    private static final long MAX_BYTES = 1 << 20;
    private static final int MOST = 1 << 30;
    private static final double PAPER_SLOT_NS = 5.632;

    /** The {@code summary.json} of a run. */
    private record RunSummary(String option, Path file, Map<String, String> values) {
        private MeasuredHost host() {
            if (!"shale".equals(values.get("fabric"))) {
                throw new InputException(option, file.toString(), "it is not the summary of a run of Shale",
                    "give the summary.json of skerry run --fabric shale");
            }
            final int phases = number("h", 1, Phased.MAX_PHASES);
            final int radix = Population.radixFor(phases, number("nodes", 2, Phased.MAX_NODES - 1));
            return new MeasuredHost(phases, radix,
                Math.max(number("tokens", 1, MOST), number("first-hop-tokens", 1, MOST)),
                number("mostPieoEntries", 0, MOST), number("mostTokensOwed", 0, MOST),
                number("mostActiveBuckets", 0, MOST), number("mostFifoCells", 0, MOST), number("mostFifos", 0, MOST),
                number("maxBufferOccupancy", 0, MOST), number("mostSlotClocks", 0, MOST),
                number("maxReorderCells", 0, MOST));
        }

        private int number(final String key, final int least, final int most) {
            final String found = values.entrySet().stream()
                .filter(value -> ("." + value.getKey()).endsWith("." + key) && value.getValue().matches("\\d{1,9}"))
                .map(Map.Entry::getValue).findFirst().orElse(null);
            if (found == null) {
                throw new InputException(option, file.toString(), "it lacks " + key,
                    "give the summary of a run with hop-by-hop and --token-fifo 1000000, which only counts");
            }
            final int value = Integer.parseInt(found);
            if (value < least || value > most) {
                throw new InputException(option, file.toString(), key + " is " + value + ", not " + least + " to "
                    + most, "give the summary.json of a run");
            }
            return value;
        }
    }

    /**
     * Reads a summary.
     *
     * @param option option that names the file, for messages.
     * @throws InputException if it is not a summary, or its run did not count what nodes hold.
     */
    public static MeasuredHost read(final String option, final Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new InputException(option, file.toString(), "it is too long for a summary",
                    "give the summary.json of a run");
            }
            return new RunSummary(option, file, Json.values(Files.readString(file))).host();
        } catch (final IllegalArgumentException e) {
            throw new InputException(option, file.toString(), e.getMessage(), "give the summary.json of a run");
        } catch (final IOException e) {
            throw new InputException(option, file.toString(), "it cannot be read: " + e.getClass().getSimpleName(),
                "give the summary.json of a run");
        }
    }

    /** Returns the memory for twice the maxima, as in the paper. */
    public ShaleMemory memory() {
        return memory(ShaleMemory.MARGIN);
    }

    private ShaleMemory memory(final int times) {
        return new ShaleMemory(phases, radix, tokens, times * Math.max(1, pieoEntries),
            times * Math.max(1, tokensOwed), times * Math.max(1, buckets));
    }

    /** Returns the formulas of §9.1 for the maxima and for twice the maxima, and the maxima themselves. */
    public List<ResourceTable> tables() {
        final ShaleMemory most = memory(1);
        final ShaleMemory twice = memory();
        final String node = " of a node, N = " + most.nodes() + ", h = " + phases + ", r = " + radix;
        final ResourceTable chip = new ResourceTable("shaleOnChip", "On chip" + node + ": bits for the maxima of the "
            + "run and for twice as much", "structure", "formula", "bitsAtMaxima", "bitsAtTwice");
        chip.row("PIEO lists", "E Q_P (lg(A+1) + 2 lg h + lg(r-1) + 1)", most.pieoBits(), twice.pieoBits())
            .row("return FIFOs", "E Q_T lg(hN)", most.tokenFifoBits(), twice.tokenFifoBits())
            .row("token counters", "E A lg(T+1)", most.counterBits(), twice.counterBits())
            .row("bucket to index", "hN lg(A+1)", most.mapBits(), twice.mapBits())
            .row("index to bucket, free", "A lg(hN) + A", most.reverseMapBits(), twice.reverseMapBits())
            .row("all", "", most.onChipBits(), twice.onChipBits())
            .row("PIEOs as the RTL has them", "2 lists + 2 E Q_P lg(A+1)", most.prototypePieoBits(),
                twice.prototypePieoBits());
        final ResourceTable store = new ResourceTable("shaleCellStore", "Cell store" + node + ", cells of "
            + ENTRY_BYTES + " bytes", "store", "formula", "cells", "megabytes");
        cells(store, "a FIFO for each neighbour and bucket", "h^2 N (r-1)^2", most.naiveCells());
        cells(store, "shared by a phase", "h^2 N (r-1)", most.sharedCells());
        cells(store, "active buckets", "2 A h (r-1) T", most.activeCells());
        cells(store, "active buckets, twice", "2 A h (r-1) T", twice.activeCells());
        cells(store, "FIFOs in use x the deepest", "measured", (long) fifos * fifoCells);
        cells(store, "most held at once", "measured", heldCells);
        cells(store, "reorder window of a flow", "measured", reorder);
        return List.of(chip, store, measures());
    }

    private static void cells(final ResourceTable store, final String name, final String formula, final long cells) {
        store.row(name, formula, cells, cells * (double) ENTRY_BYTES / 1e6);
    }

    /** Returns the maxima for a designer: the measured values, their bounds, and the resulting sizes. */
    private ResourceTable measures() {
        final ShaleMemory memory = memory(1);
        final long ofNode = phases * memory.nodes();
        final ResourceTable table = new ResourceTable("shaleMeasured", "Maxima of a node in the run, and their "
            + "bounds", "measure", "most", "bound", "boundIs");
        table.row("Q_P, entries of a PIEO", pieoEntries, memory.nodes() * memory.links() * phases * tokens,
                "N E h T, all that a node may hold")
            .row("Q_T, tokens of a return FIFO", tokensOwed, ofNode * tokens, "h N T, a budget of each bucket")
            .row("A, active buckets", buckets, ofNode, "h N")
            .row("cells of a shared FIFO", fifoCells, fifoBound(), "(r-1) T; a direct one may get h times as many")
            .row("shared FIFOs in use", fifos, 2L * buckets * phases, "2 A h")
            .row("clocks of a slot", slotClocks, 9L, "RX 2 and TX 7, one after the other")
            .row("MHz for that in " + PAPER_SLOT_NS + " ns", (int) Math.ceil(slotClocks / PAPER_SLOT_NS * 1e3),
                (long) Math.ceil(4 / PAPER_SLOT_NS * 1e3), "4 clocks, with a PIEO for RX and one for TX");
        return table;
    }

    private long fifoBound() {
        return (radix - 1L) * tokens;
    }

    /** Returns Figure 7 from runs of Figure 13: memory for twice the maxima, and that of Shoal. */
    public static ResourceTable figure7(final List<MeasuredHost> runs) {
        final ResourceTable table = new ResourceTable("shaleFigure7", "On-chip memory for twice the maxima of the "
            + "runs of Figure 13, and Shoal's (Figure 7)", "h", "nodes", "activeBuckets", "pieoEntries", "tokensOwed",
            "shaleMegabits", "shoalMegabits", "shoalTimesShale", "cellStoreMegabytes");
        for (final MeasuredHost run : runs) {
            final ShaleMemory memory = run.memory();
            final double shale = memory.onChipBits() / 1e6;
            final double shoal = ShaleMemory.shoalBits(memory.nodes()) / 1e6;
            table.row(run.phases, memory.nodes(), run.buckets, run.pieoEntries, run.tokensOwed, shale, shoal,
                shoal / shale, memory.activeCells() * (double) ENTRY_BYTES / 1e6);
        }
        return table;
    }
}
