package dev.skerry.tools.figure;

import dev.skerry.dataplane.check.Bounds;

import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * How long the runs of a figure are and which of them are measured, for figures of hours. Immutable.
 *
 * @param slots      of each run, 0 for as many as the figure has.
 * @param phases     h of the runs, empty for all that the figure has.
 * @param mechanisms of the runs by their names on the command line, empty for all that the figure has.
 */
public record Extent(int slots, SortedSet<Integer> phases, SortedSet<String> mechanisms) {
    /** All of a figure. */
    public static final Extent ALL = new Extent(0, new TreeSet<>(), new TreeSet<>());

    /** What a figure may let its user choose. */
    public enum Choice {
        /** Slots of each run. */
        SLOTS("--slots"),
        /** Runs by h. */
        PHASES("--h"),
        /** Runs by mechanism. */
        MECHANISMS("--cc");

        private final String option;

        Choice(final String option) {
            this.option = option;
        }

        /** Its option. */
        public String option() {
            return option;
        }
    }

    /** Checks the slots, copies the rest. */
    public Extent {
        Bounds.atLeast("slots", slots, 0);
        phases = Collections.unmodifiableSortedSet(new TreeSet<>(phases));
        mechanisms = Collections.unmodifiableSortedSet(new TreeSet<>(mechanisms));
    }

    /** What of it was chosen. */
    public Set<Choice> chosen() {
        final Set<Choice> chosen = new TreeSet<>();
        if (slots > 0) {
            chosen.add(Choice.SLOTS);
        }
        if (!phases.isEmpty()) {
            chosen.add(Choice.PHASES);
        }
        if (!mechanisms.isEmpty()) {
            chosen.add(Choice.MECHANISMS);
        }
        return chosen;
    }

    /** What was chosen, as it is typed. */
    public String words(final Choice choice) {
        return switch (choice) {
            case SLOTS -> Integer.toString(slots);
            case PHASES -> phases.stream().map(String::valueOf).collect(Collectors.joining(","));
            case MECHANISMS -> String.join(",", mechanisms);
        };
    }

    /** Whether runs of h phases are measured. */
    public boolean has(final int h) {
        return phases.isEmpty() || phases.contains(h);
    }

    /** Whether runs of a mechanism are measured. */
    public boolean has(final String mechanism) {
        return mechanisms.isEmpty() || mechanisms.contains(mechanism);
    }
}
