package dev.skerry.nic.engine;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Resumable.EngineState;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;

/** What the engines of circuit fabrics have in common: the assembled fabric, and which slots the outcome is about. */
abstract class CircuitEngine implements Resumable {
    final CircuitFabric fabric;
    final Assembly assembly;
    /** Slots done, with those after a limit. */
    long stepped;
    private long slots;
    /** Slots of the outcome and, after a limit, those in which cells that were on their way arrived. */
    private long covered;
    private boolean endedByFlows;
    /** Cells in the fabric after the last run. */
    long held;

    CircuitEngine(final CircuitFabric fabric, final Assembly assembly) {
        this.fabric = fabric;
        this.assembly = assembly;
    }

    /** The slot in which a run ends at the latest: cells of its last slots still arrive. */
    final long end(final long slotLimit) {
        return slotLimit == 0 ? Long.MAX_VALUE : slotLimit + fabric.propagationSlots();
    }

    /**
     * A run is over.
     *
     * @param slotLimit      of the run; 0 if none.
     * @param isDone         whether it came to its end; false if its watch stopped it.
     * @param lastCompletion slots until the last flow ended.
     * @param last           slots that the outcome covers unless the flows ended the run.
     * @param cellsHeld      cells in the fabric.
     */
    final void settle(final long slotLimit, final boolean isDone, final long lastCompletion, final long last,
        final long cellsHeld) {
        held = cellsHeld;
        endedByFlows = slotLimit == 0 && isDone;
        covered = endedByFlows ? lastCompletion : last;
        slots = slotLimit == 0 ? covered : Math.min(covered, slotLimit);
    }

    /** Cells in the fabric after a run, which are conserved. */
    final long conserved() {
        return stepped == 0 ? 0 : assembly.audit.conserve(stepped - 1);
    }

    /** Whether the last run came to its end; false if its watch stopped it. */
    abstract boolean isDone();

    @Override
    public final EngineState state() {
        return new EngineState(this, assembly.arena, this::isDone, () -> stepped);
    }

    /** Of this process. */
    @Override
    public final long count(final NicCounter counter) {
        return assembly.count(counter);
    }

    /** Of this process. */
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
