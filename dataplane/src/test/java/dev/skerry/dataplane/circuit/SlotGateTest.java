package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.Random;

class SlotGateTest {
    private final SlotCounts counts = new SlotCounts(Arena.ofAuto(), 3);

    @Test
    void shouldGoAheadByTheDelayAndNoFurther() {
        final SlotGate gate = new SlotGate(counts, new int[] {1, 2}, new int[] {3, 5});
        assertTrue(gate.isOpen(0));
        assertTrue(gate.isOpen(2));
        assertFalse(gate.isOpen(3));
        counts.publish(1, 4);
        assertTrue(gate.isOpen(3));
        assertTrue(gate.isOpen(4));
        assertFalse(gate.isOpen(5));
        counts.publish(2, 1);
        assertTrue(gate.isOpen(5));
        assertFalse(gate.isOpen(6));
        assertEquals(4, counts.slots(1));
        assertEquals(0, counts.slots(0));
    }

    /** Parties that step in any order: none reads a slot before it is complete, or overwrites one before it is read. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 4", "3, 2", "7, 3"})
    void shouldKeepEveryWindowOfTwoDelaysWhole(final int delay, final long seed) {
        final int parties = 6;
        final SlotCounts all = new SlotCounts(Arena.ofAuto(), parties);
        final SlotGate[] gates = new SlotGate[parties];
        for (int party = 0; party < parties; party++) {
            gates[party] = new SlotGate(all, new int[] {(party + 1) % parties, (party + parties - 1) % parties},
                new int[] {delay, delay});
        }
        final long[][] sent = new long[parties][2 * delay];
        final long[] slots = new long[parties];
        final Random random = new Random(seed);
        long least = 0;
        for (int step = 0; least < 300; step++) {
            assertTrue(step < 100_000, "nobody may go on: seed=" + seed);
            final int party = random.nextInt(parties);
            final long slot = slots[party];
            if (!gates[party].isOpen(slot)) {
                continue;
            }
            if (slot >= delay) {
                final int row = (int) ((slot - delay) % (2 * delay));
                assertEquals(slot - delay, sent[(party + 1) % parties][row], "seed=" + seed);
                assertEquals(slot - delay, sent[(party + parties - 1) % parties][row], "seed=" + seed);
            }
            sent[party][(int) (slot % (2 * delay))] = slot;
            all.publish(party, ++slots[party]);
            least = Long.MAX_VALUE;
            for (final long done : slots) {
                least = Math.min(least, done);
            }
        }
    }

    @Test
    void shouldRefuseWhatIsNoGate() {
        assertThrows(IllegalArgumentException.class, () -> new SlotCounts(Arena.ofAuto(), 0));
        assertThrows(IllegalArgumentException.class, () -> new SlotGate(counts, new int[0], new int[0]));
        assertThrows(IllegalArgumentException.class, () -> new SlotGate(counts, new int[] {1}, new int[] {0}));
        assertThrows(IllegalArgumentException.class, () -> new SlotGate(counts, new int[] {3}, new int[] {1}));
        assertThrows(IllegalArgumentException.class, () -> new SlotGate(counts, new int[] {1}, new int[] {1, 2}));
    }
}
