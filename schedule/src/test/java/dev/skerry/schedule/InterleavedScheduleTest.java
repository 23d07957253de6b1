package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;

/** Schedules that share slots, beside an obvious count of the slots of each. */
class InterleavedScheduleTest {
    private static final int NODES = 64;

    private static InterleavedSchedule of(final int[] phases, final int[] slots) {
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
        final InterleavedSchedule schedule = of(numbers(phases), numbers(slots));
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
        assertEquals("the epochs end together only after " + 524_286L * 9_998 + " slots", said);
    }
}
