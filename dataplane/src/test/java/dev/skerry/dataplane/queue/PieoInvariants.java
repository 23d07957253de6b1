package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;

/** The invariants of a PIEO's memories between operations. */
final class PieoInvariants {
    private PieoInvariants() {
    }

    static void check(final Pieo pieo, final String where) {
        final PieoMemory memory = pieo.memory();
        final PieoLayout layout = pieo.layout();
        final int sublists = layout.sublists();
        assertTrue(memory.used() < sublists, where);
        assertArrayEquals(IntStream.range(0, sublists).toArray(),
            IntStream.range(0, sublists).map(memory::sublist).sorted().toArray(), where);
        int held = 0;
        long lastRank = 0;
        for (int position = 0; position < sublists; position++) {
            final int count = memory.count(position);
            assertEquals(position < memory.used(), count > 0, where);
            assertEquals(count == layout.sublistLength(), memory.full(position), where);
            assertEquals(memory.rank(memory.sublist(position), 0), memory.smallestRank(position), where);
            assertEquals(memory.sortedSendTime(memory.sublist(position), 0), memory.smallestSendTime(position), where);
            assertTrue(position + 1 >= memory.used() || memory.full(position) || memory.full(position + 1), where);
            lastRank = checkSublist(memory, layout, position, lastRank, where);
            held += count;
        }
        assertEquals(held, memory.held(), where);
    }

    private static long checkSublist(final PieoMemory memory, final PieoLayout layout, final int position,
        final long firstRank, final String where) {
        final int sublist = memory.sublist(position);
        final long[] times = new long[layout.sublistLength()];
        final long[] sorted = new long[layout.sublistLength()];
        long rank = firstRank;
        for (int slot = 0; slot < times.length; slot++) {
            times[slot] = memory.sendTime(sublist, slot);
            sorted[slot] = memory.sortedSendTime(sublist, slot);
            if (slot < memory.count(position)) {
                assertTrue(memory.rank(sublist, slot) >= rank, where);
                assertTrue(memory.rank(sublist, slot) < layout.noRank() && times[slot] < layout.noTime(), where);
                rank = memory.rank(sublist, slot);
            } else {
                assertEquals(0, memory.id(sublist, slot), where);
                assertEquals(layout.noRank(), memory.rank(sublist, slot), where);
                assertEquals(layout.noTime(), times[slot], where);
            }
        }
        Arrays.sort(times);
        assertArrayEquals(times, sorted, where);
        return rank;
    }
}
