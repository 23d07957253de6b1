package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.live.MacForwarding.ForwardingChoice;
import dev.skerry.tools.port.PortPlace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads arbitrary bytes as a table of addresses; see {@code CaptureReaderFuzzTest} for how it is run. */
final class MacTableFileFuzzTest {
    private static final int NODES = 8;

    /** The input is the file. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyBytes(final byte[] input) throws IOException {
        final Path file = Files.createTempFile("table", "");
        try {
            Files.write(file, input);
            ForwardingChoice.table(file, NODES).forEach((mac, place) -> {
                assertTrue(mac >>> 48 == 0 && !PortPlace.isGroup(mac), () -> Long.toHexString(mac));
                assertTrue(place.node() >= 0 && place.node() < NODES, place::toString);
                assertEquals(place, PortPlace.of(place.toString()));
            });
        } catch (final InputException e) {
            assertTrue(e.getMessage().startsWith("skerry: --mac-table: " + file), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        } finally {
            Files.delete(file);
        }
    }
}
