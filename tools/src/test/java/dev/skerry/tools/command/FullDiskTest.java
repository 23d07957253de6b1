package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.FileSizeLimit;
import dev.skerry.tools.port.PcapPort;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a full disk cuts is said, and costs nothing else. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Isolated("no file of the process may be longer meanwhile")
final class FullDiskTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"shoal, o.pcap", "shale, o.pcap", "stardust, o.pcap", "shoal, o.pcap.gz"})
    void shouldCountAsOutWhatAFullDiskHolds(final String fabric, final String name) throws IOException {
        final Invocation run;
        try (FileSizeLimit _ = new FileSizeLimit(8 << 20)) {
            run = Invocation.ofLine("live --json --warm-up 0 --quiet --fabric " + fabric
                + " --port 0=gen:1000B,max,to=1,count=12000 --port 1=pcap:"
                + folder.resolve(name) + " --dir " + folder.resolve("counters"));
        }
        assertEquals(1, run.code(), run.err());
        run.says("o.pcap", "writing failed");
        final JsonNode json = run.json();
        final JsonNode out = json.get("ports").get(1);
        final long sent = out.get("tx_packets").asLong();
        final long held = packetsOf(folder.resolve(name + ".partial"));
        assertEquals(held, sent, "packets in the file and out");
        assertEquals(1_000 * sent, out.get("tx_bytes").asLong());
        assertEquals(1, out.get("tx_failed").asLong());
        assertTrue(out.get("failure").asText().contains("writing failed"), run.out());
        assertTrue(json.get("conserved").asBoolean());
        assertEquals(12_000, sent + out.get("tx_dropped_lost").asLong() + out.get("dropped_port_down").asLong(),
            run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --nodes 16 --slots 3000 --checkpoint-every 1000slots --checkpoint ",
        "run --nodes 16 --max-flows 3 --checkpoint ", "run --nodes 16 --slots 1000 --publish=",
        "live --port 0=loop --port 1=loop --duration 0 --warm-up 0 --dir ",
        "trace --slots 500 --nodes 8 --fabric shoal --node 0 --out ",
        "sweep --nodes 16 --slots 500 --set load=0.1,0.2 --jobs 1 --out "})
    void shouldEndWithOneWhereAFileDoesNotFit(final String line) {
        final Path place = folder.resolve("place");
        final Invocation run;
        try (FileSizeLimit _ = new FileSizeLimit(100)) {
            run = Invocation.ofLine(line + place);
        }
        assertEquals(1, run.code(), run.err());
        assertTrue(run.errors().getLast().contains(place.toString()) && run.err().contains("File too large"),
            run.err());
    }

    private static long packetsOf(final Path capture) {
        long packets = 0;
        try (PcapPort port = PcapPort.open(PcapSettings.reading(capture)); Arena arena = Arena.ofShared()) {
            final PacketBurst burst = new PacketBurst(arena, 32, 2_048);
            while (!port.isExhausted()) {
                burst.clear();
                packets += port.rxBurst(burst);
            }
        }
        return packets;
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --nodes 16 --slots 2000 --out ", "run --nodes 16 --slots 2000 --json --out ",
        "compare --nodes 16 --slots 500 --fabrics shale --out "})
    void shouldStillPrintTheReportWhereItsFolderCannotBeWritten(final String line) {
        final Path out = folder.resolve("out");
        final Invocation run;
        try (FileSizeLimit _ = new FileSizeLimit(1_000)) {
            run = Invocation.ofLine(line + out);
        }
        assertEquals(1, run.code(), run.err());
        run.says("skerry: --out: " + out + ": cannot be written (");
        assertTrue(run.out().length() > 500, run.out());
        assertFalse(Files.exists(out));
    }
}
