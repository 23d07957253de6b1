package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.HeaderFault;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.fault.ByteDamage;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.flow.PayloadStore.SlabPayload;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.ReceiverDriven;
import dev.skerry.nic.shale.control.TokenProbe;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;
import dev.skerry.nic.shale.stage.ShaleBank.Losses;
import dev.skerry.nic.shale.stage.ShaleFaults.ShaleFrame;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** NDP under overload: many cells are cut, and each of them arrives, once, with the payload of its last sending. */
final class TrimmingTest {
    private static final long TOO_LONG = 60_000;
    private static final int CELLS = 16;

    private final Arena arena = Arena.ofAuto();

    /** Gives every sending of a cell a handle of its own, and knows which are under way. */
    private static final class Sendings implements PayloadStore {
        private final Map<Long, Long> underWay = new HashMap<>();
        private final Set<Long> delivered = new HashSet<>();
        private long next;

        @Override
        public long inject(final long identity) {
            assertTrue(!underWay.containsValue(identity), "two copies of a cell: " + name(identity));
            underWay.put(++next, identity);
            return next;
        }

        @Override
        public long deliver(final long cell) {
            final long identity = underWay.remove(cell);
            assertTrue(delivered.add(identity), "delivered twice: " + name(identity));
            return identity;
        }

        @Override
        public long identify(final long cell) {
            return underWay.get(cell);
        }

        @Override
        public void discard(final long cell) {
            underWay.remove(cell);
        }

        private static String name(final long identity) {
            return "flow=" + Cell.flow(identity) + " cell=" + Cell.sequence(identity);
        }
    }

    @ParameterizedTest
    @CsvSource({"ndp, 2, 4, 3, 1", "ndp, 2, 6, 9, 2", "spray-short+ndp, 3, 3, 5, 2", "ndp, 1, 9, 4, 1",
        "hbh+ndp, 2, 5, 3, 2", "hbh+spray-short+ndp, 3, 3, 2, 1"})
    void shouldDeliverEveryCellOnceThoughManyAreCut(final String label, final int h, final int r,
        final int propagation, final int banks) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.of(label)
            .with(new ReceiverDriven(4, 1, 200, 1)), 4, 4, propagation, 1);
        final FlowSet flows = Flows.random(5, shale.nodes(), 8 * shale.nodes(), 20, 60);
        final Sendings sendings = new Sendings();
        try (HandStepped fabric = new HandStepped(shale, Faults.NONE, flows, banks,
            FewNodes.of(shale.nodes() / banks, shale), sendings)) {
            long mostMessages = 0;
            while (fabric.slot < TOO_LONG && fabric.count(NicCounter.FLOWS_COMPLETED) < flows.size()) {
                if (fabric.slot % 16 == 0) {
                    mostMessages = Math.max(mostMessages, messages(shale, fabric.banks[0]));
                    fabric.step();
                } else {
                    fabric.move();
                }
            }
            final long cells = fabric.count(NicCounter.CELLS_INJECTED);
            final long cut = fabric.count(NicCounter.CELLS_TRIMMED);
            assertEquals(flows.size(), fabric.count(NicCounter.FLOWS_COMPLETED), label);
            assertEquals(cells, fabric.count(NicCounter.CELLS_DELIVERED), label);
            assertEquals(cells, sendings.delivered.size(), label);
            assertEquals(Map.of(), sendings.underWay, label);
            assertEquals(cut, fabric.count(NicCounter.CELLS_RETRANSMITTED), label);
            assertEquals(cut, fabric.count(NicCounter.NACKS_SENT), label);
            assertEquals(0, fabric.dropped(), label);
            assertTrue(10 * cut >= 3 * cells, label + ": cut=" + cut + " of cells=" + cells);
            assertTrue(mostMessages > 2, label + ": messages seen at node 0: " + mostMessages);
            for (final ShaleBank bank : fabric.banks) {
                for (int node = 0; node < bank.range().size(); node++) {
                    assertTrue(bank.maxima().maxQueue(node) <= 1, label + ": node=" + node);
                }
            }
        }
    }

    private static long messages(final Shale shale, final ShaleBank bank) {
        final ShaleNodeProbes probes = new ShaleNodeProbes(shale, bank, 0);
        long messages = probes.value("queue0_own_messages");
        for (int link = 0; link < shale.schedule().epochSlots(); link++) {
            messages += probes.value("queue" + link + "_messages");
        }
        return messages;
    }

    /** In the smaller and in the wider layout of the header. */
    @ParameterizedTest
    @CsvSource({"2, 4, 12, 1", "4, 4, 12, 2", "2, 200, 16, 3"})
    void shouldFindEveryDamage(final int h, final int r, final int headerBytes, final long seed) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = delayed(schedule, 5);
        final FlowSet flows = Flows.random(seed, shale.nodes(), 50, 10, 9);
        final Random random = new Random(seed);
        final SlabPayload store = SlabPayload.stores(arena, 1, 64, 240)[0];
        final ShaleFrame frame = new ShaleFrame(shale, flows, store);
        final ByteDamage damage = new ByteDamage(frame);
        for (int trial = 0; trial < 20_000; trial++) {
            final int flow = random.nextInt(flows.size());
            final long cell = store.inject(Cell.of(flow, random.nextInt(flows.cells(flow))));
            final long route = random.nextInt(8) == 0 ? InFlightCells.NO_CELL
                : Route.first(flows.destination(flow), random.nextInt(h), trial);
            final long feedback = random.nextBoolean() ? InFlightCells.NO_FEEDBACK
                : TokenProbe.feedback(random.nextInt(shale.nodes()), random.nextInt(h));
            final int place = random.nextInt(ShaleFrame.CELL_BYTES - 3);
            // Bursts of up to 8 bits are found by the header's CRC alone.
            final int burst = 1 + random.nextInt(255);
            frame.sent(flows.source(flow), route, cell, feedback);
            final HeaderFault found = damage.damage(place, burst);
            assertEquals(place < headerBytes ? HeaderFault.CRC : HeaderFault.NONE, found,
                "seed=" + seed + " trial=" + trial + " byte=" + place + " burst=" + burst);
            damage.damage(random.nextLong());
            store.discard(cell);
        }
    }

    /** The counter says the same with and without payloads, and damage is dropped by name. */
    @Test
    void shouldDropAndCountDamagedCells() {
        final Shale shale = delayed(new Phased(2, 4), 7);
        final FlowSet flows = Flows.random(3, shale.nodes(), 300, 2000, 40);
        final Outcome checked = run(shale, flows, true);
        final Outcome plain = run(shale, flows, false);
        assertEquals(plain.digest(), checked.digest());
        assertEquals(plain.count(NicCounter.HEADERS_DAMAGED), checked.count(NicCounter.HEADERS_DAMAGED));
        assertTrue(checked.count(NicCounter.HEADERS_DAMAGED) > 0);
        assertTrue(checked.count(NicCounter.HEADERS_DAMAGED) < checked.count(NicCounter.CELLS_DAMAGED) / 4);
        assertTrue(checked.count(NicCounter.DROPPED_DAMAGED) > 0);
        assertEquals(checked.count(NicCounter.CELLS_INJECTED), checked.count(NicCounter.CELLS_DELIVERED)
            + checked.dropped() + checked.cellsHeld());
    }

    private static Outcome run(final Shale shale, final FlowSet flows, final boolean check) {
        return Outcomes.run(new LockStep(Parts.of(shale), flows, Scripts.of(new Fault.Corruption(0, 0.02)), 1, check),
            3000);
    }

    private static Shale delayed(final Phased schedule, final int propagation) {
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 2, 2, propagation, 1);
    }

    /** Far more cells are lost, at their source's bank and at another one, than there is room for. */
    @Test
    void shouldGiveThePlacesOfLostCellsBack() {
        final SlabPayload[] stores = SlabPayload.stores(arena, 2, CELLS, 32);
        final NodeRange range = new NodeRange(4, 8);
        final Losses own = new Losses(range, stores[0]);
        final Losses other = new Losses(new NodeRange(8, 12), stores[1]);
        assertNull(own.first());
        for (int cell = 0; cell < 10 * CELLS; cell++) {
            own.turnTo(7 + cell / 4);
            own.onDrop(3 - cell % 4, stores[0].inject(Cell.of(0, cell)), NicCounter.DROPPED_LAST_HOP);
            other.onDrop(0, stores[0].inject(Cell.of(1, cell)), NicCounter.DROPPED_DAMAGED);
        }
        assertEquals(10 * CELLS, own.count(NicCounter.DROPPED_LAST_HOP));
        assertEquals(10 * CELLS, other.count(NicCounter.DROPPED_DAMAGED));
        assertEquals(new Outcome.Drop(7, 4), own.first());
        final long cell = stores[0].inject(Cell.of(2, 9));
        assertEquals(Cell.of(2, 9), stores[1].deliver(cell));
    }
}
