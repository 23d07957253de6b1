package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Two ends of one link, a cell each way an epoch, that arrives some epochs later or not at all. */
final class LinkStatesTest {
    /** For what node 0 does when a link fails or a neighbour tells of one (docs/spec/shale.md §8.3, §8.4). */
    private static final Phased SCHEDULE = new Phased(3, 4);
    private static final int LINKS = SCHEDULE.epochSlots();
    /** Link 0 of phase 1, to node 4, and the others of the phase, to nodes 8 and 12. */
    private static final int LINK = 3;
    /** The link by which all cells of the test came: that of phase 0 to node 1. */
    private static final int OWED = 0;

    private final Arena arena = Arena.ofAuto();
    private final End[] ends = new End[2];
    private final boolean[] cut = new boolean[2];
    private int epoch;
    private final List<String> drops = new ArrayList<>();
    private final NodeMaxima maxima = new NodeMaxima(1);
    private EligibilityQueues queues;
    private QueueBank bank;
    private HopByHop tokens;
    private PathReachability reach;
    private LinkFailures failures;

    /** What is under way: a cell with the sender's life, a probe, or nothing. */
    private record Sent(boolean probe, int life, long says) {
    }

    private static final class End {
        LinkStates states;
        final Deque<Sent> arriving = new ArrayDeque<>();
        /** How often it came up: the number of its life while it is up. */
        int lives;
        int probes;
        /** By own life: the life of the other end whose cells it took in. */
        final Map<Integer, Integer> heard = new HashMap<>();
    }

    private void build(final int propagationEpochs, final int missLimit) {
        final Phased schedule = new Phased(1, 5);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH, 1, 1,
            propagationEpochs * schedule.epochSlots(), 1, new FailureRules(missLimit, false));
        for (int i = 0; i < 2; i++) {
            ends[i] = new End();
            ends[i].states = new LinkStates(arena, shale, 0, 1);
            for (int under = 0; under < propagationEpochs; under++) {
                ends[i].arriving.add(new Sent(false, 0, 0));
            }
        }
    }

    /** An epoch: each end sends, then takes in what arrives, unless it is lost. */
    private void step(final double loss, final Random random) {
        for (int i = 0; i < 2; i++) {
            final End end = ends[i];
            Sent sent = new Sent(false, end.lives, 0);
            if (!end.states.isUp(0)) {
                final long says = end.states.probe(0);
                sent = says == LinkStates.NO_PROBE ? null : new Sent(true, 0, says);
                end.probes += sent == null ? 0 : 1;
            }
            final boolean lost = sent == null || cut[i] || random.nextDouble() < loss;
            ends[1 - i].arriving.add(lost ? new Sent(true, 0, LinkStates.NO_PROBE) : sent);
        }
        for (final End end : ends) {
            take(end, end.arriving.remove());
        }
        epoch++;
    }

    private void take(final End end, final Sent sent) {
        final int change = !sent.probe ? end.states.onCell(0)
            : sent.says == LinkStates.NO_PROBE ? end.states.onMiss(0) : end.states.onProbe(0, sent.says);
        end.lives += change == LinkStates.CAME_UP ? 1 : 0;
        if (change == LinkStates.CAME_UP || change == LinkStates.WENT_DOWN) {
            assertEquals(change == LinkStates.CAME_UP, end.states.isUp(0));
        }
        if (!sent.probe && end.states.isUp(0)) {
            assertEquals(sent.life, end.heard.computeIfAbsent(end.lives, life -> sent.life),
                "cells of two lives in one: epoch=" + epoch);
        }
    }

    private boolean areUp() {
        return ends[0].states.isUp(0) && ends[1].states.isUp(0);
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 1", "2, 1, 1", "3, 3, 1", "4, 10, 1", "5, 10, 3", "6, 25, 1", "7, 2, 8", "8, 0, 2"})
    void shouldBeginEveryLifeEmptyHoweverMuchIsLost(final long seed, final int propagationEpochs, final int missLimit) {
        final Random random = new Random(seed);
        build(propagationEpochs, missLimit);
        for (int round = 0; round < 400; round++) {
            final double loss = random.nextInt(3) == 0 ? 0 : random.nextDouble() * 0.4;
            cut[random.nextInt(2)] = random.nextInt(4) == 0;
            for (int i = random.nextInt(4 * (propagationEpochs + 5)); i > 0; i--) {
                step(loss, random);
            }
        }
        Arrays.fill(cut, false);
        for (int i = 0; i < 256 + 8 * (propagationEpochs + 8); i++) {
            step(0, random);
        }
        assertTrue(areUp(), "seed=" + seed);
        assertTrue(ends[0].lives > 20, "seed=" + seed + " lives=" + ends[0].lives);
        // Both say the same of who lived when: the pairs of one end are those of the other.
        ends[0].heard.forEach((own, theirs) -> {
            final Integer back = ends[1].heard.get(theirs);
            assertTrue(back == null || back.equals(own), () -> "seed=" + seed + " life=" + own);
        });
    }

    @Test
    void shouldGoDownAtBothEndsWhenOneDirectionBreaks() {
        build(2, 1);
        final Random random = new Random(1);
        cut[0] = true;
        step(0, random);
        step(0, random);
        assertTrue(areUp());
        step(0, random);
        assertTrue(ends[0].states.isUp(0));
        assertFalse(ends[1].states.isUp(0), "the first cell that is missing");
        for (int i = 0; i < 3; i++) {
            step(0, random);
        }
        assertFalse(ends[0].states.isUp(0), "it hears nothing any more, as the other end has stopped");
        for (int i = 0; i < 3000; i++) {
            step(0, random);
            assertFalse(ends[0].states.isUp(0) || ends[1].states.isUp(0));
        }
        // The end that hears nothing probes after 8, 16, .. 256 epochs, then every 256; the other one answers.
        assertEquals(6 + (3000 - 504) / 256, ends[1].probes, 1);
        assertTrue(ends[0].probes > 3 * ends[1].probes, "probes=" + ends[0].probes);
        assertEquals(1, ends[0].states.wentDown);
        assertEquals(1, ends[1].states.wentDown);
    }

    @Test
    void shouldComeUpAfterAHandfulOfEpochsOnceBothAreHeard() {
        build(3, 1);
        final Random random = new Random(1);
        cut[0] = true;
        for (int i = 0; i < 12; i++) {
            step(0, random);
        }
        cut[0] = false;
        int epochs = 0;
        while (!areUp()) {
            step(0, random);
            assertTrue(++epochs < 16 + 4 * 3 + 2 * LinkStates.HEARD_ENOUGH + 4, "epochs=" + epochs);
        }
        assertTrue(epochs >= LinkStates.HEARD_ENOUGH, "epochs=" + epochs);
        assertEquals(1, ends[0].states.cameUp);
    }

    /** As many misses put it down each time, and probes become as rare as in the life before. */
    @Test
    void shouldBeginEveryLifeAlike() {
        build(0, 3);
        final Random random = new Random(1);
        for (int life = 0; life < 3; life++) {
            Arrays.fill(cut, true);
            final int before = ends[0].probes;
            for (int epochs = 0; epochs < 600; epochs++) {
                assertEquals(epochs < 3, ends[0].states.isUp(0), "life=" + life + " epochs=" + epochs);
                step(0, random);
            }
            assertEquals(6, ends[0].probes - before, "life=" + life);
            Arrays.fill(cut, false);
            for (int epochs = 0; epochs < 600 && !areUp(); epochs++) {
                step(0, random);
            }
            assertTrue(areUp(), "life=" + life);
        }
    }

    @Test
    void shouldPutALinkDownAtItsLimitOfMisses() {
        build(0, 3);
        final LinkStates states = ends[0].states;
        assertEquals(LinkStates.MISSED_ONE, states.onMiss(0));
        assertFalse(states.isSound(0));
        assertEquals(LinkStates.AS_BEFORE, states.onCell(0));
        assertTrue(states.isSound(0));
        assertEquals(LinkStates.MISSED_ONE, states.onMiss(0));
        assertArrayEquals(new int[] {LinkStates.MISSED_ONE, LinkStates.WENT_DOWN, LinkStates.AS_BEFORE},
            new int[] {states.onMiss(0), states.onMiss(0), states.onMiss(0)});
        assertEquals(1, states.wentDown);
    }

    /** Links that go down and come up in any order, some to absent nodes: what is said of many holds of each. */
    @ParameterizedTest
    @CsvSource({"2, 3, 0, 1", "2, 70, 500, 2", "3, 5, 40, 3", "2, 130, 1, 4"})
    void shouldSayOfManyWhatHoldsOfEach(final int h, final int r, final int absent, final long seed) {
        final Phased schedule = new Phased(h, r);
        final int nodes = 9;
        final Shale shale = new Shale(schedule, Population.of(schedule, schedule.nodes(), absent),
            Mechanisms.HBH, 1, 1, 0, 1);
        final LinkStates states = new LinkStates(arena, shale, 0, nodes);
        final Random random = new Random(seed);
        final int[] up = new int[nodes];
        for (int step = 0; step < 500; step++) {
            final int queue = random.nextInt(schedule.epochSlots() * nodes);
            switch (random.nextInt(4)) {
                case 0 -> states.onMiss(queue);
                case 1 -> states.restart(queue);
                case 2 -> {
                    for (int heard = 0; heard < LinkStates.HEARD_ENOUGH && !states.isUp(queue); heard++) {
                        // An end that hears itself: its own words are those of an end that has heard it.
                        final long says = states.probe(queue);
                        states.onProbe(queue, says < 0 ? 0 : says);
                    }
                }
                default -> {
                    final boolean sound = states.isSound(queue);
                    assertTrue(states.onCell(queue) == LinkStates.AS_BEFORE || !sound, "seed=" + seed);
                    assertTrue(states.isUp(queue) || !sound, "seed=" + seed + " step=" + step);
                }
            }
            int down = 0;
            for (int inEpoch = 0; inEpoch < schedule.epochSlots(); inEpoch++) {
                final int phase = inEpoch / schedule.linksPerPhase();
                final int link = inEpoch % schedule.linksPerPhase();
                final int first = random.nextInt(nodes);
                states.up(first, nodes - first, phase, link, up);
                for (int node = 0; node < nodes; node++) {
                    final int of = inEpoch * nodes + node;
                    final String where = "seed=" + seed + " step=" + step + " queue=" + of;
                    assertEquals(states.isUp(of), (states.up(node, phase, link / Long.SIZE) >>> link & 1) != 0, where);
                    assertEquals(states.isUp(of), node < first ? states.isUp(of) : up[node - first] == 1, where);
                    down += states.state(of) == LinkStates.DOWN ? 1 : 0;
                }
            }
            assertEquals(down, states.down(), "seed=" + seed + " step=" + step);
        }
        assertTrue(states.wentDown > 10, "seed=" + seed);
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
