package dev.skerry.tools.roofline;

/**
 * Cost of reading and writing one cache line, in ns on one thread. Immutable.
 *
 * @param streamedNs  cost of a line that follows the previous one.
 * @param scatteredNs cost of a random line, prefetched together with others.
 */
public record LineCost(double streamedNs, double scatteredNs) {
}
