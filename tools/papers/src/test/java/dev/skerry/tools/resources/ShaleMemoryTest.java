package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.report.ResourceTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.Collectors;

/** Memory of an end host (docs/spec/shale.md §9.1, §9.5), beside sums worked out by hand. */
final class ShaleMemoryTest {
    /** N = 16, E = 6; a bucket takes 5 bits, an active one 3, a link of a phase 2, a phase 1. */
    @Test
    void shouldAddUpByHand() {
        final ShaleMemory memory = new ShaleMemory(2, 4, 1, 5, 3, 7);
        assertEquals(3 + 1 + 2 + 1 + 1, memory.entryBits());
        assertEquals(6 * 5 * 8, memory.pieoBits());
        assertEquals(2 * 240 + 2 * 6 * 5 * 3, memory.prototypePieoBits());
        assertEquals(6 * 3 * 5, memory.tokenFifoBits());
        assertEquals(6 * 7, memory.counterBits());
        assertEquals(32 * 3, memory.mapBits());
        assertEquals(7 * 5 + 7, memory.reverseMapBits());
        assertEquals(240 + 90 + 42 + 96 + 42, memory.onChipBits());
        assertEquals(576, memory.naiveCells());
        assertEquals(192, memory.sharedCells());
        assertEquals(84, memory.activeCells());
        assertEquals(6 * 7 * 2, new ShaleMemory(2, 4, 3, 5, 3, 7).counterBits());
        assertEquals(3 * 84, new ShaleMemory(2, 4, 3, 5, 3, 7).activeCells());
    }

    /** Widths counted one value after the other. */
    @ParameterizedTest
    @CsvSource({"1, 9, 1, 4, 2, 8", "2, 100, 1, 80, 8, 1000", "4, 10, 2, 30, 4, 500", "3, 2, 4, 2, 1, 1"})
    void shouldBeTheSumOfItsFields(final int h, final int r, final int tokens, final int pieo, final int fifo,
        final int buckets) {
        final ShaleMemory memory = new ShaleMemory(h, r, tokens, pieo, fifo, buckets);
        final long nodes = Math.round(Math.pow(r, h));
        final long links = (long) h * (r - 1);
        final int index = width(buckets + 1L);
        final int name = width(h * nodes);
        final long expected = links * pieo * (index + 2L * width(h) + width(r - 1L) + 1) + links * fifo * name
            + links * buckets * width(tokens + 1L) + h * nodes * index + (long) buckets * name + buckets;
        assertEquals(expected, memory.onChipBits());
    }

    private static int width(final long values) {
        int bits = 0;
        while (1L << bits < values) {
            bits++;
        }
        return bits;
    }

    /** The paper of Shoal prints 11 Mbit for 1,000 nodes. */
    @Test
    void shouldBeFarBelowShoal() {
        assertEquals(11e6, ShaleMemory.shoalBits(1_000), 0.05e6);
        for (final MeasuredHost run : MeasuredHost.FIGURE_13) {
            final ShaleMemory memory = run.memory();
            assertEquals(2 * run.buckets(), memory.buckets());
            assertTrue(ShaleMemory.shoalBits(memory.nodes()) > 10 * memory.onChipBits(), run.toString());
        }
    }

    @Test
    void shouldSetMeasuresBesideFormulas() {
        final String text = new MeasuredHost(2, 4, 1, 5, 3, 7, 4, 9, 40, 14, 6).tables().stream()
            .map(ResourceTable::toString).collect(Collectors.joining()).replaceAll(" +", " ");
        for (final String line : new String[] {"PIEO lists E Q_P (lg(A+1) + 2 lg h + lg(r-1) + 1) 240 540",
            " all 510 1,", "FIFOs in use x the deepest measured 36 ", "clocks of a slot 14 9 RX 2 and TX 7",
            "MHz for that in 5.632 ns 2,486 711 4 clocks"}) {
            assertTrue(text.contains(line), line + "\n" + text);
        }
    }
}
