package dev.skerry.nic.count;

/**
 * Cache lines of 64 bytes that one node touches in one slot under full load, in sixteenths of a line. They bound an
 * engine's speed from above. The package descriptions of the fabrics' stages count them one by one. Immutable.
 *
 * @param streamedSixteenths  lines that follow the line touched before, so that the prefetcher fetches them.
 * @param scatteredSixteenths lines at addresses that nothing predicts.
 */
public record CacheLines(int streamedSixteenths, int scatteredSixteenths) {
    /** Sixteenths of one line. */
    public static final int SIXTEENTHS = 16;

    /** Returns the lines of a node with this many channels. */
    public CacheLines times(final int channels) {
        return new CacheLines(streamedSixteenths * channels, scatteredSixteenths * channels);
    }

    /** Lines that follow the line touched before. */
    public double streamed() {
        return (double) streamedSixteenths / SIXTEENTHS;
    }

    /** Lines at addresses that nothing predicts. */
    public double scattered() {
        return (double) scatteredSixteenths / SIXTEENTHS;
    }
}
