package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Assembly;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.DeliveredCells;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.PayloadStore.FlowPayload;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;

/** Payloads that are found by flow and number, and what is wrong with them. */
final class FlowPayloadTest {
    private static final int SHORT = 0;
    private static final int ENDLESS = 1;

    private final Arena arena = Arena.ofConfined();
    private final FlowSet flows = flows();
    private final FlowPayload payload = new FlowPayload(arena, flows);

    private static FlowSet flows() {
        final FlowSet flows = new FlowSet();
        flows.add(1, 0, 1, 56 * 300, 300, 0);
        flows.add(2, 1, 2, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        return flows;
    }

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldFindEveryCellOnce() {
        for (int sequence = 0; sequence < 300; sequence++) {
            final long cell = Cell.of(SHORT, sequence);
            assertEquals(cell, payload.inject(cell));
            assertEquals(Cell.of(ENDLESS, sequence), payload.inject(Cell.of(ENDLESS, sequence)));
        }
        for (int sequence = 299; sequence >= 0; sequence--) {
            final long cell = Cell.of(SHORT, sequence);
            assertEquals(cell, payload.deliver(cell));
            assertEquals("payload damaged: flow=0 cell=" + sequence + " byte=8",
                assertThrows(IllegalStateException.class, () -> payload.deliver(cell)).getMessage());
        }
    }

    @Test
    void shouldFindACellThatWasTakenAnew() {
        final long cell = Cell.of(SHORT, 7);
        payload.inject(cell);
        payload.inject(cell);
        assertEquals(cell, payload.deliver(cell));
        payload.inject(cell);
        assertEquals(cell, payload.deliver(cell));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1L << 32, 256, 299})
    void shouldRefuseACellThatWasNeverSent(final long cell) {
        payload.inject(Cell.of(SHORT, 3));
        assertEquals("payload damaged: flow=" + (cell >>> 32) + " cell=" + (int) cell + " byte=0",
            assertThrows(IllegalStateException.class, () -> payload.deliver(cell)).getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 15, 16, 31})
    void shouldNoticeAWrongByte(final int wrong) {
        final long cell = Cell.of(ENDLESS, 1000);
        payload.inject(cell);
        damage(payload, cell, wrong);
        assertEquals("payload damaged: flow=1 cell=1000 byte=" + (wrong & -Long.BYTES),
            assertThrows(IllegalStateException.class, () -> payload.deliver(cell)).getMessage());
    }

    @Test
    void shouldKeepTheLastCellsOfALongFlow() {
        final int kept = 2 * DeliveredCells.WINDOW_CELLS;
        for (int sequence = 0; sequence <= kept; sequence++) {
            payload.inject(Cell.of(ENDLESS, sequence));
        }
        assertThrows(IllegalStateException.class, () -> payload.deliver(Cell.of(ENDLESS, 0)));
        for (int sequence = 1; sequence <= kept; sequence++) {
            payload.deliver(Cell.of(ENDLESS, sequence));
        }
        assertNull(payload.chunk(Cell.of(SHORT, 0)));
    }

    /** What comes twice, again or another way brings sound payloads, until one is damaged where it lies. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldStopAFabricThatWouldDeliverAWrongByte(final int banks) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(8, 2), ReleaseRule.EXACT, true, 3);
        final FlowSet some = Flows.random(5, 8, 100, 100, 60);
        final Faults faults = Scripts.of(new Fault.Corruption(0, 0.02), new Fault.Link(100, 0, 3, false),
            new Fault.Link(200, 0, 3, true));
        try (FaultyShoal sound = new FaultyShoal(shoal, some, faults, banks);
            FaultyShoal fabric = new FaultyShoal(shoal, some, faults, banks)) {
            assertTrue(sound.settle(50_000), sound.counts());
            assertTrue(sound.count(NicCounter.DROPPED_DUPLICATE) > 0, sound.counts());
            assertTrue(sound.count(NicCounter.CELLS_REROUTED) > 0, sound.counts());
            fabric.stepTo(250);
            final long cell = waiting(fabric.banks[banks - 1]);
            damage(fabric.payload, cell, 17);
            assertEquals("payload damaged: flow=" + Cell.flow(cell) + " cell=" + Cell.sequence(cell) + " byte=16",
                assertThrows(IllegalStateException.class, () -> fabric.settle(50_000)).getMessage());
        }
    }

    /** A run that checks has banks that look at payloads, and one that does not has not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBePartOfARunWithFailuresThatChecks(final boolean check) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(4, 1), ReleaseRule.EXACT, true, 0);
        final Traffic traffic = new Traffic(flows, Scripts.of(new Fault.Corruption(0, 0)));
        try (Assembly assembly = new Assembly(new CountedArena(), Parts.of(shoal), traffic, Assembly.shares(shoal, 1),
            2, (bank, link) -> Parts.of(shoal).scheduled(link), check)) {
            final DeliveryLedger deliveries = assembly.bank(0).deliveries();
            if (check) {
                assertThrows(IllegalStateException.class, () -> deliveries.deliver(9, 1, Cell.of(SHORT, 0), 1));
            } else {
                deliveries.deliver(9, 1, Cell.of(SHORT, 0), 1);
            }
            assertEquals(check ? 0 : 1, deliveries.delivered());
        }
    }

    /** A cell that waits for its last hop. */
    private static long waiting(final ShoalBank bank) {
        final ShoalQueues queues = bank.parts().queues()[0];
        final long[] found = {-1};
        for (int node = 0; node < bank.range().size(); node++) {
            final int id = bank.range().first() + node;
            for (int link = 0; link < queues.noLink(); link++) {
                queues.forEach(queues.queue(link, node),
                    (word, cell) -> found[0] = ClassedCell.source(word) == id ? found[0] : cell);
            }
        }
        assertTrue(found[0] >= 0, "nothing waits");
        return found[0];
    }

    private static void damage(final FlowPayload payload, final long cell, final int wrong) {
        final Region chunk = payload.chunk(cell);
        final long at = FlowPayload.offset(cell) + (wrong & -Integer.BYTES);
        chunk.setInt(at, chunk.getInt(at) ^ 1 << 8 * (wrong & 3));
    }
}
