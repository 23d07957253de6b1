package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Schedule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The timing of feedback against simulated cells: slot by slot all transmissions, then all receptions, each cell with
 * the number of the last cell that its sender had received from its receiver (docs/spec/shoal.md §4.3, §4.5).
 */
class FeedbackTimingModelTest {
    private static final int NONE = -1;

    /** A cell: the slot in which it was sent, and the slot of the cell that it reports on. */
    private record Cell(int sentAt, int reportsOn) {
    }

    static Stream<Arguments> fabrics() {
        final Stream<RoundRobin> plain = IntStream.rangeClosed(2, 9).boxed()
            .flatMap(nodes -> IntStream.rangeClosed(1, Math.min(4, nodes - 1))
                .mapToObj(channels -> RoundRobin.plain(nodes, channels)));
        final Stream<RoundRobin> rearranged = Stream.of(RoundRobin.rearranged(2, 1, 0), RoundRobin.rearranged(7, 1, 0),
            RoundRobin.rearranged(8, 1, 0), RoundRobin.rearranged(8, 2, 0), RoundRobin.rearranged(16, 4, 0));
        return Stream.concat(plain, rearranged).flatMap(schedule -> IntStream.rangeClosed(0, 3 * schedule.epochSlots())
            .filter(delay -> delay < 9 || delay % 5 == 0)
            .mapToObj(delay -> Arguments.argumentSet("N=" + schedule.nodes() + " c=" + schedule.channels()
                + (schedule.isRearranged() ? " rearranged" : "") + " P=" + delay, schedule, delay)));
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
        private final FeedbackTiming timing;
        private final int delay;
        private final int nodes;
        /** By from * nodes + to: cells in flight, the last cell received, the sample read and not yet used. */
        private final List<Deque<Cell>> link;
        private final int[] lastReceived;
        private final int[] sampledAt;
        /** By from * nodes + to: all slots sent. */
        private final int[][] sentAt;
        private int reports;
        private int services;

        Model(final RoundRobin schedule, final int delay) {
            this.schedule = schedule;
            this.timing = new FeedbackTiming(schedule, delay);
            this.delay = delay;
            this.nodes = schedule.nodes();
            this.link = Stream.<Deque<Cell>>generate(ArrayDeque::new).limit(nodes * nodes).toList();
            this.lastReceived = new int[nodes * nodes];
            this.sampledAt = new int[nodes * nodes];
            Arrays.fill(lastReceived, NONE);
            Arrays.fill(sampledAt, NONE);
            this.sentAt = new int[nodes * nodes][0];
        }

        void run(final int slots) {
            for (int slot = 0; slot < slots; slot++) {
                for (int channel = 0; channel < schedule.channels(); channel++) {
                    for (int node = 0; node < nodes; node++) {
                        final int peer = schedule.peerAt(node, channel, schedule.slotInEpoch(slot));
                        if (peer != Schedule.IDLE) {
                            send(slot, node, peer);
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

        private void send(final int slot, final int from, final int to) {
            final int pair = from * nodes + to;
            sentAt[pair] = Arrays.copyOf(sentAt[pair], sentAt[pair].length + 1);
            sentAt[pair][sentAt[pair].length - 1] = slot;
            link.get(pair).add(new Cell(slot, lastReceived[to * nodes + from]));
            if (sampledAt[pair] != NONE) {
                // the first opportunity since that sample was read: its services are counted when the cell arrives
                checkPhi(from, to, sampledAt[pair], slot + delay);
                sampledAt[pair] = NONE;
            }
        }

        /** The definition: slots of relay to another node in (A, B], all known from the schedule. */
        private void checkPhi(final int from, final int relay, final int sampled, final int arrival) {
            for (int to = 0; to < nodes; to++) {
                int served = 0;
                for (int slot = sampled + 1; slot <= arrival && to != relay && to != from; slot++) {
                    for (int channel = 0; channel < schedule.channels(); channel++) {
                        served += schedule.peerAt(relay, channel, schedule.slotInEpoch(slot)) == to ? 1 : 0;
                    }
                }
                if (to != from) {
                    assertEquals(served, timing.phi(from, relay, to),
                        "from=" + from + " relay=" + relay + " to=" + to);
                    services += served;
                }
            }
        }

        private void receive(final Cell cell, final int from, final int to) {
            lastReceived[from * nodes + to] = cell.sentAt;
            sampledAt[to * nodes + from] = cell.sentAt;
            final int reportSlots = timing.reportSlots(to, from);
            final String what = "from=" + to + " to=" + from + " report sent in slot " + cell.sentAt;
            if (cell.reportsOn == NONE) {
                assertTrue(cell.sentAt - reportSlots < 0, what);
                return;
            }
            assertEquals(cell.sentAt - cell.reportsOn, reportSlots, what);
            assertEquals((cell.sentAt - cell.reportsOn) / schedule.epochSlots(), timing.lambda(to, from), what);
            final int sent = cell.reportsOn;
            final int entries = (int) Arrays.stream(sentAt[to * nodes + from]).filter(at -> at >= sent).count();
            assertEquals(entries, timing.sentEntries(to, from), what);
            reports++;
        }
    }

    /** λ = 0 re-arranged while the delay is below half an epoch, at most 1 for the plain one without delay. */
    @Test
    void shouldReportWithinTheEpochWhenRearranged() {
        for (int delay = 0; delay < 70; delay++) {
            final FeedbackTiming timing = new FeedbackTiming(RoundRobin.rearranged(512, 4, 0), delay);
            for (int to = 1; to < 512; to++) {
                assertEquals(delay < 64 ? 0 : 1, timing.lambda(0, to));
                assertEquals(delay < 64 ? 0 : 1, timing.lambda(to, 0));
            }
        }
        final FeedbackTiming plain = new FeedbackTiming(RoundRobin.plain(16, 1), 0);
        for (int to = 1; to < 16; to++) {
            assertEquals(to == 8 ? 1 : 0, plain.lambda(0, to));
        }
        assertEquals(2, mostSentEntries(plain, 16));
    }

    /** 1.57 us over epochs of 0.53 us: the report leaves 3 to 4 epochs later, and the loop takes 6 to 7. */
    @Test
    void shouldLastAsLongAsInThePrototype() {
        final RoundRobin eight = RoundRobin.plain(8, 1);
        final FeedbackTiming timing = new FeedbackTiming(eight, 21);
        for (int to = 1; to < 8; to++) {
            final int slots = timing.reportSlots(0, to);
            assertTrue(slots > 21 && slots <= 28, "slots=" + slots);
            assertEquals(slots == 28 ? 4 : 3, timing.lambda(0, to));
            assertTrue(timing.sentEntries(0, to) == 7 || timing.sentEntries(0, to) == 8);
        }
        assertEquals(8, mostSentEntries(timing, 8));
    }

    /** Without delay: served in the slots after the way back up to the way there, around the epoch; else not. */
    @ParameterizedTest
    @ValueSource(ints = {3, 8, 9, 16, 33})
    void shouldDifferFromTheAuthorsInOneCaseOnly(final int nodes) {
        final RoundRobin schedule = RoundRobin.plain(nodes, 1);
        final FeedbackTiming timing = new FeedbackTiming(schedule, 0);
        int different = 0;
        for (int relay = 1; relay < nodes; relay++) {
            for (int to = 1; to < nodes; to++) {
                final int there = schedule.slotTo(0, relay);
                final int back = schedule.slotTo(relay, 0);
                final int on = relay == to ? NONE : schedule.slotTo(relay, to);
                final boolean within = back < there ? back < on && on <= there : on > back || on <= there;
                final int expected = relay != to && within ? 1 : 0;
                assertEquals(expected, timing.phi(0, relay, to), "relay=" + relay + " to=" + to);
                final boolean defect = relay != to && on == there && there < back;
                assertEquals(defect ? 0 : expected, timing.phiOfAuthors(0, relay, to), "relay=" + relay + " to=" + to);
                different += defect ? 1 : 0;
            }
        }
        // one for every relay whose way back comes later, i.e. of a shift below half: to is twice the shift away
        assertEquals((nodes - 1) / 2, different);
    }

    private static int mostSentEntries(final FeedbackTiming timing, final int nodes) {
        return IntStream.range(1, nodes).map(to -> timing.sentEntries(0, to)).max().orElseThrow();
    }
}
