package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.ByteDamage;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.PayloadStore.FlowPayload;
import dev.skerry.nic.shoal.ShoalFailures.ControlCells;
import dev.skerry.nic.shoal.ShoalFailures.ShoalFrame;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.Random;

/** Damage to the bytes of Shoal's cells is always found: by their CRC where that covers it, else by the frame. */
final class ShoalFrameTest {
    private static final int NODES = 16;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldFindEveryDamage(final long seed) {
        final FlowSet flows = Flows.random(seed, NODES, 50, 10, 9);
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final InFlightCells link = new InFlightCells(arena, NODES, 1);
            final FlowPayload store = new FlowPayload(arena, flows);
            final ControlCells control = new ControlCells(arena, NODES, NODES, link);
            final ShoalFrame frame = new ShoalFrame(NODES, new Bank.Ends(flows, null, link, null, store), control);
            final ByteDamage damage = new ByteDamage(frame);
            long found = 0;
            for (int trial = 0; trial < 20_000; trial++) {
                final int flow = random.nextInt(flows.size());
                final int from = flows.source(flow);
                final long at = link.offset(0) + (long) from * InFlightCells.PLACE_BYTES;
                final boolean isCell = random.nextBoolean();
                final long report = ReportWord.of(random.nextInt(2 * NODES - 1), random.nextBoolean());
                if (isCell) {
                    link.send(at, ShoalCell.of(from, flows.destination(flow)),
                        store.inject(Cell.of(flow, random.nextInt(flows.cells(flow)))), report);
                } else {
                    link.sendIdle(at, report);
                }
                final long noise = random.nextLong();
                frame.hit(from, at, noise < 0 ? noise & ReportWord.HEADER_BITS : 0, noise);
                assertTrue(frame.found() >= found);
                found = frame.found();
                final int place = random.nextInt(61);
                // Eight bits that follow each other are found by the CRC, of a dummy in the header only. A damaged
                // header may turn a dummy into a cell, whose CRC is one of 256.
                final HeaderFault fault = damage.damage(place, 1 + random.nextInt(255));
                assertTrue(place < ShoalHeader.BYTES || fault == (isCell ? HeaderFault.CRC : HeaderFault.NONE),
                    "seed=" + seed + " trial=" + trial + " byte=" + place + " fault=" + fault);
            }
            // Half are hit in the header; of the others the CRC of half, the dummies, does not see the payload.
            assertTrue(found > 14_500 && found < 15_400, "found " + found + " seed=" + seed);
        }
    }

    @Test
    void shouldCountTheSameWithAndWithoutPayloads() {
        final Shoal shoal = Shoal.of(RoundRobin.plain(NODES, 2), ReleaseRule.EXACT, true, 3);
        final FlowSet flows = Flows.random(3, NODES, 300, 2000, 40);
        final Outcome plain = run(shoal, flows, 1, false);
        for (final Outcome other : new Outcome[] {run(shoal, flows, 1, true), run(shoal, flows, 3, false)}) {
            assertEquals(plain.digest(), other.digest());
            assertEquals(plain.count(NicCounter.CELLS_DAMAGED), other.count(NicCounter.CELLS_DAMAGED));
            assertEquals(plain.count(NicCounter.HEADERS_DAMAGED), other.count(NicCounter.HEADERS_DAMAGED));
        }
        assertTrue(plain.count(NicCounter.DROPPED_DAMAGED) > 0);
        assertTrue(plain.count(NicCounter.HEADERS_DAMAGED) >= plain.count(NicCounter.DROPPED_DAMAGED) * 9 / 10);
        assertTrue(plain.count(NicCounter.HEADERS_DAMAGED) < plain.count(NicCounter.CELLS_DAMAGED));
    }

    private static Outcome run(final Shoal shoal, final FlowSet flows, final int workers, final boolean check) {
        return Outcomes.run(new LockStep(Parts.of(shoal), flows, Scripts.of(new Fault.Corruption(0, 0.02),
            new Fault.Corruption(1000, 0)), workers, check), 3000);
    }
}
