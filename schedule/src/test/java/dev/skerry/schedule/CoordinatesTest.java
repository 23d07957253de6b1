package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.SplittableRandom;

class CoordinatesTest {
    private static final int EXHAUSTIVE_NODES = 256;

    @Test
    void shouldNumberDigitsFromTheLeastSignificant() {
        final Coordinates coordinates = new Coordinates(4, 10);

        assertEquals(10_000, coordinates.nodes());
        assertEquals(4, coordinates.digit(1234, 0));
        assertEquals(3, coordinates.digit(1234, 1));
        assertEquals(2, coordinates.digit(1234, 2));
        assertEquals(1, coordinates.digit(1234, 3));
        assertEquals(1000, coordinates.weight(3));
        assertEquals(1294, coordinates.withDigit(1234, 1, 9));
        assertEquals(234, coordinates.withDigit(1234, 3, 0));
    }

    /** The largest fabric of every number of phases: the widest digits that a lane must hold. */
    @ParameterizedTest
    @CsvSource({"1, 1048575", "2, 1023", "3, 101", "4, 31", "5, 15", "6, 10", "7, 7", "8, 5"})
    void shouldHoldTheDigitsOfTheLargestFabrics(final int phases, final int radix) {
        final Coordinates coordinates = new Coordinates(phases, radix);
        final SplittableRandom random = new SplittableRandom(phases);
        final int last = coordinates.nodes() - 1;
        for (int i = 0; i < 20_000; i++) {
            final int node = i < 2 ? i * last : random.nextInt(last + 1);
            int rest = node;
            for (int phase = 0; phase < phases; phase++) {
                assertEquals(rest % radix, coordinates.digit(node, phase));
                rest /= radix;
            }
            checkNextDifference(coordinates, node, random.nextInt(last + 1));
            final int near = coordinates.withDigit(node, random.nextInt(phases), random.nextInt(radix));
            checkNextDifference(coordinates, node, near);
        }
    }

    @Test
    void shouldFindTheNextDifferenceThatALoopFinds() {
        int fabrics = 0;
        for (int phases = 1; phases <= Phased.MAX_PHASES; phases++) {
            for (int radix = 2; Math.pow(radix, phases) <= EXHAUSTIVE_NODES; radix++) {
                final Coordinates coordinates = new Coordinates(phases, radix);
                for (int node = 0; node < coordinates.nodes(); node++) {
                    for (int destination = 0; destination < coordinates.nodes(); destination++) {
                        checkNextDifference(coordinates, node, destination);
                    }
                }
                fabrics++;
            }
        }
        // radix 2 .. 256, 16, 6, 4, 3, 2, 2, 2
        assertEquals(255 + 15 + 5 + 3 + 2 + 1 + 1 + 1, fabrics);
    }

    @ParameterizedTest
    @CsvSource({"0, 4, phases=0", "9, 2, phases=9", "2, 1, radix=1", "2, -3, radix=-3", "1, 1048576, radix=1048576",
        "2, 1024, radix=1024", "4, 32, radix=32", "8, 2147483647, radix=2147483647"})
    void shouldRefuseFabricsThatNoHeaderCanName(final int phases, final int radix, final String named) {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> new Phased(phases, radix)).getMessage();

        assertTrue(message.contains(named), message);
    }

    private static void checkNextDifference(final Coordinates coordinates, final int node, final int destination) {
        if (node == destination) {
            return;
        }
        for (int phase = 0; phase < coordinates.phases(); phase++) {
            checkDiffersOnlyIn(coordinates, phase, node, destination);
            int expected = (phase + 1) % coordinates.phases();
            while (coordinates.digit(node, expected) == coordinates.digit(destination, expected)) {
                expected = (expected + 1) % coordinates.phases();
            }
            final int found = coordinates.nextDifference(node, destination, phase);
            if (found != expected) {
                fail("phases=" + coordinates.phases() + " radix=" + coordinates.radix() + " node=" + node
                    + " destination=" + destination + " phase=" + phase + ": " + found + " instead of " + expected);
            }
            int last = phase;
            while (coordinates.digit(node, last) == coordinates.digit(destination, last)) {
                last = Math.floorMod(last - 1, coordinates.phases());
            }
            if (coordinates.lastDifference(node, destination, phase) != last) {
                fail("phases=" + coordinates.phases() + " radix=" + coordinates.radix() + " node=" + node
                    + " other=" + destination + " phase=" + phase + ": last is " + last);
            }
        }
    }

    private static void checkDiffersOnlyIn(final Coordinates coordinates, final int phase, final int node,
        final int other) {
        boolean only = true;
        for (int others = 0; others < coordinates.phases(); others++) {
            only &= others == phase || coordinates.digit(node, others) == coordinates.digit(other, others);
        }
        final boolean sameLane = (coordinates.digits(node) & coordinates.lane(phase))
            == (coordinates.digits(other) & coordinates.lane(phase));
        if (coordinates.differOnlyIn(phase, node, other) != only
            || coordinates.oneIfDifferOnlyIn(phase, node, other) != (only ? 1 : 0)
            || sameLane != (coordinates.digit(node, phase) == coordinates.digit(other, phase))) {
            fail("phases=" + coordinates.phases() + " radix=" + coordinates.radix() + " node=" + node + " other="
                + other + " phase=" + phase + ": only there is " + only);
        }
    }
}
