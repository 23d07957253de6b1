package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.TokenProbe;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.util.function.LongPredicate;

/** A fabric that breaks a law is found out at once, by the law's name; each test breaks one in a sound, busy fabric. */
final class AuditTest {
    private static final int NODES = 16;
    private final Phased schedule = new Phased(2, 4);
    private final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 2, 2, 5, 1);
    private HandStepped fabric;
    private HopByHop tokens;

    @BeforeEach
    void build() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < NODES; from++) {
            flows.add(from, from, (from + 7) % NODES, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        fabric = new HandStepped(shale, flows, 1);
        fabric.stepTo(100);
        tokens = (HopByHop) fabric.banks[0].parts().control();
    }

    @AfterEach
    void close() {
        fabric.close();
    }

    @Test
    void shouldMissACellLostInFlight() {
        final long at = busy();
        fabric.link.sendIdle(at, fabric.link.feedback(at));
        assertBroken("cells are not conserved");
    }

    @Test
    void shouldNoticeACellDeliveredTwice() {
        fabric.banks[0].parts().deliveries().deliver(99, 7, Cell.of(0, 0), 5);
        assertBroken("cells are not conserved");
    }

    @Test
    void shouldMissACellLostFromAQueue() {
        int queue = 0;
        while (!fabric.banks[0].parts().queues().queues().dequeue(queue, Eligibility.ALWAYS)) {
            queue++;
        }
        assertBroken("queued cells miscounted: node=" + queue % NODES + " ");
    }

    @Test
    void shouldNoticeATokenSpentForNothing() {
        int queue = 0;
        while (!TokenProbe.leak(tokens, queue, queue % NODES, (queue % NODES + 10) % NODES)) {
            queue++;
        }
        assertBroken("token law (I1) broken: slot=99 sender=" + queue % NODES + " link=" + queue / NODES
            + " destination=" + (queue + 10) % NODES + " sprays=1 outstanding minus found=1");
    }

    @Test
    void shouldNoticeATokenLostOnItsWay() {
        long at = fabric.link.offset(99);
        while (fabric.link.feedback(at) == InFlightCells.NO_FEEDBACK) {
            at += InFlightCells.PLACE_BYTES;
        }
        if (fabric.link.route(at) == InFlightCells.NO_CELL) {
            fabric.link.sendIdle(at, InFlightCells.NO_FEEDBACK);
        } else {
            fabric.link.send(at, fabric.link.route(at), fabric.link.cell(at), InFlightCells.NO_FEEDBACK);
        }
        assertBroken("token law (I1) broken");
    }

    @Test
    void shouldNoticeABudgetExceeded() {
        TokenProbe.overspend(tokens, 0, Route.bucket(10, 0), 3);
        assertBroken("budget exceeded (I1, I2): node=0 link=0 destination=10 sprays=0");
    }

    @Test
    void shouldNoticeATokenThatNamesItsReceiver() {
        final int peer = schedule.peerOf(3, 99);
        final long at = fabric.link.offset(99) + 3L * InFlightCells.PLACE_BYTES;
        fabric.link.send(at, fabric.link.route(at), fabric.link.cell(at), TokenProbe.feedback(peer, 0));
        assertBroken("token names an end of its link (I3): from=3 to=" + peer);
    }

    @Test
    void shouldNoticeABucketActiveWithoutReason() {
        // A node never has a bucket of which it is the destination itself.
        tokens.onEnqueue(4, Route.queued(Route.first(4, 1, 99), 0, false, 0));
        assertBroken("active buckets miscounted: node=4");
    }

    /** A token too many that rides with a cell: it is ignored and counted, and the account of its link stays right. */
    @Test
    void shouldIgnoreAndCountATokenThatWasNeverSpent() {
        long at = fabric.link.offset(99);
        int id = 0;
        while (fabric.link.feedback(at) != InFlightCells.NO_FEEDBACK) {
            at += InFlightCells.PLACE_BYTES;
            id++;
        }
        // No node ever spends a token for cells to itself.
        final long surplus = TokenProbe.feedback(schedule.peerOf(id, 99), 1);
        fabric.link.send(at, fabric.link.route(at), fabric.link.cell(at), surplus);
        for (int slot = 0; slot < 6; slot++) {
            fabric.move();
        }
        assertEquals(1, fabric.count(NicCounter.TOKEN_ANOMALY));
        fabric.audit.check(105);
        fabric.stepTo(150);
        tokens.onNotice(0, 0, Route.bucket(0, 1));
        assertEquals(2, fabric.count(NicCounter.TOKEN_ANOMALY));
        fabric.stepTo(200);
    }

    @Test
    void shouldNoticeMoreCellsThanNeighboursMaySend() {
        for (int cell = 0; cell < 6 * 4 + 1; cell++) {
            fabric.banks[0].parts().queues().queues().enqueue(2 * NODES + 4,
                Route.queued(Route.bucket(9, 0), 0, false, cell % 6), 0);
        }
        assertLawBroken("buffer bound (I6) exceeded: node=4 destination=9 cells=25 bound=24");
    }

    @Test
    void shouldNoticeACellThatSpraysOnceTooOften() {
        fabric.stepTo(101);
        fabric.move();
        changeRoute(route -> Route.sprays(route) == 0, 1);
        assertPathBroken("a cell does not come closer: ");
    }

    @Test
    void shouldNoticeACellThatTurnsUpWhereItDidNotGo() {
        fabric.stepTo(101);
        fabric.move();
        final long at = changeRoute(route -> Route.sprays(route) == 0, 0);
        final int id = (int) ((at - fabric.link.offset(101)) / InFlightCells.PLACE_BYTES);
        fabric.link.send(at, fabric.link.route(at), cellOnItsWay(id), fabric.link.feedback(at));
        assertPathBroken("a cell leaves a node that it did not go to: ");
    }

    @Test
    void shouldNoticeACellThatStartsWithoutItsSprayingHops() {
        fabric.stepTo(101);
        fabric.move();
        final long at = changeRoute(route -> Route.sprays(route) == 1, 0);
        fabric.link.send(at, Route.first(Route.destination(fabric.link.route(at)), 0, 101), Cell.of(3, 1 << 20),
            fabric.link.feedback(at));
        assertPathBroken("a cell starts on its way: ");
    }

    @Test
    void shouldNoticeALinkThatIsDownAndNotEmpty() {
        fabric.close();
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 5, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        fabric = new HandStepped(shale, Scripts.of(new Fault.Link(0, 3, schedule.peerOf(3, 0), false)), flows, 1);
        fabric.stepTo(100);
        // The other direction is down as well, as that end misses cells.
        final int peer = schedule.peerOf(3, 0);
        final int back = schedule.linkTowards(peer, 3, 0);
        fabric.banks[0].parts().queues().queues().enqueue(back * NODES + peer,
            Route.queued(Route.first(9, 0, 1), 0, false, 0), 0);
        fabric.banks[0].maxima().onEnqueue(peer, 1);
        assertLawBroken("a link that is down is not empty: node=" + peer + " link=" + back);
    }

    @Test
    void shouldFindNothingInASoundFabric() {
        fabric.audit.check(99);
        fabric.stepTo(200);
        assertEquals(200, fabric.slot);
    }

    /** Gives the first cell of slot 101 that is such a one, and goes on to no end, other spraying hops; its place. */
    private long changeRoute(final LongPredicate which, final int sprays) {
        for (int id = 0; id < NODES; id++) {
            final long at = fabric.link.offset(101) + (long) id * InFlightCells.PLACE_BYTES;
            final long route = fabric.link.route(at);
            if (Route.isCell(route) && which.test(route) && Route.destination(route) != schedule.peerOf(id, 101)) {
                fabric.link.send(at, route - Route.sprays(route) + sprays, fabric.link.cell(at),
                    fabric.link.feedback(at));
                return at;
            }
        }
        throw new AssertionError("no such cell in slot 101");
    }

    /** A cell that was sent in slot 100, neither to a node nor on its last hop. */
    private long cellOnItsWay(final int notTo) {
        for (int id = 0; id < NODES; id++) {
            final long at = fabric.link.offset(100) + (long) id * InFlightCells.PLACE_BYTES;
            final int peer = schedule.peerOf(id, 100);
            if (Route.isCell(fabric.link.route(at)) && Route.destination(fabric.link.route(at)) != peer
                && peer != notTo) {
                return fabric.link.cell(at);
            }
        }
        throw new AssertionError("no such cell in slot 100");
    }

    private long busy() {
        long at = fabric.link.offset(99);
        while (fabric.link.route(at) == InFlightCells.NO_CELL) {
            at += InFlightCells.PLACE_BYTES;
        }
        return at;
    }

    private void assertBroken(final String law) {
        assertThrown("after slot 99: " + law, () -> fabric.audit.check(99));
    }

    private void assertPathBroken(final String law) {
        assertThrown("after slot 101: path law (I5) broken, " + law, () -> fabric.audit.check(101));
    }

    private void assertLawBroken(final String law) {
        assertThrown(law, () -> Parts.of(shale).laws(fabric.banks, fabric.link).check(99));
    }

    private static void assertThrown(final String start, final Executable check) {
        final String message = assertThrows(IllegalStateException.class, check).getMessage();
        assertTrue(message.startsWith(start), message);
    }
}
