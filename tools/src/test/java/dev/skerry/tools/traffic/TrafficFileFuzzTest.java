package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import dev.skerry.tools.traffic.TraceReader.TraceFilter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads arbitrary bytes as flow sizes and as a trace; see {@code CaptureReaderFuzzTest} for how it is run. */
final class TrafficFileFuzzTest {
    private static final int DRAWS = 64;
    private static final int PAYLOAD_BYTES = 244;
    private static final int ENDPOINTS = 16;
    private static final double SLOT_NS = 5.632;
    /** Up to here the middle of a slot is a double in seconds that lies in this slot. */
    private static final long EXACT_SLOTS = 1L << 48;

    /** The input is the file. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyBytes(final byte[] input) throws IOException {
        final Path file = Files.createTempFile("skerry", ".fuzz");
        try {
            Files.write(file, input);
            readOrRefuse("workload", file, () -> {
                final SizeDistribution sizes = SizeDistribution.read(file, null);
                assertEquals(sizes, SizeDistribution.read(file, null));
                check(sizes);
                check(SizeDistribution.read(file, !sizes.isStepped()));
            });
            readOrRefuse("trace", file, () -> check(read(file)));
        } finally {
            Files.delete(file);
        }
    }

    private static void readOrRefuse(final String what, final Path file, final Runnable reading) {
        try {
            reading.run();
        } catch (final InputException e) {
            assertTrue(e.getMessage().startsWith("skerry: " + what + ": " + file), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        }
    }

    private static FlowSet read(final Path file) {
        return TraceReader.read(file, ENDPOINTS, PAYLOAD_BYTES, SLOT_NS, TraceFilter.ALL).flows();
    }

    /** Flows written as a trace are the same flows. */
    private static void check(final FlowSet flows) {
        final StringBuilder text = new StringBuilder("id,source,destination,bytes,start,class\n");
        for (int flow = 0; flow < flows.size(); flow++) {
            text.append(flows.id(flow)).append(',').append(flows.source(flow)).append(',')
                .append(flows.destination(flow)).append(',').append(flows.bytes(flow)).append(',')
                .append((flows.startSlot(flow) + 0.5) * SLOT_NS * 1e-9).append(',').append(flows.trafficClass(flow))
                .append('\n');
            assertTrue(flow == 0 || flows.startSlot(flow) >= flows.startSlot(flow - 1));
        }
        assertTrue(flows.waits() == null || Arrays.stream(flows.waits().steps()).allMatch(step -> step < flows.size()));
        if (flows.size() == 0 || flows.startSlot(flows.size() - 1) > EXACT_SLOTS) {
            return;
        }
        try {
            final Path written = Files.writeString(Files.createTempFile("skerry", ".csv"), text);
            final FlowSet again = read(written);
            Files.delete(written);
            assertEquals(WorkloadTest.rows(flows), WorkloadTest.rows(again));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Larger draws never give smaller flows; all lie in the table, and so does their mean. */
    private static void check(final SizeDistribution sizes) {
        final long least = sizes.points().getFirst().units() * sizes.unitBytes();
        final long most = sizes.points().getLast().units() * sizes.unitBytes();
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
