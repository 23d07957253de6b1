package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Arrays;

class Mt19937Test {
    @Test
    void shouldGiveTheTenThousandthNumberOfTheStandard() {
        final Mt19937 generator = new Mt19937(5489);
        for (int i = 1; i < 10_000; i++) {
            generator.next();
        }

        assertEquals(4_123_659_995L, Integer.toUnsignedLong(generator.next()));
    }

    @Test
    void shouldShuffleAsLibstdcxx() throws IOException {
        int lines = 0;
        for (final String[] line : ReferenceData.lines("std-shuffle.txt")) {
            final int length = Integer.parseInt(line[0]);
            final int[] order = identity(length);
            new Mt19937(1).shuffle(order, length);

            final int[] expected = ReferenceData.numbers(line, 2);
            assertArrayEquals(expected, Arrays.copyOf(order, expected.length), () -> "length=" + length);
            assertEquals(line[1], ReferenceData.hash(order), () -> "length=" + length);
            lines++;
        }
        assertEquals(21, lines);
    }

    @Test
    void shouldLeaveWhatLiesBeyondTheLengthAlone() {
        final int[] values = identity(40);

        new Mt19937(1).shuffle(values, 0);
        new Mt19937(1).shuffle(values, 1);
        assertArrayEquals(identity(40), values);

        new Mt19937(1).shuffle(values, 16);
        final int[] first = Arrays.copyOf(values, 16);
        Arrays.sort(first);
        assertArrayEquals(identity(16), first);
        assertArrayEquals(Arrays.copyOfRange(identity(40), 16, 40), Arrays.copyOfRange(values, 16, 40));
    }

    @Test
    void shouldDrawEveryValueBelowTheBoundAboutEquallyOften() {
        final Mt19937 generator = new Mt19937(7);
        final int[] drawn = new int[12];
        for (int i = 0; i < 120_000; i++) {
            drawn[(int) generator.below(12)]++;
        }

        for (final int times : drawn) {
            assertTrue(times > 9_500 && times < 10_500, () -> Arrays.toString(drawn));
        }
    }

    private static int[] identity(final int length) {
        final int[] values = new int[length];
        Arrays.setAll(values, i -> i);
        return values;
    }

    @Test
    void shouldShuffleNothing() {
        final int[] values = identity(3);
        new Mt19937(1).shuffle(values, 0);
        assertArrayEquals(identity(3), values);
    }
}
