package dev.skerry.nic.engine;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Resumable.EngineState;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;

/** Common part of the engines of circuit fabrics: the assembled fabric, and the slots that the outcome covers. */
abstract class CircuitEngine implements Resumable {
    final CircuitFabric fabric;
    final Assembly assembly;
    /** Slots done, including those after a limit. */
    long stepped;
    private long slots;
    /** Slots that the outcome covers, including those after a limit in which in-flight cells arrived. */
    private long covered;
    private boolean endedByFlows;
    /** Cells in the fabric after the last run. */
    long held;

    CircuitEngine(final CircuitFabric fabric, final Assembly assembly) {
        this.fabric = fabric;
        this.assembly = assembly;
    }

    /** The last slot at which a run ends: cells sent in its last slots still arrive. */
    final long end(final long slotLimit) {
        return slotLimit == 0 ? Long.MAX_VALUE : slotLimit + fabric.propagationSlots();
    }

    /**
     * Records the end of a run.
     *
     * @param slotLimit      limit of the run; 0 if there is none.
     * @param isDone         whether it reached its end; false if its watch stopped it.
     * @param lastCompletion slots until the last flow ended.
     * @param last           slots that the outcome covers, unless the flows ended the run.
     * @param cellsHeld      cells in the fabric.
     */
    final void settle(final long slotLimit, final boolean isDone, final long lastCompletion, final long last,
        final long cellsHeld) {
        held = cellsHeld;
        endedByFlows = slotLimit == 0 && isDone;
        covered = endedByFlows ? lastCompletion : last;
        slots = slotLimit == 0 ? covered : Math.min(covered, slotLimit);
    }

    /** Cells in the fabric after a run; checks that cells are conserved. */
    final long conserved() {
        return stepped == 0 ? 0 : assembly.audit.conserve(stepped - 1);
    }

    /** Whether the last run reached its end; false if its watch stopped it. */
    abstract boolean isDone();

    @Override
    public final EngineState state() {
        return new EngineState(this, assembly.arena, this::isDone, () -> stepped);
    }

    /** {@inheritDoc} Counts this process only. */
    @Override
    public final long count(final NicCounter counter) {
        return assembly.count(counter);
    }

    /** {@inheritDoc} Counts this process only. */
    @Override
    public final long memoryBytes() {
        return assembly.arena.bytes();
    }

    @Override
    public Outcome outcome() {
        return assembly.outcome(slots, endedByFlows, held, covered);
    }

    @Override
    public void close() {
        assembly.close();
    }
}
