package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.RankedQueues;
import dev.skerry.dataplane.queue.Ranking;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Gives priority to cells of short flows (Shale §5.3, docs/spec/shale.md §7). The rank of a cell that joins a queue is
 * the slot of its arrival plus the length of its flow times the epoch times a factor; the lowest rank leaves first.
 *
 * @param factor   x, above 0, at most {@link #MAX_FACTOR}.
 * @param length   the measure of the length of a flow.
 * @param byBucket whether cells of a bucket leave in the order of their arrival and only the oldest of each is ranked,
 *                 as in the authors' simulator; else every cell is ranked, as in the paper.
 */
public record Priority(double factor, FlowLength length, boolean byBucket) implements QueueOrder {
    /** Priority as in the authors' simulator. */
    public static final Priority USUAL = new Priority(1, FlowLength.SIZE, true);
    /** Largest factor: ranks stay far below 2^63. */
    public static final double MAX_FACTOR = 1e4;

    /** Checks the factor. */
    public Priority {
        Bounds.refuseIf(!(factor > 0 && factor <= MAX_FACTOR), "factor must be above 0 and at most ", MAX_FACTOR,
            ": factor=", factor);
    }

    @Override
    public CellQueues queues(final Arena arena, final Shale shale, final Bank.Ends ends, final int nodes,
        final SpillPool pool) {
        final int epoch = shale.schedule().epochSlots();
        return new RankedQueues(arena, epoch * nodes,
            new CellRanks(this, ends.flows(), ends.store(), epoch, byBucket ? shale.nodes() : 0));
    }

    /** Returns the slots by which a cell of a flow of some cells is ranked behind a cell of a flow of length 0. */
    double lead(final int cells, final int epochSlots) {
        return length.of(cells) * epochSlots * factor;
    }

    @Override
    public boolean readsFlows() {
        return true;
    }

    @Override
    public int queueBytes() {
        return RankedQueues.QUEUE_BYTES;
    }

    /** Ranks the cells of a fabric; {@code nodes} is 0 if every cell is ranked. */
    private record CellRanks(Priority priority, FlowSet flows, PayloadStore store, int epochSlots, int nodes)
        implements Ranking {
        @Override
        public long rank(final long now, final long word, final long cell) {
            return (long) (priority.lead(flows.cells(Cell.flow(store.identify(cell))), epochSlots) + now);
        }

        /**
         * Returns the number of a bucket in the authors' simulator; all last hops of a link share the largest number.
         */
        @Override
        public int group(final long word) {
            if (nodes == 0) {
                return ALONE;
            }
            return Route.isFinal(word) ? (Route.MAX_SPRAYS + 1) * nodes
                : Route.sprays(word) * nodes + Route.destination(word);
        }
    }

    /** Measures of the length of a flow for its priority (docs/spec/shale.md §7). */
    public enum FlowLength {
        /** The number of cells. */
        SIZE,
        /**
         * The largest length of a table that does not exceed the number of cells: every length up to 25 cells, then
         * lengths about 5.3 % apart, as in the authors' simulator. They follow from the largest flow of the paper, 1
         * GB, by division and rounding down. A flow without end keeps its length.
         */
        QUANTISED,
        /** The logarithm of the number of cells to base 2. */
        LOG;

        /** Returns the length of a flow of some cells, 1 or more. */
        double of(final int cells) {
            // The exponent is computed separately, so that powers of two are exact.
            final int exponent = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(cells);
            return switch (this) {
                case SIZE -> cells;
                case QUANTISED -> cells == Integer.MAX_VALUE ? cells : Steps.below(cells);
                case LOG -> exponent + Math.log((double) cells / (1 << exponent)) / Math.log(2);
            };
        }

        /** The table of quantised lengths, ascending. */
        private static final class Steps {
            private static final int EXACT_CELLS = 25;
            private static final int MOST_CELLS = 4_098_361;
            private static final double RATIO = 1.052_958_275_8;
            private static final int[] LENGTHS = lengths();

            private static int[] lengths() {
                int steps = 0;
                while (MOST_CELLS * Math.pow(RATIO, -steps - 1) >= EXACT_CELLS) {
                    steps++;
                }
                final int[] lengths = new int[steps];
                for (int i = 0; i < steps; i++) {
                    lengths[i] = (int) (MOST_CELLS * Math.pow(RATIO, i - steps));
                }
                return lengths;
            }

            static int below(final int cells) {
                if (cells <= EXACT_CELLS) {
                    return cells;
                }
                final int at = Arrays.binarySearch(LENGTHS, cells);
                return LENGTHS[at >= 0 ? at : -at - 2];
            }
        }
    }
}
