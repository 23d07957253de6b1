package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The seeds of a sweep: {@code 1-5}, {@code 1,3,7-9}. Any thread may call. */
final class SeedList {
    private static final int MOST = 100_000;

    private SeedList() {
    }

    /**
     * Reads a list.
     *
     * @param typed null for none.
     * @throws InputException if it is no list of seeds.
     */
    static List<Long> of(final String typed) {
        final Set<Long> seeds = new LinkedHashSet<>();
        if (typed == null) {
            return List.of();
        }
        try {
            for (final String item : typed.split(",", -1)) {
                final int dash = item.indexOf('-', 1);
                final long from = Long.parseLong(dash < 0 ? item : item.substring(0, dash));
                final long to = dash < 0 ? from : Long.parseLong(item.substring(dash + 1));
                if (to < from || to - from < 0 || to - from >= MOST) {
                    throw wrong(typed, item + " does not lead from a seed up to another, " + MOST + " at most");
                }
                for (long step = 0; step <= to - from; step++) {
                    if (!seeds.add(from + step)) {
                        throw wrong(typed, "seed " + (from + step) + " stands there twice");
                    }
                }
            }
        } catch (final NumberFormatException e) {
            throw wrong(typed, "it is no list of whole numbers");
        }
        return new ArrayList<>(seeds);
    }

    private static InputException wrong(final String typed, final String why) {
        return new InputException("--seeds", typed, why, "give for example 1-5 or 1,3,7-9");
    }
}
