package dev.skerry.nic.model;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a comparison with RTL found, signal by signal: since which slot each one differs, and from what. Call
 * {@link #expect} for every signal in every slot; {@link #explain} then names the earliest first, which is where to
 * look. One thread.
 */
public final class Mismatches {
    private static final int MOST_LINES = 16;

    /** One signal that differs now, and since when it has without interruption. */
    private record Found(long since, long model, long other) {
    }

    private final Map<String, Found> open = new LinkedHashMap<>();
    private String first;
    private long compared;

    /** Nothing compared yet. */
    public Mismatches() {
    }

    /**
     * Compares one value.
     *
     * @param slot   the slot it is of.
     * @param signal what it is called.
     * @param model  what the model says.
     * @param other  what the other side says.
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

    /** Compares what a node sent in a slot, all its channels and words. */
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

    /** Whether nothing has ever differed. */
    public boolean none() {
        return first == null;
    }

    /** Values compared. */
    public long compared() {
        return compared;
    }

    /** What differed first, and what differs still, the earliest first, a line each; at most 17 lines. */
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
