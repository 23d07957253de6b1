package dev.skerry.tools.port.generator;

import org.HdrHistogram.Histogram;

/**
 * A flow as its receiver saw it.
 *
 * @param id      id of the generator.
 * @param flow    flow of that generator, from 0.
 * @param counts  packet counts.
 * @param latency latency in ns of the packets received, the receiver's clock minus the sender's stamp; a copy.
 */
public record FlowReport(int id, int flow, Counts counts, Histogram latency) {
    /**
     * Packet counts of one flow or of several.
     *
     * @param expected   packets up to the highest sequence number seen. Only the sender knows of losses after it.
     * @param received   distinct undamaged packets.
     * @param reordered  received packets that followed a higher sequence number.
     * @param duplicates repeated packets.
     * @param stale      packets older than the window of sequence numbers; not in received.
     * @param damaged    packets whose contents changed; not in received.
     */
    public record Counts(
        long expected, long received, long reordered, long duplicates, long stale, long damaged
    ) {
        /** Packets up to the highest sequence number seen that did not arrive undamaged. */
        public long lost() {
            return expected - received;
        }

        Counts plus(final Counts other) {
            return new Counts(expected + other.expected, received + other.received, reordered + other.reordered,
                duplicates + other.duplicates, stale + other.stale, damaged + other.damaged);
        }
    }
}
