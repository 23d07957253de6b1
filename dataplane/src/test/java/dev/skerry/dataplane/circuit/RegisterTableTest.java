package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;

final class RegisterTableTest {
    @Test
    void shouldSayWhatItWasGiven() {
        final RegisterTable table = RegisterTable.of(3, 2, new int[] {1, -1, 0, -1, 2, 1});
        assertEquals(3, table.ports());
        assertEquals(2, table.epochSlots());
        assertEquals(1, table.input(0, 0));
        assertEquals(RegisterTable.DARK, table.input(0, 1));
        assertEquals(2, table.input(1, 1));
        assertEquals(0, table.held(2));
    }

    @Test
    void shouldShiftAnOutputByItsPhase() {
        final RegisterTable table = new RegisterTable(2, 3, (slot, output) -> slot == output ? 0 : RegisterTable.DARK,
            new int[] {0, 1});
        assertEquals(0, table.input(0, 0));
        assertEquals(0, table.input(2, 1), "row 1 one slot later");
        assertEquals(RegisterTable.DARK, table.input(1, 1));
        assertEquals(RegisterTable.DARK, table.held(1), "row 0 whatever the phase");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 1 0 0 | not a partial permutation: slot=1 input=0 outputs=0,1",
        "1 1 0 -1 | not a partial permutation: held before the start input=1 outputs=0,1",
        "0 1 2 0 | no such input: slot=1 output=0 input=2 ports=2",
        "0 -2 1 0 | no such input: slot=0 output=1 input=-2 ports=2",
        "0 1 1 | table is not of this epoch: entries=3 epochSlots=2 ports=2",
        "0 1 1 0 0 1 | table is not of this epoch: entries=6 epochSlots=2 ports=2"
    })
    void shouldRefuseATableThatIsNone(final String rows, final String message) {
        final int[] inputs = Arrays.stream(rows.trim().split(" ")).mapToInt(Integer::parseInt).toArray();
        final IllegalArgumentException refused =
            assertThrows(IllegalArgumentException.class, () -> RegisterTable.of(2, 2, inputs));
        assertEquals(message, refused.getMessage());
    }

    @Test
    void shouldRefusePhasesThatMakeTwoOutputsMeet() {
        final int[] rows = {0, -1, -1, 0};
        final RegisterTable.Selection selection = (slot, output) -> rows[slot * 2 + output];
        assertEquals(0, new RegisterTable(2, 2, selection).input(1, 1));
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> new RegisterTable(2, 2, selection, new int[] {1, 0}));
        assertEquals("not a partial permutation: slot=1 input=0 outputs=0,1", refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-1, 1", "65535, 1", "1, 0", "65534, 4097"})
    void shouldRefuseASizeItCannotHave(final int ports, final int epochSlots) {
        assertThrows(IllegalArgumentException.class, () -> new RegisterTable(ports, epochSlots, (slot, output) -> -1));
    }

    @Test
    void shouldRefusePhasesOutsideTheEpoch() {
        for (final int[] phases : new int[][] {{0}, {0, 0, 0}, {0, 2}, {-1, 0}}) {
            assertThrows(IllegalArgumentException.class,
                () -> new RegisterTable(2, 2, (slot, output) -> -1, phases));
        }
    }
}
