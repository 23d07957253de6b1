package dev.skerry.tools.resources;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What a node of Shale takes, as a function of N, h and load, fitted to runs.
 *
 * <p>Bytes of a node: a + b E + c f, for E links and f flows that have started: queues and tokens stand by link.
 * Nanoseconds of a node-slot: a + b u + c lg M + d u lg M, for u cells that a node sends in a slot and M bytes of all
 * nodes: what does not fit into a cache comes from further away. Immutable.
 */
public final class ScaleFit {
    /** One more than the longer formula has terms: fewer leave no error to tell. */
    static final int LEAST_RUNS = 6;

    private final List<ScaleRun> runs;
    private final double[] bytes;
    private final double[] ns;

    private ScaleFit(final List<ScaleRun> runs) {
        this.runs = runs;
        this.bytes = LeastSquares.fit(runs.stream().map(ScaleFit::bytesTerms).toList(),
            runs.stream().mapToDouble(ScaleRun::bytes).toArray());
        this.ns = LeastSquares.fit(runs.stream().map(ScaleFit::nsTerms).toList(),
            runs.stream().mapToDouble(ScaleRun::nsPerNodeSlot).toArray());
    }

    /**
     * Fits.
     *
     * @throws IllegalArgumentException if there are too few runs, or they differ in too little.
     */
    public static ScaleFit of(final List<ScaleRun> runs) {
        if (runs.size() < LEAST_RUNS) {
            throw new IllegalArgumentException("there are " + runs.size() + " runs of Shale with one thread, "
                + LEAST_RUNS + " are needed");
        }
        return new ScaleFit(List.copyOf(runs));
    }

    private static double[] bytesTerms(final ScaleRun run) {
        return new double[] {1, run.links(), run.flows()};
    }

    private static double[] nsTerms(final ScaleRun run) {
        final double memory = Math.log(run.nodes() * run.bytes()) / Math.log(2);
        return new double[] {1, run.cells(), memory, run.cells() * memory};
    }

    /** What a run of a size would take. */
    public ScaleRun forecast(final long nodes, final int phases, final double load, final double flows) {
        final ScaleRun run = new ScaleRun(nodes, phases, load, flows, 0, 0);
        final double forecastBytes = sum(bytes, bytesTerms(run));
        return run.with(forecastBytes, sum(ns, nsTerms(run.with(forecastBytes, 0))));
    }

    private static double sum(final double[] factors, final double[] terms) {
        double sum = 0;
        for (int i = 0; i < terms.length; i++) {
            sum += factors[i] * terms[i];
        }
        return sum;
    }

    /** The runs that it was fitted to. */
    public List<ScaleRun> runs() {
        return runs;
    }

    /** The largest relative error of memory, each run forecast from all others. */
    public double bytesError() {
        return error(ScaleRun::bytes);
    }

    /** The largest relative error of processor time, each run forecast from all others. */
    public double nsError() {
        return error(ScaleRun::nsPerNodeSlot);
    }

    private double error(final ToDoubleFunction<ScaleRun> value) {
        double most = 0;
        for (int i = 0; i < runs.size(); i++) {
            final List<ScaleRun> others = new ArrayList<>(runs);
            final ScaleRun left = others.remove(i);
            final ScaleRun forecast = new ScaleFit(others).forecast(left.nodes(), left.phases(), left.load(),
                left.flows());
            most = Math.max(most, Math.abs(value.applyAsDouble(forecast) / value.applyAsDouble(left) - 1));
        }
        return most;
    }
}
