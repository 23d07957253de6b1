package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Options in a file, and a dataplane that reads them again. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
final class LiveSettingsTest {
    @TempDir
    private Path folder;

    private void write(final String... lines) throws IOException {
        Files.writeString(folder.resolve("f"), String.join("\n", lines).replace("DIR", folder.toString()) + "\n");
    }

    @Test
    void shouldTakeOptionsFromAFile() throws IOException {
        write("# a run", "", "--fabric shoal", "--nodes=8", "  --slots   200", "--workload permutation", "--json");
        final Invocation typed = Invocation.ofLine("run --fabric shoal --nodes 8 --slots 200 --workload permutation");
        final Invocation read = Invocation.of("run", "@" + folder.resolve("f"));
        assertEquals(0, read.code(), read.err());
        assertEquals(0, typed.code(), typed.err());
        final String digest = read.out().replaceAll("(?s).*\"digest\": \"([0-9a-f]+)\".*", "$1");
        assertTrue(typed.out().contains(digest), typed.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "--nodes 8|nodes; :2: it is no option", "--nodes 8|--; :2: it is no option", "#|--nodes 1; --nodes",
        "--json --nodes 8; :1: a second option stands where a value belongs, write an option a line",
    })
    void shouldRefuseOtherLinesByTheirNumber(final String lines, final String why) throws IOException {
        write(lines.split("\\|"));
        Invocation.refuses("run @" + folder.resolve("f"), why);
    }

    @Test
    void shouldRefuseAFileThatIsNotThere() {
        Invocation.refuses("run @" + folder.resolve("x"), "skerry: settings: " + folder.resolve("x")
            + ": there is no such file");
    }

    @Test
    void shouldBringADataplaneToSettingsThatWereReadAgain() throws Exception {
        Files.writeString(folder.resolve("t"), "02:00:00:00:00:77 3\n");
        write("--threads 1", "--mac-table DIR/t", "--port 0=gen:64B,1kpps,to=3", "--port 3=pcap:DIR/three.pcap",
            "--port 5=none");
        try (RunningDataplane live = new RunningDataplane(folder, "@DIR/f")) {
            assertEquals("nothing has changed\n", live.ask("reload"));
            Files.writeString(folder.resolve("t"), "02:00:00:00:00:78 3\n");
            write("--threads 1", "--mac-table DIR/t", "--port 0=gen:64B,2kpps,to=3", "--port 3=pcap:DIR/four.pcap",
                "--port 5=gen:100B,500pps,to=3");
            assertEquals("port 0: rate of gen:64B,2kpps,to=3\nport 3: removed pcap:DIR/three.pcap\n"
                .concat("port 3: added pcap:DIR/four.pcap\nport 5: added gen:100B,500pps,to=3\n")
                .concat("address 020000000077 forgotten\naddress 020000000078 at node 3\n")
                .replace("DIR", folder.toString()), live.ask("reload"));
            live.ask("reset");
            live.await("3", "tx_packets", 20);
            live.await("5", "rx_packets", 20);
            refusesAndChangesNothing(live);
            live.end(0, 5);
            assertTrue(Files.size(folder.resolve("four.pcap")) > 20 * 64);
        }
    }

    private void refusesAndChangesNothing(final RunningDataplane live) throws Exception {
        final String before = live.ask("ports");
        write("--threads 2", "--mac-table DIR/t", "--port 0=gen:64B,2kpps,to=3", "--port 3=pcap:DIR/four.pcap");
        live.refuses("reload", "skerry: reload: --threads: it cannot change while a dataplane runs");
        write("--threads 1", "--mac-table DIR/t", "--port 0=gen:64B,2kpps,to=3", "--port 6=loop");
        live.refuses("reload", "live keeps no place for a port there");
        write("--threads 1", "--mac-table DIR/t", "--port 0=loop", "--port 3=pcap:/nowhere/x.pcap");
        live.refuses("reload", "skerry: pcap: /nowhere/x.pcap");
        final Path old = Files.writeString(folder.resolve("old.pcap"), "precious");
        write("--threads 1", "--mac-table DIR/t", "--port 0=pcap:DIR/old.pcap,overwrite", "--port 3=pcap:/nowhere/x");
        live.refuses("reload", "skerry: pcap: /nowhere/x");
        assertEquals("precious", Files.readString(old), "opened before the port that cannot be");
        write("--threads 1", "--port 0=gen:64B,2kpps,to=3", "--map 0:3", "--port 3=pcap:DIR/four.pcap");
        live.refuses("reload", "a map cannot come while it runs");
        write("--threads 1", "--mac-table DIR/none", "--port 0=loop", "--port 3=loop");
        live.refuses("reload", "it cannot be read");
        assertEquals(before, live.ask("ports"));
    }
}
