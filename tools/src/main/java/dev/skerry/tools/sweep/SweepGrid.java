package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The values that a sweep gives to options, as typed, and their product. Immutable; any thread may call. */
final class SweepGrid {
    /** More than anybody waits for; a range with a step that is too small stops here. */
    static final int MOST_POINTS = 1_000_000;
    /** Options of a run that a sweep gives or does without, by name. */
    static final Set<String> NOT_FIXED = Set.of("out", "json", "checkpoint", "checkpoint-every", "resume",
        "keep");
    private static final String SET = "--set";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");
    private static final Pattern NUMBERS = Pattern.compile("[-+0-9.eE]+(:[-+0-9.eE]+)+");
    private static final Set<String> NOT_SWEPT = Set.of("out", "json", "verbose", "help", "version", "seed",
        "checkpoint", "checkpoint-every", "resume", "keep");

    private final Map<String, List<String>> axes;

    private SweepGrid(final Map<String, List<String>> axes) {
        this.axes = axes;
    }

    /**
     * Reads {@code NAME=VALUES} texts. Values are separated by commas, or by semicolons if there is one, then each is
     * taken as it stands; {@code FROM:TO:STEP} is a range with both ends.
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
                throw wrong(text, "it is no NAME=VALUES", "give for example load=0.1:0.9:0.1 or tokens=1,2,4");
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

    /** The names, in the order they were typed. */
    Set<String> names() {
        return axes.keySet();
    }

    /** Every combination; the last name varies first. One empty combination if there is no name. */
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
            final List<String> some = !literal && NUMBERS.matcher(item).matches() ? range(text, item) : List.of(item);
            for (final String value : some) {
                if (value.isEmpty()) {
                    throw wrong(text, "a value is missing", "leave no empty place between commas");
                }
                if (!values.add(value)) {
                    throw wrong(text, "the value " + value + " stands there twice", "give each value once");
                }
            }
        }
        if (values.isEmpty()) {
            throw wrong(text, "it has no value: the grid is empty", "give at least one value");
        }
        return List.copyOf(values);
    }

    /** Decimal arithmetic: 0.1:0.9:0.1 has nine values, as typed. */
    private static List<String> range(final String text, final String item) {
        final String[] parts = item.split(":");
        final List<String> values = new ArrayList<>();
        try {
            if (parts.length != 3) {
                throw wrong(text, item + " is no range", "give FROM:TO:STEP, or a semicolon after a value with colons");
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
            throw wrong(text, item + " has no three numbers", "give FROM:TO:STEP");
        }
    }

    private static InputException wrong(final String text, final String why, final String advice) {
        return new InputException(SET, text, why, advice);
    }
}
