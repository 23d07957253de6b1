package dev.skerry.nic.follow;

/**
 * What a followed node of Shoal may report of its queues in a slot, by channel: at least the cells of others that wait,
 * at most the flows besides that may be ready. One thread.
 */
final class ReportBounds {
    private final long[] least;
    private final long[] most;

    ReportBounds(final int channels) {
        this.least = new long[channels];
        this.most = new long[channels];
    }

    int channels() {
        return least.length;
    }

    /** At the start of a slot: the report of a channel tells of a queue; null: of none. */
    void begin(final int channel, final RelayQueue told) {
        least[channel] = told == null ? 0 : told.size();
        most[channel] = told == null ? 0 : told.size() + told.readyAtTurn() + (told.mayHoldOwn() ? 1 : 0);
    }

    boolean allow(final int channel, final long report) {
        return report >= least[channel] && report <= most[channel];
    }

    String text(final int channel) {
        return least[channel] + (most[channel] == least[channel] ? "" : " to " + most[channel]);
    }
}
