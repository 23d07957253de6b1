package dev.skerry.bench.command;

import dev.skerry.bench.Compare;
import dev.skerry.tools.report.ResourceTable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * One result of JMH, for the table and the gates.
 *
 * @param type benchmark class.
 * @param variant compared variant: a method, or a value of the compared parameter.
 * @param params other parameters, {@code name=value} in order.
 * @param result complete result.
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

    /** Returns the units per ns of wall time in the median iteration of all forks. */
    double speed() {
        return 1 / median(times());
    }

    /** Returns the units per ns in the best iteration of all forks, which other processes disturbed least. */
    double bestSpeed() {
        return 1 / times()[0];
    }

    /** Returns the units per ns of CPU time in the best iteration of all forks. */
    double bestCpuSpeed() {
        return 1 / perUnit(CpuProfiler.LABEL)[0];
    }

    /** Returns the CPU time of all threads per unit in ns, in the median iteration; NaN if it was not measured. */
    double cpu() {
        return median(perUnit(CpuProfiler.LABEL));
    }

    /** Returns the mean of bytes allocated per unit; NaN if they were not measured. */
    double allocated() {
        return Arrays.stream(perUnit(ALLOCATED)).average().orElseThrow();
    }

    /** Returns the wall time per unit in ns of each iteration of all forks, in ascending order. */
    private double[] times() {
        final BenchmarkParams of = result.getParams();
        final double ns = of.getTimeUnit().toNanos(1);
        return iterations(iteration -> of.getMode() == Mode.Throughput ? ns / score(iteration)
            : ns * score(iteration));
    }

    /** Returns a result of a profiler per unit; JMH's is per call, and a call may count several units or none. */
    private double[] perUnit(final String label) {
        return iterations(iteration -> named(iteration.getSecondaryResults(), label)
            * iteration.getPrimaryResult().getScore() / score(iteration));
    }

    private double[] iterations(final ToDoubleFunction<IterationResult> value) {
        return result.getBenchmarkResults().stream().map(BenchmarkResult::getIterationResults)
            .flatMap(Collection::stream).mapToDouble(value).sorted().toArray();
    }

    /** Returns JMH's score of an iteration, or the counter that replaces it. */
    private double score(final IterationResult iteration) {
        return compare().counter().isEmpty() ? iteration.getPrimaryResult().getScore()
            : named(iteration.getSecondaryResults(), compare().counter());
    }

    private static double median(final double[] sorted) {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
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
            column -> column == 0)));
        out.flush();
    }

    private static List<List<String>> table(final String params, final List<Row> group) {
        final List<List<String>> lines = new ArrayList<>();
        final String unit = group.getFirst().compare().unit();
        lines.add(List.of(params, "ns/" + unit, "min", "max", "cpu ns/" + unit, "B/" + unit, "ours is"));
        final Row ours = group.stream().filter(Row::isOurs).findFirst().orElse(null);
        for (final Row row : group) {
            final double[] times = row.times();
            lines.add(List.of("  " + row.variant() + (row.isOurs() ? " *" : ""), number(median(times)),
                number(times[0]), number(times[times.length - 1]), number(row.cpu()), number(row.allocated()),
                ours == null || row.isOurs() ? ""
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
