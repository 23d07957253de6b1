package dev.skerry.nic.fault;

/**
 * The faults of a run.
 *
 * @param plan which parts fail and when.
 * @param seed decides which cells are damaged, and how.
 */
public record Faults(FaultPlan plan, long seed) {
    /** A run without faults. */
    public static final Faults NONE = new Faults(FaultPlan.NONE, 0);

    /** Whether there are no faults. */
    public boolean isEmpty() {
        return plan.isEmpty();
    }

    /** The state before slot 0 of a fabric of this many nodes. */
    public FaultState state(final int nodes) {
        return new FaultState(plan, seed, nodes);
    }
}
