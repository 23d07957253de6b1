package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.DeviceModel.DeviceProbes;
import dev.skerry.nic.stardust.DeviceModel.DeviceSignals;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A fabric of models of single devices equals a run of that fabric: every cell on every link, and the digest. */
class DeviceModelTest {
    static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);

    enum Case {
        /** Credits, packed cells, an adapter that sends to itself. */
        CREDITS(Fabrics.packed(2, LinkRules.USUAL, true), Faults.NONE, HEALING, 320),
        /** Nobody knows the others at slot 0. */
        BRING_UP(Fabrics.packed(2, LinkRules.USUAL, true), Faults.NONE, HEALING.fromNothing(), 640),
        /** Bounded queues pause links: adapters hand out too many credits. */
        PAUSES(bounded(3), new Faults(new FaultPlan(List.of(new Fault.Rogue(50, 0), new Fault.Rogue(50, 1))), 5),
            HEALING, 480),
        /** The network of Figure 9 with an eighth of its adapters, of two ports each, and links of six slots. */
        N62(wide(), Faults.NONE, HEALING, 300),
        /** An element fails and comes back, a link is cut, cells are damaged. */
        FAULTS(Fabrics.packed(1, LinkRules.USUAL, false), new Faults(new FaultPlan(List.of(
            new Fault.Node(120, 20, false), new Fault.Link(150, 1, 17, false), new Fault.Corruption(200, 0.002),
            new Fault.Node(300, 20, true))), 9), HEALING, 640);

        final Stardust fabric;
        private final Faults faults;
        private final ReachTiming healing;
        private final int slots;

        Case(final Stardust fabric, final Faults faults, final ReachTiming healing, final int slots) {
            this.fabric = fabric;
            this.faults = faults;
            this.healing = healing;
            this.slots = slots;
        }

        FlowSet flows() {
            final FlowSet flows = Fabrics.mixed(fabric.nodes(), 4 * fabric.nodes());
            if (this == PAUSES) {
                for (int from = 2; from < 16; from++) {
                    flows.add(flows.size(), from, from % 2, Long.MAX_VALUE, FlowSet.ENDLESS, 100);
                }
            }
            return flows;
        }
    }

    private static Stardust bounded(final int delay) {
        return new Stardust(Fabrics.full(Fabrics.SMALL), delay, new HostSide(1, 1, 1, 880, 1 << 16, 1 << 15, false),
            new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(2048, 900, 0, 0, Double.POSITIVE_INFINITY,
            false), new LinkRules(0, 0, 0, 12, 10, true, Spraying.RENEWED), true, 4);
    }

    private static Stardust wide() {
        return new Stardust(Fabrics.full(new FoldedClosConfig(16, 4, 1, 8, 8, List.of(4))), 6,
            new HostSide(2, 1, 1, 900, 1 << 16, 1 << 15, false), new CellCut(1500, 256, true, Packing.CONTINUOUS),
            new Credits(4096, 900, 0, 0, 1, true), LinkRules.USUAL, true, 62);
    }

    /** The run's cells of a slot, by the port where they come out; they stay where they are. */
    private static List<String> cells(final StardustEngine run, final long slot) {
        final List<String> cells = new ArrayList<>();
        final List<Integer> ports = new ArrayList<>();
        run.shared.pipes().show(run.shared.pipes().row(slot), 0, false, (port, first, second) -> {
            final int at = -1 - Collections.binarySearch(ports, port);
            ports.add(at, port);
            cells.add(at, Wires.cell(port, first, second));
        });
        return cells;
    }

    @Sampled(2)
    @ParameterizedTest
    @EnumSource
    void shouldSendEveryCellThatARunSends(final Case of) {
        long compared = 0;
        try (StardustEngine run = new StardustEngine(of.fabric, of.flows(), of.faults, of.healing, 1, false);
            WiredDevices wired = new WiredDevices(of.fabric, of.flows(), of.faults, of.healing);
            StardustEngine engine = new StardustEngine(of.fabric, of.flows(), of.faults, of.healing, 2, true)) {
            for (long slot = 0; slot < of.slots; slot++) {
                run.banks[0].step(slot);
                wired.step(slot, slot % 3 == 1);
                final List<String> expected = cells(run, slot);
                assertEquals(expected, wired.cells(slot), of + " slot=" + slot);
                compared += expected.size();
                if (slot % 150 == 149) {
                    // Saved states go on, in models that are new.
                    wired.replace((int) (slot / 150) % 3);
                    wired.replace(of.fabric.clos().fas() + (int) (slot / 150) % 3);
                }
            }
            engine.advance(of.slots);
            assertEquals(engine.digest(), wired.digest(), of.name());
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(engine.count(counter), wired.count(counter), of + " " + counter);
            }
            assertTrue(compared > 1000 && wired.count(NicCounter.CELLS_DELIVERED) > 1000, of + " cells=" + compared);
            assertEquals(of == Case.PAUSES, wired.count(NicCounter.PAUSES) > 100, of.name());
        }
    }

    /** Each model goes on from a saved state as if it had never stopped, also where it stands in another one. */
    @Test
    void shouldSaveEqualStatesOfEqualModels() {
        final Case of = Case.PAUSES;
        try (WiredDevices one = new WiredDevices(of.fabric, of.flows(), of.faults, of.healing);
            WiredDevices other = new WiredDevices(of.fabric, of.flows(), of.faults, of.healing)) {
            for (long slot = 0; slot < 160; slot++) {
                one.step(slot, false);
                other.step(slot, true);
            }
            for (int device = 0; device < of.fabric.clos().devices(); device++) {
                assertArrayEquals(one.model(device).save(), other.model(device).save(), "device=" + device);
            }
        }
    }

    @Test
    void shouldShowQueuesCreditsTablesAndPausesByName() {
        final Case of = Case.PAUSES;
        try (WiredDevices wired = new WiredDevices(of.fabric, of.flows(), of.faults, of.healing)) {
            long longest = 0;
            long pauses = 0;
            long paused = 0;
            long credit = 0;
            for (long slot = 0; slot < 400; slot++) {
                wired.step(slot, false);
                final DeviceProbes element = wired.model(16).probes();
                long held = 0;
                for (int link = 0; link < wired.model(16).links(); link++) {
                    held += element.value("link" + link + "_cells");
                    pauses += element.value("link" + link + "_pauses");
                    assertEquals(wired.received(16).pause(link) ? 1 : 0, element.value("link" + link + "_paused"));
                }
                assertEquals(held, element.value("cells_held"), "slot=" + slot);
                longest = Math.max(longest, held);
                final DeviceProbes adapter = wired.model(4).probes();
                credit |= adapter.value("voq_d0q0_credit");
                for (int link = 0; link < wired.model(4).links(); link++) {
                    paused += adapter.value("link" + link + "_paused");
                }
            }
            final DeviceProbes adapter = wired.model(4).probes();
            assertTrue(longest > 10 && pauses > 0 && paused > 0 && credit != 0, longest + " " + pauses + " " + paused
                + " " + credit);
            assertTrue(adapter.value("voq_d0q0_bytes") > 0 && adapter.value("voq_d0q0_next") > 0);
            assertTrue(wired.model(0).probes().value("port0_askers") > 0);
            assertEquals(4, adapter.value("links_working"));
            assertEquals(1, adapter.value("link2_leads_d0"));
            assertEquals(0, adapter.value("link2_leads_d4"));
            assertEquals(1, wired.model(16).probes().value("link0_leads_d0"));
            assertThrows(IllegalArgumentException.class, () -> adapter.value("link9_cells"));
        }
    }

    @Test
    void shouldRefuseWhatNobodySends() {
        final Stardust fabric = Fabrics.packed(2, LinkRules.USUAL, true);
        final FlowSet flows = Fabrics.mixed(fabric.nodes(), 20);
        assertThrows(IllegalArgumentException.class, () -> calm(fabric, flows, 40));
        try (DeviceModel adapter = calm(fabric, flows, 3)) {
            final DeviceSignals received = new DeviceSignals(4);
            assertThrows(IllegalArgumentException.class, () -> adapter.step(1, received));
            assertThrows(IllegalArgumentException.class, () -> adapter.step(0, new DeviceSignals(5)));
            final long cell = StardustCell.first(StardustCell.route(3, 7, 0), 100, true, 0);
            refuses(adapter, received, () -> received.setCell(1, cell, 0));
            refuses(adapter, received, () -> received.setPause(1, true));
            for (int slot = 0; slot < 4; slot++) {
                adapter.step(slot, received);
            }
            refuses(adapter, received, () -> received.setCell(1, StardustCell.first(StardustCell.route(4, 7, 0), 100,
                true, 0), 0));
            refuses(adapter, received, () -> received.setCell(1, cell & ~(1L << 31), 0));
            refuses(adapter, received, () -> received.setCell(1, cell, -1));
            refuses(adapter, received, () -> received.setReport(1, 1, 0, false));
            // From adapter 2 of the same pod it takes 4 slots, from adapter 9 twice as many.
            received.clear();
            received.add(3L << 48 | 2L << 32 | (long) Control.WANT << 18);
            adapter.step(4, received);
            refuses(adapter, received, () -> received.add(3L << 48 | 9L << 32 | (long) Control.WANT << 18));
            refuses(adapter, received, () -> received.add(3L << 48 | 3L << 32 | (long) Control.WANT << 18));
            refuses(adapter, received, () -> received.add(2L << 48 | 4L << 32 | (long) Control.WANT << 18));
            received.clear();
            received.setCell(1, cell, 0);
            adapter.step(5, received);
            assertEquals(6, adapter.slot());
        }
    }

    private static DeviceModel calm(final Stardust fabric, final FlowSet flows, final int device) {
        return new DeviceModel(fabric, flows, Faults.NONE, ReachTiming.USUAL, device);
    }

    private static void refuses(final DeviceModel model, final DeviceSignals received, final Runnable change) {
        received.clear();
        change.run();
        final long slot = model.slot();
        final byte[] before = model.save();
        assertThrows(IllegalArgumentException.class, () -> model.step(slot, received));
        assertArrayEquals(before, model.save());
        received.clear();
    }

    @Test
    void shouldRefuseStatesOfOthers() {
        final Stardust fabric = Fabrics.packed(2, LinkRules.USUAL, true);
        final FlowSet flows = Fabrics.mixed(fabric.nodes(), 20);
        try (DeviceModel adapter = calm(fabric, flows, 3);
            DeviceModel element = calm(fabric, flows, 20)) {
            assertThrows(IllegalArgumentException.class, () -> element.restore(adapter.save()));
        }
    }

    /** A fabric put together from device models. Its links are the signals sent in earlier slots. */
    static final class WiredDevices extends Wires implements AutoCloseable {
        private final DeviceModel[] models;
        private final Stardust fabric;
        private final FlowSet flows;
        private final Faults faults;
        private final ReachTiming healing;

        WiredDevices(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing) {
            super(fabric);
            this.fabric = fabric;
            this.flows = flows;
            this.faults = faults;
            this.healing = healing;
            this.models = new DeviceModel[fabric.clos().devices()];
            Arrays.setAll(models, device -> new DeviceModel(fabric, flows, faults, healing, device));
        }

        @Override
        DeviceSignals step(final int device, final long slot, final DeviceSignals in) {
            return models[device].step(slot, in);
        }

        DeviceModel model(final int device) {
            return models[device];
        }

        /** A fresh model takes the place of another one. */
        void replace(final int device) {
            final byte[] state = models[device].save();
            models[device].close();
            models[device] = new DeviceModel(fabric, flows, faults, healing, device);
            models[device].restore(state);
        }

        long digest() {
            long sum = 0;
            for (final DeviceModel model : models) {
                sum += model.digest();
            }
            return sum;
        }

        long count(final NicCounter counter) {
            long sum = 0;
            for (final DeviceModel model : models) {
                sum = counter.join(sum, model.count(counter));
            }
            return sum;
        }

        @Override
        public void close() {
            for (final DeviceModel model : models) {
                model.close();
            }
        }
    }
}
