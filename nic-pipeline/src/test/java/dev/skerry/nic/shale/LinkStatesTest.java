package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** Two ends of one link, a cell each way an epoch, that arrives some epochs later or not at all. */
final class LinkStatesTest {
    private final Arena arena = Arena.ofConfined();
    private final End[] ends = new End[2];
    private final boolean[] cut = new boolean[2];
    private int epoch;

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

    @AfterEach
    void close() {
        arena.close();
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

    @Test
    void shouldPutALinkDownAtItsLimitOfMisses() {
        build(0, 3);
        final LinkStates states = ends[0].states;
        assertEquals(LinkStates.MISSED_ONE, states.onMiss(0));
        assertFalse(states.isSound(0));
        assertEquals(LinkStates.AS_BEFORE, states.onCell(0));
        assertTrue(states.isSound(0));
        assertEquals(LinkStates.MISSED_ONE, states.onMiss(0));
        assertEquals(LinkStates.MISSED_ONE, states.onMiss(0));
        assertEquals(LinkStates.WENT_DOWN, states.onMiss(0));
        assertEquals(LinkStates.AS_BEFORE, states.onMiss(0));
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
}
