package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

import java.util.stream.IntStream;

/**
 * Shoal's schedule: in each epoch every node is connected to every other node exactly once, by cyclic shifts of all
 * nodes spread over the channels (Shoal §3.2 and Appendix A, docs/spec/shoal.md §2.1-2.3).
 *
 * <pre>
 *   plain, N = 8, 1 channel               slot   0   1   2   3   4   5   6
 *                                         shift  1   2   3   4   5   6   7
 *
 *   plain, N = 8, 2 channels              slot   0   1   2   3
 *                                channel 0 shift 1   2   3   4
 *                                channel 1 shift 5   6   7   -
 *
 *   re-arranged for delay, N = 8          slot   0   1   2   3   4   5   6   7
 *                                         shift  1   2   3   4*  7   6   5   4*
 *   * shift N/2, its own inverse: in slot 3 nodes 0 .. 3 send and 4 .. 7 receive, in slot 7 the other way round
 * </pre>
 *
 * In the re-arranged order the two directions of every pair are half an epoch apart. When a node is connected back it
 * has therefore already received the other node's cell, if the propagation delay is shorter than that. With an even
 * number of nodes this costs every node one idle slot per epoch. The slot of an ordered pair depends only on the shift
 * between the two nodes, except for the self-inverse shift of the re-arranged order. Immutable; any thread may call.
 * The accessors do not check their arguments.
 */
public final class RoundRobin implements Schedule {
    /** Minimum number of nodes. */
    public static final int MIN_NODES = 2;
    /** Maximum number of nodes that a cell header can address (docs/spec/shoal.md §3.1). */
    public static final int MAX_NODES = 1024;

    private final int nodes;
    private final int channels;
    private final int epochSlots;
    private final boolean rearranged;
    private final int[] shift;
    private final int[] firstSender;
    private final int[] endSender;
    /**
     * First sender, and value, of the self-inverse shift that is split over two columns; pair class N has the upper
     * half. N if none.
     */
    private final int splitShift;
    private final int[] columnOfClass;
    private final int[] slotOfClass;

    /**
     * Creates a schedule in which all columns are idle. A column is a channel and a slot: channel * epochSlots +
     * slotInEpoch.
     */
    private RoundRobin(final int nodes, final int channels, final int epochSlots, final boolean rearranged) {
        this.nodes = nodes;
        this.channels = channels;
        this.epochSlots = epochSlots;
        this.rearranged = rearranged;
        this.shift = new int[channels * epochSlots];
        this.firstSender = new int[shift.length];
        this.endSender = new int[shift.length];
        this.splitShift = rearranged && nodes % 2 == 0 ? nodes / 2 : nodes;
        this.columnOfClass = new int[nodes + 1];
        this.slotOfClass = new int[nodes + 1];
    }

    /** Lets a non-empty range of nodes send by a cyclic shift in a column. */
    private void set(final int column, final int by, final int first, final int end) {
        shift[column] = by;
        firstSender[column] = first;
        endSender[column] = end;
        final int pair = pairClass(first, peerIn(column, first));
        columnOfClass[pair] = column;
        slotOfClass[pair] = column % epochSlots;
    }

    /**
     * Creates the round robin in the order of its shifts, for any number of nodes and channels.
     *
     * @param nodes    N, 2 to 1024.
     * @param channels c, 1 to N - 1. The epoch has ceil((N - 1) / c) slots; columns beyond the last shift are idle.
     * @throws IllegalArgumentException if a number is out of range.
     */
    public static RoundRobin plain(final int nodes, final int channels) {
        checkSizes(nodes, channels);
        final RoundRobin schedule = new RoundRobin(nodes, channels, Math.ceilDiv(nodes - 1, channels), false);
        for (int column = 0; column < nodes - 1; column++) {
            schedule.set(column, column + 1, 0, nodes);
        }
        return schedule;
    }

    /**
     * Creates the round robin re-arranged for propagation delay (Shoal Appendix A).
     *
     * @param nodes            N, 2 to 1024.
     * @param channels         c: 1, or an even number with N divisible by 2c.
     * @param propagationSlots slots between the departure of a cell and its arrival, which follows the departures of
     *                         that slot; must be below {@link #minGapSlots()}, otherwise the order would guarantee
     *                         nothing.
     * @throws IllegalArgumentException if the order does not exist, or its gap is too short for the delay.
     */
    public static RoundRobin rearranged(final int nodes, final int channels, final int propagationSlots) {
        checkSizes(nodes, channels);
        final RoundRobin schedule = channels == 1 && nodes % 2 != 0 ? rearrangedOdd(nodes)
            : rearrangedEven(nodes, channels);
        final int gapSlots = schedule.minGapSlots();
        Bounds.refuseIf(propagationSlots < 0 || propagationSlots >= gapSlots, "a schedule re-arranged for delay has ",
            gapSlots, " slots between a pair's two directions, so propagationSlots must be 0 to ", gapSlots - 1,
            ": propagationSlots=", propagationSlots, " nodes=", nodes, " channels=", channels);
        return schedule;
    }

    /** Shifts 1 .. m, then N-1 .. m+1: a shift and its inverse are m columns apart in both directions. */
    private static RoundRobin rearrangedOdd(final int nodes) {
        final RoundRobin schedule = new RoundRobin(nodes, 1, nodes - 1, true);
        final int half = (nodes - 1) / 2;
        for (int column = 0; column < half; column++) {
            schedule.set(column, column + 1, 0, nodes);
            schedule.set(half + column, nodes - 1 - column, 0, nodes);
        }
        return schedule;
    }

    /**
     * N columns in two halves. The self-inverse shift N/2 ends the first half for the lower nodes and the second half
     * for the upper nodes. The partner of a column is half an epoch later; with several channels its channel number is
     * higher by half the channels.
     */
    private static RoundRobin rearrangedEven(final int nodes, final int channels) {
        Bounds.refuseIf(channels > 1 && (nodes % 2 != 0 || channels % 2 != 0 || nodes % (2 * channels) != 0),
            "a schedule re-arranged for delay over several channels needs an even number of nodes and of channels, "
            + "and nodes divisible by twice the channels: nodes=", nodes, " channels=", channels);
        final int epochSlots = nodes / channels;
        final RoundRobin schedule = new RoundRobin(nodes, channels, epochSlots, true);
        final int half = nodes / 2;
        for (int column = 0; column < half; column++) {
            final boolean selfInverse = column + 1 == half;
            final int partner = channels == 1 ? half + column
                : (channels / 2 + column / epochSlots) * epochSlots + (column + epochSlots / 2) % epochSlots;
            schedule.set(column, column + 1, 0, selfInverse ? half : nodes);
            schedule.set(partner, nodes - 1 - column, selfInverse ? half : 0, nodes);
        }
        return schedule;
    }

    @Override
    public int nodes() {
        return nodes;
    }

    @Override
    public int channels() {
        return channels;
    }

    @Override
    public int epochSlots() {
        return epochSlots;
    }

    /** Whether the columns are in the order of Appendix A. */
    public boolean isRearranged() {
        return rearranged;
    }

    @Override
    public int peerAt(final int node, final int channel, final int slotInEpoch) {
        final int column = channel * epochSlots + slotInEpoch;
        return node >= firstSender[column] && node < endSender[column] ? peerIn(column, node) : IDLE;
    }

    @Override
    public int senderAt(final int node, final int channel, final int slotInEpoch) {
        final int column = channel * epochSlots + slotInEpoch;
        final int below = node - shift[column];
        final int sender = below >= 0 ? below : below + nodes;
        return sender >= firstSender[column] && sender < endSender[column] ? sender : IDLE;
    }

    /** Receiver's id minus sender's id, modulo N, on a channel in a slot of the epoch; 0 if idle. */
    public int shiftAt(final int channel, final int slotInEpoch) {
        return shift[channel * epochSlots + slotInEpoch];
    }

    /**
     * The first node that sends on a channel in a slot of the epoch: 0, or N/2 in the second halved column of Appendix
     * A.
     */
    public int firstSenderAt(final int channel, final int slotInEpoch) {
        return firstSender[channel * epochSlots + slotInEpoch];
    }

    /**
     * The node after the last that sends: N, N/2 in the first halved column of Appendix A, or 0 if the column is idle.
     */
    public int endSenderAt(final int channel, final int slotInEpoch) {
        return endSender[channel * epochSlots + slotInEpoch];
    }

    /** The channel that connects {@code from} to another node {@code to}. */
    public int channelTo(final int from, final int to) {
        return columnOfClass[pairClass(from, to)] / epochSlots;
    }

    /** The slot of the epoch that connects {@code from} to another node {@code to}. */
    public int slotTo(final int from, final int to) {
        return slotOfClass[pairClass(from, to)];
    }

    /**
     * Slots from a connection of {@code from} to {@code to} until the next connection back, 0 to E - 1; 0 if both are
     * in the same slot.
     */
    public int gapSlots(final int from, final int to) {
        return Math.floorMod(slotTo(to, from) - slotTo(from, to), epochSlots);
    }

    /** Minimum {@link #gapSlots} of all pairs. In a re-arranged schedule all pairs have the same gap. */
    public int minGapSlots() {
        return IntStream.range(1, nodes).map(to -> gapSlots(0, to)).min().orElseThrow();
    }

    /** The class of an ordered pair: its shift, or N for the upper half of a split self-inverse shift. */
    private int pairClass(final int from, final int to) {
        assert from != to : from;
        final int above = to - from;
        final int by = above >= 0 ? above : above + nodes;
        return by == splitShift && from >= splitShift ? nodes : by;
    }

    private int peerIn(final int column, final int node) {
        final int peer = node + shift[column];
        return peer < nodes ? peer : peer - nodes;
    }

    private static void checkSizes(final int nodes, final int channels) {
        Bounds.require("nodes", nodes, MIN_NODES, MAX_NODES);
        Bounds.refuseIf(channels < 1 || channels > nodes - 1,
            "channels must be 1 to nodes - 1, because more would have nothing to carry: channels=", channels, " nodes=",
            nodes);
    }

    @Override
    public String toString() {
        return (rearranged ? "re-arranged" : "plain") + " round robin of " + nodes + " nodes, " + channels
            + " channels";
    }
}
