package dev.skerry.spi;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.engine.FreeRunning;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.MemberStep;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;

/**
 * Base class of fabrics that consist of circuits. It builds their engines from the fabric's own parts. Not thread-safe.
 */
@SuppressWarnings("exports")
public abstract class CircuitChoice extends FabricChoice {
    /**
     * Stores the options and checks that none of them belongs to another kind.
     *
     * @throws dev.skerry.tools.input.InputException if an option belongs to another kind.
     */
    protected CircuitChoice(final FabricKind kind, final RunOptions options) {
        super(kind, options);
    }

    /**
     * Returns the parts from which engines build the fabric.
     *
     * @param byLink whether the parts also record the longest queue of each link, if the fabric supports it.
     */
    protected abstract FabricParts parts(boolean byLink);

    @Override
    public Engine engine(final EngineChoice how, final Traffic traffic, final Idle idle, final boolean check,
        final RunLog log) {
        if (how.isReference()) {
            return reference(traffic.flows());
        }
        final FabricParts parts = parts(log != null);
        if (how.threading() == null) {
            final LockStep engine = new LockStep(parts, traffic, how.workers(), idle, check);
            return log == null ? engine : engine.log(log);
        }
        final FreeRunning engine = new FreeRunning(parts, traffic, how.wiring(), how.threading(), check);
        return log == null ? engine : engine.log(log);
    }

    @Override
    public MemberEngine member(final FlowSet flows, final Faults faults, final RunLog log,
        final RowExchange exchange) {
        final MemberStep engine = new MemberStep(parts(log != null), flows, faults, exchange);
        return log == null ? engine : engine.log(log);
    }

    @Override
    public long stateBytes(final FlowSet flows, final Faults faults) {
        return LockStep.bytes(parts(false), flows, faults);
    }

    @Override
    protected long cellsBetweenBarriers() {
        return (long) circuits().cellsInSlot() * Math.max(1, fabric().propagationSlots());
    }
}
