package dev.skerry.tools.report;

/**
 * The time of a node-slot beside that of the cache lines it touches. Immutable.
 *
 * @param streamedLines  lines of a node-slot that follow the line used before.
 * @param scatteredLines lines of it that lie anywhere.
 * @param streamedNs     what the first kind of line costs on this machine, in memory of the engine's size.
 * @param scatteredNs    what the second kind costs.
 * @param nodeSlotNs     what a node-slot took, of one thread.
 */
public record Roofline(double streamedLines, double scatteredLines, double streamedNs, double scatteredNs,
    double nodeSlotNs) {
    /** Lines of a node-slot. */
    public double lines() {
        return streamedLines + scatteredLines;
    }

    /** What they alone would cost. */
    public double linesNs() {
        return streamedLines * streamedNs + scatteredLines * scatteredNs;
    }

    /** How many times as much a node-slot took. */
    public double times() {
        return nodeSlotNs / linesNs();
    }
}
