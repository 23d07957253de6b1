package dev.skerry.nic.fault;

import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The faults of a run.
 *
 * @param plan        the parts that fail, and when.
 * @param seed        determines which cells are damaged, and how.
 * @param known       null if a run applies exactly the plan; otherwise the faults of the plan and those added later, in
 *                    order of slots.
 * @param leavesLinks whether they are the faults of a node on its own: it stops and starts accordingly; the fate of its
 *                    transmissions is decided elsewhere.
 */
public record Faults(FaultPlan plan, long seed, List<Fault> known, boolean leavesLinks) {
    /** A run without faults. */
    public static final Faults NONE = new Faults(FaultPlan.NONE, 0);

    /** The faults of a run that applies exactly the plan. */
    public Faults(final FaultPlan plan, final long seed) {
        this(plan, seed, null, false);
    }

    /**
     * The same faults for one node on its own, to which faults may be added.
     *
     * @throws IllegalArgumentException if a clock is one or more slots late, because the node's cells then reach other
     *                                  nodes.
     */
    public Faults ofNode() {
        for (final Fault fault : plan.faults()) {
            if (fault instanceof final Fault.Clock clock && clock.lateSlots() > 0) {
                throw new IllegalArgumentException("a single node does not support clocks that are one or more slots "
                    + "late: " + fault);
            }
        }
        return new Faults(plan, seed, new ArrayList<>(plan.faults()), true);
    }

    /** The same faults for a run to which faults may be added while it runs. */
    public Faults open() {
        return new Faults(plan, seed, new CopyOnWriteArrayList<>(plan.faults()), false);
    }

    /**
     * Adds a fault to a run. One thread at a time, which must not be a thread of the run.
     *
     * @param fault takes effect in a slot that no thread of the run has started or will start before this method
     *              returns.
     * @throws IllegalArgumentException if the run is not open, the failing part is already down, or the repaired part
     *                                  is up.
     */
    public void addToRun(final Fault fault) {
        Bounds.refuseIf(known == null || leavesLinks, "faults can be added only to an open run: ", fault);
        int at = 0;
        while (at < known.size() && known.get(at).slot() <= fault.slot()) {
            at++;
        }
        final List<Fault> all = new ArrayList<>(known);
        all.add(at, fault);
        // Refuses inconsistent sequences.
        if (new FaultPlan(all).faults().size() == all.size()) {
            known.add(at, fault);
        }
    }

    /**
     * Adds a stop or start of a node on its own.
     *
     * @param fault takes effect in a slot that has not started.
     * @throws IllegalArgumentException if these are the faults of a run, or the node is already down or up.
     */
    public void add(final Fault.Node fault) {
        Bounds.refuseIf(known == null || !leavesLinks, "only a node with faults can be stopped: ", fault);
        boolean up = true;
        int at = 0;
        while (at < known.size() && known.get(at).slot() <= fault.slot()) {
            up = known.get(at) instanceof final Fault.Node other && other.node() == fault.node() ? other.up() : up;
            at++;
        }
        Bounds.refuseIf(up == fault.up(), "the node is ", up ? "up" : "down", " already: ", fault);
        known.add(at, fault);
    }

    /** Whether a stop or start was added for a node on its own. */
    public boolean hasAdded() {
        return known != null && known.size() > plan.faults().size();
    }

    /** Whether nothing ever fails. */
    public boolean isEmpty() {
        return plan.isEmpty() && known == null;
    }

    /** The state before slot 0 of a fabric of this many nodes. */
    public FaultState state(final int nodes) {
        return known == null ? new FaultState(plan, seed, nodes) : new FaultState(known, seed, nodes, leavesLinks);
    }
}
