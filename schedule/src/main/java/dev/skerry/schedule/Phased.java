package dev.skerry.schedule;

/**
 * Shale's schedule (EBS): {@code h} phases, in each of which the {@code r} nodes of a phase group, equal in all digits
 * but that of the phase, run a round robin of {@code r - 1} slots (Shale §3.1, spec/shale §2.1).
 *
 * <pre>
 *   slot in epoch e     0 .. r-2      r-1 .. 2r-3       ...    (h-1)(r-1) .. h(r-1)-1
 *   phase p                0              1             ...            h-1
 *   link k              0 .. r-2       0 .. r-2         ...         0 .. r-2
 * </pre>
 *
 * On link k of phase p a node sends to the member of its group whose digit is k + 1 higher, modulo r. Immutable; any
 * thread may call.
 */
public final class Phased implements Schedule {
    /** Most phases that any header layout can name (spec/shale §4.3). */
    public static final int MAX_PHASES = 8;
    /** Node ids stay below this: 20 bits, as in the wide header (spec/shale §4.3). */
    public static final int MAX_NODES = 1 << 20;

    private final Coordinates coordinates;
    private final int linksPerPhase;
    private final int epochSlots;
    /** By phase, then node: its digit, from which a whole column of senders is worked out. */
    private final int[][] digit;

    /**
     * The schedule of a complete fabric of {@code radix^phases} nodes.
     *
     * @param phases h, 1 to 8.
     * @param radix  r, at least 2; {@code radix^phases} must be below {@link #MAX_NODES}.
     * @throws IllegalArgumentException if there is no such fabric.
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

    /** Number of nodes r^h, those that are missing or failed included. */
    @Override
    public int nodes() {
        return coordinates.nodes();
    }

    /** One: the lanes of a Shale node take turns, slot by slot (spec/shale §2.6). */
    @Override
    public int channels() {
        return 1;
    }

    /** Number of phases h. */
    public int phases() {
        return coordinates.phases();
    }

    /** Nodes of a phase group r. */
    public int radix() {
        return coordinates.radix();
    }

    /** Links of a phase, r - 1. */
    public int linksPerPhase() {
        return linksPerPhase;
    }

    /** Words of 64 bits that have one for each link of a phase. */
    public int linkWords() {
        return Math.ceilDiv(linksPerPhase, Long.SIZE);
    }

    /** Slots of an epoch E = h(r - 1): also the number of a node's neighbours and of its links. */
    @Override
    public int epochSlots() {
        return epochSlots;
    }

    /** The position of a slot, from 0 on, in its epoch, which names the link: {@code phase * linksPerPhase + link}. */
    @Override
    public int slotInEpoch(final long slot) {
        return (int) (slot % epochSlots);
    }

    /** The node that {@code node} sends to on a link, 0 to r - 2, of a phase, 0 to h - 1. */
    public int peerOf(final int node, final int phase, final int link) {
        final int digit = coordinates.digit(node, phase);
        final int up = link + 1;
        // Past the last digit it goes on with the first, without a branch.
        return node + (up - (radix() & radix() - 1 - digit - up >> 31)) * coordinates.weight(phase);
    }

    /** The node that {@code node} sends to in a slot, from 0 on. */
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

    /** The node whose cell, sent in a slot, arrives at {@code node}. */
    public int senderTo(final int node, final long slot) {
        final int inEpoch = slotInEpoch(slot);
        return senderTo(node, inEpoch / linksPerPhase, inEpoch % linksPerPhase);
    }

    /**
     * The nodes whose cells, sent at a position of the epoch, arrive at nodes that follow each other.
     *
     * @param first the first node.
     * @param count how many.
     * @param into  gets the sender of each; longs, as what is made of them is places in memory.
     */
    public void senders(final int slotInEpoch, final int first, final int count, final long[] into) {
        final int phase = slotInEpoch / linksPerPhase;
        final int up = slotInEpoch - phase * linksPerPhase + 1;
        final int below = first - up * coordinates.weight(phase);
        final int round = radix() * coordinates.weight(phase);
        final int[] digits = digit[phase];
        for (int i = 0; i < count; i++) {
            // A sender's digit is less by as much as the link goes up, or more by what is missing to a whole round.
            into[i] = below + i + (round & digits[first + i] - up >> 31);
        }
    }

    @Override
    public int senderAt(final int node, final int channel, final int slotInEpoch) {
        assert channel == 0 : channel;
        return senderTo(node, slotInEpoch / linksPerPhase, slotInEpoch % linksPerPhase);
    }

    /** The link on which the receiver of a link's cells sends back to their sender, in the same phase: r - 2 - k. */
    public int reverseLink(final int link) {
        return linksPerPhase - 1 - link;
    }

    /**
     * The link of a phase that leads from {@code node} to the group member with the digit of {@code target}, which must
     * be another digit than its own: a node has no link to itself.
     */
    public int linkTowards(final int node, final int target, final int phase) {
        final int up = coordinates.digit(target, phase) - coordinates.digit(node, phase);
        return up + (up >> 31 & radix()) - 1;
    }
}
