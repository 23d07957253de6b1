package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions as numbers, at the ends of their ranges. */
final class BranchlessTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 64, 1 << 20, Integer.MAX_VALUE - 1, Integer.MAX_VALUE})
    void shouldBeOneWhereTheConditionHolds(final int value) {
        assertEquals(value == 0 ? 1 : 0, Branchless.ifZero(value));
        assertEquals(1, Branchless.ifEqual(value, value));
        assertEquals(0, Branchless.ifEqual(value, value ^ 1));
        assertEquals(value > 0 ? 1 : 0, Branchless.ifPositive(value));
        assertEquals(0, Branchless.ifPositive(-value));
        assertEquals(value != 0 ? 1 : 0, Branchless.ifAny(value));
        assertEquals(value != 0 ? 1 : 0, Branchless.ifAny((long) value << 33));
        assertEquals(1, Branchless.ifAny(Long.MIN_VALUE));
        assertEquals(1, Branchless.ifAny(-1L - value));
    }
}
