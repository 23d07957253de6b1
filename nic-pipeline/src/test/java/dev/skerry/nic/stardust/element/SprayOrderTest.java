package dev.skerry.nic.stardust.element;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.SplittableRandom;

/** How cells are spread over links (docs/spec/stardust.md §3.6). */
final class SprayOrderTest {
    private static final long SEED = 0x5_9A2_A4L;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7, SprayOrder.NEVER})
    void shouldGiveEveryLinkOneCellARound(final int rounds) {
        final SprayOrder order = new SprayOrder(SEED, rounds, 0, 128, 5);
        order.assign(1, 17, new long[] {-1L, 0xFFFF_0000_FFFFL});
        final int size = order.size(1);
        assertEquals(96, size);
        int[] last = null;
        int changes = 0;
        for (int round = 0; round < 40; round++) {
            final int[] dealt = new int[size];
            for (int cell = 0; cell < size; cell++) {
                dealt[cell] = order.next(1);
            }
            assertEquals(size, Arrays.stream(dealt).distinct().count(), "round=" + round);
            for (final int link : dealt) {
                assertTrue(link < 64 || link < 80 || link >= 96 && link < 112, "link=" + link);
            }
            final boolean same = Arrays.equals(last, dealt);
            assertEquals(round % rounds != 0, same, "round=" + round);
            changes += same ? 0 : 1;
            last = dealt;
        }
        assertEquals(rounds == SprayOrder.NEVER ? 1 : Math.ceilDiv(40, rounds), changes);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4})
    void shouldKeepLinksWithinTwoCellsInAnyWindow(final int rounds) {
        final SprayOrder order = new SprayOrder(SEED, rounds, 8);
        order.assign(0, 1, new long[] {0xFF});
        final int[] dealt = new int[600];
        Arrays.setAll(dealt, cell -> order.next(0));
        for (int from = 0; from < dealt.length; from++) {
            final int[] cells = new int[8];
            for (int to = from; to < dealt.length; to++) {
                cells[dealt[to]]++;
                final int spread = Arrays.stream(cells).max().orElseThrow() - Arrays.stream(cells).min().orElseThrow();
                assertTrue(spread <= 2, "seed=" + SEED + " from=" + from + " to=" + to);
            }
        }
    }

    @Test
    void shouldNotDependOnTheBankAnArbiterIsIn() {
        final long[] links = {0x00FF_FF00_1234_5678L};
        final SprayOrder one = new SprayOrder(SEED, 4, 3, 64, 64);
        one.assign(2, 99, links);
        one.assign(1, 98, links);
        final SprayOrder other = new SprayOrder(SEED, 4, 40);
        other.assign(0, 99, links);
        final SprayOrder reseeded = new SprayOrder(SEED + 1, 4, 40);
        reseeded.assign(0, 99, links);
        final int[] first = deal(one, 2, 1_000);
        assertArrayEquals(first, deal(other, 0, 1_000));
        assertNotEquals(Arrays.toString(first), Arrays.toString(deal(one, 1, 1_000)));
        assertNotEquals(Arrays.toString(first), Arrays.toString(deal(reseeded, 0, 1_000)));
    }

    @Test
    void shouldHaveEveryPermutationAboutAsOften() {
        final int[] seen = new int[24];
        final SprayOrder order = new SprayOrder(SEED, 1, 4);
        order.assign(0, 5, new long[] {0xF});
        for (int round = 0; round < 24_000; round++) {
            final int a = order.next(0);
            final int b = order.next(0);
            final int c = order.next(0);
            order.next(0);
            seen[a * 6 + (b > a ? b - 1 : b) * 2 + (c > 6 - a - b - c ? 1 : 0)]++;
        }
        double chiSquare = 0;
        for (final int count : seen) {
            chiSquare += (count - 1_000.0) * (count - 1_000.0) / 1_000;
        }
        assertTrue(chiSquare < 49.7, "23 degrees of freedom, one in a thousand lies above: " + chiSquare);
    }

    /** Every permutation against a Fisher-Yates shuffle over the JDK's SplitMix64. */
    @Test
    void shouldShuffleAsFisherAndYatesOverSplitMix() {
        final int[] ascending = {1, 4, 5, 9, 63, 64, 70};
        final SprayOrder order = new SprayOrder(SEED, 2, 3, 7, 64);
        assertEquals(0, order.size(1));
        order.assign(1, 17, new long[] {1L << 1 | 1L << 4 | 1L << 5 | 1L << 9 | 1L << 63, 1L | 1L << 6});
        assertEquals(7, order.size(1));
        assertEquals(SprayOrder.NONE, order.next(2));
        for (int renewal = 0; renewal < 50; renewal++) {
            final int[] expected = shuffled(ascending, SEED, 17, renewal);
            for (int round = 0; round < 2; round++) {
                assertArrayEquals(expected, deal(order, 1, 7), "seed=" + SEED + " renewal=" + renewal);
            }
        }
    }

    private static int[] shuffled(final int[] links, final long seed, final long key, final long renewal) {
        final long stream = mix(mix(seed + key * GOLDEN) + renewal * GOLDEN);
        final int[] order = new int[links.length];
        for (int i = 0; i < links.length; i++) {
            final int chosen = (int) Math.multiplyHigh(mix(stream + i * GOLDEN) >>> 32, (i + 1L) << 32);
            order[i] = order[chosen];
            order[chosen] = links[i];
        }
        return order;
    }

    /** The generator's first number is the finaliser of seed + GOLDEN. */
    private static long mix(final long value) {
        return new SplittableRandom(value - GOLDEN).nextLong();
    }

    @Test
    void shouldFollowAChangingSetOfLinks() {
        final SplittableRandom random = new SplittableRandom(SEED);
        final SprayOrder order = new SprayOrder(SEED, 2, 64);
        for (int change = 0; change < 500; change++) {
            final long links = random.nextLong() & random.nextLong();
            order.assign(0, 7, new long[] {links});
            long seen = 0;
            for (int cell = Long.bitCount(links); cell > 0; cell--) {
                seen |= 1L << order.next(0);
            }
            assertEquals(links, seen, "seed=" + SEED + " change=" + change);
            for (int cell = random.nextInt(100); links != 0 && cell > 0; cell--) {
                assertTrue((links >>> order.next(0) & 1) != 0);
            }
        }
        order.assign(0, 7, new long[1]);
        assertEquals(SprayOrder.NONE, order.next(0));
        assertEquals(SprayOrder.NONE, new SprayOrder(SEED, 4, 1).next(0));
        assertEquals(0, order.size(0));
    }

    @Test
    void shouldRefuseWhatDoesNotFit() {
        assertThrows(IllegalArgumentException.class, () -> new SprayOrder(1, 0, 4));
        assertThrows(IllegalArgumentException.class, () -> new SprayOrder(1, 4, -1));
        assertThrows(IllegalArgumentException.class, () -> new SprayOrder(1, 4, 1 << 15));
        assertEquals(0, new SprayOrder(1, 1, Short.MAX_VALUE).size(0));
        final SprayOrder order = new SprayOrder(1, 4, 2, 2);
        for (int arbiter = 0; arbiter < 2; arbiter++) {
            final int full = arbiter;
            final String refused = assertThrows(IllegalArgumentException.class,
                () -> order.assign(full, 1, new long[] {7})).getMessage();
            assertTrue(refused.contains("room for 2 links"), refused);
        }
    }

    private static int[] deal(final SprayOrder order, final int arbiter, final int cells) {
        final int[] dealt = new int[cells];
        Arrays.setAll(dealt, cell -> order.next(arbiter));
        return dealt;
    }
}
