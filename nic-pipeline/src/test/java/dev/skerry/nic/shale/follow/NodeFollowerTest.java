package dev.skerry.nic.shale.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;

/** Node 0 of nine, followed by hand: slots 0 and 1 lead to nodes 1 and 2, slots 2 and 3 to nodes 3 and 6. */
final class NodeFollowerTest {
    private static final int NODES = 9;

    private final FindingLog log = new FindingLog(10);
    private final NodeCells sent = new NodeCells(1);
    private final NodeCells received = new NodeCells(1);
    private NodeFollower follower = follower(1, FollowRules.STRICT);

    private NodeFollower follower(final int tokens, final FollowRules rules) {
        final Phased schedule = new Phased(2, 3);
        return new NodeFollower(new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, tokens, tokens,
            0, 1), CellNames.pairs(NODES, 4), 0, rules, log);
    }

    private static long cell(final int source, final int destination, final int sequence) {
        return Cell.of(source * NODES + destination, sequence);
    }

    private void receives(final int source, final int destination, final int sequence, final int sprays) {
        received.set(0, Route.first(destination, sprays, 0), cell(source, destination, sequence),
            InFlightCells.NO_FEEDBACK);
    }

    private void sends(final int source, final int destination, final int sequence, final int sprays) {
        sent.set(0, Route.first(destination, sprays, 0), cell(source, destination, sequence),
            InFlightCells.NO_FEEDBACK);
    }

    private void step(final int joined) {
        follower.step(follower.slot(), received, sent, joined);
        sent.clear();
        received.clear();
    }

    private void step() {
        step(NodeFollower.UNTOLD);
    }

    private String first() {
        return log.list().getFirst().toString();
    }

    @Test
    void shouldKnowACellWhenItIsSeen() {
        receives(2, 8, 0, 1);
        step();
        assertEquals(1, follower.open());
        step();
        step();
        assertEquals(0, follower.open(), "it might have gone to node 3");
        sends(2, 8, 0, 0);
        step();
        assertEquals(1, follower.spent(3, Route.bucket(8, 0)));
        step();
        sent.set(0, InFlightCells.NO_CELL, 0, Route.bucket(8, 1) | -1L << Integer.SIZE);
        step();
        assertTrue(log.none(), log.text());
    }

    @Test
    void shouldFindWhatStaysAway() {
        receives(2, 8, 0, 1);
        step();
        step();
        step();
        step();
        assertEquals("slot 3 node 0 link 3 bucket <8,1>: order: expected cell 2>8 seq 0 to <8,0>, seen a dummy",
            first());
    }

    @Test
    void shouldFindALinkThatIsNotShortest() {
        receives(2, 8, 0, 1);
        step(2);
        receives(1, 7, 0, 1);
        step(2);
        assertEquals("slot 1 node 0 link 2 bucket <7,1>: route: expected cell 1>7 seq 0 to <7,0> to join a shortest "
            + "queue of phase 1, seen link 2", first());
        assertEquals(2, follower.held());
    }

    @Test
    void shouldFindANeighbourThatSendsTooMuch() {
        for (int epoch = 0; epoch < 2; epoch++) {
            receives(2, 8, epoch, 1);
            step(2);
            for (int slot = 1; slot < 4; slot++) {
                step();
            }
        }
        assertTrue(log.list().stream().anyMatch(each -> each.law() == Law.CAPACITY && each.slot() == 4
            && each.link() == 1), log.text());
    }

    /** A token that waits for its link counts as a cell does. */
    @Test
    void shouldFindANeighbourThatDoesNotWaitForItsToken() {
        receives(2, 8, 0, 1);
        step(3);
        step();
        step();
        sends(2, 8, 0, 0);
        step();
        receives(2, 8, 1, 1);
        step(2);
        assertEquals("slot 4 node 0 link 1 bucket <8,1>: capacity: expected at most 1 cells of a bucket and tokens "
            + "owed for it, seen a cell beside 1", first());
    }

    @Test
    void shouldFindATokenFromNowhereAndGoOn() {
        received.set(0, InFlightCells.NO_CELL, 0, Route.bucket(5, 1) | -1L << Integer.SIZE);
        step();
        assertEquals("slot 0 node 0 link 1 bucket <5,1>: token: expected no token to arrive, as none is out, seen "
            + "<5,1>", first());
        for (int slot = 0; slot < 100; slot++) {
            step();
        }
        assertEquals(1, log.total());
    }

    @Test
    void shouldTellWrappedSequenceNumbersFromRepeatedOnes() {
        for (int sequence = 0; sequence < 40; sequence++) {
            sends(0, 1, sequence % 16, 1);
            step();
            step();
            step();
            step();
        }
        assertTrue(log.none(), log.text());
        sends(0, 1, 7, 1);
        step();
        assertEquals("slot 160 node 0 link 0 bucket <1,1>: conservation: expected seq 8, seen cell 0>1 seq 7 to <1,1>, "
            + "which left before", first());
    }

    @Test
    void shouldTakeSilenceWherePermitted() {
        sent.set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
        step();
        assertEquals("slot 0 node 0 link 0: schedule: expected a cell or a dummy, seen nothing", first());
        final long before = log.total();
        follower = follower(1, new FollowRules(true));
        sent.set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
        step();
        assertEquals(before, log.total());
    }

    @Test
    void shouldListEachPlaceOnceAndUpToTheLimit() {
        final FindingLog few = new FindingLog(2);
        for (int slot = 0; slot < 5; slot++) {
            for (int link = 0; link < 3; link++) {
                few.add(new Finding(Law.ORDER, slot, 0, link, null, "a", "b"));
            }
        }
        assertEquals(15, few.total());
        assertEquals(2, few.list().size());
        assertEquals("""
            first: slot 0 node 0 link 0: order: expected a, seen b (5 times, last in slot 4)
            then:  slot 0 node 0 link 1: order: expected a, seen b (5 times, last in slot 4)
            5 more beyond the limit of 2
            """, few.text());
    }

    @Test
    void shouldCompareRegistersAndTakeThemOver() {
        follower.step(0, received, sent);
        follower.expectHeld(0);
        follower.expectLength(1, 0);
        follower.expectTokensLeft(1, Route.bucket(5, 1), 1);
        assertTrue(log.none(), log.text());
        follower.expectTokensLeft(1, Route.bucket(5, 1), 0);
        follower.expectTokensLeft(1, Route.bucket(5, 1), 0);
        follower.expectHeld(1);
        follower.expectLength(1, 1);
        assertEquals(3, log.total());
        assertEquals("slot 0 node 0 link 1 bucket <5,1>: token: expected 1 tokens left, seen 0 left", first());
    }

    @Test
    void shouldBeginWithTheRegistersOfADevice() {
        follower.beginAt(1001);
        follower.hold(cell(2, 8, 5), 3, Route.bucket(8, 0), 1, Route.bucket(8, 1));
        follower.owe(2, Route.bucket(4, 1));
        follower.setSpent(1, Route.bucket(5, 1), 1);
        follower.setNext(1, 9);
        received.set(0, InFlightCells.NO_CELL, 0, InFlightCells.NO_FEEDBACK);
        sent.set(0, InFlightCells.NO_CELL, 0, InFlightCells.NO_FEEDBACK);
        step();
        sent.set(0, InFlightCells.NO_CELL, 0, Route.bucket(4, 1) | -1L << Integer.SIZE);
        step();
        sends(2, 8, 5, 0);
        step();
        sends(0, 1, 9, 1);
        received.set(0, InFlightCells.NO_CELL, 0, Route.bucket(5, 1) | -1L << Integer.SIZE);
        step();
        assertTrue(log.none(), log.text());
        assertEquals(0, follower.spent(1, Route.bucket(5, 1)));
        sends(0, 5, 1, 1);
        sent.set(0, sent.route(0), sent.cell(0), Route.bucket(8, 1) | -1L << Integer.SIZE);
        step();
        assertTrue(log.none(), log.text());
        sends(0, 5, 3, 1);
        step();
        assertEquals(Law.ORDER, log.list().getFirst().law(), log.text());
    }

    @Test
    void shouldRefuseOtherFabrics() {
        final Phased schedule = new Phased(2, 3);
        for (final Shale shale : new Shale[] {
            new Shale(schedule, Population.complete(schedule), Mechanisms.NONE.with(TieRule.LOWEST), 1, 1, 0, 1),
            new Shale(schedule, Population.of(schedule, 7, 0), Mechanisms.HBH, 1, 1, 0, 1)}) {
            assertThrows(IllegalArgumentException.class, () -> new NodeFollower(shale, CellNames.pairs(NODES, 4), 0,
                FollowRules.STRICT, log));
        }
        assertThrows(IllegalArgumentException.class, () -> follower.step(1, received, sent));
    }
}
