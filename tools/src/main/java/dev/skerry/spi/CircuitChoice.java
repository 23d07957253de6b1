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

/** A fabric of circuits; its engines are those of all such fabrics with its own parts. One thread. */
@SuppressWarnings("exports")
public abstract class CircuitChoice extends FabricChoice {
    /**
     * Stores the options, none of which may belong to another kind.
     *
     * @throws dev.skerry.tools.input.InputException if one of them belongs to another kind.
     */
    protected CircuitChoice(final FabricKind kind, final RunOptions options) {
        super(kind, options);
    }

    /**
     * Returns the parts of the fabric for engines.
     *
     * @param byLink whether they also count the longest queue of every link, if the fabric supports it.
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
