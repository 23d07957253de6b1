package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.spi.FabricKind;

import java.util.ArrayList;
import java.util.List;

/** Vectors of parts of a fabric, slot by slot. One thread. */
abstract class FabricVectors implements VectorSource {
    final FabricModel model;
    final NodeCells cells;
    final List<Scope> scopes = new ArrayList<>();
    private final FlowSet flows;
    private final SlotRange range;
    private final long unitPs;

    FabricVectors(final CircuitFabric fabric, final FlowSet flows, final Faults faults, final SlotRange range,
        final long unitPs) {
        this.model = new FabricModel(FabricKind.partsOf(fabric), flows, faults);
        this.cells = new NodeCells(fabric.channels());
        this.flows = flows;
        this.range = range;
        this.unitPs = unitPs;
    }

    @Override
    public final List<Scope> scopes() {
        return scopes;
    }

    @Override
    public final boolean next() {
        return range.advance(model, flows, this::step);
    }

    /** Runs a slot of the fabric. */
    void step() {
        model.step();
    }

    @Override
    public final long time() {
        return model.slot() - 1;
    }

    @Override
    public final long unitPs() {
        return unitPs;
    }

    @Override
    public void close() {
        model.close();
    }
}
