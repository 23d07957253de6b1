package dev.skerry.nic.count;

/**
 * Cache lines of 64 bytes that a node-slot touches under full load, in sixteenths, as the description of the package
 * counts them one by one: what an engine cannot be faster than. Immutable.
 *
 * @param streamedSixteenths  lines that follow the line used before.
 * @param scatteredSixteenths lines that lie anywhere.
 */
public record CacheLines(int streamedSixteenths, int scatteredSixteenths) {
    /** In a line. */
    public static final int SIXTEENTHS = 16;

    /** Those of some channels of a node. */
    public CacheLines times(final int channels) {
        return new CacheLines(streamedSixteenths * channels, scatteredSixteenths * channels);
    }

    /** Lines that follow the line used before. */
    public double streamed() {
        return (double) streamedSixteenths / SIXTEENTHS;
    }

    /** Lines that lie anywhere. */
    public double scattered() {
        return (double) scatteredSixteenths / SIXTEENTHS;
    }
}
