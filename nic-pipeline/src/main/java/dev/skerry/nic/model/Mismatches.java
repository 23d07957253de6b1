package dev.skerry.nic.model;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Collects the results of a comparison with RTL: for each signal that differs, the slot since which it differs and both
 * values. Call {@link #expect} for every signal in every slot. {@link #explain} lists the earliest difference first,
 * because it is closest to the cause. Not thread-safe.
 */
public final class Mismatches {
    private static final int MOST_LINES = 16;

    /** First slot of a signal's current run of differences, and the values in that slot. */
    private record Found(long since, long model, long other) {
    }

    private final Map<String, Found> open = new LinkedHashMap<>();
    private String first;
    private long compared;

    /** Creates a comparison without values. */
    public Mismatches() {
    }

    /**
     * Compares one value.
     *
     * @param slot   slot of the values.
     * @param signal name of the signal.
     * @param model  the model's value.
     * @param other  the other side's value.
     * @return whether they are equal.
     */
    public boolean expect(final long slot, final String signal, final long model, final long other) {
        compared++;
        if (model == other) {
            open.remove(signal);
            return true;
        }
        open.putIfAbsent(signal, new Found(slot, model, other));
        if (first == null) {
            first = line(signal, open.get(signal));
        }
        return false;
    }

    /** Compares all words that a node sent in a slot, on all channels. */
    public boolean expect(final long slot, final NodeCells model, final NodeCells other) {
        boolean equal = true;
        for (int channel = 0; channel < model.channels(); channel++) {
            final String of = "sent[" + channel + "].";
            equal &= expect(slot, of + "route", model.route(channel), other.route(channel));
            equal &= expect(slot, of + "cell", model.cell(channel), other.cell(channel));
            equal &= expect(slot, of + "feedback", model.feedback(channel), other.feedback(channel));
        }
        return equal;
    }

    /** Whether no value has ever differed. */
    public boolean none() {
        return first == null;
    }

    /**
     * Returns the first difference and the differences that persist, earliest first, one per line; at most 17 lines.
     */
    public String explain() {
        if (first == null) {
            return compared + " values, all equal";
        }
        final StringBuilder text = new StringBuilder("first: ").append(first);
        open.entrySet().stream().sorted((a, b) -> Long.compare(a.getValue().since, b.getValue().since))
            .limit(MOST_LINES).forEach(found -> text.append('\n').append("still: ")
                .append(line(found.getKey(), found.getValue())));
        return text.toString();
    }

    private static String line(final String signal, final Found found) {
        return signal + " since slot " + found.since + ": the model has " + found.model + ", the other side "
            + found.other;
    }
}
