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
}
