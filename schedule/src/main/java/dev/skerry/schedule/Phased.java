package dev.skerry.schedule;

/**
 * Shale's schedule (EBS), which has {@code h} phases. In each phase the {@code r} nodes of a phase group, which differ
 * only in the digit of that phase, run a round robin of {@code r - 1} slots (Shale §3.1, docs/spec/shale.md §2.1).
 *
 * <pre>
 *   slot in epoch e     0 .. r-2      r-1 .. 2r-3       ...    (h-1)(r-1) .. h(r-1)-1
 *   phase p                0              1             ...            h-1
 *   link k              0 .. r-2       0 .. r-2         ...         0 .. r-2
 * </pre>
 *
 * On link k of phase p a node sends to the member of its group whose digit is higher by k + 1, modulo r. Immutable; any
 * thread may call.
 */
public final class Phased implements Schedule {
    /** Maximum number of phases that a header layout can represent (docs/spec/shale.md §4.3). */
    public static final int MAX_PHASES = 8;
    /** Upper bound, exclusive, of node ids: 20 bits, as in the wide header (docs/spec/shale.md §4.3). */
    public static final int MAX_NODES = 1 << 20;

    private final Coordinates coordinates;
    private final int linksPerPhase;
    private final int epochSlots;
    /** Digit of each node by phase, then node; used to compute whole columns of senders. */
    private final int[][] digit;

    /**
     * Creates the schedule of a complete fabric of {@code radix^phases} nodes.
     *
     * @param phases h, 1 to 8.
     * @param radix  r, at least 2; {@code radix^phases} must be below {@link #MAX_NODES}.
     * @throws IllegalArgumentException if a number is out of range.
     */
    public Phased(final int phases, final int radix) {
        this.coordinates = new Coordinates(phases, radix);
        this.linksPerPhase = radix - 1;
        this.epochSlots = phases * linksPerPhase;
        this.digit = new int[phases][coordinates.nodes()];
        for (int phase = 0; phase < phases; phase++) {
            for (int node = 0; node < coordinates.nodes(); node++) {
                digit[phase][node] = coordinates.digit(node, phase);
            }
        }
    }

    /** The digits of the nodes. */
    public Coordinates coordinates() {
        return coordinates;
    }

    /** Number of nodes, r^h, including absent ones. */
    @Override
    public int nodes() {
        return coordinates.nodes();
    }

    /** Number of phases h. */
    public int phases() {
        return coordinates.phases();
    }

    /** Number of nodes in a phase group, r. */
    public int radix() {
        return coordinates.radix();
    }

    /** Number of links per phase, r - 1. */
    public int linksPerPhase() {
        return linksPerPhase;
    }

    /** Number of words in a bitmap with one bit per link of a phase. */
    public int linkWords() {
        return Math.ceilDiv(linksPerPhase, Long.SIZE);
    }

    /** Slots of an epoch, E = h(r - 1); also the number of neighbours, and of links, of a node. */
    @Override
    public int epochSlots() {
        return epochSlots;
    }

    /** The node that {@code node} sends to on a link, 0 to r - 2, of a phase, 0 to h - 1. */
    public int peerOf(final int node, final int phase, final int link) {
        final int digit = coordinates.digit(node, phase);
        final int up = link + 1;
        // Branch-free wrap past the last digit.
        return node + (up - (radix() & radix() - 1 - digit - up >> 31)) * coordinates.weight(phase);
    }

    /** The node that {@code node} sends to in an absolute slot, counted from 0. */
    public int peerOf(final int node, final long slot) {
        final int inEpoch = slotInEpoch(slot);
        return peerOf(node, inEpoch / linksPerPhase, inEpoch % linksPerPhase);
    }

    @Override
    public int peerAt(final int node, final int channel, final int slotInEpoch) {
        assert channel == 0 : channel;
        return peerOf(node, slotInEpoch / linksPerPhase, slotInEpoch % linksPerPhase);
    }

    /** The node whose cell, sent on a link of a phase, arrives at {@code node}. */
    public int senderTo(final int node, final int phase, final int link) {
        return peerOf(node, phase, reverseLink(link));
    }

    /** The node whose cell, sent in an absolute slot, arrives at {@code node}. */
    public int senderTo(final int node, final long slot) {
        final int inEpoch = slotInEpoch(slot);
        return senderTo(node, inEpoch / linksPerPhase, inEpoch % linksPerPhase);
    }

    /**
     * Computes the senders of consecutive nodes in a slot of the epoch.
     *
     * @param slotInEpoch 0 to {@link #epochSlots()} - 1.
     * @param first       the first receiver.
     * @param count       number of receivers.
     * @param into        receives the senders in [0, count); longs, because callers turn them into addresses.
     */
    public void senders(final int slotInEpoch, final int first, final int count, final long[] into) {
        final int phase = slotInEpoch / linksPerPhase;
        final int up = slotInEpoch - phase * linksPerPhase + 1;
        final int below = first - up * coordinates.weight(phase);
        final int round = radix() * coordinates.weight(phase);
        final int[] digits = digit[phase];
        for (int i = 0; i < count; i++) {
            // The sender's digit is lower by the link's step, or, if that would be negative, higher by r minus the
            // step.
            into[i] = below + i + (round & digits[first + i] - up >> 31);
        }
    }

    @Override
    public int senderAt(final int node, final int channel, final int slotInEpoch) {
        assert channel == 0 : channel;
        return senderTo(node, slotInEpoch / linksPerPhase, slotInEpoch % linksPerPhase);
    }

    /** The link of the same phase on which the receiver of link k sends back to its sender: r - 2 - k. */
    public int reverseLink(final int link) {
        return linksPerPhase - 1 - link;
    }

    /**
     * The link of a phase that leads from {@code node} to the group member with the digit of {@code target}. The two
     * digits must differ, because a node has no link to itself.
     */
    public int linkTowards(final int node, final int target, final int phase) {
        final int up = coordinates.digit(target, phase) - coordinates.digit(node, phase);
        return up + (up >> 31 & radix()) - 1;
    }

    @Override
    public String toString() {
        return phases() + " phases of radix " + radix();
    }
}
