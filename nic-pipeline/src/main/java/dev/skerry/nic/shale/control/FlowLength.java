package dev.skerry.nic.shale.control;

import java.util.Arrays;

/** What priority takes for the length of a flow (docs/spec/shale.md §7). */
public enum FlowLength {
    /** Its cells. */
    SIZE {
        @Override
        double of(final int cells) {
            return cells;
        }
    },
    /**
     * The largest length of a table that it reaches: up to 25 cells each, then lengths about 5.3 % apart, which are the
     * authors' simulator's. They follow from the largest flow of the paper, 1 GB, by division and rounding down. A flow
     * without end stays one.
     */
    QUANTISED {
        @Override
        double of(final int cells) {
            return cells == Integer.MAX_VALUE ? cells : Steps.below(cells);
        }
    },
    /** Its logarithm to base 2. */
    LOG {
        @Override
        double of(final int cells) {
            // The exponent apart, so that powers of two are exact.
            final int exponent = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(cells);
            return exponent + Math.log((double) cells / (1 << exponent)) / Math.log(2);
        }
    };

    /** The length of a flow of some cells, 1 or more. */
    abstract double of(int cells);

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
