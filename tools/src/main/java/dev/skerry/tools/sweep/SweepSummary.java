package dev.skerry.tools.sweep;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** Means over seeds with 95 % intervals, by settings. Immutable. */
final class SweepSummary {
    private final RunTable table;
    private final Map<String, List<SweepRow>> groups = new LinkedHashMap<>();

    SweepSummary(final RunTable table) {
        this.table = table;
        for (final SweepRow row : table.rows()) {
            groups.computeIfAbsent(row.command() + row.version() + row.settings(), _ -> new ArrayList<>()).add(row);
        }
    }

    /**
     * A mean.
     *
     * @param runs that have the figure.
     * @param mean of them; NaN if none has it.
     * @param half of the 95 % interval, on either side; NaN for fewer than two runs.
     */
    record Mean(int runs, double mean, double half) {
        static Mean of(final double[] values) {
            double sum = 0;
            for (final double value : values) {
                sum += value;
            }
            final double mean = sum / values.length;
            double squares = 0;
            for (final double value : values) {
                squares += (value - mean) * (value - mean);
            }
            final int degrees = values.length - 1;
            return new Mean(values.length, mean, degrees < 1 ? Double.NaN
                : StudentT.of(degrees) * Math.sqrt(squares / degrees / values.length));
        }
    }

    /** The groups: runs that differ by their seeds alone, in the order of their settings. */
    List<List<SweepRow>> groups() {
        return List.copyOf(groups.values());
    }

    /** The mean of a figure. */
    static Mean mean(final List<SweepRow> group, final String figure) {
        return Mean.of(group.stream().mapToDouble(row -> RunTable.number(row.figures().get(figure)))
            .filter(value -> !Double.isNaN(value)).toArray());
    }

    /** Of all runs. */
    SweepHealth health() {
        return SweepHealth.of(table.rows());
    }

    /** Figures that are numbers in some run, by name. */
    SortedSet<String> figures() {
        final SortedSet<String> names = new TreeSet<>();
        for (final SweepRow row : table.rows()) {
            row.figures().forEach((name, value) -> {
                if (!name.endsWith("digest") && !name.endsWith("seed") && !Double.isNaN(RunTable.number(value))) {
                    names.add(name);
                }
            });
        }
        return names;
    }

    /** Settings that differ, and the version if it does. */
    List<String> heads() {
        final List<String> heads = new ArrayList<>(table.varied());
        if (table.rows().stream().map(SweepRow::version).distinct().count() > 1) {
            heads.addFirst("version");
        }
        return heads;
    }

    /** The value of a head in a group. */
    static String cell(final List<SweepRow> group, final String head) {
        final SweepRow row = group.getFirst();
        return head.equals("version") ? row.version() : row.settings().getOrDefault(head, "");
    }

    /** Every mean, a line each. */
    String csv() {
        final StringBuilder out = new StringBuilder();
        final List<String> heads = new ArrayList<>(heads());
        heads.addAll(List.of("figure", "runs", "notSteady", "saturated", "unfinished", "mean", "low95", "high95"));
        RunTable.line(out, heads);
        final SortedSet<String> figures = figures();
        for (final List<SweepRow> group : groups()) {
            final SweepHealth health = SweepHealth.of(group);
            for (final String figure : figures) {
                final Mean mean = mean(group, figure);
                if (mean.runs() > 0) {
                    final List<String> cells = new ArrayList<>();
                    heads().forEach(head -> cells.add(cell(group, head)));
                    cells.addAll(List.of(figure, Integer.toString(mean.runs()), Integer.toString(health.unsteady()),
                        Integer.toString(health.saturated()), Integer.toString(health.unfinished()),
                        Double.toString(mean.mean()),
                        finite(mean.mean() - mean.half()), finite(mean.mean() + mean.half())));
                    RunTable.line(out, cells);
                }
            }
        }
        return out.toString();
    }

    private static String finite(final double value) {
        return Double.isNaN(value) ? "" : Double.toString(value);
    }

    /** Two-sided 95 % quantiles of Student's t distribution. Any thread may call. */
    static final class StudentT {
        private static final double[] FEW = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622,
            2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739,
            2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
        private static final double NORMAL = 1.959964;

        private StudentT() {
        }

        /** The quantile; above 30 degrees the first terms of its expansion around the normal one, right to 4 digits. */
        static double of(final int degrees) {
            if (degrees < 1) {
                throw new IllegalArgumentException("at least 1: degrees=" + degrees);
            }
            if (degrees <= FEW.length) {
                return FEW[degrees - 1];
            }
            final double z = NORMAL;
            final double cube = z * z * z;
            return z + (cube + z) / (4 * degrees)
                + (5 * cube * z * z + 16 * cube + 3 * z) / (96.0 * degrees * degrees);
        }
    }
}
