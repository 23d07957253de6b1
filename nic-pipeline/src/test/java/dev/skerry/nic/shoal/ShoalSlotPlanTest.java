package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ShoalSlotPlan.Place;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Schedule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The plan against simulated cells: slot by slot all transmissions, then all receptions, each cell with the number of
 * the last cell that its sender had received from its receiver (docs/spec/shoal.md §4.3, §4.5).
 */
final class ShoalSlotPlanTest {
    private static final int NONE = -1;

    /** A cell: the slot and place in which it was sent, and the slot of the cell that it reports on. */
    private record Cell(int sentAt, Place place, int reportsOn) {
    }

    static Stream<Arguments> fabrics() {
        final Stream<RoundRobin> plain = IntStream.rangeClosed(2, 9).boxed()
            .flatMap(nodes -> IntStream.rangeClosed(1, Math.min(4, nodes - 1))
                .mapToObj(channels -> RoundRobin.plain(nodes, channels)));
        final Stream<RoundRobin> others = Stream.of(RoundRobin.plain(12, 11), RoundRobin.rearranged(2, 1, 0),
            RoundRobin.rearranged(7, 1, 0), RoundRobin.rearranged(8, 1, 0), RoundRobin.rearranged(8, 2, 0),
            RoundRobin.rearranged(16, 4, 0));
        return Stream.concat(plain, others).flatMap(schedule -> IntStream.rangeClosed(0, 3 * schedule.epochSlots())
            .filter(delay -> delay < 9 || delay % 5 == 0)
            .mapToObj(delay -> Arguments.argumentSet("N=" + schedule.nodes() + " c=" + schedule.channels()
                + (schedule.isRearranged() ? " rearranged" : "") + " P=" + delay, schedule, delay)));
    }

    private static ShoalSlotPlan plan(final RoundRobin schedule, final ReleaseRule rule, final int delay) {
        return new ShoalSlotPlan(Shoal.of(schedule, rule, true, delay));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void shouldBeWhatTravellingCellsShow(final RoundRobin schedule, final int delay) {
        final Model model = new Model(schedule, delay);
        model.run(8 * schedule.epochSlots() + 6 * delay);
        assertTrue(model.reports > 0, "nothing was reported");
        assertTrue(model.services > 0 || schedule.nodes() == 2, "nothing was served");
    }

    /** All pairs of pairs at once; the reports a node reads and how often queues are served meanwhile are compared. */
    private static final class Model {
        private final RoundRobin schedule;
        private final ShoalSlotPlan plan;
        private final int delay;
        private final int nodes;
        private final int epochSlots;
        /** By from * nodes + to: cells in flight, all slots sent, the last cell received, and the one not answered. */
        private final List<Deque<Cell>> link;
        private final List<List<Integer>> sentAt = new ArrayList<>();
        private final Cell[] lastReceived;
        private final Cell[] sampled;
        private int reports;
        private int services;

        Model(final RoundRobin schedule, final int delay) {
            this.schedule = schedule;
            this.plan = plan(schedule, ReleaseRule.EXACT, delay);
            this.delay = delay;
            this.nodes = schedule.nodes();
            this.epochSlots = schedule.epochSlots();
            this.link = Stream.<Deque<Cell>>generate(ArrayDeque::new).limit(nodes * nodes).toList();
            this.link.forEach(pair -> sentAt.add(new ArrayList<>()));
            this.lastReceived = new Cell[nodes * nodes];
            this.sampled = new Cell[nodes * nodes];
        }

        void run(final int slots) {
            for (int slot = 0; slot < slots; slot++) {
                for (int channel = 0; channel < schedule.channels(); channel++) {
                    final Place place = plan.place(channel, slot % epochSlots);
                    for (int node = 0; node < nodes; node++) {
                        final int peer = schedule.peerAt(node, channel, slot % epochSlots);
                        assertEquals(peer != Schedule.IDLE, place.link != ShoalSlotPlan.IDLE && place.sends(node));
                        assertTrue(place.link != ShoalSlotPlan.IDLE || !place.sends(node) && !place.receives(node));
                        if (peer != Schedule.IDLE) {
                            send(slot, place, node, peer);
                        }
                    }
                }
                for (int pair = 0; pair < nodes * nodes; pair++) {
                    final Cell cell = link.get(pair).peek();
                    if (cell != null && cell.sentAt + delay == slot) {
                        receive(link.get(pair).remove(), pair / nodes, pair % nodes);
                    }
                }
            }
        }

        private void send(final int slot, final Place place, final int from, final int to) {
            assertEquals(to, plan.peer(from, place.link));
            assertEquals(from, plan.peer(to, place.linkBack()));
            assertTrue(place.receives(to));
            assertEquals(delay == 0 && schedule.channels() == 1 && schedule.peerAt(to, 0, slot % epochSlots) == from,
                place.simultaneous);
            final int pair = from * nodes + to;
            sentAt.get(pair).add(slot);
            final Cell last = lastReceived[to * nodes + from];
            link.get(pair).add(new Cell(slot, place, last == null ? NONE : last.sentAt));
            if (sampled[pair] != null) {
                // the first opportunity since that sample was read: its services are counted when the cell arrives
                checkServices(place, from, to, sampled[pair].sentAt, slot + delay);
                assertEquals(sampled[pair].place.nextAhead,
                    slot / epochSlots - sampled[pair].sentAt / epochSlots);
                sampled[pair] = null;
            }
        }

        /** φ by its definition: slots of relay to another node in [A, B], all known from the schedule. */
        private void checkServices(final Place place, final int from, final int relay, final int sample,
            final int arrival) {
            for (int to = 0; to < nodes; to++) {
                int served = 0;
                for (int slot = sample; slot <= arrival && to != relay && to != from; slot++) {
                    for (int channel = 0; channel < schedule.channels(); channel++) {
                        served += schedule.peerAt(relay, channel, slot % epochSlots) == to ? 1 : 0;
                    }
                }
                if (to != from) {
                    assertEquals(to == relay ? ShoalSlotPlan.MAX_SERVICES : served, place.services(from, to),
                        "from=" + from + " relay=" + relay + " to=" + to);
                    services += served;
                }
            }
        }

        private void receive(final Cell cell, final int from, final int to) {
            lastReceived[from * nodes + to] = cell;
            sampled[to * nodes + from] = cell;
            final int about = (cell.sentAt / epochSlots - cell.place.acknowledgedBack) * epochSlots
                + schedule.slotTo(to, from);
            final String what = "from=" + to + " to=" + from + " report sent in slot " + cell.sentAt;
            assertEquals(cell.reportsOn, Math.max(about, NONE), what);
            if (cell.reportsOn == NONE) {
                return;
            }
            final long entries = sentAt.get(to * nodes + from).stream().filter(at -> at >= cell.reportsOn).count();
            assertTrue(entries <= plan.sentEpochs(), what);
            reports++;
        }
    }

    /** The failed nodes, which are the first ones, neither send nor are sent to. */
    @ParameterizedTest
    @CsvSource({"5, 1, 0", "8, 3, 2", "9, 4, 7", "12, 11, 5"})
    void shouldCountTheTurnsOfARange(final int nodes, final int channels, final int failed) {
        final RoundRobin schedule = RoundRobin.plain(nodes, channels);
        final ShoalSlotPlan plan = new ShoalSlotPlan(Shoal.of(schedule, ReleaseRule.EXACT, true, 0)
            .withFailedNodes(failed));
        for (int first = 0; first < nodes; first++) {
            final NodeRange range = new NodeRange(first, first + 1 + 7 * first % (nodes - first));
            long all = 0;
            long sound = 0;
            for (int slot = 0; slot < 3 * schedule.epochSlots(); slot++) {
                assertEquals(all, plan.turns(range, slot, true), "first=" + first + " slot=" + slot);
                assertEquals(sound, plan.turns(range, slot, false), "first=" + first + " slot=" + slot);
                for (int turn = 0; turn < range.size() * channels; turn++) {
                    final int node = first + turn / channels;
                    final int peer = schedule.peerAt(node, turn % channels, slot % plan.epochSlots());
                    all += peer == Schedule.IDLE ? 0 : 1;
                    sound += peer != Schedule.IDLE && Math.min(node, peer) >= failed ? 1 : 0;
                }
            }
        }
    }

    /** Slots from a transmission of one node to another until the transmission back that reports on it. */
    private static int reportSlots(final ShoalSlotPlan plan, final RoundRobin schedule, final int from, final int to) {
        return plan.placeOf(to, plan.linkTo(to, from)).acknowledgedBack * schedule.epochSlots()
            + schedule.slotTo(to, from) - schedule.slotTo(from, to);
    }

    /** λ = 0 re-arranged while the delay is below half an epoch, at most 1 for the plain one without delay. */
    @Test
    void shouldReportWithinTheEpochWhenRearranged() {
        final RoundRobin rearranged = RoundRobin.rearranged(512, 4, 0);
        for (int delay = 0; delay < 70; delay++) {
            final ShoalSlotPlan plan = plan(rearranged, ReleaseRule.EXACT, delay);
            for (int to = 1; to < 512; to++) {
                assertEquals(delay < 64 ? 0 : 1, reportSlots(plan, rearranged, 0, to) / 128);
                assertEquals(delay < 64 ? 0 : 1, reportSlots(plan, rearranged, to, 0) / 128);
            }
        }
        final RoundRobin schedule = RoundRobin.plain(16, 1);
        final ShoalSlotPlan plain = plan(schedule, ReleaseRule.EXACT, 0);
        for (int to = 1; to < 16; to++) {
            assertEquals(to == 8 ? 1 : 0, reportSlots(plain, schedule, 0, to) / 15);
        }
        assertEquals(5, plain.sentEpochs());
    }

    /** 1.57 us over epochs of 0.53 us: the report leaves 3 to 4 epochs later, and the loop takes 6 to 7. */
    @Test
    void shouldLastAsLongAsInThePrototype() {
        final RoundRobin eight = RoundRobin.plain(8, 1);
        final ShoalSlotPlan plan = plan(eight, ReleaseRule.EXACT, 21);
        for (int to = 1; to < 8; to++) {
            final int slots = reportSlots(plan, eight, 0, to);
            assertTrue(slots > 21 && slots <= 28, "slots=" + slots);
        }
    }

    /** Without delay: served in the slots after the way back up to the way there, around the epoch; else not. */
    @ParameterizedTest
    @ValueSource(ints = {3, 8, 9, 16, 33})
    void shouldDifferFromTheAuthorsInOneCaseOnly(final int nodes) {
        final RoundRobin schedule = RoundRobin.plain(nodes, 1);
        final ShoalSlotPlan exact = plan(schedule, ReleaseRule.EXACT, 0);
        final ShoalSlotPlan authors = plan(schedule, ReleaseRule.AUTHORS_SIMULATOR, 0);
        final ShoalSlotPlan literal = plan(schedule, ReleaseRule.PAPER_LITERAL, 0);
        int different = 0;
        for (int triple = 0; triple < nodes * nodes * nodes; triple++) {
            final int from = triple / nodes / nodes;
            final int relay = triple / nodes % nodes;
            final int to = triple % nodes;
            if (from != relay && from != to && relay != to) {
                final int there = schedule.slotTo(from, relay);
                final int back = schedule.slotTo(relay, from);
                final int on = schedule.slotTo(relay, to);
                final boolean within = back < there ? back < on && on <= there : on > back || on <= there;
                final boolean defect = on == there && there < back;
                final String where = "from=" + from + " relay=" + relay + " to=" + to;
                assertEquals(within ? 1 : 0, exact.place(0, there).services(from, to), where);
                assertEquals(within && !defect ? 1 : 0, authors.place(0, there).services(from, to), where);
                assertEquals(0, literal.place(0, there).services(from, to), where);
                different += defect ? 1 : 0;
            }
        }
        // one for every relay whose way back comes later, i.e. of a shift below half: to is twice the shift away
        assertEquals(nodes * ((nodes - 1) / 2), different);
    }
}
