package dev.skerry.bench.command;

import dev.skerry.bench.Compare;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * One result of JMH as the table and the gates read it.
 *
 * @param type    the benchmark class.
 * @param variant what is compared: a method, or the value of the parameter that is compared by.
 * @param params  the other parameters, {@code name=value} in order.
 * @param result  all of it.
 */
record Row(Class<?> type, String variant, String params, RunResult result) {
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    static Row of(final Class<?> type, final RunResult result) {
        final BenchmarkParams of = result.getParams();
        final String by = BenchmarkCatalogue.compare(type).by();
        final List<String> others = new ArrayList<>();
        for (final String key : of.getParamsKeys().stream().sorted().toList()) {
            if (!key.equals(by)) {
                others.add(key + "=" + of.getParam(key));
            }
        }
        final String method = of.getBenchmark().substring(of.getBenchmark().lastIndexOf('.') + 1);
        return new Row(type, by.isEmpty() ? method : of.getParam(by), String.join(" ", others), result);
    }

    Compare compare() {
        return BenchmarkCatalogue.compare(type);
    }

    boolean isOurs() {
        return compare().ours().equals(variant);
    }

    /** The score, or the counter that stands for it. */
    Result<?> score() {
        return compare().counter().isEmpty() ? result.getPrimaryResult()
            : result.getSecondaryResults().get(compare().counter());
    }

    /** Whether a larger score is a better one. */
    boolean isRate() {
        return !compare().counter().isEmpty() || result.getPrimaryResult().getScoreUnit().startsWith("ops/");
    }

    /** How fast, larger is faster, by the mean of all forks. */
    double speed() {
        return isRate() ? score().getScore() : 1 / score().getScore();
    }

    /** The same of the best iteration of all forks, by the clock: the one that other work disturbed least. */
    double bestSpeed() {
        return iterations(compare().counter().isEmpty() ? null : compare().counter())
            .map(score -> isRate() ? score : 1 / score).max().orElseThrow();
    }

    /** Operations by processor time, of the best iteration of all forks. */
    double bestCpuSpeed() {
        return 1 / iterations(CpuProfiler.LABEL).min().orElseThrow();
    }

    private DoubleStream iterations(final String counter) {
        return result.getBenchmarkResults().stream()
            .map(BenchmarkResult::getIterationResults).flatMap(Collection::stream)
            .mapToDouble(iteration -> counter == null ? iteration.getPrimaryResult().getScore()
                : named(iteration.getSecondaryResults(), counter));
    }

    /** Processor time of an operation in ns; NaN if it was not measured. */
    double cpu() {
        return named(result.getSecondaryResults(), CpuProfiler.LABEL);
    }

    /** Bytes allocated by an operation; NaN if it was not measured. */
    double allocated() {
        return named(result.getSecondaryResults(), ALLOCATED);
    }

    /** Some versions of JMH put a dot in front of a profiler's name. */
    @SuppressWarnings("rawtypes")
    private static double named(final Map<String, Result> results, final String label) {
        for (final Map.Entry<String, Result> entry : results.entrySet()) {
            if (entry.getKey().endsWith(label)) {
                return entry.getValue().getScore();
            }
        }
        return Double.NaN;
    }
}
