package dev.skerry.tools.trace;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.SwitchTable;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.trace.VectorSource.Scope;
import dev.skerry.tools.trace.VectorSource.SlotRange;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Vectors of parts of a fabric, slot by slot. Not thread-safe. */
public abstract class FabricVectors implements VectorSource {
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

    /**
     * Vectors of circuit switches in a run: in each slot of each port the input that its register selects, and the
     * words of the cells that enter and leave. A switch does not interpret cells; the word is the cell's route word,
     * which identifies it, all ones for a dummy and one less for an empty slot. A switch does not delay cells, so the
     * whole path of a cell has one slot number.
     */
    public static final class SwitchVectors extends FabricVectors {
        private static final int SELECT_BITS = 16;
        private static final int SIGNALS = 3;

        private final Wiring wiring;
        private final int[] switches;
        private final int epochSlots;
        /** Crossings by slot of the epoch and scope. */
        private final List<List<List<Crossing>>> crossings = new ArrayList<>();

        /**
         * A cell that crosses a switch: the sending node, its channel, and the ports by which the cell enters and
         * leaves.
         */
        private record Crossing(int node, int channel, int in, int out) {
        }

        /**
         * Creates the vectors of switches from slot 0 on.
         *
         * @param fabric   fabric of the run.
         * @param flows    flows of the run.
         * @param wiring   switches of the fabric.
         * @param switches traced switches.
         * @param range    traced slots; completed flows do not end it.
         * @param unitPs   length of a slot in ps.
         */
        public SwitchVectors(final CircuitFabric fabric, final FlowSet flows, final Wiring wiring, final int[] switches,
            final SlotRange range, final long unitPs) {
            super(fabric, flows, Faults.NONE, range, unitPs);
            this.wiring = wiring;
            this.switches = switches.clone();
            this.epochSlots = wiring.table(0).epochSlots();
            for (final int index : switches) {
                final List<Signal> signals = new ArrayList<>();
                for (int port = 0; port < wiring.table(index).ports(); port++) {
                    signals.add(new Signal("select" + port, SELECT_BITS));
                    signals.add(new Signal("in" + port, Long.SIZE));
                    signals.add(new Signal("out" + port, Long.SIZE));
                }
                scopes.add(new Scope("switch" + index, signals));
            }
            for (int slot = 0; slot < epochSlots; slot++) {
                crossings.add(crossings(fabric, slot));
            }
        }

        private List<List<Crossing>> crossings(final CircuitFabric fabric, final int slot) {
            final List<List<Crossing>> found = new ArrayList<>();
            final Map<Integer, List<Crossing>> traced = new HashMap<>();
            for (final int index : switches) {
                found.add(new ArrayList<>());
                traced.put(index, found.getLast());
            }
            final PortNumbers ports = wiring.ports();
            final int[] path = new int[wiring.stages() + 1];
            for (int node = 0; node < fabric.nodes(); node++) {
                for (int channel = 0; channel < fabric.channels(); channel++) {
                    final int last = wiring.trace(node, channel, slot, path) - 1;
                    for (int i = 0; i < last; i++) {
                        final int index = ports.switchOf(path[i]);
                        if (traced.containsKey(index)) {
                            final int out = ports.localPort(path[i]);
                            traced.get(index).add(new Crossing(ports.nodeOf(path[last]), ports.channelOf(path[last]),
                                wiring.table(index).selected(slot, out), out));
                        }
                    }
                }
            }
            return found;
        }

        @Override
        public void read(final int scope, final long[] values) {
            final int inEpoch = (int) (time() % epochSlots);
            final SwitchTable table = wiring.table(switches[scope]);
            for (int port = 0; port < table.ports(); port++) {
                values[port * SIGNALS] = table.selected(inEpoch, port);
                values[port * SIGNALS + 1] = InFlightCells.SILENCE;
                values[port * SIGNALS + 2] = InFlightCells.SILENCE;
            }
            for (final Crossing crossing : crossings.get(inEpoch).get(scope)) {
                model.sent(crossing.node, cells);
                final long word = cells.route(crossing.channel);
                values[crossing.in * SIGNALS + 1] = word;
                values[crossing.out * SIGNALS + 2] = word;
            }
        }
    }
}
