package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;

class FlowSizesTest {
    static final List<SizeDistribution> TABLES = List.of(SizeDistribution.SHORT, SizeDistribution.HEAVY,
        SizeDistribution.WEB);

    @TempDir
    private Path folder;

    /**
     * Short and heavy: docs/spec/shale.md §10.2 gives the first digits; all three: exact fractions, summed elsewhere.
     */
    @ParameterizedTest
    @CsvSource({
        "0, 134.05625, 195722.125, 802.262181229097, 3076220",
        "1, 5116.85, 7470601.0, 30617.3395173951, 973333820",
        "2, 1141.405, 1666451.3, 6830.1344038311445, 29200000",
    })
    void shouldHaveTheMeansOfThePapers(final int table, final double packets, final double bytes, final double cells,
        final long maxBytes) {
        final SizeDistribution sizes = TABLES.get(table);
        assertEquals(packets, sizes.meanCells(1460), 1e-9 * packets);
        assertEquals(bytes, sizes.meanCells(1), 1e-9 * bytes);
        assertEquals(cells, sizes.meanCells(244), 1e-9 * cells);
        assertEquals(maxBytes, sizes.bytes(1));
    }

    @Test
    void shouldCountTheLastCellWhole() {
        final SizeDistribution sizes = SizeDistribution.SHORT;
        // One cell holds any flow; one byte less, and only the largest flow needs a second.
        assertEquals(1, sizes.meanCells(3_076_220));
        assertEquals(1 + .05 / (2107 - 1187), sizes.meanCells(3_076_219), 1e-12);
        // The flow rates of the paper.
        assertEquals(2.992e-4, .24 / sizes.meanCells(244), 5e-8);
        assertEquals(7.839e-6, .24 / SizeDistribution.HEAVY.meanCells(244), 5e-10);
    }

    @Test
    void shouldInvertTheTables() throws IOException {
        final SizeDistribution sizes = SizeDistribution.SHORT;
        assertEquals(List.of(1L, 1L, 2L, 2L, 3L, 4L, 5L, 5L, 1187L, 1188L, 1187L + 460, 2107L),
            DoubleStream.of(0, .5, Math.nextUp(.5), .6, Math.nextUp(.6), .72, .73, .75, .95, Math.nextUp(.95),
                .97499999, Math.nextDown(1.0)).mapToObj(uniform -> sizes.bytes(uniform) / 1460).toList());
        assertEquals(6 * 1460, SizeDistribution.WEB.bytes(.15));
        assertEquals(7 * 1460, SizeDistribution.WEB.bytes(Math.nextUp(.15)));
        final SizeDistribution file = read("# a table\n10 0.5\n\n20,0.75\n40 1\n");
        assertEquals(List.of(10L, 10L, 11L, 15L, 20L, 21L, 40L),
            DoubleStream.of(0, .5, Math.nextUp(.5), .625, .75, Math.nextUp(.75), 1).mapToObj(file::bytes).toList());
    }

    @ParameterizedTest
    @FieldSource("TABLES")
    void shouldBeMonotone(final SizeDistribution sizes) {
        long last = sizes.bytes(0);
        for (int i = 1; i <= 1_000_000; i++) {
            final long next = sizes.bytes(i * 1e-6);
            assertTrue(next >= last, "i=" + i);
            last = next;
        }
        assertEquals(sizes.points().getLast().units() * 1460, last);
    }

    @ParameterizedTest
    @FieldSource("TABLES")
    void shouldMeetItsMeanWhenSampled(final SizeDistribution sizes) {
        final int samples = 1_000_000;
        final Random random = new Random(3);
        double sum = 0;
        double squares = 0;
        double cells = 0;
        for (int i = 0; i < samples; i++) {
            final double packets = sizes.bytes(random.nextDouble()) / 1460.0;
            sum += packets;
            squares += packets * packets;
            cells += Math.ceil(packets * 1460 / 244);
        }
        final double mean = sum / samples;
        final double fourSigma = 4 * Math.sqrt((squares / samples - mean * mean) / samples);
        assertEquals(sizes.meanCells(1460), mean, fourSigma, "seed=3");
        assertEquals(sizes.meanCells(244), cells / samples, fourSigma * 1460 / 244, "seed=3");
        assertTrue(fourSigma < .04 * mean, "tolerance " + fourSigma + " of " + mean);
    }

    @Test
    void shouldRefuseWhatIsNoQuantileAndCellsWithoutPayload() {
        for (final double uniform : new double[] {-1e-9, 1.0000001, Double.NaN}) {
            assertThrows(IllegalArgumentException.class, () -> SizeDistribution.HEAVY.bytes(uniform));
        }
        assertThrows(IllegalArgumentException.class, () -> SizeDistribution.HEAVY.meanCells(0));
    }

    /** Tables of other simulators begin with 0 0: the first sizes are spread, not all of the first size above. */
    @Test
    void shouldSpreadTheFirstSizesAfterALineOfZero() throws IOException {
        final SizeDistribution sizes = read("0 0\n10000 0.5\n20000 1\n");
        assertEquals(1, sizes.bytes(0));
        assertEquals(5000, sizes.bytes(0.25));
        assertEquals(10_000, sizes.bytes(0.5));
        assertEquals(10_000.5, sizes.meanCells(1), 1e-9 * 10_000);
        assertThrows(InputException.class, () -> read("0 0\n0 0\n10 1\n"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 10, 244, 100_000})
    void shouldHaveTheMeanOfAllSizes(final int payloadBytes) throws IOException {
        final SizeDistribution sizes = read("17 0.25\n18 0.25\n1000 0.5\n54321 1\n");
        double mean = 0.25 * cells(17, payloadBytes);
        for (int size = 19; size <= 1000; size++) {
            mean += 0.25 / (1000 - 18) * cells(size, payloadBytes);
        }
        for (int size = 1001; size <= 54_321; size++) {
            mean += 0.5 / (54_321 - 1000) * cells(size, payloadBytes);
        }
        assertEquals(mean, sizes.meanCells(payloadBytes), 1e-9 * mean);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        10 0.5 3 4      | 2 fields are needed and 4 found
        10;10 0.5 1     | 2 fields are needed and 3 found
        10 1 1;10 1     | 3 fields are needed and 2 found
        10              | holds no size
        mean;10 1       | 'mean' is not a mean size, with which files of Homa begin
        x 0.5           | size 'x' is not a whole number from 1 to 2147483646, give ascending numbers of bytes
        0 0.5           | size '0' is not a whole number from 1 to 2147483646
        1.5 0.5         | size '1.5' is not a whole number from 1
        9 0.5;8 1       | size '8' is not a whole number from 9
        4294967296 1    | from 1 to 2147483646
        1470880 1 1     | from 1 to 1470879, give ascending numbers of packets
        10 1.5          | ends at the share 1.5, end with the largest size and the share 1, or 100 percent
        10 100.5        | '100.5' is not a cumulative share from 0.0 on
        10 -1           | '-1' is not a cumulative share from 0.0 on, give ascending fractions to 1 or percentages
        10 0.5          | ends at the share 0.5
        ;# nothing      | holds no size
        """)
    void shouldSayInALineWhatIsWrong(final String text, final String said) {
        final String message = assertThrows(InputException.class, () -> read(text.replace(';', '\n'))).getMessage();
        assertTrue(message.contains(said), message);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldTakeOrRefuseAnyFile(final long seed) throws IOException {
        final Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            final StringBuilder text = new StringBuilder("10 0.5\n20 0.75\n40 1\n");
            for (int edits = random.nextInt(8); edits >= 0; edits--) {
                text.insert(random.nextInt(text.length() + 1), "0123456789 ,.-e#\n\r\0".charAt(random.nextInt(19)));
            }
            try {
                final SizeDistribution sizes = read(text.toString());
                assertTrue(sizes.bytes(random.nextDouble()) >= 1, "seed=" + seed + " text=" + text);
                assertTrue(sizes.meanCells(1 + random.nextInt(300)) >= 1, "seed=" + seed + " text=" + text);
            } catch (final InputException e) {
                assertEquals(1, e.getMessage().lines().count(), "seed=" + seed + " text=" + text);
            }
        }
    }

    private static long cells(final long bytes, final int payloadBytes) {
        return (bytes + payloadBytes - 1) / payloadBytes;
    }

    private SizeDistribution read(final String text) throws IOException {
        return SizeDistribution.read(Files.write(folder.resolve("sizes.txt"),
            text.getBytes(StandardCharsets.ISO_8859_1)), null);
    }
}
