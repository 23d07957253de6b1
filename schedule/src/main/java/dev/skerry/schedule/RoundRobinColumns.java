package dev.skerry.schedule;

/**
 * The columns of a round robin, one for every channel and slot of the epoch: a cyclic shift of all nodes, of a range of
 * nodes, or nothing (docs/spec/shoal.md §2).
 *
 * <pre>
 *   index                  channel * epochSlots + slotInEpoch
 *   shift[index]           node i sends to (i + shift) mod nodes; 0: the column is idle
 *   firstSender[index]     the first node that sends,
 *   endSender[index]       one past the last: 0 and nodes, except in the halved columns of Appendix A
 * </pre>
 *
 * The arrays belong to the record and are not copied. For set-up.
 *
 * @param nodes       number of nodes N.
 * @param channels    number of channels c.
 * @param epochSlots  slots of an epoch E.
 * @param shift       see above.
 * @param firstSender see above.
 * @param endSender   see above.
 */
record RoundRobinColumns(int nodes, int channels, int epochSlots, int[] shift, int[] firstSender, int[] endSender) {
    private RoundRobinColumns(final int nodes, final int channels, final int epochSlots) {
        this(nodes, channels, epochSlots, new int[channels * epochSlots], new int[channels * epochSlots],
            new int[channels * epochSlots]);
    }

    /**
     * The base round robin: column t, of shift t + 1, on channel t div E in slot t mod E (docs/spec/shoal.md §2.1,
     * §2.2).
     */
    static RoundRobinColumns plain(final int nodes, final int channels) {
        final int epochSlots = (nodes - 1 + channels - 1) / channels;
        final RoundRobinColumns columns = new RoundRobinColumns(nodes, channels, epochSlots);
        for (int column = 0; column < nodes - 1; column++) {
            columns.set(column, column + 1, 0, nodes);
        }
        return columns;
    }

    /**
     * Appendix A: an order of columns with the same number of slots between any pair's two directions
     * (docs/spec/shoal.md §2.3).
     *
     * @throws IllegalArgumentException if there is no such order for these numbers.
     */
    static RoundRobinColumns rearranged(final int nodes, final int channels) {
        if (channels > 1) {
            return rearrangedChannels(nodes, channels);
        }
        return nodes % 2 == 0 ? rearrangedEven(nodes, 1, nodes) : rearrangedOdd(nodes);
    }

    /** Shifts 1 .. m, then N-1 .. m+1: a shift and its inverse are m columns apart, either way round. */
    private static RoundRobinColumns rearrangedOdd(final int nodes) {
        final RoundRobinColumns columns = new RoundRobinColumns(nodes, 1, nodes - 1);
        final int half = (nodes - 1) / 2;
        for (int column = 0; column < half; column++) {
            columns.set(column, column + 1, 0, nodes);
            columns.set(half + column, nodes - 1 - column, 0, nodes);
        }
        return columns;
    }

    private static RoundRobinColumns rearrangedChannels(final int nodes, final int channels) {
        if (nodes % 2 != 0 || channels % 2 != 0 || nodes % (2 * channels) != 0) {
            throw new IllegalArgumentException("a schedule re-arranged for delay over several channels needs an even"
                + " number of nodes and of channels, and nodes divisible by twice the channels: nodes=" + nodes
                + " channels=" + channels);
        }
        return rearrangedEven(nodes, channels, nodes / channels);
    }

    /**
     * N columns in two halves; the self-inverse shift N/2 ends the first half for the lower nodes, the second half for
     * the upper ones. A column's partner lies half an epoch later, on the channel with the number higher by half the
     * channels.
     */
    private static RoundRobinColumns rearrangedEven(final int nodes, final int channels, final int epochSlots) {
        final RoundRobinColumns columns = new RoundRobinColumns(nodes, channels, epochSlots);
        final int half = nodes / 2;
        for (int column = 0; column < half; column++) {
            final boolean selfInverse = column + 1 == half;
            final int partner = channels == 1 ? half + column
                : (channels / 2 + column / epochSlots) * epochSlots + (column + epochSlots / 2) % epochSlots;
            columns.set(column, column + 1, 0, selfInverse ? half : nodes);
            columns.set(partner, nodes - 1 - column, selfInverse ? half : 0, nodes);
        }
        return columns;
    }

    private void set(final int index, final int by, final int first, final int end) {
        shift[index] = by;
        firstSender[index] = first;
        endSender[index] = end;
    }
}
