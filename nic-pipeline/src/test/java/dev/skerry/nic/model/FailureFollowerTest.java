package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.follow.FailureFollower;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Nodes of ours amid failures are followed without a finding, and what is planted in one is found. */
final class FailureFollowerTest {
    private static final int SLOTS = 1500;

    /** Changes a node's slot before its follower sees it; true if it could. */
    private interface Mistake {
        boolean plant(NodeCells sent, Seen seen);
    }

    /** What a node has sent and received so far. */
    private static final class Seen {
        final int node;
        final CellNames names;
        final List<Long> sent = new ArrayList<>();
        final Set<Long> held = new HashSet<>();

        Seen(final int node, final CellNames names) {
            this.node = node;
            this.names = names;
        }

        void note(final NodeCells out, final NodeCells in) {
            if (InFlightCells.isCell(out.route(0))) {
                sent.add(out.cell(0));
                held.remove(out.cell(0));
            }
            if (InFlightCells.isCell(in.route(0))) {
                held.add(in.cell(0));
            }
        }

        boolean isOwn(final NodeCells cells) {
            return InFlightCells.isCell(cells.route(0)) && names.source(cells.cell(0)) == node;
        }
    }

    private static FindingLog follow(final long seed, final int slots) {
        return follow(seed, slots, null, new long[1]);
    }

    /**
     * @param mistake planted once from a third of the slots on in what a node sends; null for none.
     * @param at      out: the slot in which it was planted, -1 for none.
     */
    private static FindingLog follow(final long seed, final int slots, final Mistake mistake, final long[] at) {
        final Random random = new Random(seed);
        final int h = 1 + random.nextInt(3);
        final int r = h == 1 ? 4 + random.nextInt(6) : h == 2 ? 3 + random.nextInt(3) : 2 + random.nextInt(2);
        final Phased schedule = new Phased(h, r);
        final int nodes = schedule.nodes();
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY,
            1 + random.nextInt(2), 2 + random.nextInt(2), random.nextInt(12), seed,
            new FailureRules(1 + random.nextInt(3), random.nextBoolean()));
        final FlowSet flows = Recorded.flows(nodes, slots, seed);
        final Faults faults = Scripts.random(seed, nodes, slots * 2 / 3, 1 + nodes / 4, 1 + nodes / 8,
            random.nextBoolean() ? 0.003 : 0);
        final FindingLog log = new FindingLog(4);
        final FailureFollower[] followers = new FailureFollower[nodes];
        for (int node = 0; node < nodes; node++) {
            followers[node] = new FailureFollower(shale, CellNames.of(flows, shale.population()), node, log);
        }
        final Seen[] seen = new Seen[nodes];
        Arrays.setAll(seen, node -> new Seen(node, CellNames.of(flows, shale.population())));
        at[0] = mistake == null ? 0 : -1;
        final FaultState script = faults.state(nodes);
        final boolean[] down = new boolean[nodes];
        try (NodesApart apart = new NodesApart(Parts.of(shale), flows, faults)) {
            for (int slot = 0; slot < slots && log.none(); slot++) {
                script.turnTo(slot);
                apart.step();
                for (int node = 0; node < nodes; node++) {
                    if (script.isDown(node) != down[node]) {
                        down[node] = !down[node];
                        followers[node].setDown(down[node]);
                    }
                    if (at[0] < 0 && slot > slots / 3 && mistake.plant(apart.sent(node), seen[node])) {
                        at[0] = slot;
                    }
                    seen[node].note(apart.sent(node), apart.received(node));
                    followers[node].step(slot, apart.received(node), apart.sent(node));
                }
            }
            assertTrue(apart.count(NicCounter.NEIGHBOURS_DOWN) > 0 || !log.none(), "nothing failed: seed=" + seed);
        }
        return log;
    }

    @Test
    void shouldFindNothingAmidFailures() {
        for (long seed = 1; seed <= 6; seed++) {
            final FindingLog log = follow(seed, SLOTS);
            assertEquals("", log.text(), "seed=" + seed);
        }
    }

    @Test
    @Tag("long")
    void shouldFindNothingInManyScripts() {
        for (long seed = 1000; seed < 1300; seed++) {
            final FindingLog log = follow(seed, 2 * SLOTS);
            assertEquals("", log.text(), "seed=" + seed);
        }
    }

    private static boolean set(final NodeCells sent, final long route, final long cell, final long feedback) {
        sent.set(0, route, cell, feedback);
        return true;
    }

    private static Mistake mistake(final String name) {
        return switch (name) {
            case "a dummy on a link that is down" -> (sent, seen) -> sent.route(0) == InFlightCells.SILENCE
                && set(sent, InFlightCells.NO_CELL, 0, InFlightCells.NO_FEEDBACK);
            case "silence on a link that is up" -> (sent, seen) -> InFlightCells.isCell(sent.route(0))
                && set(sent, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
            case "a cell twice" -> (sent, seen) -> InFlightCells.isCell(sent.route(0)) && !seen.isOwn(sent)
                && twice(sent, seen);
            case "a cell that never came" -> (sent, seen) -> InFlightCells.isCell(sent.route(0)) && !seen.isOwn(sent)
                && set(sent, sent.route(0), sent.cell(0) + 1000, sent.feedback(0));
            case "a number skipped" -> (sent, seen) -> seen.isOwn(sent)
                && set(sent, sent.route(0), sent.cell(0) + 1, sent.feedback(0));
            case "another destination" -> (sent, seen) -> InFlightCells.isCell(sent.route(0))
                && set(sent, sent.route(0) ^ 1 << Route.DESTINATION_SHIFT, sent.cell(0), sent.feedback(0));
            case "a wrong hop" -> (sent, seen) -> seen.isOwn(sent) && Route.sprays(sent.route(0)) > 0
                && set(sent, sent.route(0) - 1, sent.cell(0), sent.feedback(0));
            default -> (sent, seen) -> sent.route(0) == InFlightCells.NO_CELL && sent.feedback(0)
                == InFlightCells.NO_FEEDBACK && set(sent, sent.route(0), 0, 0xFFFF_FFFFL << Integer.SIZE
                    | Route.bucket(seen.node, 0));
        };
    }

    /** The last cell of another node that has left, which is not here again, instead of the next one. */
    private static boolean twice(final NodeCells sent, final Seen seen) {
        for (int i = seen.sent.size() - 1; i >= 0; i--) {
            final long cell = seen.sent.get(i);
            if (seen.names.source(cell) != seen.node && !seen.held.contains(cell)
                && seen.names.destination(cell) == Route.destination(sent.route(0))) {
                return set(sent, sent.route(0), cell, sent.feedback(0));
            }
        }
        return false;
    }

    @ParameterizedTest
    @CsvSource({"a dummy on a link that is down, schedule", "silence on a link that is up, schedule",
        "a cell twice, conservation", "a cell that never came, conservation", "a number skipped, order",
        "another destination, route", "a wrong hop, route", "a token that is not owed, token"})
    void shouldFindWhatIsPlantedInItsSlot(final String name, final String law) {
        // With one phase, as with seed 1, no hop of a cell has another to come.
        for (long seed = 2; seed <= 4; seed++) {
            final long[] at = new long[1];
            final FindingLog log = follow(seed, SLOTS / 2, mistake(name), at);
            assertTrue(log.text().startsWith("first: slot " + at[0] + " ") && log.text().contains(": " + law + ": "),
                name + " seed=" + seed + " slot=" + at[0] + ": " + log.text());
        }
    }
}
