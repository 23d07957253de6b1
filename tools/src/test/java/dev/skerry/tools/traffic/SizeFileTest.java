package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.Workload.SizeFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Flow sizes from a file, counted one by one. */
class SizeFileTest {
    @TempDir
    private Path folder;

    @Test
    void shouldInvertTheTable() throws IOException {
        final SizeFile sizes = read("# a table\n10 0.5\n\n20,0.75\n40 1\n");
        assertEquals(10, sizes.bytes(0));
        assertEquals(10, sizes.bytes(0.5));
        assertEquals(11, sizes.bytes(Math.nextUp(0.5)));
        assertEquals(15, sizes.bytes(0.625));
        assertEquals(20, sizes.bytes(0.75));
        assertEquals(21, sizes.bytes(Math.nextUp(0.75)));
        assertEquals(40, sizes.bytes(1));
    }

    /** Tables of other simulators begin with 0 0: the first sizes are spread, not all of the first size above. */
    @Test
    void shouldSpreadTheFirstSizesAfterALineOfZero() throws IOException {
        final SizeFile sizes = read("0 0\n10000 0.5\n20000 1\n");
        assertEquals(1, sizes.bytes(0));
        assertEquals(5000, sizes.bytes(0.25));
        assertEquals(10_000, sizes.bytes(0.5));
        assertEquals(10_000.5, sizes.meanCells(1), 1e-9 * 10_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 10, 244, 100_000})
    void shouldHaveTheMeanOfAllSizes(final int payloadBytes) throws IOException {
        final SizeFile sizes = read("17 0.25\n18 0.25\n1000 0.5\n54321 1\n");
        double mean = 0.25 * cells(17, payloadBytes);
        for (int size = 19; size <= 1000; size++) {
            mean += 0.25 / (1000 - 18) * cells(size, payloadBytes);
        }
        for (int size = 1001; size <= 54_321; size++) {
            mean += 0.5 / (54_321 - 1000) * cells(size, payloadBytes);
        }
        assertEquals(mean, sizes.meanCells(payloadBytes), 1e-9 * mean);
    }

    @Test
    void shouldEqualThePapersTableInPackets() throws IOException {
        final SizeFile sizes = read("1460 0.5\n2920 0.6\n3076220 1\n");
        assertEquals(3_076_220, sizes.bytes(1));
        assertTrue(sizes.bytes(0.55) > 1460 && sizes.bytes(0.55) <= 2920);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        10 0.5 3        | 2 fields are needed and 3 found
        10              | 2 fields are needed and 1 found
        x 0.5           | size 'x' is not larger than 0
        0 0.5           | size '0' is not larger than 0
        4294967296 1    | at most 2147483646
        10 1.5          | is not a cumulative fraction from 0.0 to 1
        10 -1           | is not a cumulative fraction from 0.0 to 1
        10 0.5          | ends at the share 0.5
        # nothing       | holds no size
        """)
    void shouldSayInALineWhatIsWrong(final String text, final String said) {
        final String message = assertThrows(InputException.class, () -> read(text + "\n")).getMessage();
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
                final SizeFile sizes = read(text.toString());
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

    private SizeFile read(final String text) throws IOException {
        return SizeFile.read(Files.write(folder.resolve("sizes.txt"), text.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
