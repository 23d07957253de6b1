package dev.skerry.tools.resources;

import java.util.List;

/** What fabrics of Shale larger than any machine would take, by a fit to smaller runs. Pure functions. */
public final class ScaleTables {
    private static final double GIB = 1L << 30;
    private static final double SLOTS = 1e6;
    private static final double NS_PER_HOUR = 3600e9;
    /** A cell on its way between machines: where it goes, which it is, what it reports back; 8 bytes each. */
    private static final int ROW_BYTES = 24;

    private ScaleTables() {
    }

    /**
     * What is asked.
     *
     * @param nodes      numbers of nodes.
     * @param phases     h.
     * @param load       as a share of a node's line rate; NaN for 0.96 of the guarantee, 1/(2h).
     * @param flows      of a node that start.
     * @param machineGib memory of a machine.
     * @param threads    of a machine that work.
     */
    public record Question(long[] nodes, int[] phases, double load, double flows, double machineGib,
        int threads) {
        private static final double SHARE = 0.96;

        double loadAt(final int h) {
            return Double.isNaN(load) ? SHARE / (2 * h) : load;
        }
    }

    /** The tables. */
    public static List<ResourceTable> of(final ScaleFit fit, final Question question) {
        final ResourceTable sizes = new ResourceTable("scale", "Shale beyond one machine: state, machines by memory, "
            + "what crosses between them, and time for a million slots", "nodes", "h", "load", "bytesPerNode",
            "memoryGiB", "machines", "networkBytesPerSlot", "nsPerNodeSlot", "processorHours", "hours");
        for (final long nodes : question.nodes()) {
            for (final int h : question.phases()) {
                final ScaleRun run = fit.forecast(nodes, h, question.loadAt(h), question.flows());
                final double bytes = run.bytes() * nodes;
                final long machines = (long) Math.ceil(bytes / GIB / question.machineGib());
                final double hours = run.nsPerNodeSlot() * nodes * SLOTS / NS_PER_HOUR;
                sizes.row(nodes, h, run.load(), run.bytes(), bytes / GIB, machines,
                    run.cells() * nodes * ROW_BYTES * (machines - 1) / machines, run.nsPerNodeSlot(), hours,
                    hours / machines / question.threads());
            }
        }
        final List<ScaleRun> runs = fit.runs();
        return List.of(sizes, new ResourceTable("scaleFit", "The runs behind it, and the largest error of any of them "
            + "when it is forecast from the others", "runs", "leastNodes", "mostNodes", "memoryError", "timeError")
            .row(runs.size(), runs.stream().mapToLong(ScaleRun::nodes).min().orElseThrow(),
                runs.stream().mapToLong(ScaleRun::nodes).max().orElseThrow(), fit.bytesError(), fit.nsError()));
    }
}
