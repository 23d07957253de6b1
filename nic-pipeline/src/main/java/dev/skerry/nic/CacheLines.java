package dev.skerry.nic;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shoal.Shoal;

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
    /** Shale with hop-by-hop. */
    static final CacheLines SHALE = new CacheLines(61, 32);
    /** Each channel of Shoal, with a flow a node. */
    static final CacheLines SHOAL = new CacheLines(36, 39);

    /** Those of a node-slot of a fabric, over all its channels. */
    public static CacheLines of(final CircuitFabric fabric) {
        return switch (fabric) {
            case Shale shale -> SHALE;
            case Shoal shoal -> new CacheLines(SHOAL.streamedSixteenths * shoal.channels(),
                SHOAL.scatteredSixteenths * shoal.channels());
        };
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
