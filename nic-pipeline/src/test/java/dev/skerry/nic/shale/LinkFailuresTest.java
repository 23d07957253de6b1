package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.TokenProbe;
import dev.skerry.nic.shale.control.Unlimited;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * What one node does when a link fails or a neighbour tells of one (docs/spec/shale.md §8.3, §8.4): node 0 of 4 x 4 x
 * 4.
 */
final class LinkFailuresTest {
    private static final Phased SCHEDULE = new Phased(3, 4);
    private static final int LINKS = SCHEDULE.epochSlots();
    /** Link 0 of phase 1, to node 4, and the others of the phase, to nodes 8 and 12. */
    private static final int LINK = 3;
    /** The link by which all cells of the test came: that of phase 0 to node 1. */
    private static final int OWED = 0;

    private final Arena arena = Arena.ofConfined();
    private final List<String> drops = new ArrayList<>();
    private final NodeMaxima maxima = new NodeMaxima(1);
    private EligibilityQueues queues;
    private QueueBank bank;
    private HopByHop tokens;
    private PathReachability reach;
    private LinkFailures failures;

    @AfterEach
    void close() {
        arena.close();
    }

    private void build(final boolean resprayLastHop) {
        final Shale shale = new Shale(SCHEDULE, Population.complete(SCHEDULE), Mechanisms.HBH_SPRAY, 1, 1, 0, 1,
            new FailureRules(1, resprayLastHop));
        final SpillPool pool = new SpillPool(arena, 100);
        queues = new EligibilityQueues(arena, LINKS, pool);
        reach = new PathReachability(arena, shale, 0, 1, pool);
        final ShaleRouter router = new ShaleRouter(arena, shale, 1, queues, Unlimited.INSTANCE, reach);
        tokens = new HopByHop(arena, shale, 1, pool);
        final DroppedCells dropped = (node, cell, loss) -> drops.add(cell + " " + loss);
        bank = new QueueBank(new SlotMath(SCHEDULE, 1), queues, router, maxima, tokens, tokens, dropped, true);
        failures = new LinkFailures(arena, shale, 0, 1, pool, bank, reach);
    }

    /** A cell that came with some spraying hops to go waits at a link for one with fewer, or none. */
    private void wait(final int cell, final int link, final int destination, final int came) {
        final boolean last = SCHEDULE.peerOf(0, link) == destination;
        final long entry = Route.queued(Route.first(destination, came, 9), Math.max(came - 1, 0), last, OWED);
        bank.enqueue(0, link, entry, cell);
    }

    private List<String> at(final int link) {
        final List<String> cells = new ArrayList<>();
        queues.forEach(link, (entry, cell) -> cells.add(cell + " n=" + Route.sprays(entry)
            + (Route.isFinal(entry) ? " final" : "") + (Route.owes(entry) ? "" : " owes nothing")));
        return cells;
    }

    /** Tokens that ride back over a link, each once. */
    private List<Integer> returned(final int link) {
        final List<Integer> returned = new ArrayList<>();
        for (long two = tokens.takeFeedback(link); two != InFlightCells.NO_FEEDBACK; two = tokens.takeFeedback(link)) {
            returned.addAll(TokenProbe.tokens(two));
        }
        return returned;
    }

    private List<Integer> notices(final int link) {
        final List<Integer> waiting = new ArrayList<>();
        for (int notice = reach.notices.poll(link); notice != FailureNotices.NONE;) {
            waiting.add(notice);
            notice = reach.notices.poll(link);
        }
        return waiting;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDropRestartAndMoveWhenALinkFails(final boolean resprayLastHop) {
        build(resprayLastHop);
        wait(1, LINK, 4, 0);
        wait(2, LINK, 4 + 32, 0);
        wait(3, LINK, 63, 2);
        wait(4, LINK, 4, 2);
        wait(5, LINK, 61, 1);
        wait(6, LINK + 1, 8, 0);
        assertTrue(tokens.admitLocal(LINK, 0, 50));
        failures.onMiss(0, LINK);
        assertFalse(reach.isUp(LINK));
        assertEquals(List.of(), at(LINK));
        assertTrue(TokenProbe.idle(tokens, LINK), "tokens outstanding towards a failed link are void");
        // (a) and (b): the last hop is dropped, the direct hop starts anew; tokens are returned at once (d).
        final List<String> stayed = new ArrayList<>(at(LINK + 1));
        stayed.addAll(at(LINK + 2));
        assertTrue(stayed.remove("6 n=0 final"));
        // (c): the others are on other links of the phase, and still owe a token.
        assertTrue(stayed.remove("3 n=1"), stayed.toString());
        assertTrue(stayed.remove("5 n=0"), stayed.toString());
        final List<Integer> tokensBack = returned(OWED);
        assertEquals(Route.bucket(4, 0), tokensBack.removeFirst());
        assertEquals(Route.bucket(36, 0), tokensBack.removeFirst());
        if (resprayLastHop) {
            assertEquals(List.of(), drops);
            assertEquals(List.of("4 n=1"), stayed);
            assertEquals(2, failures.waiting(0));
        } else {
            assertEquals(List.of("1 DROPPED_LAST_HOP", "4 DROPPED_LAST_HOP"), drops);
            assertEquals(List.of(), stayed);
            assertEquals(1, failures.waiting(0));
            assertEquals(Route.bucket(4, 2), tokensBack.removeFirst());
        }
        assertEquals(List.of(), tokensBack);
        assertEquals(6 - drops.size(), maxima.held(0));
        // (e)
        for (int link = 0; link < LINKS; link++) {
            assertEquals(link == LINK ? List.of() : List.of(FailureNotices.of(Route.bucket(4, 0), true)),
                notices(link), "link=" + link);
        }
    }

    @Test
    void shouldStartARestartAsAFirstHopForATokenOfItsOwn() {
        build(false);
        wait(2, LINK, 36, 0);
        failures.onMiss(0, LINK);
        assertFalse(failures.pollRestart(0, LINK), "the link is down");
        // The first-hop token of this link is out.
        assertTrue(tokens.admitLocal(7, 0, 36));
        assertFalse(failures.pollRestart(0, 7), "no token is left");
        assertTrue(failures.pollRestart(0, 8));
        assertEquals(2, failures.cell());
        assertEquals(Route.first(36, 2, 9), failures.route());
        assertFalse(tokens.canStart(8, 36));
        assertEquals(0, failures.waiting(0));
        assertEquals(0, maxima.held(0));
    }

    @Test
    void shouldOweNothingForCellsThatCameOverALinkThatFailed() {
        build(false);
        wait(1, LINK, 63, 2);
        failures.onMiss(0, OWED);
        assertEquals(List.of("1 n=1 owes nothing"), at(LINK));
        final boolean sent = queues.dequeue(LINK, (queue, entry) -> true);
        assertTrue(sent);
        bank.owe(0, queues.entry());
        assertTrue(TokenProbe.idle(tokens, OWED));
    }

    /** Node 4 says that a hop to node 20 = 4 + 16 has failed: its own, in phase 2, as it differs only there. */
    @Test
    void shouldBlockExactlyTheCellsWhosePathIsTold() {
        build(false);
        wait(1, LINK, 20, 0);
        wait(2, LINK, 21, 0);
        wait(3, LINK, 36, 0);
        wait(4, LINK, 21, 1);
        wait(5, LINK, 37, 1);
        wait(6, LINK, 21, 2);
        failures.onNotice(LINK, 0, FailureNotices.of(Route.bucket(20, 0), true));
        assertTrue(reach.isUp(LINK));
        // 1 ends with the failed hop, 2 crosses it; 4 would after its last spray; the rest does not touch it.
        assertEquals(List.of("1 DROPPED_LAST_HOP"), drops);
        assertEquals(1, failures.waiting(0));
        assertEquals(List.of("3 n=0", "5 n=0", "6 n=1"), at(LINK));
        assertEquals(1, at(LINK + 1).size() + at(LINK + 2).size());
        // Phase 2 was the failed hop's, phase 1 is this link's: phases 2 and 0 are told.
        for (int link = 0; link < LINKS; link++) {
            assertEquals(link / 3 == 1 ? List.of() : List.of(FailureNotices.of(Route.bucket(20, 0), true)),
                notices(link), "link=" + link);
        }
        failures.onNotice(LINK, 0, FailureNotices.of(Route.bucket(20, 0), false));
        assertFalse(reach.isTroubled(0));
        assertEquals(List.of(FailureNotices.of(Route.bucket(20, 0), false)), notices(0));
        // Again, and something that was never lost: nothing changes, and nobody is told.
        failures.onNotice(LINK, 0, FailureNotices.of(Route.bucket(20, 0), false));
        failures.onNotice(LINK, 0, FailureNotices.of(Route.bucket(4, 0), true));
        assertEquals(List.of(), notices(0));
        assertEquals(1, reach.errors(), "node 4 cannot say that the way to itself is lost");
    }

    /** All neighbours of a phase say they cannot spray to a node: cells are dropped, and the phase before is told. */
    @Test
    void shouldPassOnThatNoLinkOfAPhaseIsUsable() {
        build(false);
        wait(1, LINK, 63, 2);
        for (int link = LINK; link < LINK + 3; link++) {
            failures.onNotice(link, 0, FailureNotices.of(Route.bucket(63, 1), true));
        }
        assertEquals(List.of("1 DROPPED_NO_LINK"), drops);
        assertEquals(List.of(Route.bucket(63, 2)), returned(OWED));
        for (int link = 0; link < LINKS; link++) {
            assertEquals(link / 3 == 0 ? List.of(FailureNotices.of(Route.bucket(63, 2), true)) : List.of(),
                notices(link), "link=" + link);
        }
        failures.onNotice(LINK + 1, 0, FailureNotices.of(Route.bucket(63, 1), false));
        assertEquals(List.of(FailureNotices.of(Route.bucket(63, 2), false)), notices(1));
        assertEquals(0, reach.unreachableReports());
        for (int link = 0; link < LINKS; link++) {
            failures.onNotice(link, 0, FailureNotices.of(Route.bucket(63, 2), true));
            assertFalse(failures.admitLocal(link, 0, 63));
            assertEquals(link == LINKS - 1 ? 1 : 0, reach.unreachableReports(), "link=" + link);
        }
        assertTrue(failures.admitLocal(0, 0, 62));
    }
}
