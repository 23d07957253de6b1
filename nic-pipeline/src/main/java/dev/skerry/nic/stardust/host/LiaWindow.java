package dev.skerry.nic.stardust.host;

/**
 * The windows of MPTCP's subflows, coupled by the linked increases of RFC 6356 §3: with each acknowledgement a window
 * grows by the aggressiveness of the whole connection over all its windows, or by New Reno's increase if that is less.
 * Loss halves the window of its subflow alone. Slow start is New Reno's. One thread.
 *
 * <p>In segments, the RFC's alpha / total is max(w_i / rtt_i²) / (Σ w_i / rtt_i)².
 */
final class LiaWindow implements WindowRule {
    private static final double ONE = 1 << 16;

    private final int subflows;
    private final Siblings siblings;

    /** What a subflow asks of the others of its flow. */
    interface Siblings {
        /** A window in segments. */
        double window(int connection);

        /** A smoothed round trip in slots; 0 before the first measurement. */
        double roundTrip(int connection);
    }

    LiaWindow(final int subflows, final Siblings siblings) {
        this.subflows = subflows;
        this.siblings = siblings;
    }

    @Override
    public int growth(final int connection, final int window, final int threshold) {
        final double own = siblings.roundTrip(connection);
        if (window >>> 16 < threshold || own == 0) {
            return NEW_RENO.growth(connection, window, threshold);
        }
        double most = 0;
        double sum = 0;
        final int first = connection - connection % subflows;
        for (int other = first; other < first + subflows; other++) {
            final double measured = siblings.roundTrip(other);
            final double roundTrip = measured == 0 ? own : measured;
            final double rate = siblings.window(other) / roundTrip;
            most = Math.max(most, rate / roundTrip);
            sum += rate;
        }
        return (int) (ONE * Math.min(most / (sum * sum), ONE / window));
    }
}
