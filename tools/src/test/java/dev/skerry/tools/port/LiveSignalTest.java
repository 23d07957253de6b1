package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;

/** A signal ends {@code live} in good order: packets arrive, files are whole, the report is printed. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
final class LiveSignalTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void shouldEndInGoodOrderWithTheCodeOfTheSignal(final String signal, final int code) throws Exception {
        final Path capture = folder.resolve("out.pcap");
        try (LiveProcess live = new LiveProcess(folder, "--port 0=gen:64B,1kpps,to=1 --port 1=pcap:" + capture)) {
            live.until(counters -> LiveProcess.count(counters, "tx_packets", 1) > 0);
            assertEquals(code, live.end(signal), live::errors);
            assertTrue(new ObjectMapper().readTree(folder.resolve("live.out").toFile()).get("conserved").asBoolean());
            assertTrue(Files.exists(capture), "the capture has its name");
        }
    }

    @Test
    void shouldReadItsSettingsAgainAtHup() throws Exception {
        final Path settings = folder.resolve("settings");
        final String ports = "--ctl " + folder.resolve("s") + "\n--port 0=gen:64B,1kpps,to=1\n--port 1=loop\n--port 2=";
        Files.writeString(settings, ports + "none\n");
        try (LiveProcess live = new LiveProcess(folder, "@" + settings)) {
            live.until(counters -> LiveProcess.count(counters, "rx_packets", 0) > 0);
            Files.writeString(settings, ports + "gen:64B,1kpps,to=1\n");
            live.signal("HUP");
            live.until(counters -> LiveProcess.count(counters, "rx_packets", 2) > 0);
            assertTrue(live.errors().contains("skerry: live: reload: port 2: added gen:64B,1kpps,to=1"), live::errors);
            assertEquals(143, live.end("TERM"), live::errors);
        }
    }
}
