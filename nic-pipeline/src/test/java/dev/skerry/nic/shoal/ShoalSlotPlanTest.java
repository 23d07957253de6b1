package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the turns of a place say, against the slots of the schedule counted one by one. */
final class ShoalSlotPlanTest {
    private static RoundRobin schedule(final int nodes, final int channels, final int propagation,
        final boolean delay) {
        return delay ? RoundRobin.rearranged(nodes, channels, propagation) : RoundRobin.plain(nodes, channels);
    }

    private static boolean meets(final RoundRobin schedule, final int from, final int to, final long slot) {
        for (int channel = 0; channel < schedule.channels(); channel++) {
            if (schedule.peerAt(from, channel, schedule.slotInEpoch(slot)) == to) {
                return true;
            }
        }
        return false;
    }

    private static long nextMeeting(final RoundRobin schedule, final int from, final int to, final long after) {
        long slot = after + 1;
        while (!meets(schedule, from, to, slot)) {
            slot++;
        }
        return slot;
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 0, false", "2, 1, 5, false", "5, 1, 0, false", "5, 2, 0, false", "8, 1, 0, false",
        "8, 1, 3, false", "8, 1, 17, false", "8, 2, 0, false", "8, 3, 2, false", "9, 4, 1, false", "12, 11, 0, false",
        "7, 1, 2, true", "8, 1, 3, true", "8, 2, 1, true", "16, 4, 1, true", "2, 1, 0, true"})
    void shouldAgreeWithSlotsCountedOneByOne(final int nodes, final int channels, final int propagation,
        final boolean delay) {
        final RoundRobin schedule = schedule(nodes, channels, propagation, delay);
        final ShoalSlotPlan turns = new ShoalSlotPlan(Shoal.of(schedule, ReleaseRule.EXACT, true, propagation));
        final int epochSlots = schedule.epochSlots();
        final int sent = 50 + propagation / epochSlots;
        for (int place = 0; place < channels * epochSlots; place++) {
            for (int from = 0; from < nodes; from++) {
                final int to = schedule.peerAt(from, place / epochSlots, place % epochSlots);
                final boolean turn = turns.link(place) != ShoalSlotPlan.IDLE && from >= turns.firstSender(place)
                    && from < turns.endSender(place);
                assertEquals(to != RoundRobin.IDLE, turn);
                if (turn) {
                    assertEquals(to, (from + turns.link(place) + 1) % nodes);
                    assertEquals(from, (to + turns.linkBack(place) + 1) % nodes);
                    assertTrue(to >= turns.firstReceiver(place) && to < turns.endReceiver(place));
                    checkReport(schedule, turns, propagation, place, (long) sent * epochSlots + place % epochSlots,
                        from, to);
                    checkServices(schedule, turns, propagation, place, from, to);
                }
            }
        }
    }

    /** In a slot, the report of one node arrives at another: which cell is it about, and when can that answer? */
    private static void checkReport(final RoundRobin schedule, final ShoalSlotPlan turns, final int propagation,
        final int place, final long slot, final int from, final int to) {
        long about = slot - propagation - 1;
        while (!meets(schedule, to, from, about)) {
            about--;
        }
        final String where = "place=" + place + " from=" + from;
        final long epoch = slot / schedule.epochSlots();
        assertEquals(about / schedule.epochSlots(), epoch - turns.acknowledgedBack(place), where);
        final long next = nextMeeting(schedule, to, from, slot + propagation);
        assertEquals(next / schedule.epochSlots(), epoch + turns.nextAhead(place), where);
        assertEquals(propagation == 0 && schedule.channels() == 1 && meets(schedule, to, from, slot),
            turns.simultaneous(place), where);
        assertTrue(next / schedule.epochSlots() - about / schedule.epochSlots() < turns.sentEpochs(), where);
    }

    private static void checkServices(final RoundRobin schedule, final ShoalSlotPlan turns, final int propagation,
        final int place, final int from, final int relay) {
        final long report = nextMeeting(schedule, relay, from, 0);
        final long arrival = nextMeeting(schedule, from, relay, report + propagation) + propagation;
        for (int to = 0; to < nodesOf(schedule); to++) {
            if (to != from && to != relay) {
                int services = 0;
                for (long slot = report; slot <= arrival; slot++) {
                    services += meets(schedule, relay, to, slot) ? 1 : 0;
                }
                assertEquals(services, turns.services(place, from, to), from + " to " + relay + " to " + to);
            }
        }
        assertEquals(ShoalSlotPlan.MAX_SERVICES, turns.services(place, from, relay));
    }

    private static int nodesOf(final RoundRobin schedule) {
        return schedule.nodes();
    }

    /** With one channel, the schedule's own φ. */
    @ParameterizedTest
    @CsvSource({"7, 0", "8, 0", "16, 0", "16, 3", "9, 40"})
    void shouldAgreeWithTheSchedule(final int nodes, final int propagation) {
        final RoundRobin schedule = RoundRobin.plain(nodes, 1);
        final FeedbackTiming timing = new FeedbackTiming(schedule, propagation);
        final ShoalSlotPlan exact = new ShoalSlotPlan(Shoal.of(schedule, ReleaseRule.EXACT, true, propagation));
        final ShoalSlotPlan literal = new ShoalSlotPlan(Shoal.of(schedule, ReleaseRule.PAPER_LITERAL, true,
            propagation));
        final ShoalSlotPlan authors = propagation > 0 ? null
            : new ShoalSlotPlan(Shoal.of(schedule, ReleaseRule.AUTHORS_SIMULATOR, true, 0));
        for (int place = 0; place < nodes - 1; place++) {
            for (int from = 0; from < nodes; from++) {
                final int relay = schedule.peerAt(from, 0, place);
                for (int to = 0; to < nodes; to++) {
                    if (to != from && to != relay) {
                        assertEquals(timing.phi(from, relay, to), exact.services(place, from, to));
                        assertEquals(0, literal.services(place, from, to));
                        assertEquals(authors == null ? 0 : timing.phiOfAuthors(from, relay, to),
                            authors == null ? 0 : authors.services(place, from, to));
                    }
                }
            }
        }
    }

    @Test
    void shouldRememberFewCellsWithoutDelay() {
        assertEquals(5, new ShoalSlotPlan(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, true, 0)).sentEpochs());
    }
}
