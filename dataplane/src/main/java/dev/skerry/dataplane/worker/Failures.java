package dev.skerry.dataplane.worker;

import dev.skerry.dataplane.circuit.SlotBarrier;

import java.util.ArrayList;
import java.util.List;

/**
 * The failures of all threads. Any thread may add. The owner makes the messages, because making them may fail too.
 */
final class Failures {
    private final SlotBarrier gate;
    private final List<Throwable> later = new ArrayList<>();
    private String who;
    private String where;
    private Throwable first;

    /** No failure; the first one breaks the gate. */
    Failures(final SlotBarrier gate) {
        this.gate = gate;
    }

    /**
     * Stops all threads and keeps the cause.
     *
     * @param agent  name of the agent.
     * @param method the method that failed.
     * @param cause  what it threw.
     */
    synchronized void add(final String agent, final String method, final Throwable cause) {
        gate.abort(cause);
        if (first == null) {
            first = cause;
            who = agent;
            where = method;
        } else {
            later.add(cause);
        }
    }

    /** The first failure with the later ones suppressed in it, or null. */
    synchronized IllegalStateException first() {
        if (first == null) {
            return null;
        }
        final IllegalStateException failure =
            new IllegalStateException(who + " failed in " + where + ": " + first, first);
        later.forEach(failure::addSuppressed);
        return failure;
    }
}
