package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Shoal fabric that breaks a law is found out, by the law's name; each test breaks one in a sound, busy fabric. */
final class ShoalLawsTest {
    private static final int NODES = 8;
    private static final int SLOTS = 100;
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
        fabric = new HandSteppedShoal(
            Shoal.of(RoundRobin.plain(NODES, 2), ReleaseRule.EXACT, true, 3), flows);
        fabric.checkTo(SLOTS);
        queues = fabric.bank.parts().queues()[0];
    }

    @AfterEach
    void close() {
        fabric.close();
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
        final FabricLaws laws = new ShoalLaws(
            Shoal.of(RoundRobin.plain(NODES, 2), ReleaseRule.EXACT, true, 3), new Bank[] {fabric.bank}, fabric.link);
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
        final int link = fabric.bank.parts().plan().link((SLOTS - 1) % 4);
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

    @Test
    void shouldFindNothingInASoundFabric() {
        fabric.checkTo(2 * SLOTS);
        assertEquals(2 * SLOTS, fabric.slot);
    }
}
