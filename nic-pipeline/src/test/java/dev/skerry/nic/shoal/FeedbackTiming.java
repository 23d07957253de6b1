package dev.skerry.nic.shoal;

import dev.skerry.schedule.RoundRobin;

/**
 * When Shoal's feedback arrives and how old it is then. Both follow from the slots of a pair's two directions in the
 * epoch and the propagation delay, in a fabric that applies receptions after all transmissions of their slot
 * (docs/spec/shoal.md §4.3, §4.5).
 *
 * <pre>
 *   slots     t           t+P    u = t+d       u+P      v          v+P = B
 *   i  -------S-----------------------------------R------S---------------------
 *              \                                 /        \
 *   j  ---------------------R----S=A------------------------------------R------
 *                                  +--- services of j to k in (A, B] ---+
 *   S sends to the other; R receives from it
 * </pre>
 *
 * The first cell that j sends back after the arrival of i's cell of slot t reports on it, d slots later ({@link
 * #reportSlots}). A cell goes each way once an epoch, so this first cell back always reports on the latest cell
 * received: the receiver remembers one cell, the sender all it has sent since t ({@link #sentEntries}). The report
 * holds the queue lengths of slot A; the next cell of i joins j's queue in slot B, after φ more services of that queue
 * ({@link #phi}). The model of {@link
 * ShoalSlotPlan}. Immutable.
 */
final class FeedbackTiming {
    private final RoundRobin schedule;
    private final int epochSlots;
    private final int propagationSlots;

    /**
     * The timing of a schedule with a propagation delay.
     *
     * @param schedule         of the fabric.
     * @param propagationSlots P: a cell sent in slot t arrives in slot t + P, after the departures of that slot.
     */
    FeedbackTiming(final RoundRobin schedule, final int propagationSlots) {
        this.schedule = schedule;
        this.epochSlots = schedule.epochSlots();
        this.propagationSlots = propagationSlots;
    }

    /**
     * Slots from a transmission of {@code from} to another node {@code to} until the transmission back that reports on
     * it. The cell that {@code to} sent in slot u reports on the one {@code from} sent in slot u - reportSlots, or on
     * no cell if that is negative.
     */
    int reportSlots(final int from, final int to) {
        return firstBack(schedule.gapSlots(from, to));
    }

    /** λ: whole epochs in {@link #reportSlots}. */
    int lambda(final int from, final int to) {
        return reportSlots(from, to) / epochSlots;
    }

    /**
     * Cells that {@code from} has sent to {@code to} when the report on the first of them arrives, that one included:
     * the capacity of its ring of sent entries.
     */
    int sentEntries(final int from, final int to) {
        return (reportSlots(from, to) + propagationSlots) / epochSlots + 1;
    }

    /**
     * φ: how often {@code relay} serves its queue for {@code to} after the sample for {@code from}, up to and including
     * the slot in which the next cell of {@code from} arrives. That cell finds φ cells fewer than the sample if no
     * other cell joins. Exact if the sample is taken after the services of its slot; with one channel no service can
     * fall into that slot.
     *
     * @param from  the source i.
     * @param relay the node j the cell goes to first.
     * @param to    the destination k, another node than {@code from}.
     * @return 0 if {@code relay} is the destination.
     */
    int phi(final int from, final int relay, final int to) {
        if (relay == to) {
            return 0;
        }
        final int after = schedule.slotTo(relay, to) - schedule.slotTo(relay, from);
        final int firstService = after > 0 ? after : after + epochSlots;
        // from A to B: the report's way to i, the wait for i's slot, the cell's way to j
        final int toArrival = firstBack(schedule.gapSlots(relay, from)) + propagationSlots;
        return toArrival / epochSlots + (firstService <= toArrival % epochSlots ? 1 : 0);
    }

    /**
     * φ of the Shoal authors' simulator, to reproduce its numbers: one less where the queue is served in the slot of
     * the epoch in which {@code from} sends, and {@code relay} sends back later in the epoch. That simulator has no
     * delay and one channel. For two nodes connected to each other in the same slot it uses φ = 0 if the reported flow
     * has just sent again, which a schedule cannot know.
     *
     * @param from  as in {@link #phi}.
     * @param relay as in {@link #phi}.
     * @param to    as in {@link #phi}.
     */
    int phiOfAuthors(final int from, final int relay, final int to) {
        final int exact = phi(from, relay, to);
        if (relay == to) {
            return exact;
        }
        final int there = schedule.slotTo(from, relay);
        final boolean missed = schedule.slotTo(relay, to) == there && there < schedule.slotTo(relay, from);
        return missed ? Math.max(0, exact - 1) : exact;
    }

    /** Slots until the first connection back after a cell's arrival, given those until the first connection back. */
    private int firstBack(final int gapSlots) {
        return gapSlots > propagationSlots ? gapSlots
            : gapSlots + ((propagationSlots - gapSlots) / epochSlots + 1) * epochSlots;
    }
}
