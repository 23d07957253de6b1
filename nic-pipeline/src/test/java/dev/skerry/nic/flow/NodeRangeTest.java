package dev.skerry.nic.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NodeRangeTest {
    @ParameterizedTest
    @CsvSource({"-1, 2", "3, 3", "4, 3"})
    void shouldRefuseWhatIsNoRange(final int first, final int end) {
        assertThrows(IllegalArgumentException.class, () -> new NodeRange(first, end));
    }

    @Test
    void shouldShareAllNodesEvenly() {
        for (final int nodes : new int[] {1, 2, 7, 64, 50_625, (1 << 20) - 1}) {
            for (int banks = 1; banks <= Math.min(nodes, 65); banks++) {
                int end = 0;
                for (int bank = 0; bank < banks; bank++) {
                    final NodeRange range = NodeRange.share(nodes, bank, banks);
                    assertEquals(end, range.first());
                    assertTrue(range.size() == nodes / banks || range.size() == nodes / banks + 1);
                    end = range.end();
                }
                assertEquals(nodes, end);
            }
        }
    }
}
