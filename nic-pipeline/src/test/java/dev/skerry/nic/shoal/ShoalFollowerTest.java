package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.SplittableRandom;

/** A follower of Shoal finds nothing in nodes of ours, whatever their fabric, and finds what is planted. */
final class ShoalFollowerTest {
    private static final int NODE = 5;
    private static final int SLOTS = 1000;
    private static final long NO_CELL = InFlightCells.NO_CELL;

    /** What every node sent and received. */
    private static final class Record {
        final Shoal shoal;
        final FlowSet flows;
        final NodeCells[][] sent;
        final NodeCells[][] received;

        Record(final Shoal shoal, final FlowSet flows, final int slots) {
            this.shoal = shoal;
            this.flows = flows;
            this.sent = new NodeCells[slots][shoal.nodes()];
            this.received = new NodeCells[slots][shoal.nodes()];
            try (FabricModel fabric = new FabricModel(Parts.of(shoal), flows)) {
                for (int slot = 0; slot < slots; slot++) {
                    fabric.step();
                    for (int node = 0; node < shoal.nodes(); node++) {
                        sent[slot][node] = new NodeCells(shoal.channels());
                        received[slot][node] = new NodeCells(shoal.channels());
                        fabric.sent(node, sent[slot][node]);
                        fabric.received(node, received[slot][node]);
                    }
                }
            }
        }

        FindingLog follow(final int node, final boolean mayBeSilent) {
            final FindingLog log = new FindingLog(4);
            final ShoalFollower follower = new ShoalFollower(shoal, CellNames.of(flows, shoal.population()), node,
                FollowRules.STRICT.with(FollowRules.Setting.SILENCE, mayBeSilent ? 1 : 0), log);
            for (int slot = 0; slot < sent.length; slot++) {
                follower.step(slot, received[slot][node], sent[slot][node]);
            }
            return log;
        }
    }

    /** Flows that compete: some nodes have several, some destinations many. */
    private static FlowSet flows(final int nodes, final int slots, final SplittableRandom random) {
        final FlowSet flows = new FlowSet();
        final int hot = random.nextInt(nodes);
        long start = 0;
        while (flows.size() < 12 * nodes && start < slots) {
            final int from = random.nextInt(nodes);
            final int to = random.nextInt(3) == 0 && hot != from ? hot : (from + 1 + random.nextInt(nodes - 1)) % nodes;
            final int cells = 1 + random.nextInt(random.nextInt(4) == 0 ? 2000 : 30);
            flows.add(flows.size(), from, to, cells * 56L, cells, start);
            start += random.nextInt(4) == 0 ? random.nextInt(40) : 0;
        }
        return flows;
    }

    private static Shoal nine(final int propagation) {
        return Shoal.of(RoundRobin.plain(9, 1), ReleaseRule.EXACT, false, propagation);
    }

    private static void findNothing(final long seed, final int fabrics, final int slots) {
        final SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < fabrics; round++) {
            final int nodes = 2 + random.nextInt(22);
            final int channels = 1 + random.nextInt(Math.min(4, nodes - 1));
            final boolean rearranged = random.nextInt(3) == 0 && channels == 1 && nodes > 4;
            final int propagation = rearranged || random.nextInt(3) == 0 ? 0 : random.nextInt(40);
            final RoundRobin schedule = rearranged ? RoundRobin.rearranged(nodes, 1, propagation)
                : RoundRobin.plain(nodes, channels);
            final Shoal shoal = Shoal.of(schedule, random.nextInt(3) == 0 ? ReleaseRule.PAPER_LITERAL
                : ReleaseRule.EXACT, random.nextBoolean(), propagation)
                .with(random.nextBoolean() ? FlowOrder.SHORTEST : FlowOrder.ROUND_ROBIN);
            final Record record = new Record(shoal, flows(nodes, slots, random), slots);
            for (int node = 0; node < nodes; node++) {
                final FindingLog log = record.follow(node, false);
                assertTrue(log.none(), "seed=" + seed + " round=" + round + " " + shoal + ": " + log.text());
            }
        }
    }

    @Test
    void shouldFindNothingInNodesOfOurs() {
        findNothing(7, 6, 900);
    }

    @Test
    @Tag("long")
    void shouldFindNothingInAMillionSlots() {
        findNothing(100, 60, 1600);
    }

    /** Changes what a device sends in a slot, where it can; true if it could. */
    private interface Planting {
        boolean plant(Record of, int slot, NodeCells sent);
    }

    /** A mistake of the device, planted where it can be. */
    enum Mistake {
        DUMMY_FOR_A_CELL(Law.ORDER, (of, slot, sent) -> isHeld(of, sent) && set(sent, NO_CELL, 0)),
        OWN_BEFORE_HELD(Law.ORDER, (of, slot, sent) -> {
            final NodeCells later = of.sent[slot + of.shoal.schedule().epochSlots()][NODE];
            return isHeld(of, sent) && isHeld(of, later) && set(sent, later.route(0), later.cell(0));
        }),
        OTHER_CELL(Law.PAYLOAD, (of, slot, sent) -> isHeld(of, sent) && set(sent, sent.route(0), sent.cell(0) + 1)),
        CELL_NOT_HELD(Law.CONSERVATION, (of, slot, sent) -> {
            final NodeCells other = of.sent[slot][(NODE + 1) % of.shoal.nodes()];
            return sent.route(0) == NO_CELL && InFlightCells.isCell(other.route(0)) && source(of, other) != NODE
                && set(sent, other.route(0), other.cell(0));
        }),
        NUMBER_SKIPPED(Law.ORDER, (of, slot, sent) -> isOwn(of, sent)
            && set(sent, sent.route(0), sent.cell(0) + 1000)),
        CELL_TWICE(Law.CONSERVATION, (of, slot, sent) -> isOwn(of, sent) && Cell.sequence(sent.cell(0)) > 0
            && set(sent, sent.route(0), sent.cell(0) - 1)),
        TOO_EARLY(Law.TOKEN, (of, slot, sent) -> {
            final NodeCells later = of.sent[slot + 1][NODE];
            return sent.route(0) == NO_CELL && isOwn(of, later) && isNext(of, slot, later.cell(0))
                && isAwaited(of, slot, Cell.flow(later.cell(0))) && set(sent, later.route(0), later.cell(0));
        }),
        REPORT_TOO_LOW(Law.TOKEN, (of, slot, sent) -> sent.feedback(0) > 3 && report(sent, 0)),
        REPORT_TOO_HIGH(Law.TOKEN, (of, slot, sent) -> report(sent, sent.feedback(0) + of.shoal.nodes())),
        SILENT(Law.SCHEDULE, (of, slot, sent) -> sent.route(0) == NO_CELL
            && set(sent, InFlightCells.SILENCE, 0)),
        OTHER_DESTINATION(Law.ROUTE, (of, slot, sent) -> InFlightCells.isCell(sent.route(0))
            && set(sent, sent.route(0) ^ 1, sent.cell(0))),
        ON_ANOTHER_LINK(Law.ROUTE, (of, slot, sent) -> {
            final NodeCells later = of.sent[slot + 1][NODE];
            return sent.route(0) == NO_CELL && isHeld(of, later) && cameBefore(of, slot, later.cell(0))
                && set(sent, later.route(0), later.cell(0));
        });

        final Law law;
        final Planting planting;

        Mistake(final Law law, final Planting planting) {
            this.law = law;
            this.planting = planting;
        }

        /** Sends another cell with the same report. */
        private static boolean set(final NodeCells sent, final long route, final long cell) {
            sent.set(0, route, cell, sent.feedback(0));
            return true;
        }

        /** Sends another report with the same cell. */
        private static boolean report(final NodeCells sent, final long feedback) {
            sent.set(0, sent.route(0), sent.cell(0), feedback);
            return true;
        }

        private static int source(final Record of, final NodeCells cells) {
            return of.flows.source(Cell.flow(cells.cell(0)));
        }

        private static boolean isOwn(final Record of, final NodeCells cells) {
            return InFlightCells.isCell(cells.route(0)) && source(of, cells) == NODE;
        }

        private static boolean isHeld(final Record of, final NodeCells cells) {
            return InFlightCells.isCell(cells.route(0)) && source(of, cells) != NODE;
        }

        /** Whether all earlier cells of the flow have left before a slot. */
        private static boolean isNext(final Record of, final int slot, final long cell) {
            return Arrays.stream(of.sent, 0, slot).map(all -> all[NODE]).filter(sent ->
                InFlightCells.isCell(sent.route(0)) && Cell.flow(sent.cell(0)) == Cell.flow(cell)).count()
                == Cell.sequence(cell);
        }

        /** Whether the last cell by the link of a slot was of a flow, and went there an epoch before. */
        private static boolean isAwaited(final Record of, final int slot, final int flow) {
            final NodeCells before = of.sent[slot - of.shoal.schedule().epochSlots()][NODE];
            return isOwn(of, before) && Cell.flow(before.cell(0)) == flow;
        }

        private static boolean cameBefore(final Record of, final int slot, final long cell) {
            return Arrays.stream(of.received, 0, slot).map(all -> all[NODE])
                .anyMatch(cells -> InFlightCells.isCell(cells.route(0)) && cells.cell(0) == cell);
        }
    }

    @ParameterizedTest
    @EnumSource(Mistake.class)
    void shouldFindWhatIsPlantedInItsSlot(final Mistake mistake) {
        final Shoal shoal = nine(3);
        final int slots = SLOTS;
        for (long seed = 1; seed < 40; seed++) {
            final Record record = new Record(shoal, flows(9, slots, new SplittableRandom(seed)), slots);
            assertTrue(record.follow(NODE, false).none(), "seed=" + seed);
            int at = 200;
            while (at < slots - 20 && !mistake.planting.plant(record, at, record.sent[at][NODE])) {
                at++;
            }
            if (at < slots - 20) {
                final FindingLog log = record.follow(NODE, false);
                assertFalse(log.none(), "seed=" + seed + " slot=" + at);
                assertEquals(mistake.law, log.list().getFirst().law(), log.text());
                assertEquals(at, log.list().getFirst().slot(), log.text());
                return;
            }
        }
        throw new AssertionError("planted nowhere");
    }

    /** A cell that never leaves: its number is skipped, and no queue keeps a cell for as long. */
    @Test
    void shouldFindALostCell() {
        final Shoal shoal = nine(3);
        final Record record = new Record(shoal, flows(9, SLOTS, new SplittableRandom(5)), SLOTS);
        int at = 200;
        while (!InFlightCells.isCell(record.sent[at][NODE].route(0))
            || record.flows.source(Cell.flow(record.sent[at][NODE].cell(0))) != NODE
            || record.received[at + 3][NODE].feedback(0) > 0) {
            at++;
        }
        record.sent[at][NODE].set(0, NO_CELL, 0, record.sent[at][NODE].feedback(0));
        final FindingLog log = record.follow(NODE, false);
        assertFalse(log.none(), "slot=" + at);
        final Finding first = log.list().getFirst();
        assertTrue(first.law() == Law.CONSERVATION || first.law() == Law.ORDER, log.text());
        assertTrue(first.slot() > at && first.slot() <= at + 200, "slot=" + at + ": " + log.text());
    }

    /** Whatever the words of a device are, they become findings. */
    @Test
    void shouldTakeAnyWords() {
        final long seed = 11;
        final SplittableRandom random = new SplittableRandom(seed);
        final Shoal shoal = Shoal.of(RoundRobin.plain(9, 2), ReleaseRule.EXACT, false, 1);
        final FlowSet flows = flows(9, 100, random);
        final FindingLog log = new FindingLog(4);
        final ShoalFollower follower = new ShoalFollower(shoal, CellNames.of(flows, shoal.population()), NODE,
            FollowRules.STRICT, log);
        final NodeCells[] cells = {new NodeCells(2), new NodeCells(2)};
        for (int slot = 0; slot < 20_000; slot++) {
            for (final NodeCells side : cells) {
                for (int channel = 0; channel < 2; channel++) {
                    side.set(channel, word(random), word(random), word(random));
                }
            }
            follower.step(slot, cells[0], cells[1]);
        }
        assertTrue(log.total() > 10_000, "seed=" + seed + " findings=" + log.total());
    }

    /** Any word, or one that might be right. */
    private static long word(final SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> random.nextLong();
            case 1 -> InFlightCells.NO_CELL - random.nextInt(5);
            case 2 -> ShoalCell.of(random.nextInt(10), random.nextInt(10));
            case 3 -> Cell.of(random.nextInt(120), random.nextInt(6));
            default -> random.nextInt(20);
        };
    }

    @Test
    void shouldJudgeWhatArrives() {
        final Shoal shoal = nine(0);
        final FlowSet flows = new FlowSet();
        flows.add(0, 1, 3, 560, 10, 0);
        final FindingLog log = new FindingLog(9);
        final ShoalFollower follower = new ShoalFollower(shoal, CellNames.of(flows, shoal.population()), 0,
            FollowRules.STRICT, log);
        final NodeCells dummy = new NodeCells(1);
        dummy.set(0, NO_CELL, 0, 0);
        final NodeCells cell = new NodeCells(1);
        cell.set(0, ShoalCell.of(1, 3), Cell.of(0, 0), 0);
        // In slot 7 node 1 sends to node 0: a cell on its way to node 3; in slot 0 node 8 does, which cannot have it.
        for (int slot = 0; slot < 16; slot++) {
            final int sender = (9 - slot % 8 - 1) % 9;
            follower.step(slot, sender == 1 || slot == 8 ? cell : dummy, dummy);
        }
        assertEquals(2, follower.length(2), log.text());
        assertTrue(log.text().contains("slot 8 node 0 link 7: route: expected a cell of node 8"), log.text());
        assertTrue(log.text().contains("slot 15 node 0 link 0: conservation"), log.text());
    }

    @Test
    void shouldPermitSilenceAndRefuseWhatItCannotFollow() {
        final Shoal shoal = nine(3);
        final FlowSet flows = flows(9, 500, new SplittableRandom(3));
        final Record record = new Record(shoal, flows, 500);
        for (final NodeCells[] row : record.sent) {
            if (row[NODE].route(0) == NO_CELL) {
                row[NODE].setNothing(0);
            }
        }
        assertTrue(record.follow(NODE, true).none());
        assertFalse(record.follow(NODE, false).none());
        final CellNames names = CellNames.of(flows, shoal.population());
        final FindingLog log = new FindingLog(1);
        assertThrows(IllegalArgumentException.class, () -> new ShoalFollower(Shoal.of(RoundRobin.plain(9, 1),
            ReleaseRule.BASIC, false, 3), names, NODE, FollowRules.STRICT, log));
        assertThrows(IllegalArgumentException.class, () -> new ShoalFollower(shoal, names, 9, FollowRules.STRICT, log));
    }
}
