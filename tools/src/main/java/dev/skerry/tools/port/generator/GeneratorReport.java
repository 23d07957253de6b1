package dev.skerry.tools.port.generator;

import org.HdrHistogram.Histogram;

import java.util.List;

/**
 * Results of a generator at one moment.
 *
 * @param sent      packets generated.
 * @param flows     received flows, by id and flow.
 * @param total     sums over these flows, plus damaged packets of unknown flow.
 * @param latency   latency in ns over all packets received.
 * @param foreign   packets received that no generator sent, or that are too damaged to recognise.
 * @param untracked packets received of flows beyond {@link GeneratorFlows#MAX_FLOWS}.
 */
public record GeneratorReport(
    long sent, List<FlowReport> flows, FlowReport.Counts total, Histogram latency, long foreign, long untracked
) {
    /** Copies the list. */
    public GeneratorReport {
        flows = List.copyOf(flows);
    }

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
}
