package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.dataplane.counter.CounterFile;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

final class StatCommandTest {
    private static final String LABEL = "port_rx_packets{node=\"0\",port=\"memif:\\\"x\\\"\"}";
    private static final int START_AT = 16;

    @TempDir
    private Path folder;

    private Invocation stat(final String more) {
        return Invocation.ofLine(("stat --dir " + folder + " " + more).strip());
    }

    @Test
    void shouldShowALiveProcess() throws IOException {
        try (CounterFile file = CounterFile.create(folder, "live \"test\"", 10)) {
            file.set(file.add(LABEL), 12_345);
            file.add("zero");
            final Invocation table = stat("");
            assertEquals(0, table.code(), table.err());
            assertTrue(table.out().contains("live \"test\""), table.out());
            assertTrue(table.out().contains("12,345"), table.out());
            assertFalse(table.out().contains("zero"), table.out());
            assertTrue(stat("--all").out().contains("zero"));
            final JsonNode process = new ObjectMapper().readTree(stat("--json").out()).get("processes").get(0);
            assertEquals(ProcessHandle.current().pid(), process.get("pid").asLong());
            assertEquals(12_345, process.get("counters").get(LABEL).asLong());
        }
        assertTrue(stat("").out().startsWith("no dataplane is running"));
    }

    /** Another process wrote it: nothing of it works on a terminal, or takes memory without end. */
    @Test
    void shouldShowNothingHarmfulOfAFileOfOthers() throws IOException {
        try (CounterFile file = CounterFile.create(folder, "evil \033[31m\007", 10)) {
            file.set(file.add("a\033[31m{node=\"0\"}\nfake_metric 99"), 5);
            file.set(file.add("long"), 7);
            file.set(file.add("good"), 8);
            try (RandomAccessFile bytes = new RandomAccessFile(file.path().toFile(), "rw")) {
                bytes.seek(256 + CountersReader.metaDataOffset(1) + CountersReader.LABEL_OFFSET);
                bytes.writeInt(Integer.reverseBytes(0x7fff_ffff));
            }
            final Invocation run = stat("--all");
            assertEquals(0, run.code(), run.err());
            assertTrue(run.out().contains("good"), run.out());
            assertFalse(run.out().contains("\033") || run.out().contains("\007"), run.out());
            assertTrue(run.out().lines().noneMatch(line -> line.startsWith("fake_metric")), run.out());
        }
    }

    @Test
    void shouldNameAStaleFileAndNotShowIt() throws IOException {
        try (CounterFile file = CounterFile.create(folder, "gone", 10)) {
            file.set(file.add("one"), 1);
            // The same number, but of a process that started at another time.
            try (RandomAccessFile bytes = new RandomAccessFile(file.path().toFile(), "rw")) {
                bytes.seek(START_AT);
                final int first = bytes.readByte();
                bytes.seek(START_AT);
                bytes.writeByte(first ^ 1);
            }
            final Invocation run = stat("");
            assertTrue(run.out().startsWith("no dataplane is running"), run.out());
            assertTrue(run.out().contains("stale: " + file.path()), run.out());
            final JsonNode json = new ObjectMapper().readTree(stat("--json").out());
            assertEquals(0, json.get("processes").size());
            assertEquals(1, json.get("stale").size());
        }
    }

    @Test
    void shouldNotTrustAFileThatIsNotWhole() throws IOException {
        Files.write(folder.resolve("1.counters"), new byte[10]);
        Files.write(folder.resolve("2.counters"), new byte[5_000]);
        final Invocation run = stat("");
        assertEquals(0, run.code());
        assertEquals(2, run.out().lines().filter(line -> line.startsWith("no counters: ")).count(), run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--watch 0", "--watch x", "--prometheus 70000", "--prometheus 1 --json"})
    void shouldRefuseInOneLine(final String line) {
        final Invocation run = stat(line);
        assertEquals(2, run.code());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: "), run.err());
    }
}
