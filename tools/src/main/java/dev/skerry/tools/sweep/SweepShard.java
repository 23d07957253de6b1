package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of a sweep.
 *
 * @param index 1 to {@code count}.
 * @param count of all parts.
 */
record SweepShard(int index, int count) {
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,5})/([1-9][0-9]{0,5})");

    /** Reads {@code i/n}; null is the whole. */
    static SweepShard of(final String typed) {
        if (typed == null) {
            return new SweepShard(1, 1);
        }
        final Matcher found = FORM.matcher(typed);
        if (!found.matches() || Integer.parseInt(found.group(1)) > Integer.parseInt(found.group(2))) {
            throw new InputException("--shard", typed, "it is no i/n with 1 <= i <= n", "give for example 2/8");
        }
        return new SweepShard(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)));
    }

    /** Whether a point, by its place in the plan from 0 on, belongs here. */
    boolean has(final int place) {
        return place % count == index - 1;
    }

    /** A name for its files. */
    String fileName() {
        return index + "of" + count;
    }
}
