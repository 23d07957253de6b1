package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import dev.skerry.schedule.Clos.EdgeColouring;
import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.Random;

/** Random multigraphs: no two edges of a vertex share a colour, with as many colours as the degree. */
class EdgeColouringModelTest {
    private static final int GRAPHS = 3_000;

    @Test
    void shouldColourAnyGraphWithAsManyColoursAsEdgesAtAVertex() {
        for (int seed = 0; seed < GRAPHS; seed++) {
            final Random random = new Random(seed);
            final int vertices = 1 + random.nextInt(8);
            final int colours = 1 + random.nextInt(8);
            // whole permutations laid over each other, which need every colour, and their edges mixed and thinned
            final int[] left = new int[vertices * colours];
            final int[] right = new int[vertices * colours];
            for (int edge = 0; edge < left.length; edge++) {
                left[edge] = edge % vertices;
            }
            for (int first = 0; first < left.length; first += vertices) {
                for (int i = 0; i < vertices; i++) {
                    right[first + i] = i;
                }
                shuffle(random, right, first, first + vertices);
            }
            mix(random, left, right);
            final int edges = random.nextBoolean() ? left.length : random.nextInt(left.length + 1);
            final EdgeColouring colouring = new EdgeColouring(vertices, colours);
            final int[] colour = new int[edges];
            colouring.colour(edges, left, right, colour);
            check(edges, left, right, colour, colours, seed);
            // reused, it gives the same again
            final int[] again = new int[edges];
            colouring.colour(edges, left, right, again);
            assertArrayEquals(colour, again);
        }
    }

    @Test
    void shouldTakeTheLowestColourFreeAtBothEnds() {
        final int[] colour = new int[4];
        new EdgeColouring(3, 2).colour(4, new int[]{0, 1, 0, 2}, new int[]{0, 1, 1, 2}, colour);
        assertArrayEquals(new int[]{0, 0, 1, 0}, colour);
    }

    @Test
    void shouldTurnAPathOverWhereNoColourIsFreeAtBothEnds() {
        final int[] colour = new int[4];
        // edges 1 and 2 leave colour 0 to left 1 and colour 1 to right 1: the path edge 2, edge 0 is turned over
        new EdgeColouring(2, 2).colour(4, new int[]{0, 1, 0, 1}, new int[]{0, 0, 1, 1}, colour);
        check(4, new int[]{0, 1, 0, 1}, new int[]{0, 0, 1, 1}, colour, 2, 0);
        new EdgeColouring(3, 2).colour(4, new int[]{0, 1, 2, 1}, new int[]{0, 0, 1, 1}, colour);
        assertArrayEquals(new int[]{0, 1, 1, 0}, colour);
    }

    @Test
    void shouldRefuseAVertexOfTooManyEdges() {
        final EdgeColouring colouring = new EdgeColouring(2, 2);
        assertThrows(IllegalArgumentException.class,
            () -> colouring.colour(3, new int[]{0, 0, 0}, new int[]{0, 1, 1}, new int[3]));
        assertThrows(IllegalArgumentException.class,
            () -> colouring.colour(3, new int[]{0, 1, 1}, new int[]{0, 0, 0}, new int[3]));
    }

    private static void check(final int edges, final int[] left, final int[] right, final int[] colour,
        final int colours, final int seed) {
        final BitSet seen = new BitSet();
        for (int edge = 0; edge < edges; edge++) {
            final int atLeft = (left[edge] * colours + colour[edge]) * 2;
            final int atRight = (right[edge] * colours + colour[edge]) * 2 + 1;
            if (colour[edge] < 0 || colour[edge] >= colours || seen.get(atLeft) || seen.get(atRight)) {
                fail("seed=" + seed + " edge=" + edge + " colour=" + colour[edge]);
            }
            seen.set(atLeft);
            seen.set(atRight);
        }
    }

    private static void shuffle(final Random random, final int[] numbers, final int from, final int to) {
        for (int i = to - 1; i > from; i--) {
            swap(numbers, i, from + random.nextInt(i - from + 1));
        }
    }

    private static void mix(final Random random, final int[] left, final int[] right) {
        for (int i = left.length - 1; i > 0; i--) {
            final int other = random.nextInt(i + 1);
            swap(left, i, other);
            swap(right, i, other);
        }
    }

    private static void swap(final int[] numbers, final int one, final int other) {
        final int number = numbers[one];
        numbers[one] = numbers[other];
        numbers[other] = number;
    }
}
