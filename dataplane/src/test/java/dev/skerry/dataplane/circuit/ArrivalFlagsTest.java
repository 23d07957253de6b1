package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.QueueBits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/** Flags against a map a row; banks begin and end anywhere and take only their own. */
final class ArrivalFlagsTest {
    @ParameterizedTest
    @CsvSource({"1, 1, 2", "7, 2, 2", "8, 1, 3", "9, 3, 2", "64, 1, 2", "100, 3, 4", "500, 7, 2"})
    void shouldListWhatIsFlaggedOnce(final int nodes, final int banks, final int rows) {
        final Random random = new Random(nodes);
        try (Arena arena = Arena.ofConfined()) {
            final ArrivalFlags flags = new ArrivalFlags(arena, nodes, rows);
            final List<NavigableMap<Integer, Integer>> model = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                model.add(new TreeMap<>());
            }
            for (int step = 0; step < 500; step++) {
                for (int some = random.nextInt(1 + nodes); some > 0; some--) {
                    final int row = random.nextInt(rows);
                    final int node = random.nextInt(nodes);
                    final int position = random.nextInt(ArrivalFlags.POSITIONS);
                    flags.set(row, node, position);
                    model.get(row).put(node, position);
                }
                final int row = random.nextInt(rows);
                final int bank = random.nextInt(banks);
                final int first = bank * nodes / banks;
                final int end = (bank + 1) * nodes / banks;
                final int[] taken = new int[end - first + QueueBits.SPARE];
                final int[] positions = new int[end - first];
                final int count = flags.take(row, first, end - first, taken, positions);
                final Map<Integer, Integer> found = new TreeMap<>();
                for (int k = 0; k < count; k++) {
                    found.put(first + taken[k], positions[k]);
                    assertTrue(k == 0 || taken[k] > taken[k - 1], "nodes=" + nodes + " step=" + step);
                }
                final Map<Integer, Integer> expected = model.get(row).subMap(first, end);
                assertEquals(expected, found, "nodes=" + nodes + " step=" + step);
                expected.clear();
            }
        }
    }

    @Test
    void shouldSayWhatTheBanksHaveSentInARow() {
        try (Arena arena = Arena.ofConfined()) {
            final ArrivalFlags flags = new ArrivalFlags(arena, 20, 2);
            for (int bank = 0; bank < 20; bank++) {
                assertEquals(bank, flags.join(bank, 1, false));
            }
            for (int bank = 0; bank < 20; bank++) {
                assertEquals(ArrivalFlags.NOTHING, flags.sent(1), "bank=" + bank);
                flags.setSent(1, bank, ArrivalFlags.FLAGGED);
                assertEquals(ArrivalFlags.FLAGGED, flags.sent(1), "bank=" + bank);
                flags.setSent(1, 19 - bank, ArrivalFlags.FULL);
                assertEquals(ArrivalFlags.MIXED, flags.sent(1), "bank=" + bank);
                assertEquals(ArrivalFlags.NOTHING, flags.sent(0), "bank=" + bank);
                flags.setSent(1, 19 - bank, ArrivalFlags.NOTHING);
                assertEquals(bank == 19 - bank ? ArrivalFlags.NOTHING : ArrivalFlags.FLAGGED, flags.sent(1),
                    "bank=" + bank);
                flags.setSent(1, bank, ArrivalFlags.NOTHING);
            }
            assertEquals(0, flags.take(1, 0, 20, new int[20 + QueueBits.SPARE], new int[20]));
        }
    }

    @Test
    void shouldCountPositionsFromTheFirstNodeOfABankThatPacks() {
        try (Arena arena = Arena.ofConfined()) {
            final ArrivalFlags flags = new ArrivalFlags(arena, 20, 2);
            flags.join(0, 12, false);
            flags.join(12, 8, true);
            assertEquals(11, flags.place(11, 0));
            assertEquals(12 + 3, flags.place(17, 3));
            flags.setSent(1, 1, ArrivalFlags.FLAGGED);
            assertEquals(19, flags.unflagged(1, 17));
            flags.setSent(1, 1, ArrivalFlags.FULL);
            assertEquals(17, flags.unflagged(1, 17));
        }
    }
}
