package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Assembly;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.ByteDamage;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.DeliveredCells;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.PayloadStore.FlowPayload;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.nic.shoal.PairStreams.ParkedCells;
import dev.skerry.nic.shoal.ShoalFailures.ControlCells;
import dev.skerry.nic.shoal.ShoalFailures.ShoalFrame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Payloads that are found by flow and number, and what is wrong with them: damage to the bytes of cells is always
 * found, by their CRC where that covers it, else by the frame.
 */
final class FlowPayloadTest {
    private static final int SHORT = 0;
    private static final int ENDLESS = 1;
    private static final int NODES = 16;
    private static final int PAIRED = 3;

    @AutoClose
    private final CountedArena arena = new CountedArena();
    private final FlowSet flows = flows();
    private final FlowPayload payload = new FlowPayload(arena, flows);

    private static FlowSet flows() {
        final FlowSet flows = new FlowSet();
        flows.add(1, 0, 1, 56 * 300, 300, 0);
        flows.add(2, 1, 2, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        return flows;
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
        final Shoal shoal = Parts.shoal(8, 2, 3);
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
        final Shoal shoal = Parts.shoal(4, 1, 0);
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

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldFindEveryDamage(final long seed) {
        final FlowSet flows = Flows.random(seed, NODES, 50, 10, 9);
        final Random random = new Random(seed);
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
            assertTrue(frame.found >= found);
            found = frame.found;
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

    @Test
    void shouldCountTheSameWithAndWithoutPayloads() {
        final Shoal shoal = Parts.shoal(NODES, 2, 3);
        final FlowSet many = Flows.random(3, NODES, 300, 2000, 40);
        final Faults faults = Scripts.of(new Fault.Corruption(0, 0.02), new Fault.Corruption(1000, 0));
        final Outcome plain = Outcomes.lockStep(shoal, many, faults, 1, false, 3000);
        Outcomes.same(plain, Outcomes.lockStep(shoal, many, faults, 1, true, 3000), "checked");
        Outcomes.same(plain, Outcomes.lockStep(shoal, many, faults, 3, false, 3000), "three workers");
        assertTrue(plain.count(NicCounter.DROPPED_DAMAGED) > 0);
        assertTrue(plain.count(NicCounter.HEADERS_DAMAGED) >= plain.count(NicCounter.DROPPED_DAMAGED) * 9 / 10);
        assertTrue(plain.count(NicCounter.HEADERS_DAMAGED) < plain.count(NicCounter.CELLS_DAMAGED));
    }

    /**
     * {@link PairStreams} against sets of the numbers that wait, in any order of leaving and arriving; {@code underWay}
     * cells are between sources and destinations, and many of them need larger rows of bits.
     */
    @ParameterizedTest
    @CsvSource({"1, 3", "2, 100", "3, 100", "4, 3000", "5, 6000"})
    void shouldCountTheCellsThatWait(final long seed, final int underWay) {
        final FlowSet flows = Flows.random(seed, PAIRED, 90, 10, 700);
        final Random random = new Random(seed);
        final int[] sent = new int[flows.size()];
        final int[] numbered = new int[PAIRED * PAIRED];
        final int[] expected = new int[PAIRED * PAIRED];
        final List<TreeSet<Integer>> waiting = new ArrayList<>();
        Arrays.setAll(expected, pair -> {
            waiting.add(new TreeSet<>());
            return 0;
        });
        final List<long[]> cells = new ArrayList<>();
        final long before = arena.bytes();
        final ParkedCells parked = new ParkedCells(new NoPayload(), new PairStreams(arena, flows, PAIRED));
        assertEquals(PairStreams.bytes(flows, PAIRED), arena.bytes() - before);
        int most = 0;
        int left = sent.length;
        while (left > 0 || !cells.isEmpty()) {
            if (left > 0 && cells.size() < underWay) {
                int flow = random.nextInt(flows.size());
                while (sent[flow] == flows.cells(flow)) {
                    flow = (flow + 1) % flows.size();
                }
                final int pair = flows.source(flow) * PAIRED + flows.destination(flow);
                cells.add(new long[] {parked.inject(Cell.of(flow, sent[flow]++)), pair, numbered[pair]++});
                left -= sent[flow] == flows.cells(flow) ? 1 : 0;
            } else {
                // Some wait for long.
                final long[] cell = cells.remove(random.nextInt(4) == 0 ? cells.size() / 2
                    : random.nextInt(cells.size()));
                assertEquals(cell[0], parked.deliver(cell[0]));
                final int pair = (int) cell[1];
                waiting.get(pair).add((int) cell[2]);
                while (waiting.get(pair).remove(expected[pair])) {
                    expected[pair]++;
                }
                most = Math.max(most, waiting.get(pair).size());
                assertEquals(most, parked.most(), "seed=" + seed + " underWay=" + underWay);
            }
        }
    }

    @Test
    void shouldHaveNoTableForMoreCellsThanItHasRoomFor() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1L << 40, 1 << 30, 0);
        assertTrue(PairStreams.fits(flows, 2));
        flows.add(1, 0, 1, 56, 1, 0);
        assertFalse(PairStreams.fits(flows, 2));
    }
}
