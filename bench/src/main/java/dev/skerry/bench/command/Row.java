package dev.skerry.bench.command;

import dev.skerry.bench.Compare;
import dev.skerry.tools.report.ResourceTable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * One result of JMH, for the table and the gates.
 *
 * @param type benchmark class.
 * @param variant compared variant: a method, or a value of the compared parameter.
 * @param params other parameters, {@code name=value} in order.
 * @param result complete result.
 */
record Row(Class<?> type, String variant, String params, RunResult result) {
    private static final int UNIT = 3;
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

    /** Returns the score, or the counter that replaces it. */
    Result<?> score() {
        return compare().counter().isEmpty() ? result.getPrimaryResult()
            : result.getSecondaryResults().get(compare().counter());
    }

    /** Tells whether a larger score is better. */
    boolean isRate() {
        return !compare().counter().isEmpty() || result.getPrimaryResult().getScoreUnit().startsWith("ops/");
    }

    /** Returns the speed by the mean of all forks; larger is faster. */
    double speed() {
        return isRate() ? score().getScore() : 1 / score().getScore();
    }

    /**
     * Returns the speed by wall time in the best iteration of all forks, which other processes disturbed least.
     */
    double bestSpeed() {
        return iterations(compare().counter().isEmpty() ? null : compare().counter())
            .map(score -> isRate() ? score : 1 / score).max().orElseThrow();
    }

    /** Returns the speed by CPU time in the best iteration of all forks. */
    double bestCpuSpeed() {
        return 1 / iterations(CpuProfiler.LABEL).min().orElseThrow();
    }

    private DoubleStream iterations(final String counter) {
        return result.getBenchmarkResults().stream()
            .map(BenchmarkResult::getIterationResults).flatMap(Collection::stream)
            .mapToDouble(iteration -> counter == null ? iteration.getPrimaryResult().getScore()
                : named(iteration.getSecondaryResults(), counter));
    }

    /** Returns the CPU time of all threads per unit in ns; NaN if it was not measured. */
    double cpu() {
        return perUnit(CpuProfiler.LABEL);
    }

    /** Returns the bytes allocated per unit; NaN if they were not measured. */
    double allocated() {
        return perUnit(ALLOCATED);
    }

    /** Returns a result per unit; JMH's is per call, and a call counts several units or none if there is a counter. */
    private double perUnit(final String label) {
        return named(result.getSecondaryResults(), label)
            * (compare().counter().isEmpty() ? 1 : result.getPrimaryResult().getScore() / score().getScore());
    }

    /** Returns the result of a profiler. Some versions of JMH put a dot in front of its name. */
    @SuppressWarnings("rawtypes")
    private static double named(final Map<String, Result> results, final String label) {
        for (final Map.Entry<String, Result> entry : results.entrySet()) {
            if (entry.getKey().endsWith(label)) {
                return entry.getValue().getScore();
            }
        }
        return Double.NaN;
    }

    /** Prints results as text: one block per benchmark, one line per variant, ours first. */
    static void print(final PrintWriter out, final Class<?> type, final List<Row> rows) {
        out.println();
        out.println(type.getSimpleName() + ": " + BenchmarkCatalogue.compare(type).question());
        final Map<String, List<Row>> groups = new LinkedHashMap<>();
        for (final Row row : rows) {
            groups.computeIfAbsent(row.params(), params -> new ArrayList<>()).add(row);
        }
        groups.forEach((params, group) -> out.print(ResourceTable.aligned(table(params, group),
            column -> column == 0 || column == UNIT)));
        out.flush();
    }

    private static List<List<String>> table(final String params, final List<Row> group) {
        final List<List<String>> lines = new ArrayList<>();
        final String unit = group.getFirst().compare().unit();
        lines.add(List.of(params, "score", "error", "unit", "cpu ns/" + unit, "B/" + unit, "ours is"));
        final Row ours = group.stream().filter(Row::isOurs).findFirst().orElse(null);
        for (final Row row : group) {
            lines.add(List.of("  " + row.variant() + (row.isOurs() ? " *" : ""), number(row.score().getScore()),
                number(row.score().getScoreError()), row.score().getScoreUnit().replace("op", unit), number(row.cpu()),
                number(row.allocated()), ours == null || row.isOurs() ? ""
                : String.format(Locale.ROOT, "%.2f x", ours.speed() / row.speed())));
        }
        return lines;
    }

    private static String number(final double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        final double size = Math.abs(value);
        return size < 0.01 ? "0" : String.format(Locale.ROOT, size < 10 ? "%.2f" : size < 1000 ? "%.1f" : "%,.0f",
            value);
    }
}
