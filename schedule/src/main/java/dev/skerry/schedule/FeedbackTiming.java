package dev.skerry.schedule;

/**
 * When Shoal's feedback comes and how much it has aged: what follows from the places of a pair's two directions in the
 * epoch and the propagation delay, for a fabric in which receptions are applied after all transmissions of their slot
 * (spec/shoal §4.3, §4.5).
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
 * The cell that i sends to j in slot t is reported on by the first cell j sends back after its arrival, d slots later
 * ({@link #reportSlots}). As a cell comes and goes once an epoch, that first cell back always reports on the latest
 * cell received: the receiver needs to remember one, the sender all it has sent since t ({@link #sentEntries}). The
 * queue lengths in the report are those of slot A; the next cell of i joins j's queue in slot B, when that queue has
 * been served φ times more ({@link #phi}). Nothing here divides but {@link #lambda} and the entries. Immutable; any
 * thread may call.
 */
public final class FeedbackTiming {
    /** Longest propagation delay: slots stay far inside an int. */
    public static final int MAX_PROPAGATION_SLOTS = 1 << 24;

    private final RoundRobin schedule;
    private final int epochSlots;
    private final int propagationSlots;
    private final int[] reportSlots;
    private final int[] servedEpochs;
    private final int[] servedRest;

    /**
     * The timing of a schedule with a propagation delay.
     *
     * @param schedule         who is connected to whom.
     * @param propagationSlots P: a cell sent in slot t arrives in slot t + P, after the departures of that slot; 0 to
     *                         {@link #MAX_PROPAGATION_SLOTS}.
     * @throws IllegalArgumentException if the delay is out of range.
     */
    public FeedbackTiming(final RoundRobin schedule, final int propagationSlots) {
        if (propagationSlots < 0 || propagationSlots > MAX_PROPAGATION_SLOTS) {
            throw new IllegalArgumentException("propagationSlots must be 0 to " + MAX_PROPAGATION_SLOTS
                + ": propagationSlots=" + propagationSlots);
        }
        this.schedule = schedule;
        this.epochSlots = schedule.epochSlots();
        this.propagationSlots = propagationSlots;
        this.reportSlots = new int[schedule.pairClasses()];
        this.servedEpochs = new int[schedule.pairClasses()];
        this.servedRest = new int[schedule.pairClasses()];
        for (int pair = 1; pair < schedule.pairClasses(); pair++) {
            final int from = schedule.firstOf(pair);
            final int to = schedule.secondOf(pair);
            if (from != to) {
                reportSlots[pair] = firstBack(schedule.gapSlots(from, to));
                // from A to B: the report's way to i, the wait for i's slot, the cell's way to j
                final int toArrival = firstBack(schedule.gapSlots(to, from)) + propagationSlots;
                servedEpochs[pair] = toArrival / epochSlots;
                servedRest[pair] = toArrival % epochSlots;
            }
        }
    }

    /** Slots between a cell's departure and its arrival. */
    public int propagationSlots() {
        return propagationSlots;
    }

    /**
     * Slots from a transmission of {@code from} to another node {@code to} to the transmission back that reports on it.
     * So the cell that {@code to} sent in slot u reports on the one {@code from} sent in slot u - reportSlots, and on
     * none if that is negative.
     */
    public int reportSlots(final int from, final int to) {
        return reportSlots[schedule.pairClass(from, to)];
    }

    /** λ: whole epochs in {@link #reportSlots}. */
    public int lambda(final int from, final int to) {
        return reportSlots(from, to) / epochSlots;
    }

    /**
     * Cells that {@code from} has sent to {@code to} and must remember when the report on the first of them arrives,
     * that one included: the capacity of its ring of sent entries.
     */
    public int sentEntries(final int from, final int to) {
        return (reportSlots(from, to) + propagationSlots) / epochSlots + 1;
    }

    /** The largest {@link #sentEntries} of any pair. */
    public int maxSentEntries() {
        int most = 0;
        for (final int slots : reportSlots) {
            most = Math.max(most, (slots + propagationSlots) / epochSlots + 1);
        }
        return most;
    }

    /**
     * φ: how often {@code relay} serves its queue for {@code to} after it has sampled it for {@code from}, up to and
     * in the slot in which the next cell of {@code from} arrives. So much less than the sampled length that cell will
     * find, if nobody else joins. Exact if the sample is taken after the services of its slot; with one channel no
     * service can fall into it.
     *
     * @param from  the source i.
     * @param relay the node j the cell goes to first.
     * @param to    the destination k, another node than {@code from}.
     * @return 0 if {@code relay} is the destination.
     */
    public int phi(final int from, final int relay, final int to) {
        if (relay == to) {
            return 0;
        }
        final int after = schedule.slotTo(relay, to) - schedule.slotTo(relay, from);
        final int firstService = after > 0 ? after : after + epochSlots;
        final int pair = schedule.pairClass(from, relay);
        return servedEpochs[pair] + (firstService <= servedRest[pair] ? 1 : 0);
    }

    /**
     * φ as the Shoal authors' simulator has it, to reproduce its numbers: one less where the queue is served in the
     * very slot of the epoch in which {@code from} sends, and {@code relay} sends back later in the epoch. That
     * simulator has no delay and one channel. Of two nodes connected to each other in the same slot it takes φ as 0
     * when the flow that is reported on has just sent again, which a schedule cannot know.
     *
     * @param from  as in {@link #phi}.
     * @param relay as in {@link #phi}.
     * @param to    as in {@link #phi}.
     */
    public int phiOfAuthors(final int from, final int relay, final int to) {
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
