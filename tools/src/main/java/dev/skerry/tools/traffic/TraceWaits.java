package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowWaits;
import dev.skerry.tools.input.InputException;
import org.agrona.collections.Long2LongHashMap;

import java.util.Arrays;

/**
 * The waits of a trace's flows for others, by id, until all flows are known (docs/spec/waiting-flows.md). Not
 * thread-safe.
 */
final class TraceWaits {
    /** Prefixes of the ids for which a flow waits, and of the delay after these flows. */
    private static final String AFTER = "after=";
    private static final String DELAY = "delay-s=";
    private static final long NONE = -1;
    /** Number of the first join; the following ones count down. */
    static final long FIRST_JOIN = -2;
    /** Relative tolerance for converting a time in seconds to slots. */
    private static final double ROUNDING = 1e-14;

    private final String what;
    private long[] before = new long[16];
    private long[] after = new long[16];
    private int pairs;
    private int joins;
    private final Long2LongHashMap delays = new Long2LongHashMap(NONE);

    /** Creates an object without waits; error messages begin with {@code what}. */
    TraceWaits(final String what) {
        this.what = what;
    }

    /** Makes a flow or join wait for another one. Joins are numbered from {@link #FIRST_JOIN} downwards. */
    void add(final long flow, final long awaited) {
        if (pairs == before.length) {
            before = Arrays.copyOf(before, 2 * pairs);
            after = Arrays.copyOf(after, 2 * pairs);
        }
        before[pairs] = awaited;
        after[pairs++] = flow;
    }

    /** Sets the delay of a flow or join after the last one for which it waits. Must be called for every join. */
    void delay(final long flow, final long slots) {
        joins += flow <= FIRST_JOIN ? 1 : 0;
        delays.put(flow, slots);
    }

    /**
     * Reads and removes the last fields of a line, which define the waits of its flow.
     *
     * @param flow id of the flow.
     */
    void read(final long flow, final LineReader lines, final double slotSeconds) {
        final int already = pairs;
        for (int last = lines.fields() - 1; last > 0; last = lines.fields() - 1) {
            final String text = lines.text(last);
            if (text.startsWith(AFTER)) {
                for (final String id : text.substring(AFTER.length()).split("\\+", -1)) {
                    add(flow, number(id, lines, last));
                }
            } else if (text.startsWith(DELAY)) {
                final double seconds = seconds(text.substring(DELAY.length()));
                if (!(seconds >= 0) || seconds / slotSeconds > 1L << 53 || delays.containsKey(flow)) {
                    throw refuse(lines.where(), delays.containsKey(flow) ? "a flow has two delays"
                        : lines.quote(last) + " is not a delay", "give seconds from 0 up, once");
                }
                // A whole number of slots is preserved, although neither number is exact.
                delay(flow, (long) Math.ceil(seconds / slotSeconds * (1 - ROUNDING)));
            } else {
                break;
            }
            lines.dropLast();
        }
        if (pairs == already && delays.containsKey(flow)) {
            throw refuse(lines.where(), "a flow that does not wait for others has a delay",
                "give it a later start or add after=");
        }
    }

    private static double seconds(final String text) {
        try {
            // Refuse forms that only Java accepts.
            return text.chars().allMatch(c -> "0123456789.eE+-".indexOf(c) >= 0) ? Double.parseDouble(text)
                : Double.NaN;
        } catch (final NumberFormatException e) {
            return Double.NaN;
        }
    }

    private long number(final String text, final LineReader lines, final int field) {
        try {
            return Long.parseLong(text);
        } catch (final NumberFormatException e) {
            throw refuse(lines.where(), lines.quote(field) + " names no flows", "write for example after=3+4");
        }
    }

    /**
     * Adds the waits to the flows of a trace.
     *
     * @param flows all flows, with different ids.
     * @param file  the trace, for errors.
     * @throws InputException if a flow waits for one that does not exist, or flows wait in a cycle.
     */
    void apply(final FlowSet flows, final String file) {
        if (pairs == 0 && delays.isEmpty()) {
            return;
        }
        final Long2LongHashMap placeOf = new Long2LongHashMap(2 * (flows.size() + joins), 0.6f, NONE);
        for (int flow = 0; flow < flows.size(); flow++) {
            placeOf.put(flows.id(flow), flow);
        }
        for (int join = 0; join < joins; join++) {
            placeOf.put(FIRST_JOIN - join, flows.size() + join);
        }
        final int[] first = new int[pairs];
        final int[] second = new int[pairs];
        int known = 0;
        for (int pair = 0; pair < pairs; pair++) {
            first[known] = (int) placeOf.get(before[pair]);
            second[known] = (int) placeOf.get(after[pair]);
            if (second[known] >= 0 && first[known] < 0) {
                throw refuse(file, "flow " + after[pair] + " waits for flow " + before[pair] + ", which is not sent",
                    "name a flow of the trace that is not left out");
            }
            known += second[known] >= 0 ? 1 : 0;
        }
        final long[] slots = new long[flows.size() + joins];
        Arrays.setAll(slots, place -> Math.max(0, delays.get(place < flows.size() ? flows.id(place)
            : FIRST_JOIN - (place - flows.size()))));
        try {
            flows.setWaits(new FlowWaits(first, second, known, slots, joins));
        } catch (final IllegalArgumentException e) {
            throw refuse(file, "flows wait for each other: " + e.getMessage(), "remove one of these waits");
        }
    }

    private InputException refuse(final String where, final String why, final String advice) {
        return new InputException(what, where, why, advice);
    }
}
