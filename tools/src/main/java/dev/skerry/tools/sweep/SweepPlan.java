package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All runs that a command line asks for. Immutable. */
final class SweepPlan {
    private final List<SweepPoint> points;

    private SweepPlan(final List<SweepPoint> points) {
        this.points = List.copyOf(points);
    }

    /**
     * The product of grid and seeds; seeds vary first.
     *
     * @param fixed options that are the same for all.
     * @param seeds empty for the one of {@code fixed}, or the usual one.
     * @throws InputException if an option is given twice; what the command refuses comes from the target.
     */
    static SweepPlan of(final SweepTarget target, final String version, final String command, final SweepGrid grid,
        final List<Long> seeds, final List<String> fixed) {
        for (final String word : fixed) {
            final String name = word.replaceFirst("=.*", "");
            if (name.startsWith("--") && grid.names().contains(name.substring(2))) {
                throw new InputException("--set", name.substring(2), name + " is given too", "leave one of them out");
            }
            if (name.equals("--seed") && !seeds.isEmpty()) {
                throw new InputException("--seeds", word, "--seed is given too", "leave one of them out");
            }
            if (name.startsWith("--") && SweepGrid.NOT_FIXED.contains(name.substring(2))) {
                throw new InputException("sweep", word, "a sweep keeps its runs and their results itself",
                    "leave it out; a sweep that was stopped goes on by the same command");
            }
        }
        final List<SweepPoint> points = new ArrayList<>();
        final Set<String> seen = new HashSet<>();
        for (final Map<String, String> values : grid.points()) {
            final List<String> words = new ArrayList<>(fixed);
            values.forEach((name, value) -> words.add("--" + name + "=" + value));
            if (seeds.isEmpty()) {
                add(points, seen, point(target, version, command, words));
            }
            for (final long seed : seeds) {
                final List<String> seeded = new ArrayList<>(words);
                seeded.add("--seed=" + seed);
                add(points, seen, point(target, version, command, seeded));
            }
        }
        return new SweepPlan(points);
    }

    private static SweepPoint point(final SweepTarget target, final String version, final String command,
        final List<String> words) {
        final SweepTarget.Resolved resolved = target.resolve(command, words);
        return new SweepPoint(RunName.of(version, command, resolved.all()), command, List.copyOf(words),
            resolved.typed(), resolved.seed());
    }

    private static void add(final List<SweepPoint> points, final Set<String> seen, final SweepPoint point) {
        if (seen.add(point.id())) {
            points.add(point);
        }
        if (points.size() > SweepGrid.MOST_POINTS) {
            throw new InputException("--seeds", Integer.toString(points.size()), "with the grid there are more than "
                + SweepGrid.MOST_POINTS + " runs", "give fewer seeds or values");
        }
    }

    /** The runs of a part, in order. */
    List<SweepPoint> of(final SweepShard shard) {
        final List<SweepPoint> some = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            if (shard.has(i)) {
                some.add(points.get(i));
            }
        }
        return some;
    }
}
