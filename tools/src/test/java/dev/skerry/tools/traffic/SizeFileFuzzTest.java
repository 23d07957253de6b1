package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads arbitrary bytes as a file of flow sizes; see {@code CaptureReaderFuzzTest} for how it is run. */
final class SizeFileFuzzTest {
    private static final int DRAWS = 64;
    private static final int PAYLOAD_BYTES = 244;

    /** The input is the file. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyBytes(final byte[] input) throws IOException {
        final Path file = Files.createTempFile("skerry", ".fuzz");
        try {
            Files.write(file, input);
            final SizeDistribution sizes = SizeDistribution.read(file);
            assertEquals(sizes, SizeDistribution.read(file));
            check(sizes);
        } catch (final InputException e) {
            assertTrue(e.getMessage().startsWith("skerry: workload: " + file), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        } finally {
            Files.delete(file);
        }
    }

    /** Larger draws never give smaller flows; all lie in the table, and so does their mean. */
    private static void check(final SizeDistribution sizes) {
        final long least = sizes.points().getFirst().units();
        final long most = sizes.points().getLast().units();
        long before = least;
        for (int i = 0; i < DRAWS; i++) {
            final long bytes = sizes.bytes(i / (double) DRAWS);
            assertTrue(bytes >= before && bytes <= most, bytes + " after " + before + " of " + sizes);
            before = bytes;
        }
        final double mean = sizes.meanCells(PAYLOAD_BYTES);
        assertTrue(mean >= Math.ceilDiv(least, PAYLOAD_BYTES) * 0.999_999
            && mean <= Math.ceilDiv(most, PAYLOAD_BYTES) * 1.000_001, mean + " of " + sizes);
    }
}
