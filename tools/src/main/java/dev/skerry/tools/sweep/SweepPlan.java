package dev.skerry.tools.sweep;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The runs that a command line describes. */
final class SweepPlan {
    private SweepPlan() {
    }

    /**
     * Returns the product of grid and seeds; seeds vary first.
     *
     * @param seeds seeds; empty for the seed in {@code fixed}, or the default one.
     * @param fixed options that are the same for all.
     * @param shard the part of the plan that is run.
     * @throws InputException if an option is given twice; errors of the command come from the target.
     */
    static List<SweepPoint> of(final SweepTarget target, final String version, final String command,
        final SweepGrid grid, final List<Long> seeds, final List<String> fixed, final SweepShard shard) {
        for (final String word : fixed) {
            final String name = word.replaceFirst("=.*", "");
            final String option = name.startsWith("--") ? name.substring(2) : "";
            Choices.refuseIf(grid.axes().containsKey(option), "--set", option, name + " is given too",
                "leave one of them out");
            Choices.refuseIf(name.equals("--seed") && !seeds.isEmpty(), "--seeds", word, "--seed is given too",
                "leave one of them out");
            Choices.refuseIf(SweepGrid.NOT_FIXED.contains(option), "sweep", word, "a sweep stores its runs and their "
                + "results itself", "leave it out; to continue a stopped sweep, repeat its command");
        }
        final List<SweepPoint> points = new ArrayList<>();
        final Set<String> seen = new HashSet<>();
        for (final Map<String, String> values : grid.points()) {
            final List<String> words = new ArrayList<>(fixed);
            values.forEach((name, value) -> words.add("--" + name + "=" + value));
            try {
                final List<String> owned = target.owned(command, words, grid.axes().getOrDefault("fabric", List.of()));
                if (seeds.isEmpty()) {
                    add(points, seen, point(target, version, command, owned));
                }
                for (final long seed : seeds) {
                    final List<String> seeded = new ArrayList<>(owned);
                    seeded.add("--seed=" + seed);
                    add(points, seen, point(target, version, command, seeded));
                }
            } catch (final InputException e) {
                throw values.isEmpty() ? e : e.in(values.entrySet().stream()
                    .map(value -> value.getKey() + "=" + value.getValue()).collect(Collectors.joining(" ")));
            }
        }
        return IntStream.range(0, points.size()).filter(shard::has).mapToObj(points::get).toList();
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
        Choices.refuseIf(points.size() > SweepGrid.MOST_POINTS, "--seeds", points.size(), "with the grid there are "
            + "more than " + SweepGrid.MOST_POINTS + " runs", "give fewer seeds or values");
    }

    /**
     * A part of a sweep.
     *
     * @param index number from 1 to {@code count}.
     * @param count number of all parts.
     */
    record SweepShard(int index, int count) {
        private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,5})/([1-9][0-9]{0,5})");

        /** Parses {@code i/n}; null is the whole. */
        static SweepShard of(final String typed) {
            if (typed == null) {
                return new SweepShard(1, 1);
            }
            final Matcher found = FORM.matcher(typed);
            Choices.refuseIf(!found.matches() || Integer.parseInt(found.group(1)) > Integer.parseInt(found.group(2)),
                "--shard", typed, "it is not i/n with 1 <= i <= n", "give for example 2/8");
            return new SweepShard(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)));
        }

        /** Tells whether a point, by its place in the plan from 0 on, belongs to this part. */
        boolean has(final int place) {
            return place % count == index - 1;
        }

        /** Returns a name for its files. */
        String fileName() {
            return index + "of" + count;
        }
    }

    /**
     * One run of a sweep. Immutable.
     *
     * @param id      its identity.
     * @param command command that runs.
     * @param words   its options.
     * @param typed   its options by name, without the seed.
     * @param seed    seed of the run.
     */
    record SweepPoint(String id, String command, List<String> words, SortedMap<String, String> typed, long seed) {
        /** Returns the same text for runs that differ only in their seeds, whose needs are about equal. */
        String kind() {
            return command + typed;
        }

        /** Returns the command line of the run. */
        String line() {
            return command + " " + String.join(" ", words);
        }
    }

    /**
     * The values that a sweep gives to options, as typed, and their product. Immutable; any thread may call.
     *
     * @param axes values by option, in the order typed.
     */
    record SweepGrid(Map<String, List<String>> axes) {
        /** Largest number of points, more than anybody waits for; it also ends a range whose step is too small. */
        static final int MOST_POINTS = 1_000_000;
        /** Options of a run that a sweep sets itself or does not use, by name. */
        static final Set<String> NOT_FIXED = Set.of("out", "json", "checkpoint", "checkpoint-every", "resume",
            "keep");
        private static final String SET = "--set";
        private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");
        private static final Pattern NUMBERS = Pattern.compile("[-+0-9.eE]+(:[-+0-9.eE]+)+");
        private static final Set<String> NOT_SWEPT = Set.of("out", "json", "verbose", "help", "version", "seed",
            "checkpoint", "checkpoint-every", "resume", "keep");

        /**
         * Parses {@code NAME=VALUES} texts. Values are separated by commas, or by semicolons if there is one, in which
         * case they are taken literally; {@code FROM:TO:STEP} is a range with both ends.
         *
         * @throws InputException if one is wrong, has no value, or never ends.
         */
        static SweepGrid of(final List<String> typed) {
            final Map<String, List<String>> axes = new LinkedHashMap<>();
            long points = 1;
            for (final String text : typed) {
                final int equals = text.indexOf('=');
                final String name = equals < 0 ? text : text.substring(0, equals).replaceFirst("^--", "");
                if (equals < 0 || !NAME.matcher(name).matches()) {
                    throw wrong(text, "it is not NAME=VALUES", "give for example load=0.1:0.9:0.1 or tokens=1,2,4");
                }
                if (NOT_SWEPT.contains(name)) {
                    throw wrong(text, "a sweep does not vary --" + name, "use --seeds for seeds, --out for the folder");
                }
                final List<String> values = values(text, text.substring(equals + 1));
                if (axes.put(name, values) != null) {
                    throw wrong(text, "the option is given twice", "give all its values in one " + SET);
                }
                points *= values.size();
                if (points > MOST_POINTS) {
                    throw wrong(text, "the grid has more than " + MOST_POINTS + " points", "give fewer values");
                }
            }
            return new SweepGrid(axes);
        }

        /** Returns every combination; the last name varies first. One empty combination if there is no name. */
        List<Map<String, String>> points() {
            List<Map<String, String>> points = List.of(Map.of());
            for (final Map.Entry<String, List<String>> axis : axes.entrySet()) {
                final List<Map<String, String>> more = new ArrayList<>();
                for (final Map<String, String> point : points) {
                    for (final String value : axis.getValue()) {
                        final Map<String, String> longer = new LinkedHashMap<>(point);
                        longer.put(axis.getKey(), value);
                        more.add(longer);
                    }
                }
                points = more;
            }
            return points;
        }

        private static List<String> values(final String text, final String typed) {
            final boolean literal = typed.indexOf(';') >= 0;
            final Set<String> values = new LinkedHashSet<>();
            for (final String item : typed.split(literal ? ";" : ",")) {
                final List<String> some = !literal && NUMBERS.matcher(item).matches() ? range(text, item)
                    : List.of(item);
                for (final String value : some) {
                    if (value.isEmpty()) {
                        throw wrong(text, "a value is missing", "leave no gap between commas");
                    }
                    if (!values.add(value)) {
                        throw wrong(text, "value " + value + " is listed twice", "give each value once");
                    }
                }
            }
            if (values.isEmpty()) {
                throw wrong(text, "it has no value: the grid is empty", "give at least one value");
            }
            return List.copyOf(values);
        }

        /** Returns a range, in decimal arithmetic: 0.1:0.9:0.1 has nine values, as typed. */
        private static List<String> range(final String text, final String item) {
            final String[] parts = item.split(":");
            final List<String> values = new ArrayList<>();
            try {
                if (parts.length != 3) {
                    throw wrong(text, item + " is not a range",
                        "give FROM:TO:STEP, or a semicolon after a value with colons");
                }
                final BigDecimal from = new BigDecimal(parts[0]);
                final BigDecimal to = new BigDecimal(parts[1]);
                final BigDecimal step = new BigDecimal(parts[2]);
                final int direction = step.signum();
                if (direction == 0 || to.compareTo(from) * direction < 0) {
                    throw wrong(text, "the range " + item + " never ends", "give a step that leads from " + parts[0]
                        + " to " + parts[1]);
                }
                for (BigDecimal at = from; at.compareTo(to) * direction <= 0; at = at.add(step)) {
                    values.add(at.signum() == 0 ? "0" : at.stripTrailingZeros().toPlainString());
                    if (values.size() > MOST_POINTS) {
                        throw wrong(text, "the range has more than " + MOST_POINTS + " values", "give a larger step");
                    }
                }
                return values;
            } catch (final NumberFormatException e) {
                throw wrong(text, item + " does not consist of three numbers", "give FROM:TO:STEP");
            }
        }

        private static InputException wrong(final String text, final String why, final String advice) {
            return new InputException(SET, text, why, advice);
        }
    }
}
