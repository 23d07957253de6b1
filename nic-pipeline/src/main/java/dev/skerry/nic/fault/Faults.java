package dev.skerry.nic.fault;

/**
 * What goes wrong in a run.
 *
 * @param plan what happens when.
 * @param seed decides which cells are damaged, and how.
 */
public record Faults(FaultPlan plan, long seed) {
    /** Nothing ever does. */
    public static final Faults NONE = new Faults(FaultPlan.NONE, 0);

    /** Whether nothing ever does. */
    public boolean isEmpty() {
        return plan.isEmpty();
    }

    /** The state before slot 0 of a fabric of some nodes. */
    public FaultState state(final int nodes) {
        return new FaultState(plan, seed, nodes);
    }
}
