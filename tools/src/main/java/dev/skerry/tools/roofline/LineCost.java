package dev.skerry.tools.roofline;

/**
 * What a cache line costs to read and write, in ns of one thread. Immutable.
 *
 * @param streamedNs  one that follows the line used before.
 * @param scatteredNs one that lies anywhere, fetched together with others.
 */
public record LineCost(double streamedNs, double scatteredNs) {
}
