package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.Resilience;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalFailureFollower;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Nodes of Shoal with failures, damage and classes are followed without a finding, and what is planted is found. */
final class ShoalFailureFollowerTest {
    private static final int SLOTS = 1500;

    /** Changes a node's slot before its follower sees it; true if it could. */
    private interface Planting {
        boolean plant(NodeCells sent, Seen seen);
    }

    /** What a node has sent and received so far, and what it received last from each neighbour. */
    private static final class Seen {
        final CellNames names;
        final int node;
        final List<Long> left = new ArrayList<>();
        final List<Long> came = new ArrayList<>();
        /** By neighbour: route of the last cell, and the last words sent to it. */
        final long[] last;
        int peer;

        Seen(final CellNames names, final int node, final int nodes) {
            this.names = names;
            this.node = node;
            this.last = new long[nodes];
        }

        boolean isHeld(final NodeCells sent) {
            return sent.isCell(0) && names.source(sent.cell(0)) != node;
        }

        boolean isOwn(final NodeCells sent) {
            return sent.isCell(0) && names.source(sent.cell(0)) == node;
        }

        /** Whether cells of the number and the next one of the flow have never left. */
        boolean isFresh(final long cell) {
            return !left.contains(cell) && !left.contains(cell + 1);
        }
    }

    private static Shoal fabric(final Random random) {
        final int nodes = 3 + random.nextInt(9);
        return Shoal.of(RoundRobin.plain(nodes, 1), ReleaseRule.EXACT, random.nextBoolean(), random.nextInt(12))
            .with(new Resilience(1 + random.nextInt(3), 2 + random.nextInt(15), 1 + random.nextInt(3),
                1 + random.nextInt(8), random.nextInt(4)));
    }

    private static FlowSet flows(final int nodes, final int slots, final int classes, final Random random) {
        final FlowSet flows = new FlowSet();
        for (long start = 0; start < slots; start += random.nextInt(40)) {
            final int from = random.nextInt(nodes);
            final int to = random.nextInt(3) == 0 && from != 0 ? 0 : (from + 1 + random.nextInt(nodes - 1)) % nodes;
            final int cells = 1 + random.nextInt(random.nextInt(4) == 0 ? 300 : 30);
            flows.add(flows.size(), from, to, cells * 56L, cells, start);
            flows.setClass(random.nextInt(classes));
        }
        return flows;
    }

    /**
     * Follows the nodes of a random fabric.
     *
     * @param planting planted once from a third of the slots on in what a node sends; null for none.
     * @param at       out: the slot in which it was planted, -1 for none.
     */
    private static FindingLog follow(final long seed, final int slots, final Planting planting, final long[] at) {
        final Random random = new Random(seed);
        final Shoal shoal = fabric(random);
        final int nodes = shoal.nodes();
        final int classes = 1 + random.nextInt(3);
        final FlowSet flows = flows(nodes, slots, classes, random);
        final boolean guards = classes == 1 || random.nextBoolean();
        final Faults faults = guards ? Scripts.random(seed, nodes, slots * 2 / 3, nodes / 4, nodes / 8,
            random.nextBoolean() ? 0.01 : 0) : Faults.NONE;
        final FindingLog log = new FindingLog(4);
        final ShoalFailureFollower[] followers = new ShoalFailureFollower[nodes];
        final Seen[] seen = new Seen[nodes];
        for (int node = 0; node < nodes; node++) {
            final CellNames names = CellNames.of(flows, shoal.population());
            followers[node] = new ShoalFailureFollower(shoal, names, node, guards, log);
            seen[node] = new Seen(names, node, nodes);
        }
        at[0] = planting == null ? 0 : -1;
        final FaultState script = faults.state(nodes);
        final boolean[] down = new boolean[nodes];
        try (NodesApart apart = new NodesApart(Parts.of(shoal), flows, faults)) {
            for (int slot = 0; slot < slots && log.none(); slot++) {
                script.turnTo(slot);
                apart.step();
                for (int node = 0; node < nodes; node++) {
                    if (script.isDown(node) != down[node]) {
                        down[node] = !down[node];
                        followers[node].setDown(down[node]);
                    }
                    final NodeCells sent = apart.sent(node);
                    seen[node].peer = shoal.schedule().peerAt(node, 0, shoal.schedule().slotInEpoch(slot));
                    if (at[0] < 0 && slot > slots / 3 && !down[node] && planting.plant(sent, seen[node])) {
                        at[0] = slot;
                    }
                    note(shoal, slot, sent, apart.received(node), seen[node]);
                    followers[node].step(slot, apart.received(node), sent);
                }
            }
        }
        return log;
    }

    private static void note(final Shoal shoal, final int slot, final NodeCells sent, final NodeCells received,
        final Seen seen) {
        if (sent.isCell(0)) {
            seen.left.add(sent.cell(0));
        }
        if (received.isCell(0)) {
            seen.came.add(received.cell(0));
        }
        final int sentIn = slot - shoal.propagationSlots();
        if (sentIn >= 0) {
            seen.last[shoal.schedule().senderAt(seen.node, 0, shoal.schedule().slotInEpoch(sentIn))]
                = received.isCell(0) && seen.names.destination(received.cell(0)) == seen.node ? 0 : received.route(0);
        }
    }

    @Test
    void shouldFindNothingInNodesOfOurs() {
        for (long seed = 1; seed <= 20; seed++) {
            assertEquals("", follow(seed, SLOTS, null, new long[1]).text(), "seed=" + seed);
        }
        // A node probes in the epoch in which "I hear you" came, and the next cell is damaged: the link is up.
        assertEquals("", follow(1366, 2 * SLOTS, null, new long[1]).text());
    }

    @Test
    @Tag("long")
    void shouldFindNothingInManyScripts() {
        for (long seed = 1000; seed < 2000; seed++) {
            assertEquals("", follow(seed, 2 * SLOTS, null, new long[1]).text(), "seed=" + seed);
        }
    }

    private static boolean set(final NodeCells sent, final long route, final long cell, final long feedback) {
        sent.set(0, route, cell, feedback);
        return true;
    }

    /** A mistake of the device. */
    enum Mistake {
        DUMMY_FOR_A_CELL(Law.ORDER, (sent, seen) -> seen.isHeld(sent)
            && set(sent, InFlightCells.NO_CELL, 0, sent.feedback(0))),
        SILENCE_ON_A_LINK_THAT_IS_UP(Law.SCHEDULE, (sent, seen) -> sent.isCell(0)
            && set(sent, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK)),
        DUMMY_ON_A_LINK_THAT_IS_DOWN(Law.SCHEDULE, (sent, seen) -> sent.route(0) == InFlightCells.SILENCE
            && seen.last[seen.peer] == InFlightCells.SILENCE && set(sent, InFlightCells.NO_CELL, 0, 0)),
        CELL_TWICE(Law.CONSERVATION, (sent, seen) -> seen.isHeld(sent) && seen.left.stream().anyMatch(cell ->
            seen.names.source(cell) != seen.node && cell != sent.cell(0)
            && seen.came.lastIndexOf(cell) == seen.came.indexOf(cell) && seen.left.indexOf(cell)
            == seen.left.lastIndexOf(cell) && seen.names.trafficClass(cell) == 0 && seen.names.trafficClass(
            sent.cell(0)) == 0 && set(sent, ShoalRoutes.of(seen.names, cell), cell, sent.feedback(0)))),
        CELL_THAT_NEVER_CAME(Law.CONSERVATION, (sent, seen) -> seen.isHeld(sent)
            && !seen.came.contains(sent.cell(0) + 1000)
            && set(sent, sent.route(0), sent.cell(0) + 1000, sent.feedback(0))),
        NUMBERS_SKIPPED(Law.ORDER, (sent, seen) -> seen.isOwn(sent) && seen.isFresh(sent.cell(0))
            && seen.names.hasCell(sent.cell(0) + 60, Long.MAX_VALUE)
            && set(sent, sent.route(0), sent.cell(0) + 60, sent.feedback(0))),
        ANOTHER_DESTINATION(Law.ROUTE, (sent, seen) -> sent.isCell(0)
            && set(sent, sent.route(0) ^ 1, sent.cell(0), sent.feedback(0))),
        ANOTHER_CLASS(Law.ROUTE, (sent, seen) -> sent.isCell(0)
            && set(sent, sent.route(0) ^ 1 << 26, sent.cell(0), sent.feedback(0))),
        DAMAGE_MADE_UP(Law.TOKEN, (sent, seen) -> sent.isCell(0) && seen.last[seen.peer] >= 0
            && set(sent, sent.route(0), sent.cell(0), ReportWord.of(0, true))),
        DAMAGE_NOT_REPORTED(Law.TOKEN, (sent, seen) -> seen.last[seen.peer] == InFlightCells.DAMAGED
            && sent.route(0) > -2 && set(sent, sent.route(0), sent.cell(0), 0)),
        REPORT_TOO_LARGE(Law.TOKEN, (sent, seen) -> sent.isCell(0)
            && set(sent, sent.route(0), sent.cell(0), 60));

        final Law law;
        final Planting planting;

        Mistake(final Law law, final Planting planting) {
            this.law = law;
            this.planting = planting;
        }
    }

    /** Route words. */
    private static final class ShoalRoutes {
        static long of(final CellNames names, final long cell) {
            return (long) names.trafficClass(cell) << 26 | (long) names.source(cell) << 16 | names.destination(cell);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindWhatIsPlanted(final Mistake mistake) {
        int found = 0;
        for (long seed = 1; seed <= 40 && found < 3; seed++) {
            final long[] at = new long[1];
            final FindingLog log = follow(seed, SLOTS, mistake.planting, at);
            if (at[0] >= 0) {
                final String what = mistake + " seed=" + seed + " slot=" + at[0] + ": " + log.text();
                assertTrue(!log.none(), what);
                assertEquals(mistake.law, log.list().getFirst().law(), what);
                // A cell whose acceptance is not known yet is missed a turn later.
                assertTrue(log.list().getFirst().slot() >= at[0] && log.list().getFirst().slot()
                    < at[0] + (mistake == Mistake.DUMMY_FOR_A_CELL ? 12 : 1), what);
                found++;
            }
        }
        assertTrue(found > 0, mistake + " was planted nowhere");
    }
}
