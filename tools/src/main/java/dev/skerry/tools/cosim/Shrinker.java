package dev.skerry.tools.cosim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Shortens a failing sequence by delta debugging (Zeller, Hildebrandt, TSE 2002), first its rows, then its words. The
 * result still fails, and every single row is necessary, unless the replays ran out.
 */
final class Shrinker {
    /** Means "none" where a word allows it, and is as simple as 0. */
    private static final long NONE = -1;

    private final ToIntFunction<List<long[]>> failsAt;
    private int replaysLeft;

    /**
     * Creates a shrinker.
     *
     * @param failsAt returns the index of the row at which a sequence fails, below 0 if it passes.
     * @param replays maximum number of calls of {@code failsAt}.
     */
    Shrinker(final ToIntFunction<List<long[]>> failsAt, final int replays) {
        this.failsAt = failsAt;
        this.replaysLeft = replays;
    }

    /** Shortens a failing sequence. The last row of the result is the one that fails. */
    List<long[]> shrink(final List<long[]> rows) {
        List<long[]> shortest = cut(rows);
        if (shortest == null) {
            throw new IllegalStateException("the models do not differ when the same rows come again: rows="
                + rows.size());
        }
        // Smaller words make more rows superfluous. Repeat until no row goes.
        int before;
        do {
            before = shortest.size();
            shortest = withSmallWords(withoutRows(shortest));
        } while (shortest.size() < before);
        return shortest;
    }

    /** The rows up to the failing one; null if the sequence passes. */
    private List<long[]> cut(final List<long[]> rows) {
        if (replaysLeft == 0) {
            return null;
        }
        replaysLeft--;
        final int at = failsAt.applyAsInt(rows);
        return at < 0 ? null : new ArrayList<>(rows.subList(0, at + 1));
    }

    private List<long[]> withoutRows(final List<long[]> rows) {
        List<long[]> shortest = rows;
        for (int chunk = Math.max(1, rows.size() / 2); chunk > 0; chunk /= 2) {
            int from = 0;
            while (from < shortest.size()) {
                final List<long[]> candidate = new ArrayList<>(shortest);
                candidate.subList(from, Math.min(from + chunk, candidate.size())).clear();
                final List<long[]> failing = candidate.isEmpty() ? null : cut(candidate);
                if (failing == null) {
                    from += chunk;
                } else {
                    shortest = failing;
                }
            }
        }
        return shortest;
    }

    /** Sets each word to 0, or halves it as long as the sequence fails at the same row. */
    private List<long[]> withSmallWords(final List<long[]> rows) {
        final List<long[]> smallest = new ArrayList<>(rows);
        for (int row = 0; row < rows.size(); row++) {
            for (int word = 0; word < rows.get(row).length; word++) {
                if (!replaced(smallest, row, word, 0)) {
                    boolean smaller = true;
                    while (smaller) {
                        smaller = replaced(smallest, row, word, smallest.get(row)[word] / 2);
                    }
                }
            }
        }
        return smallest;
    }

    private boolean replaced(final List<long[]> rows, final int row, final int word, final long by) {
        final long[] before = rows.get(row);
        if (before[word] == by || before[word] == NONE) {
            return false;
        }
        final long[] after = before.clone();
        after[word] = by;
        rows.set(row, after);
        final List<long[]> failing = cut(rows);
        if (failing == null || failing.size() != rows.size()) {
            rows.set(row, before);
            return false;
        }
        return true;
    }
}
