package dev.skerry.tools.sweep;

import dev.skerry.tools.report.Page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Whether the numbers of some runs can be trusted. A comparison counts as one run, by its worst fabric. Immutable.
 *
 * @param runs       that gave a result.
 * @param steady     runs in a steady state.
 * @param unsteady   runs that were not: their completion times depend on how long they ran.
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

    /** Traces, and workloads that start all flows at once or never end them, have no steady state to judge. */
    private static boolean isUnjudged(final SweepRow row) {
        return JUDGED.contains(row.command()) && row.each("steady").isEmpty() && !row.settings().containsKey("flows")
            && !AT_ONCE.contains(row.settings().getOrDefault("workload", ""));
    }

    /** Whether its flows only had too little time: it was not drained, and lost no cell. */
    private static boolean isCut(final SweepRow row) {
        return !row.settings().getOrDefault("drain", "false").equals("true")
            && row.each("cellsDropped").stream().allMatch("0"::equals) && row.each("flowsFailed").isEmpty();
    }

    private static boolean isEndless(final SweepRow row) {
        return row.settings().getOrDefault("workload", "").equals("permutation")
            && !row.settings().containsKey("flow-bytes");
    }

    /** Share of the flows that started, those of a warm-up among them; of the worst fabric of a comparison. */
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

    /** Whether the mean of all runs is one of steady runs whose flows are all done, as far as that is known. */
    boolean isSound() {
        return unsteady == 0 && unfinished == 0;
    }

    /** How many of the judged runs were steady, and how many saturated: {@code 3 of 5, 1 saturated}. */
    String steadyText() {
        return steady + unsteady == 0 ? "-" : steady + " of " + (steady + unsteady)
            + (saturated == 0 ? "" : ", " + saturated + " saturated");
    }

    /** The same of all runs for the head of a page. */
    List<Page.Tile> tiles() {
        final List<Page.Tile> tiles = new ArrayList<>();
        tiles.add(new Page.Tile("Runs", String.format(Locale.ROOT, "%,d", runs), failed + " failed"));
        tiles.add(new Page.Tile("Steady state", steadyText().split(",")[0], saturated + " saturated, " + unjudged
            + " not judged"));
        tiles.add(new Page.Tile("Unfinished flows", unfinishedText(), unfinished == 0 ? "in no run"
            : "at most, in " + unfinished + " runs"));
        return tiles;
    }

    /** The largest share of flows that did not finish. */
    String unfinishedText() {
        return unfinished == 0 ? "0" : String.format(Locale.ROOT, "%.1f %%", 100 * worst);
    }

    /** What a reader has to know before the means are used, a line each. */
    List<String> notes() {
        final List<String> notes = new ArrayList<>();
        if (unsteady > 0) {
            notes.add(String.format(Locale.ROOT, "%,d of %,d runs were not in a steady state%s: their numbers depend "
                + "on how long they ran", unsteady, runs, saturated == 0 ? "" : String.format(Locale.ROOT,
                ", %,d of them saturated", saturated)));
        }
        if (unjudged > 0) {
            notes.add(String.format(Locale.ROOT, "%,d of %,d runs had too few flows to judge whether they were steady",
                unjudged, runs));
        }
        if (unfinished > 0) {
            notes.add(String.format(Locale.ROOT, "%,d of %,d runs have flows that did not finish, up to %.1f %% of "
                + "them; these are excluded from completion times%s", unfinished, runs, 100 * worst,
                cut == 0 ? "" : ": use --drain"));
        }
        if (failed > 0) {
            notes.add(String.format(Locale.ROOT, "%,d runs failed and are in no mean; column %s of runs.csv says why",
                failed, SweepRow.FAILURE));
        }
        return notes;
    }
}
