package dev.skerry.tools.port.generator;

import org.HdrHistogram.Histogram;

import java.util.List;

/**
 * What a generator did and saw, at one moment.
 *
 * @param sent      packets it generated.
 * @param flows     that it received, by id and flow.
 * @param total     of all these flows, and of damaged packets whose flow is not known.
 * @param latency   of all packets received, in nanoseconds.
 * @param foreign   packets received that no generator sent, or that are too damaged to tell.
 * @param untracked packets received of flows beyond the {@link GeneratorFlows#MAX_FLOWS} that are told apart.
 */
public record GeneratorReport(
    long sent, List<FlowReport> flows, FlowReport.Counts total, Histogram latency, long foreign, long untracked
) {
    /** Keeps a list of its own. */
    public GeneratorReport {
        flows = List.copyOf(flows);
    }
}
