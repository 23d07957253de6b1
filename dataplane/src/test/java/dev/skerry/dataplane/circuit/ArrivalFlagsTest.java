package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.queue.QueueBits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/** Flags against a BitSet a row; banks begin and end anywhere and take only their own. */
final class ArrivalFlagsTest {
    @ParameterizedTest
    @CsvSource({"1, 1, 2", "7, 2, 2", "8, 1, 3", "9, 3, 2", "64, 1, 2", "100, 3, 4", "500, 7, 2"})
    void shouldListWhatIsFlaggedOnce(final int nodes, final int banks, final int rows) {
        final Random random = new Random(nodes);
        try (Arena arena = Arena.ofConfined()) {
            final ArrivalFlags flags = new ArrivalFlags(arena, nodes, rows);
            final BitSet[] model = new BitSet[rows];
            for (int row = 0; row < rows; row++) {
                model[row] = new BitSet();
            }
            for (int step = 0; step < 500; step++) {
                for (int some = random.nextInt(1 + nodes); some > 0; some--) {
                    final int row = random.nextInt(rows);
                    final int node = random.nextInt(nodes);
                    flags.set(row, node);
                    model[row].set(node);
                }
                final int row = random.nextInt(rows);
                final int bank = random.nextInt(banks);
                final int first = bank * nodes / banks;
                final int end = (bank + 1) * nodes / banks;
                final int[] taken = new int[end - first + QueueBits.SPARE];
                final int count = flags.take(row, first, end - first, taken);
                final List<Integer> found = new ArrayList<>();
                for (int k = 0; k < count; k++) {
                    found.add(first + taken[k]);
                }
                final List<Integer> expected = model[row].get(first, end).stream().map(i -> first + i).boxed().toList();
                assertEquals(expected, found, "nodes=" + nodes + " step=" + step);
                model[row].clear(first, end);
            }
        }
    }

    @Test
    void shouldSayWhatTheBanksHaveSentInARow() {
        try (Arena arena = Arena.ofConfined()) {
            final ArrivalFlags flags = new ArrivalFlags(arena, 20, 2);
            for (int bank = 0; bank < 20; bank++) {
                assertEquals(bank, flags.join());
            }
            for (int bank = 0; bank < 20; bank++) {
                assertEquals(ArrivalFlags.NOTHING, flags.sent(1), "bank=" + bank);
                flags.setSent(1, bank, ArrivalFlags.FLAGGED);
                assertEquals(ArrivalFlags.FLAGGED, flags.sent(1), "bank=" + bank);
                flags.setSent(1, 19 - bank, ArrivalFlags.FULL);
                assertEquals(ArrivalFlags.FULL, flags.sent(1), "bank=" + bank);
                assertEquals(ArrivalFlags.NOTHING, flags.sent(0), "bank=" + bank);
                flags.setSent(1, 19 - bank, ArrivalFlags.NOTHING);
                assertEquals(bank == 19 - bank ? ArrivalFlags.NOTHING : ArrivalFlags.FLAGGED, flags.sent(1),
                    "bank=" + bank);
                flags.setSent(1, bank, ArrivalFlags.NOTHING);
            }
            assertEquals(0, flags.take(1, 0, 20, new int[20 + QueueBits.SPARE]));
        }
    }
}
