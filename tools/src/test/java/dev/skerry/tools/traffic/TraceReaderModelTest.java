package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.tools.traffic.TraceReader.Trace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Traces of random flows in random dress, against a list that is sorted. */
class TraceReaderModelTest {
    private static final String[] SEPARATORS = {",", " ", "\t", " ,", ", ", " \t,\t "};
    private static final String[] LINE_ENDS = {"\n", "\r\n", "\r"};
    private static final String[] BETWEEN = {"", "", "", "", "\n", "# 1,2,3,4,5\n", "  # x\r\n", " \t\r"};
    private static final int ENDPOINTS = 50;

    private record Expected(long id, int source, int destination, long bytes, long startSlot) {
    }

    @TempDir
    private Path folder;

    @Test
    void shouldReadSmallTraces() throws IOException {
        for (long seed = 1; seed <= 200; seed++) {
            check(seed, 1 + (int) (seed % 40), 1e-6);
        }
    }

    @Test
    void shouldReadLongTracesWithManyAndFewTies() throws IOException {
        check(1001, 30_000, 1e-3);
        check(1002, 30_000, 1e-7);
        check(1003, 5000, 0);
    }

    private void check(final long seed, final int count, final double spanSeconds) throws IOException {
        final Random random = new Random(seed);
        final StringBuilder text = new StringBuilder();
        final List<Expected> expected = new ArrayList<>();
        final long stride = 1 + random.nextInt(1 << 20);
        long local = 0;
        long skipped = 0;
        for (int i = 0; i < count; i++) {
            final long id = Long.reverse(i * stride) >>> 1; // scattered and distinct
            final int source = random.nextInt(ENDPOINTS);
            final int destination = random.nextInt(ENDPOINTS);
            final long bytes = random.nextInt(20) - 1L + random.nextLong(1L << random.nextInt(36));
            // Sometimes nearly in order, sometimes not at all.
            final double start = random.nextInt(3) > 0 ? spanSeconds * i / count : spanSeconds * random.nextDouble();
            append(text, random, id, source, destination, bytes, start);
            if (bytes <= 0) {
                skipped++;
            } else if (source == destination) {
                local++;
            } else {
                expected.add(new Expected(id, source, destination, bytes, (long) Math.floor(start / 5.632e-9)));
            }
        }
        expected.sort(Comparator.comparingLong(Expected::startSlot)); // stable
        final Path file = Files.writeString(folder.resolve("flows"), text, StandardCharsets.US_ASCII);
        final Trace trace = TraceReader.read(file, ENDPOINTS, 244, 5.632);
        assertEquals(expected.size(), trace.flows().size(), "seed=" + seed);
        for (int i = 0; i < expected.size(); i++) {
            final Expected found = new Expected(trace.flows().id(i), trace.flows().source(i),
                trace.flows().destination(i), trace.flows().bytes(i), trace.flows().startSlot(i));
            assertEquals(expected.get(i), found, "seed=" + seed + " flow=" + i);
            assertEquals((found.bytes() + 243) / 244, trace.flows().cells(i), "seed=" + seed + " flow=" + i);
        }
        assertEquals(local, trace.localFlows(), "seed=" + seed);
        assertEquals(skipped, trace.skippedFlows(), "seed=" + seed);
    }

    private static void append(final StringBuilder text, final Random random, final long id, final int source,
        final int destination, final long bytes, final double start) {
        text.append(BETWEEN[random.nextInt(BETWEEN.length)]).append(" ".repeat(random.nextInt(2))).append(id)
            .append(separator(random)).append(source)
            .append(separator(random)).append(destination)
            .append(separator(random)).append(bytes)
            .append(separator(random)).append(start)
            .append(" ".repeat(random.nextInt(2))).append(LINE_ENDS[random.nextInt(LINE_ENDS.length)]);
    }

    private static String separator(final Random random) {
        return SEPARATORS[random.nextInt(SEPARATORS.length)];
    }
}
