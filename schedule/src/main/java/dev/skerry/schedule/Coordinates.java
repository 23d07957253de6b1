package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

/**
 * The coordinates of every node: {@code h} digits in base {@code r}, digit 0 the least significant and the coordinate
 * of phase 0 (docs/spec/shale.md §1).
 *
 * <p>The digits of a node are packed into one {@code long}, a lane for each phase, so that the routing of a direct hop
 * compares all of them at once instead of dividing:
 *
 * <pre>
 *   bit  63        ...     2*laneBits   laneBits      0
 *        +-----------------+-----------+--------------+
 *        | ... digit 2     |  digit 1  |   digit 0    |
 *        +-----------------+-----------+--------------+
 * </pre>
 *
 * Immutable; any thread may call.
 */
public final class Coordinates {
    private final int phases;
    private final int radix;
    private final int nodes;
    private final int laneShift;
    private final long laneMask;
    private final int[] weight;
    private final long[] packed;

    /**
     * Computes the coordinates of all nodes of a complete fabric.
     *
     * @param phases number of phases h, 1 to 8.
     * @param radix  number of nodes in a phase group r, at least 2; {@code radix^phases} must stay below 2^20.
     * @throws IllegalArgumentException if a number is out of range.
     */
    public Coordinates(final int phases, final int radix) {
        Bounds.require("phases", phases, 1, Phased.MAX_PHASES);
        Bounds.atLeast("radix", radix, 2);
        this.phases = phases;
        this.radix = radix;
        this.laneShift = 6 - (32 - Integer.numberOfLeadingZeros(phases - 1));
        this.laneMask = phases == 1 ? -1L : (1L << (1 << laneShift)) - 1;
        this.weight = new int[phases];
        long total = 1;
        for (int phase = 0; phase < phases; phase++) {
            weight[phase] = (int) total;
            total *= radix;
            Bounds.refuseIf(total >= Phased.MAX_NODES, "radix^phases must be below ", Phased.MAX_NODES, ": radix=",
                radix, " phases=", phases);
        }
        this.nodes = (int) total;
        this.packed = new long[nodes];
        for (int node = 0; node < nodes; node++) {
            long digits = 0;
            for (int phase = 0; phase < phases; phase++) {
                digits |= (long) (node / weight[phase] % radix) << (phase << laneShift);
            }
            packed[node] = digits;
        }
    }

    /** Number of phases h. */
    public int phases() {
        return phases;
    }

    /** Number of nodes in a phase group, r. */
    public int radix() {
        return radix;
    }

    /** Number of nodes, r^h. */
    public int nodes() {
        return nodes;
    }

    /** Difference in node id for one step of a phase's digit, r^phase. */
    public int weight(final int phase) {
        return weight[phase];
    }

    /** The coordinate of a node in a phase, 0 to r - 1. */
    public int digit(final int node, final int phase) {
        return (int) (packed[node] >>> (phase << laneShift) & laneMask);
    }

    /** All digits of a node, each in its lane. */
    public long digits(final int node) {
        return packed[node];
    }

    /** Mask of the bits of a phase's lane in {@link #digits}. */
    public long lane(final int phase) {
        return laneMask << (phase << laneShift);
    }

    /** The node whose digits are those of {@code node}, except in {@code phase}, where the digit is {@code digit}. */
    public int withDigit(final int node, final int phase, final int digit) {
        return node + (digit - digit(node, phase)) * weight[phase];
    }

    /**
     * The last phase after {@code phase}, in cyclic order, in which two nodes differ; {@code phase} itself comes last.
     * A direct path over a link of {@code phase} ends with a hop of this phase.
     *
     * @return undefined if the two are the same node.
     */
    public int lastDifference(final int node, final int other, final int phase) {
        int last = phase;
        for (int turn = 1; turn < phases && digit(node, last) == digit(other, last); turn++) {
            last = last == 0 ? phases - 1 : last - 1;
        }
        return last;
    }

    /**
     * The first phase after {@code phase}, in cyclic order, in which two nodes differ; {@code phase} itself comes last.
     *
     * @return the phase of the next direct hop from {@code node} to {@code destination} (docs/spec/shale.md §3 rule 3);
     *     undefined if the two are the same node.
     */
    public int nextDifference(final int node, final int destination, final int phase) {
        final long difference = packed[node] ^ packed[destination];
        final int from = phase + 1 << laneShift;
        // from is at most 64, and a shift by 64 is a shift by 0: after the last phase all phases follow in order.
        final long later = difference >>> from << from;
        // Branch-free, because a branch would be mispredicted half of the time.
        final long none = (later | -later) >> 63;
        return Long.numberOfTrailingZeros(later | difference & ~none) >> laneShift;
    }

    /** {@link #differOnlyIn} as 1 or 0. */
    public int oneIfDifferOnlyIn(final int phase, final int node, final int other) {
        final long rest = (packed[node] ^ packed[other]) & ~lane(phase);
        return 1 + (int) ((rest | -rest) >> 63);
    }

    /**
     * Whether two nodes agree in all digits except possibly that of a phase, so that one hop of the phase connects
     * them.
     */
    public boolean differOnlyIn(final int phase, final int node, final int other) {
        return ((packed[node] ^ packed[other]) & ~(laneMask << (phase << laneShift))) == 0;
    }
}
