package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.PayloadStore.SlabPayload;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.TokenProbe;
import dev.skerry.nic.shale.stage.ShaleFaults.ShaleFrame;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.Random;

/** Damage to the bytes of cells is always found, by the header's check where it hits the header. */
final class ByteDamageTest {
    /** In the smaller and in the wider layout of the header. */
    @ParameterizedTest
    @CsvSource({"2, 4, 12, 1", "4, 4, 12, 2", "2, 200, 16, 3"})
    void shouldFindEveryDamage(final int h, final int r, final int headerBytes, final long seed) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = shale(schedule, 5);
        final FlowSet flows = Flows.random(seed, shale.nodes(), 50, 10, 9);
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
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
    }

    /** The counter says the same with and without payloads, and damage is dropped by name. */
    @Test
    void shouldDropAndCountDamagedCells() {
        final Shale shale = shale(new Phased(2, 4), 7);
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

    private static Shale shale(final Phased schedule, final int propagation) {
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 2, 2, propagation, 1);
    }
}
