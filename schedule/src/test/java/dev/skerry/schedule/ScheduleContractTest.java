package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The contract of every schedule. */
class ScheduleContractTest {
    private static final int NODES = 64;
    private static final int LONGEST_PERIOD = 40;

    static Stream<Arguments> schedules() {
        return Stream.of(
            Arguments.argumentSet("round robin", RoundRobin.plain(9, 1)),
            Arguments.argumentSet("round robin, channels", RoundRobin.plain(9, 3)),
            Arguments.argumentSet("round robin, idle column", RoundRobin.plain(10, 2)),
            Arguments.argumentSet("re-arranged", RoundRobin.rearranged(10, 1, 0)),
            Arguments.argumentSet("re-arranged, channels", RoundRobin.rearranged(16, 2, 0)),
            Arguments.argumentSet("phased", new Phased(2, 4)),
            Arguments.argumentSet("phased, r=2", new Phased(5, 2)),
            Arguments.argumentSet("phased, one phase", new Phased(1, 7)),
            Arguments.argumentSet("phased, 8 lanes", new LanedSchedule(new Phased(2, 4), 8)),
            Arguments.argumentSet("phased, 3 lanes", new LanedSchedule(new Phased(3, 3), 3)));
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void shouldShowTheSameConnectionFromBothEnds(final Schedule schedule) {
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                int idle = 0;
                for (int node = 0; node < schedule.nodes(); node++) {
                    final int peer = schedule.peerAt(node, channel, slot);
                    final int sender = schedule.senderAt(node, channel, slot);
                    assertNotEquals(node, peer);
                    if (schedule instanceof Phased phased) {
                        assertEquals(phased.peerOf(node, (long) slot), peer);
                        assertEquals(phased.senderTo(node, (long) slot), sender);
                    }
                    if (peer == Schedule.IDLE) {
                        idle++;
                    } else {
                        assertEquals(node, schedule.senderAt(peer, channel, slot));
                    }
                    if (sender == Schedule.IDLE) {
                        idle--;
                    } else {
                        assertEquals(node, schedule.peerAt(sender, channel, slot));
                    }
                }
                assertEquals(0, idle);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void shouldRepeatEveryEpoch(final Schedule schedule) {
        final long epochs = 4_000_000_007L;
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            assertEquals(slot, schedule.slotInEpoch(slot));
            assertEquals(slot, schedule.slotInEpoch(epochs * schedule.epochSlots() + slot));
        }
    }

    /** The last column: lane-slots after which the table of a lane repeats, lcm(E, L)/L. */
    @ParameterizedTest
    @CsvSource({"2, 4, 8, 3", "4, 10, 8, 9", "2, 5, 8, 1", "3, 3, 5, 6", "2, 4, 1, 6"})
    void shouldServeTheSlotsOfEachLaneOnly(final int h, final int r, final int lanes, final int laneSlots) {
        final Phased phased = new Phased(h, r);
        final LanedSchedule schedule = new LanedSchedule(phased, lanes);
        assertEquals(laneSlots, schedule.epochSlots() / lanes);
        final int step = phased.nodes() > 1000 ? 37 : 1;
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int node = 0; node < phased.nodes(); node += step) {
                assertEquals(phased.peerOf(node, (long) slot), schedule.peerAt(node, 0, slot));
            }
        }
        if (phased.nodes() > 1000) {
            return;
        }
        final Wiring wiring = Crossbar.lanes(schedule);
        assertEquals(lanes, wiring.switches());
        for (int lane = 0; lane < lanes; lane++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                for (int node = 0; node < phased.nodes(); node++) {
                    final int expected = slot % lanes == lane ? phased.senderTo(node, (long) slot) : SwitchTable.DARK;
                    assertEquals(expected, wiring.table(lane).selected(slot, node), "lane=" + lane + " slot=" + slot);
                }
            }
        }
    }

    @Test
    void shouldRefuseWhatHasNoTurns() {
        assertThrows(IllegalArgumentException.class, () -> new LanedSchedule(RoundRobin.plain(8, 2), 8));
        assertThrows(IllegalArgumentException.class, () -> new LanedSchedule(new Phased(2, 4), 0));
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> new LanedSchedule(new Phased(2, 4), Integer.MAX_VALUE));
        assertTrue(refused.getMessage().contains("lanes=" + Integer.MAX_VALUE), refused.getMessage());
    }

    private static InterleavedSchedule interleaved(final int[] phases, final int[] slots) {
        return new InterleavedSchedule(Arrays.stream(phases)
            .mapToObj(h -> new Phased(h, Population.radixFor(h, NODES))).toList(), new SlotShares(slots));
    }

    private static int[] numbers(final String text) {
        return Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    /** Over two epochs, each slot is the next one of the schedule whose turn it is. */
    @ParameterizedTest
    @CsvSource({"3 2, 1 1", "3 2, 2 3", "6 1, 1 3", "6 3 2, 1 1 2", "2 1, 1 6"})
    void shouldTakeTheSlotsOfEachInTurn(final String phases, final String slots) {
        final InterleavedSchedule schedule = interleaved(numbers(phases), numbers(slots));
        final SlotShares shares = new SlotShares(numbers(slots));
        final Phased[] parts = Arrays.stream(numbers(phases)).mapToObj(h -> new Phased(h, Population.radixFor(h,
            NODES))).toArray(Phased[]::new);
        assertEquals(NODES, schedule.nodes());
        assertEquals(1, schedule.channels());
        final int[] taken = new int[parts.length];
        for (int slot = 0; slot < 2 * schedule.epochSlots(); slot++) {
            final int number = shares.owner(slot);
            final int at = schedule.slotInEpoch(slot);
            assertEquals(slot % schedule.epochSlots(), at);
            for (int node = 0; node < NODES; node++) {
                final int own = taken[number] % parts[number].epochSlots();
                assertEquals(parts[number].peerAt(node, 0, own), schedule.peerAt(node, 0, at), "slot=" + slot);
                assertEquals(parts[number].senderAt(node, 0, own), schedule.senderAt(node, 0, at), "slot=" + slot);
            }
            taken[number]++;
        }
        assertEquals(leastEpoch(parts, shares), schedule.epochSlots());
    }

    /** The least number of slots after which pattern and epochs end together, by trying one after the other. */
    private static int leastEpoch(final Phased[] parts, final SlotShares shares) {
        final int[] taken = new int[parts.length];
        for (int slots = 1;; slots++) {
            taken[shares.owner(slots - 1)]++;
            boolean ends = slots % shares.period() == 0;
            for (int number = 0; number < parts.length; number++) {
                ends &= taken[number] % parts[number].epochSlots() == 0;
            }
            if (ends) {
                return slots;
            }
        }
    }

    @Test
    void shouldRefuseSchedulesOfOtherNodes() {
        final SlotShares halves = new SlotShares(1, 1);
        final String said = assertThrows(IllegalArgumentException.class,
            () -> new InterleavedSchedule(List.of(new Phased(2, 8), new Phased(2, 7)), halves)).getMessage();
        assertTrue(said.contains("h=2 nodes=64 h=2 nodes=49"), said);
    }

    /** The epochs have 262,143 and 1,022 slots of their own, which end together after 524,286 periods of 9,998. */
    @Test
    void shouldRefuseAnEpochThatCannotBeCounted() {
        final List<Phased> parts = List.of(new Phased(1, 1 << 18), new Phased(2, 512));
        final SlotShares shares = new SlotShares(9_997, 1);
        final String said = assertThrows(IllegalArgumentException.class,
            () -> new InterleavedSchedule(parts, shares)).getMessage();
        assertEquals("the common period of the epochs is " + 524_286L * 9_998 + " slots", said);
    }

    /** Of two shares, the first has slot t if floor((t + 1) s) is above floor(t s). */
    @Test
    void shouldFollowTheRuleForTwo() {
        for (int period = 2; period <= LONGEST_PERIOD; period++) {
            for (int share = 1; share < period; share++) {
                final SlotShares shares = new SlotShares(share, period - share);
                for (long slot = 0; slot < 3L * period; slot++) {
                    final boolean isFirst = (slot + 1) * share / period > slot * share / period;
                    assertEquals(isFirst ? 0 : 1, shares.owner(slot), share + "/" + period + " slot=" + slot);
                }
            }
        }
    }

    /** Counted slot by slot: every share has its part of every period, numbers its slots, and finds them again. */
    @ParameterizedTest
    @ValueSource(strings = {"1,1", "2,3", "1,2,3", "5,1,1,1", "40,9,2", "3,3,3", "1,9999", "1,1,1,1,1,1,1,1"})
    void shouldNumberTheSlotsOfEachShare(final String text) {
        final int[] slots = Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
        final SlotShares shares = new SlotShares(slots);
        final long[] counted = new long[slots.length];
        for (long slot = 0; slot < 2L * shares.period(); slot++) {
            for (int number = 0; number < slots.length; number++) {
                final SlotShare share = shares.shares().get(number);
                assertEquals(number, share.number());
                assertEquals(counted[number], share.before(slot), text + " slot=" + slot);
                assertEquals(shares.owner(slot) == number, share.owns(slot), text + " slot=" + slot);
            }
            final int owner = shares.owner(slot);
            assertEquals(slot, shares.shares().get(owner).slotOf(counted[owner]++), text + " slot=" + slot);
        }
        final int sum = Arrays.stream(slots).sum();
        for (int number = 0; number < slots.length; number++) {
            assertEquals(2L * shares.period() * slots[number] / sum, counted[number], text);
        }
    }

    /** In any stretch of slots the first share has its part but for less than one slot. */
    @Test
    void shouldSpreadEvenly() {
        final SlotShares shares = new SlotShares(3, 5, 9);
        final SlotShare first = shares.shares().getFirst();
        for (long slot = 0; slot < 100; slot++) {
            assertTrue(Math.abs(first.before(slot) - slot * 3 / 17.0) < 1, "slot=" + slot);
        }
    }

    @Test
    void shouldLeaveAScheduleAloneThatHasAllSlots() {
        assertTrue(SlotShare.ALL.isAll());
        for (final long slot : new long[] {0, 1, 12_345, Long.MAX_VALUE}) {
            assertEquals(slot, SlotShare.ALL.before(slot));
            assertEquals(slot, SlotShare.ALL.slotOf(slot));
            assertTrue(SlotShare.ALL.owns(slot));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "0,1", "1,10000", "1,-1", "1,1,1,1,1,1,1,1,1"})
    void shouldRefuseWhatCannotBeShared(final String text) {
        final int[] slots = Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
        final String message = assertThrows(IllegalArgumentException.class, () -> new SlotShares(slots)).getMessage();
        assertTrue(message.contains(Arrays.toString(slots)), message);
    }
}
