package dev.skerry.tools.port.generator;

import org.HdrHistogram.Histogram;

/**
 * What the receiver of a flow saw.
 *
 * @param id      of the generator.
 * @param flow    of that generator.
 * @param counts  of packets.
 * @param latency of the packets received, in nanoseconds by the receiver's clock less the sender's stamp; a copy.
 */
public record FlowReport(int id, int flow, Counts counts, Histogram latency) {
    /**
     * Packets of a flow, or of several together.
     *
     * @param expected   up to the highest sequence number seen; what was lost behind it only the sender can tell.
     * @param received   each once, whole.
     * @param reordered  of those received, how many came after one with a higher number.
     * @param duplicates that came again.
     * @param stale      too old to tell whether they came before; not among those received.
     * @param damaged    that were not as they were sent; not among those received.
     */
    public record Counts(
        long expected, long received, long reordered, long duplicates, long stale, long damaged
    ) {
        /** Packets that have not come whole, the highest number seen being the last that was sent. */
        public long lost() {
            return expected - received;
        }

        Counts plus(final Counts other) {
            return new Counts(expected + other.expected, received + other.received, reordered + other.reordered,
                duplicates + other.duplicates, stale + other.stale, damaged + other.damaged);
        }
    }
}
