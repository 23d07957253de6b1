package dev.skerry.tools.sweep;

import dev.skerry.tools.plot.PlotText;
import dev.skerry.tools.report.Page;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.sweep.SweepStore.SweepRow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Means over seeds with 95 % intervals, by settings. Immutable. */
final class SweepSummary {
    private final RunTable table;
    private final Map<String, List<SweepRow>> groups = new LinkedHashMap<>();

    SweepSummary(final RunTable table) {
        this.table = table;
        for (final SweepRow row : table.rows) {
            groups.computeIfAbsent(row.command() + row.version() + row.settings(), _ -> new ArrayList<>()).add(row);
        }
    }

    /**
     * A mean.
     *
     * @param runs number of runs that have the figure.
     * @param mean their mean; NaN if none has it.
     * @param half half the width of the 95 % interval; NaN for fewer than two runs.
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

    /** Returns the groups: runs that differ only in their seeds, in the order of their settings. */
    List<List<SweepRow>> groups() {
        return List.copyOf(groups.values());
    }

    /** Returns the mean of a figure. */
    static Mean mean(final List<SweepRow> group, final String figure) {
        return Mean.of(group.stream().mapToDouble(row -> RunTable.number(row.figures().get(figure)))
            .filter(value -> !Double.isNaN(value)).toArray());
    }

    /** Returns the health of all runs. */
    SweepHealth health() {
        return SweepHealth.of(table.rows);
    }

    /** Returns the figures that are numbers in some run, by name. */
    SortedSet<String> figures() {
        final SortedSet<String> names = new TreeSet<>();
        for (final SweepRow row : table.rows) {
            row.figures().forEach((name, value) -> {
                if (!name.endsWith("digest") && !name.endsWith("seed") && !Double.isNaN(RunTable.number(value))) {
                    names.add(name);
                }
            });
        }
        return names;
    }

    /** Returns the settings that differ, and the version if it does. */
    List<String> heads() {
        final List<String> heads = new ArrayList<>(table.varied());
        if (table.rows.stream().map(SweepRow::version).distinct().count() > 1) {
            heads.addFirst("version");
        }
        return heads;
    }

    /** Returns the value of a head in a group. */
    static String cell(final List<SweepRow> group, final String head) {
        final SweepRow row = group.getFirst();
        return head.equals("version") ? row.version() : row.settings().getOrDefault(head, "");
    }

    /** Returns every mean, one line each. */
    String csv() {
        final StringBuilder out = new StringBuilder();
        final List<String> heads = new ArrayList<>(heads());
        heads.addAll(List.of("figure", "runs", "notSteady", "saturated", "notJudged", "unfinished", "mean", "low95",
            "high95"));
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
                        Integer.toString(health.saturated()), Integer.toString(health.unjudged()),
                        Integer.toString(health.unfinished()), Double.toString(mean.mean()),
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

        /**
         * Returns the quantile; above 30 degrees from the first terms of its expansion around the normal one, which are
         * correct to 4 digits.
         */
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

    /**
     * Tells whether the numbers of some runs can be trusted. A comparison counts as one run, by its worst fabric.
     * Immutable.
     *
     * @param runs       number of runs that gave a result.
     * @param steady     runs in a steady state.
     * @param unsteady   runs that were not: their completion times depend on their length.
     * @param saturated  runs among them that were offered more than is guaranteed.
     * @param unjudged   runs with flows that arrive over time, but too few to judge.
     * @param unfinished runs with flows that did not finish.
     * @param cut        runs among them that --drain would continue until all flows are done.
     * @param worst      the largest share of flows that did not finish, over the runs.
     * @param failed     runs without a result.
     */
    record SweepHealth(int runs, int steady, int unsteady, int saturated, int unjudged, int unfinished, int cut,
        double worst, int failed) {
        private static final Set<String> JUDGED = Set.of("run", "compare");
        private static final Set<String> AT_ONCE = Set.of("permutation", "incast", "all-to-all", "each-to-each");

        static SweepHealth of(final List<SweepRow> rows) {
            final List<SweepRow> done = rows.stream().filter(row -> !row.isFailed()).toList();
            return new SweepHealth(done.size(),
                (int) done.stream().filter(row -> row.each("steady").contains("true") && !isUnsteady(row)).count(),
                (int) done.stream().filter(SweepHealth::isUnsteady).count(),
                (int) done.stream().filter(row -> row.each("saturated").contains("true")).count(),
                (int) done.stream().filter(SweepHealth::isUnjudged).count(),
                (int) done.stream().filter(row -> unfinished(row) > 0).count(),
                (int) done.stream().filter(row -> unfinished(row) > 0 && isCut(row)).count(),
                done.stream().mapToDouble(SweepHealth::unfinished).max().orElse(0), rows.size() - done.size());
        }

        static boolean isUnsteady(final SweepRow row) {
            return row.each("steady").contains("false");
        }

        /**
         * Tells whether a run was not judged. Short traces, and workloads that start all flows at once or never end
         * them, have no steady state.
         */
        private static boolean isUnjudged(final SweepRow row) {
            return JUDGED.contains(row.command()) && row.each("steady").isEmpty()
                && !row.settings().containsKey("flows")
                && !AT_ONCE.contains(row.settings().getOrDefault("workload", ""));
        }

        /** Tells whether its flows only had too little time: it was not drained, and lost no cell. */
        private static boolean isCut(final SweepRow row) {
            return !row.settings().getOrDefault("drain", "false").equals("true")
                && row.each("cellsDropped").stream().allMatch("0"::equals) && row.each("flowsFailed").isEmpty();
        }

        private static boolean isEndless(final SweepRow row) {
            return row.settings().getOrDefault("workload", "").equals("permutation")
                && !row.settings().containsKey("flow-bytes");
        }

        /**
         * Returns the share of unfinished flows among those that started, including those of a warm-up; of the worst
         * fabric of a comparison.
         */
        private static double unfinished(final SweepRow row) {
            final List<String> started = row.each("flowsStarted");
            final List<String> completed = row.each("flowsCompleted");
            double worst = 0;
            if (isEndless(row)) {
                return worst;
            }
            for (int i = 0; i < Math.min(started.size(), completed.size()); i++) {
                final double of = RunTable.number(started.get(i));
                worst = of > 0 ? Math.max(worst, 1 - RunTable.number(completed.get(i)) / of) : worst;
            }
            return worst;
        }

        /** Tells whether the mean of all runs is one of steady runs whose flows are all done. */
        boolean isSound() {
            return unsteady == 0 && unjudged == 0 && unfinished == 0;
        }

        /** Returns how many of the judged runs were steady: {@code 3 of 5, 1 saturated, 2 not judged}. */
        String steadyText() {
            return (steady + unsteady == 0 ? "-" : steady + " of " + (steady + unsteady))
                + (saturated == 0 ? "" : ", " + saturated + " saturated")
                + (unjudged == 0 ? "" : ", " + unjudged + " not judged");
        }

        /** Returns the health for the head of a page. */
        List<Page.Tile> tiles() {
            final List<Page.Tile> tiles = new ArrayList<>();
            tiles.add(new Page.Tile("Runs", String.format(Locale.ROOT, "%,d", runs), failed + " failed"));
            tiles.add(new Page.Tile("Steady state", steadyText().split(",")[0], saturated + " saturated, " + unjudged
                + " not judged"));
            tiles.add(new Page.Tile("Unfinished flows", unfinished == 0 ? "none" : unfinishedText(),
                unfinished == 0 ? "" : "at most, in " + unfinished + " runs"));
            return tiles;
        }

        /** Returns the largest share of flows that did not finish, as text. */
        String unfinishedText() {
            return unfinished == 0 ? "0" : String.format(Locale.ROOT, "%.1f %%", 100 * worst);
        }

        /** Returns the notes that a reader needs before the means are used, one line each. */
        List<String> notes() {
            final List<String> notes = new ArrayList<>();
            if (unsteady > 0) {
                notes.add(String.format(Locale.ROOT,
                    "%,d of %,d runs were not in a steady state%s: their results depend on how long they "
                        + "ran", unsteady, runs,
                    saturated == 0 ? "" : String.format(Locale.ROOT, " (%,d of them saturated)", saturated)));
            }
            if (unjudged > 0) {
                notes.add(String.format(Locale.ROOT,
                    "%,d of %,d runs had too few flows to judge whether they were steady",
                    unjudged, runs));
            }
            if (unfinished > 0) {
                notes.add(String.format(Locale.ROOT, "%,d of %,d runs have flows that did not finish, up to %.1f %% of "
                    + "them; these are excluded from completion times%s", unfinished, runs, 100 * worst,
                    cut == 0 ? "" : ": use --drain"));
            }
            if (failed > 0) {
                notes.add(String.format(Locale.ROOT,
                    "%,d runs failed and are excluded from the means; column %s of runs.csv gives the reasons",
                    failed, SweepRow.FAILURE));
            }
            return notes;
        }
    }

    /** Runs as comma-separated values, in the order of their settings and seeds. Immutable. */
    static final class RunTable {
        private static final String ALL = ".all.";
        private static final Pattern COUNT = Pattern.compile("(.+)[.][^.]+[.](flows|unfinished)");
        private static final List<String> STATISTICS = List.of("flows", "unfinished", "mean", "p50", "p99", "p99.9",
            "max");

        /** The rows in order. */
        final List<SweepRow> rows;
        private final SortedSet<String> settings = new TreeSet<>();

        RunTable(final List<SweepRow> rows) {
            rows.forEach(row -> settings.addAll(row.settings().keySet()));
            Comparator<SweepRow> order = Comparator.comparing(SweepRow::command);
            for (final String name : settings) {
                order = order.thenComparing(row -> row.settings().getOrDefault(name, ""), RunTable::compare);
            }
            this.rows = rows.stream()
                .sorted(order.thenComparing(SweepRow::seed).thenComparing(SweepRow::version)
                    .thenComparing(SweepRow::id))
                .toList();
        }

        /** Compares numbers by value, and puts them before texts. */
        static int compare(final String one, final String other) {
            final double a = number(one);
            final double b = number(other);
            if (Double.isNaN(a) || Double.isNaN(b)) {
                return Double.isNaN(a) == Double.isNaN(b) ? one.compareTo(other) : Double.isNaN(a) ? 1 : -1;
            }
            return Double.compare(a, b) == 0 ? one.compareTo(other) : Double.compare(a, b);
        }

        /** Returns a text as a number; NaN if it is none. */
        static double number(final String text) {
            try {
                return text == null || text.isEmpty() || text.length() > 40 ? Double.NaN : Double.parseDouble(text);
            } catch (final NumberFormatException e) {
                return Double.NaN;
            }
        }

        /** Returns the names of settings that are not the same in all runs. */
        List<String> varied() {
            return settings.stream().filter(name -> rows.stream()
                .map(row -> row.settings().getOrDefault(name, "")).distinct().count() > 1).toList();
        }

        /** Returns everything that a repeated sweep reproduces. */
        String figures() {
            return csv(SweepRow::figures);
        }

        /** Returns times in seconds, and other values that differ from one time to the next. */
        String times() {
            return csv(SweepRow::times);
        }

        /** Returns the names of the columns of {@link #figures()} after the settings. */
        SortedSet<String> figureNames() {
            return names(SweepRow::figures);
        }

        private SortedSet<String> names(final Function<SweepRow, Map<String, String>> values) {
            final SortedSet<String> names = new TreeSet<>();
            rows.forEach(row -> names.addAll(values.apply(row).keySet()));
            names.addAll(ofEachBin(names));
            return names;
        }

        private String csv(final Function<SweepRow, Map<String, String>> values) {
            final SortedSet<String> names = names(values);
            final StringBuilder out = new StringBuilder();
            final List<String> heads = new ArrayList<>(List.of("id", "command", "version"));
            settings.forEach(name -> heads.add("set." + name));
            heads.add("set.seed");
            heads.addAll(names);
            line(out, heads);
            for (final SweepRow row : rows) {
                final List<String> cells = new ArrayList<>(List.of(row.id(), row.command(), row.version()));
                settings.forEach(name -> cells.add(row.settings().getOrDefault(name, "")));
                cells.add(Long.toString(row.seed()));
                names.forEach(name -> cells.add(values.apply(row).getOrDefault(name, isCount(name, values.apply(row))
                    ? "0" : "")));
                line(out, cells);
            }
            return out.toString();
        }

        /** Tells whether a name counts flows of a bin that a run does not list, because it had none of that size. */
        private static boolean isCount(final String name, final Map<String, String> values) {
            final Matcher count = COUNT.matcher(name);
            return count.matches() && values.containsKey(count.group(1) + ALL + count.group(2));
        }

        /**
         * Returns statistics for every bin of sizes, so that columns depend neither on the sizes present nor on the
         * bytes that flows carry.
         */
        private static Set<String> ofEachBin(final Set<String> names) {
            final Set<String> all = new TreeSet<>();
            for (final String name : names) {
                final int at = name.indexOf(ALL);
                if (at >= 0) {
                    final Set<String> statistics = new TreeSet<>(STATISTICS);
                    statistics.add(name.substring(at + ALL.length()));
                    Stream.concat(SizeBin.words().stream(), Stream.of("all")).forEach(bin ->
                        statistics.forEach(statistic ->
                        all.add(name.substring(0, at + 1) + bin + "." + statistic)));
                }
            }
            return all;
        }

        /** Marks a cell that a spreadsheet would compute as text by an apostrophe; numbers stay. */
        private static String harmless(final String cell) {
            final boolean isNumber = cell.matches("[+-]?[0-9.]+([eE][+-]?[0-9]+)?");
            return !isNumber && cell.matches("(?s)[=+\\-@\t\r].*") ? "'" + cell : cell;
        }

        static void line(final StringBuilder out, final List<String> cells) {
            for (int i = 0; i < cells.size(); i++) {
                out.append(i == 0 ? "" : ",").append(PlotText.quoted(harmless(cells.get(i))));
            }
            out.append('\n');
        }
    }
}
