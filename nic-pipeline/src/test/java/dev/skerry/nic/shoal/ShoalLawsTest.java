package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/**
 * A Shoal fabric that breaks a law is found out, by the law's name; each test breaks one in a sound, busy fabric. And
 * traffic classes (docs/spec/shoal.md §6.1): what the highest keeps, and what the others pay.
 */
final class ShoalLawsTest {
    private static final int NODES = 8;
    private static final int SLOTS = 100;
    private static final Shoal SHOAL = Parts.shoal(NODES, 2, 3);
    @AutoClose
    private HandSteppedShoal fabric;
    private ShoalQueues queues;

    @BeforeEach
    void build() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < NODES; from++) {
            for (int by = 1; by < 4; by++) {
                flows.add(flows.size(), from, (from + by) % NODES, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
            }
        }
        fabric = new HandSteppedShoal(SHOAL, flows);
        fabric.checkTo(SLOTS);
        queues = fabric.bank.parts().queues()[0];
    }

    /** Some queue of a length, and the node it is at. */
    private int queueOfLength(final int least, final int[] node) {
        for (int link = 0; link < NODES - 1; link++) {
            for (int at = 0; at < NODES; at++) {
                if (queues.length(queues.queue(link, at)) >= least) {
                    node[0] = at;
                    return queues.queue(link, at);
                }
            }
        }
        throw new AssertionError("no queue of length " + least);
    }

    /** Puts a cell into a queue as if it had been received. */
    private void smuggle(final int node, final int link, final int source, final int destination) {
        fabric.bank.maxima().onEnqueue(node,
            queues.append(link, node, ShoalCell.of(source, destination), Cell.of(0, 1 << 20)));
    }

    /** The law of the fabric alone, as a smuggled cell breaks conservation too. */
    private void assertBroken(final String law) {
        final FabricLaws laws = new ShoalLaws(SHOAL, new Bank[] {fabric.bank}, fabric.link);
        final String message = assertThrows(IllegalStateException.class, () -> laws.check(SLOTS - 1)).getMessage();
        assertTrue(message.startsWith(law), message);
    }

    private void assertAuditBroken(final String law) {
        final String message =
            assertThrows(IllegalStateException.class, () -> fabric.audit.check(SLOTS - 1)).getMessage();
        assertTrue(message.startsWith("after slot " + (SLOTS - 1) + ": " + law), message);
    }

    @Test
    void shouldMissACellLostFromAQueue() {
        queues.pop(queueOfLength(1, new int[1]));
        assertAuditBroken("queued cells miscounted");
    }

    @Test
    void shouldMissACellLostInFlight() {
        long at = fabric.link.offset(SLOTS - 1);
        while (fabric.link.route(at) == InFlightCells.NO_CELL) {
            at += InFlightCells.PLACE_BYTES;
        }
        fabric.link.sendIdle(at, 0);
        assertAuditBroken("cells are not conserved");
    }

    @Test
    void shouldNoticeASecondLocalCell() {
        smuggle(2, 4, 2, 7);
        smuggle(2, 4, 2, 6);
        assertBroken("local cells in a queue (I1, Eq. 3): 2");
    }

    @Test
    void shouldNoticeTwoCellsOfOneFlowInAQueue() {
        smuggle(2, 4, 5, 7);
        smuggle(2, 4, 5, 7);
        assertBroken("two cells of one flow in a queue (I2): source=5: node=2 neighbour=7");
    }

    @Test
    void shouldNoticeAFlowThatMaySendWhileItsCellWaits() {
        final int flow = ActiveFlows.number(fabric.bank.parts().scheduler().active.get(0, 0));
        for (int link = 0; link < NODES - 1; link++) {
            final int queue = queues.queue(link, 0);
            if (queues.local(queue) == ShoalQueues.NONE) {
                queues.setLocal(queue, flow);
                queues.append(link, 0, ShoalCell.of(0, 1), Cell.of(0, 1 << 20));
                fabric.bank.parts().throttles().set(0, flow, link, 0);
                assertBroken("a flow may send while its cell waits (I5): node=0");
                return;
            }
        }
        throw new AssertionError("a local cell in every queue");
    }

    @Test
    void shouldNoticeTooManyReadyFlows() {
        final int link = fabric.bank.parts().plan().place(0, (SLOTS - 1) % 4).link;
        queues.setSearched(queues.queue(link, 3), NODES, 0);
        assertBroken("too many ready flows (I4): ready=8 outcast=3: node=3");
    }

    @Test
    void shouldNoticeASilentNode() {
        fabric.link.sendIdle(fabric.link.offset(SLOTS - 1) + 5L * InFlightCells.PLACE_BYTES, InFlightCells.NO_FEEDBACK);
        assertBroken("a node sent nothing (I6): node=5");
    }

    @Test
    void shouldNoticeANodeThatSendsOutOfTurn() {
        // Seven shifts over two channels of four slots: the last place of the second channel is idle.
        assertEquals(3, (SLOTS - 1) % 4);
        fabric.link.sendIdle(fabric.link.offset(SLOTS - 1) + (NODES + 6L) * InFlightCells.PLACE_BYTES, 0);
        assertBroken("a node sent out of turn (I6): node=6");
    }

    @Test
    void shouldNoticeACellServedOutOfTurn() {
        final int[] node = new int[1];
        final int queue = queueOfLength(2, node);
        queues.pop(queue);
        queues.append(queue / NODES, queue % NODES, queues.word(), queues.cell());
        assertAuditBroken("a queue is not served in order, once a turn (I8): node=" + node[0]);
    }

    @Test
    void shouldNoticeAThirdHop() {
        smuggle(2, 4, 5, 3);
        assertBroken("a cell takes a third hop (I9): node=2 neighbour=7");
    }

    private static Shoal shoal(final int nodes, final int channels, final int propagation, final int room) {
        return Parts.shoal(nodes, channels, propagation).with(new Resilience(1, 16, 3, 8, room));
    }

    private static Outcome run(final Shoal shoal, final FlowSet flows) {
        final Outcome outcome = Outcomes.lockStep(shoal, flows, 1, shoal.nodes() < 10, 0);
        assertEquals(flows.size(), outcome.completed().length);
        assertEquals(0, outcome.count(NicCounter.CELLS_OVER_BOUND));
        return outcome;
    }

    /**
     * Every flow of the highest class completes in the very slot in which it does if lower classes send nothing; those
     * of the second one nearly so, as their cells may be refused by a queue that is full of their own.
     */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 2", "8, 1, 5, 0", "9, 2, 0, 1", "16, 4, 3, 2", "40, 1, 0, 0"})
    void shouldNotNoticeLowerClasses(final int nodes, final int channels, final int propagation, final int room) {
        final Shoal shoal = shoal(nodes, channels, propagation, room);
        for (long seed = 1; seed <= 2; seed++) {
            final FlowSet flows = Flows.random(seed, nodes, 12 * nodes, 200, 60).classedBySize(244 * 4, 244 * 12);
            assertEquals(3, flows.classes());
            final Outcome whole = run(shoal, flows);
            final long[] all = Outcomes.completions(whole, flows.size());
            for (int classes = 1; classes < 3; classes++) {
                final int end = classes;
                final List<Integer> kept = new ArrayList<>();
                final FlowSet some = Flows.only(flows, flow -> flows.trafficClass(flow) < end, kept);
                final long[] alone = Outcomes.completions(run(shoal, some), some.size());
                final long[] among = kept.stream().mapToLong(flow -> all[flow]).toArray();
                final String where = "nodes=" + nodes + " classes=" + classes + " seed=" + seed;
                for (int i = 0; i < alone.length; i++) {
                    assertEquals(alone[i], among[i], classes == 1 ? 0 : shoal.schedule().epochSlots(), where);
                }
            }
            assertTrue(whole.count(NicCounter.DROPPED_NO_ROOM) > 0 || room != 1, "seed=" + seed);
        }
    }

    /** Q of class 0 obeys Eq. 3 and 5 in every slot; the lower class, starved, fills and drops, but loses nothing. */
    @Test
    void shouldKeepTheBoundOfTheHighestClass() {
        final int nodes = 12;
        final FlowSet flows = new FlowSet();
        for (int from = 1; from < nodes; from++) {
            Flows.add(flows, from, 0, 150, 0);
            Flows.add(flows, from, 0, 150, 0);
            flows.setClass(1);
        }
        try (FaultyShoal fabric = new FaultyShoal(shoal(nodes, 1, 0, 4), flows, Faults.NONE, 2)) {
            assertTrue(fabric.settle(100_000), fabric.counts());
            assertEquals(0, fabric.laws.exceeded());
            assertTrue(fabric.count(NicCounter.DROPPED_NO_ROOM) > 0);
            assertEquals(fabric.count(NicCounter.DROPPED_NO_ROOM), fabric.count(NicCounter.CELLS_REFUSED));
            assertEquals(2 * 150 * (nodes - 1), fabric.count(NicCounter.CELLS_DELIVERED));
            assertEquals(0, fabric.lost());
        }
    }

    @Test
    void shouldServeTheHighestClassFirst() {
        final int nodes = 8;
        final FlowSet flows = new FlowSet();
        for (int number = 3; number >= 0; number--) {
            for (int from = 1; from < nodes; from++) {
                Flows.add(flows, from, 0, 100, 0);
                flows.setClass(number);
            }
        }
        final long[] in = Outcomes.completions(run(shoal(nodes, 1, 0, 0), flows), flows.size());
        final long[] first = new long[4];
        final long[] last = new long[4];
        for (int flow = 0; flow < flows.size(); flow++) {
            final int number = flows.trafficClass(flow);
            first[number] = first[number] == 0 ? in[flow] : Math.min(first[number], in[flow]);
            last[number] = Math.max(last[number], in[flow]);
        }
        for (int number = 1; number < 4; number++) {
            assertTrue(last[number - 1] < first[number], "class " + number + " is done before the one above it");
        }
        // Seven links into the node, each a cell an epoch of seven slots: a cell a slot for all classes together.
        assertEquals(4 * 700, last[3], 60);
    }

    @Test
    void shouldTellClassesBySize() {
        final FlowSet flows = new FlowSet();
        for (final long bytes : new long[] {1, 100, 101, 1000, 1001, Long.MAX_VALUE}) {
            flows.add(1, 0, 1, bytes, 1, 0);
        }
        assertEquals(1, flows.classes());
        final FlowSet classed = flows.classedBySize(100, 1000);
        final int[] numbers = new int[flows.size()];
        for (int flow = 0; flow < numbers.length; flow++) {
            numbers[flow] = classed.trafficClass(flow);
            assertEquals(flows.bytes(flow), classed.bytes(flow));
            assertEquals(0, flows.trafficClass(flow));
        }
        assertArrayEquals(new int[] {0, 0, 1, 1, 2, 2}, numbers);
        assertEquals(3, classed.classes());
        assertThrows(IllegalArgumentException.class, () -> flows.classedBySize(1, 2, 3, 4));
        assertThrows(IllegalArgumentException.class, () -> flows.classedBySize(2, 2));
        assertThrows(IllegalArgumentException.class, () -> flows.setClass(4));
        assertThrows(IllegalArgumentException.class, () -> flows.setClass(-1));
        assertThrows(IllegalArgumentException.class, () -> new FlowSet().setClass(0));
    }
}
