package dev.skerry.tools.traffic;

import dev.skerry.tools.input.Choices;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

/**
 * Triggers in a connection matrix of htsim. A connection starts when its trigger fires. A trigger fires when the
 * connections that fire it are complete: one for {@code oneshot}, or the number given for a {@code barrier}. Not
 * thread-safe.
 */
final class TraceTriggers {
    private final Long2ObjectHashMap<Trigger> triggers = new Long2ObjectHashMap<>();

    /**
     * The flows that fire a trigger, the flows that it starts, and the number of completions that it requires, which is
     * 0 until its line has been read.
     */
    private static final class Trigger {
        private final LongArrayList firing = new LongArrayList();
        private final LongArrayList starting = new LongArrayList();
        private long count;
    }

    /** Adds a flow that fires a trigger. */
    void fire(final long trigger, final long flow) {
        of(trigger).firing.addLong(flow);
    }

    /** Adds a flow that a trigger starts. */
    void start(final long trigger, final long flow) {
        of(trigger).starting.addLong(flow);
    }

    /** Sets the number of completions after which a trigger fires; returns false if it was set before. */
    boolean define(final long trigger, final long count) {
        final Trigger it = of(trigger);
        final boolean isNew = it.count == 0;
        it.count = count;
        return isNew;
    }

    private Trigger of(final long trigger) {
        return triggers.computeIfAbsent(trigger, _ -> new Trigger());
    }

    /**
     * Adds the waits of flows.
     *
     * @throws dev.skerry.tools.input.InputException if a trigger that starts a flow has no line, or the number of flows
     *     that fire it differs from its count, so that waits would be ambiguous or endless.
     */
    void apply(final TraceWaits waits, final String what, final Object file) {
        triggers.forEach((number, trigger) -> {
            if (trigger.starting.isEmpty()) {
                return;
            }
            Choices.refuseIf(trigger.count == 0, what, file, "trigger " + number + " has no line",
                "add: trigger id " + number + " oneshot");
            Choices.refuseIf(trigger.firing.size() != trigger.count, what, file, "trigger " + number
                + " fires after " + trigger.count + " connections, and " + trigger.firing.size() + " fire it",
                "make it a barrier with this count");
            trigger.starting.forEachLong(flow -> trigger.firing.forEachLong(awaited -> waits.add(flow, awaited)));
        });
    }
}
