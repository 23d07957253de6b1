package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.shale.control.Priority.FlowLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lengths of flows against values of the authors' simulator. */
final class FlowLengthTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1", "2, 2", "24, 24", "25, 25", "26, 25", "27, 27", "28, 28", "29, 28", "30, 30", "108, 104", "109, 109",
        "28915, 27461", "28916, 28916", "1017440, 1017440", "3892233, 3696475", "3892234, 3892234",
        "4098361, 3892234", "2147483646, 3892234", "2147483647, 2147483647",
    })
    void shouldRoundDownToTheTable(final int cells, final int length) {
        assertEquals(length, FlowLength.QUANTISED.of(cells));
    }

    @Test
    void shouldNeverRoundUpNorFarDown() {
        for (int cells = 1; cells < 3_892_234; cells += 1 + cells / 997) {
            final double length = FlowLength.QUANTISED.of(cells);
            assertEquals(length, FlowLength.QUANTISED.of((int) length), "cells=" + cells);
            assertTrue(length <= cells && length > 0.94 * cells, "cells=" + cells);
        }
    }

    @Test
    void shouldBeExactWhereTheLogarithmIsWhole() {
        for (int exponent = 0; exponent < 31; exponent++) {
            assertEquals(exponent, FlowLength.LOG.of(1 << exponent));
        }
        assertEquals(1.584_962_500_721_156, FlowLength.LOG.of(3), 1e-15);
    }
}
