package dev.skerry.tools.report;

/**
 * A timeline cut into few pieces, neighbours merged evenly.
 *
 * @param start first slot of each piece, and the end of the last one: one element more than there are pieces.
 * @param cells cells delivered in each piece.
 * @param rate  cells per node and slot of each piece, the last one twice so that a step line reaches the end.
 */
record Intervals(double[] start, long[] cells, double[] rate) {
    /** Nodes may be any positive number; slots are those of the whole run and bound the last interval. */
    static Intervals of(final RunResult.Timeline timeline, final long slots, final double nodes, final int most) {
        final long[] delivered = timeline.delivered();
        final int merge = Math.ceilDiv(delivered.length, most);
        final int count = Math.ceilDiv(delivered.length, merge);
        final double[] start = new double[count + 1];
        final long[] cells = new long[count];
        final double[] rate = new double[count + 1];
        final long before = (delivered.length - 1) * timeline.intervalSlots();
        for (int i = 0; i < count; i++) {
            start[i] = (double) i * merge * timeline.intervalSlots();
            for (int j = i * merge; j < Math.min((i + 1) * merge, delivered.length); j++) {
                cells[i] += delivered[j];
            }
        }
        start[count] = before + Math.clamp(slots - before, 1, timeline.intervalSlots());
        for (int i = 0; i < count; i++) {
            rate[i] = cells[i] / ((start[i + 1] - start[i]) * nodes);
        }
        rate[count] = rate[count - 1];
        return new Intervals(start, cells, rate);
    }

    double max() {
        double max = 0;
        for (final double value : rate) {
            max = Math.max(max, value);
        }
        return max;
    }
}
