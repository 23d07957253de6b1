package dev.skerry.tools.port;

import static dev.skerry.tools.port.CaptureReaderTest.oneLine;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.CaptureReader.CapturedPacket;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads arbitrary bytes as a capture. {@code mvn verify} replays the inputs in the test resources; {@code
 * JAZZER_FUZZ=1} in the environment makes the same test search for new ones.
 */
final class CaptureReaderFuzzTest {
    /** The input is the file. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyBytes(final byte[] input) throws IOException {
        final Path file = Files.createTempFile("skerry", ".fuzz");
        try {
            Files.write(file, input);
            final int packets = read(file, input.length);
            // A second replay is equal.
            assertEquals(packets, read(file, input.length));
        } finally {
            Files.delete(file);
        }
    }

    /** Number of packets, or -1 if the file is refused on opening. */
    private static int read(final Path file, final int bytes) {
        try (CaptureReader reader = new CaptureReader(file, true)) {
            int packets = 0;
            while (reader.next()) {
                final CapturedPacket packet = reader.packet();
                assertTrue(packet.length >= 0 && packet.length <= CapturedPacket.MAX_BYTES);
                assertTrue(packet.place > 0
                    && packet.place + packet.length <= reader.bytes().position(), "behind what was read");
                assertTrue(reader.bytes().position() <= reader.bytes().window().byteSize(), "beyond the file");
                packets++;
            }
            if (!reader.failure().isEmpty()) {
                oneLine(reader.failure());
                assertFalse(reader.next());
            }
            assertTrue(reader.bytes().offset() >= packets * 12L, "bytes=" + bytes);
            return packets;
        } catch (final InputException e) {
            oneLine(e.getMessage());
            return -1;
        }
    }
}
