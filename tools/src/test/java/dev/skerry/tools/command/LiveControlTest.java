package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.digest;
import static dev.skerry.tools.command.Invocation.refuses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Orders to a dataplane that runs, and settings that it reads again: its ports come and go, and no packet is lost
 * without a name.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
final class LiveControlTest {
    private static final long SEED = 20_261_125;
    private static final int CHANGES = 40;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {
        "--threads 1", "--fabric shale --mode lockstep", "--fabric stardust --mode lockstep", "--nic-threads 2",
    })
    void shouldChangePortsWhilePacketsCross(final String fabric) throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder, fabric
            + " --port 0=gen:64B,2kpps,to=3 --port 3=pcap:DIR/three.pcap --port 5=none")) {
            live.ask("add 5=gen:200B,1kpps,to=3");
            live.awaitPort("5     up       gen:200B,1kpps,to=3");
            live.await("5", "rx_packets", 50);
            live.ask("drain 5");
            final long sent = live.count("5", "rx_packets");
            assertTrue(live.ask("ports").contains("5     drained "));
            live.ask("reset");
            live.await("0", "rx_packets", 50);
            assertEquals(0, live.count("5", "rx_packets"), "a drained port gives no packets");
            live.ask("resume 5");
            live.await("5", "rx_packets", 1);
            live.ask("rate 5 max");
            live.await("5", "rx_packets", 200);
            live.ask("map 0:5");
            live.await("5", "tx_packets", 20);
            live.ask("map 0:address");
            live.ask("mac 02:00:00:00:00:03 5");
            live.ask("reset");
            live.await("5", "tx_packets", 20);
            live.ask("remove 5");
            live.ask("add 5=pcap:" + folder.resolve("five.pcap"));
            live.ask("mac 02:00:00:00:00:03 5");
            live.ask("reset");
            live.await("5", "tx_packets", 20);
            final JsonNode report = live.end(0);
            assertTrue(report.get("ports").get(2).get("rx_packets").asLong() >= sent + 200);
            assertTrue(Files.size(folder.resolve("five.pcap")) >= 24 + 20 * 80, "packets are in the capture");
        }
    }

    /** Flows with the same destination continue; the others stay in the report, also when no generator is left. */
    @Test
    void shouldMeasureAllGeneratorsOfAPlace() throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder, "--port 0=gen:64B,max,to=1,count=3000 "
            + "--port 1=gen:64B,1pps,to=0,count=50 --port 2=gen:64B,1pps,to=0,count=1")) {
            live.await("1", "tx_packets", 3_000);
            live.ask("remove 0");
            live.ask("add 0=gen:128B,max,to=1,count=2000");
            live.await("1", "tx_packets", 5_000);
            live.ask("remove 0");
            live.ask("add 0=gen:64B,max,to=1+2,count=1000");
            live.await("1", "tx_packets", 5_500);
            live.await("2", "tx_packets", 500);
            live.ask("remove 2");
            live.ask("remove 0");
            live.ask("rate 1 max");
            final JsonNode report = live.end();
            final List<List<String>> flows = new ArrayList<>();
            report.get("flows").forEach(flow -> flows.add(Stream.of("from", "removed", "to", "sent", "received", "lost",
                "stale").map(key -> flow.get(key).asText()).toList()));
            assertEquals(List.of(List.of("0", "true", "1", "5000", "5000", "0", "0"),
                List.of("0", "true", "1", "500", "500", "0", "0"), List.of("0", "true", "2", "500", "500", "0", "0")),
                flows.subList(0, 3), report::toString);
            assertEquals(6_000, report.get("ports").get(0).get("generator").get("sent").asLong());
            assertEquals(flows.stream().filter(flow -> flow.get(2).equals("0")).mapToLong(flow ->
                Long.parseLong(flow.get(5))).sum(), report.get("ports").get(0).get("generator").get("lost").asLong());
        }
    }

    @Test
    void shouldNameThePortThatIsThereInEveryCounter() throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder,
            "--threads 1 --port 0=gen:64B,1kpps,to=5 --port 3=pcap:DIR/three.pcap --port 5=none")) {
            awaitName("none");
            live.ask("add 5=pcap:" + folder.resolve("five.pcap"));
            awaitName("pcap:" + folder.resolve("five.pcap"));
            live.await("5", "tx_packets", 20);
            live.ask("remove 5");
            awaitName("none");
            live.ask("add 5=gen:64B,1kpps,to=0");
            awaitName("gen:64B,1kpps,to=0");
            live.ask("rate 5 2kpps");
            live.ask("remove 5");
            live.end(0);
        }
    }

    private void awaitName(final String port) {
        long named = 0;
        long others = 1;
        while (named < 50 || others > 0) {
            final List<String> shown = Stream.of(Invocation.ofLine("stat --json --dir " + folder.resolve("counters"))
                .out().split(", ")).filter(line -> line.contains("node=\\\"5\\\"")).toList();
            named = shown.stream().filter(line -> line.contains("port=\\\"" + port + "\\\"")).count();
            others = shown.size() - named;
        }
    }

    /** Not when the collector comes by, which in a dataplane without garbage takes minutes. */
    @Test
    void shouldGiveTheMemoryOfATapBackAtItsEnd() throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder,
            "--threads 1 --port 0=gen:64B,1kpps,to=3 --port 3=pcap:DIR/three.pcap")) {
            final long before = directBytes();
            for (int tap = 0; tap < 10; tap++) {
                assertTrue(live.capture("tap 0 count=1").length > 24 + 16 + 64, "a header and a packet");
            }
            final long after = directBytes();
            assertTrue(after - before < 5L << 22, before + " to " + after + " bytes, ten rings are " + (10L << 22));
            live.end(0);
        }
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow().getMemoryUsed();
    }

    @Test
    void shouldRefuseWhatCannotBeAndChangeNothing() throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder,
            "--threads 1 --map 0:3 --port 0=gen:64B,100pps,to=3 --port 3=pcap:DIR/three.pcap --port 5=none")) {
            live.refuses("add 6=loop", "live has no empty port slot there, start it with --port 6=none");
            live.refuses("add 8=loop", "there is no node 8");
            live.refuses("add 3=loop", "node 3 already has a port, remove it first");
            live.refuses("add 5=pcap:" + folder.resolve("three.pcap"), "the port of node 3 writes this file too");
            live.refuses("add 5=gen:1B", "skerry: gen: gen:1B: bytes must be");
            live.refuses("add 5=none", "it adds nothing");
            live.refuses("remove 5", "node 5 has no port");
            live.refuses("rate 3 1kpps", "the port is not a generator");
            live.refuses("rate 0 fast", "skerry: gen: gen:fast");
            live.refuses("map 0:3,3:7", "live has no empty port slot");
            live.refuses("map 0:address", "live was started with --map");
            live.refuses("mac 02:00:00:00:00:03 3", "live was started with --map");
            live.refuses("untap 0", "the port has no tap");
            live.end(0);
            live.refuses("ports", "no dataplane listens there");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--threads 1", "--nic-threads 2", "--fabric stardust --mode lockstep"})
    void shouldLoseNothingWithoutANameHoweverPortsComeAndGo(final String fabric) throws Exception {
        final Random random = new Random(SEED);
        try (RunningDataplane live = new RunningDataplane(folder, fabric + " --stall-ms 5 --port "
            + "0=gen:64-400B,5kpps,to=1-4 --port 1=none --port 2=none --port 3=none --port 4=pcap:DIR/four.pcap")) {
            final boolean[] has = new boolean[4];
            for (int change = 0; change < CHANGES; change++) {
                final int node = 1 + random.nextInt(3);
                final String order = !has[node] ? "add " + node + added(random, change) : changed(random) + " " + node;
                final Invocation asked = live.order(order.replace("drain " + node, "drain " + node + " 0.02"));
                assertTrue(asked.code() == 0 || order.startsWith("drain"), () -> "seed " + SEED + ": " + order + ": "
                    + asked.err());
                has[node] = order.startsWith("add") || has[node] && !order.startsWith("remove");
            }
            for (int node = 1; node < has.length; node++) {
                if (has[node]) {
                    live.ask("remove " + node);
                }
            }
            live.end(0);
        }
    }

    private String added(final Random random, final int change) {
        return switch (random.nextInt(3)) {
            case 0 -> "=gen:100-1400B,5kpps,to=0-4";
            case 1 -> "=loop";
            default -> "=memif:" + folder.resolve("m" + change) + ",server";
        };
    }

    private static String changed(final Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> "drain";
            case 1 -> "resume";
            default -> "remove";
        };
    }

    private void write(final String... lines) throws IOException {
        Files.writeString(folder.resolve("f"), String.join("\n", lines).replace("DIR", folder.toString()) + "\n");
    }

    @Test
    void shouldTakeOptionsFromAFile() throws IOException {
        write("# a run", "", "--fabric shoal", "--nodes=8", "  --slots   200", "--workload permutation", "--json");
        assertEquals(digest("run --fabric shoal --nodes 8 --slots 200 --workload permutation"),
            Invocation.of("run", "@" + folder.resolve("f")).ok().json().get("digest"));
        refuses("run @" + folder.resolve("x"), "skerry: settings: " + folder.resolve("x") + ": there is no such file");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "--nodes 8|nodes; :2: it is not an option", "--nodes 8|--; :2: it is not an option", "#|--nodes 1; --nodes",
        "--json --nodes 8; :1: it has another option in place of the value, write one option per line",
    })
    void shouldRefuseOtherLinesByTheirNumber(final String lines, final String why) throws IOException {
        write(lines.split("\\|"));
        refuses("run @" + folder.resolve("f"), why);
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
        live.refuses("reload", "live has no empty port slot there");
        write("--threads 1", "--mac-table DIR/t", "--port 0=loop", "--port 3=pcap:/nowhere/x.pcap");
        live.refuses("reload", "skerry: pcap: /nowhere/x.pcap");
        final Path old = Files.writeString(folder.resolve("old.pcap"), "precious");
        write("--threads 1", "--mac-table DIR/t", "--port 0=pcap:DIR/old.pcap,overwrite", "--port 3=pcap:/nowhere/x");
        live.refuses("reload", "skerry: pcap: /nowhere/x");
        assertEquals("precious", Files.readString(old), "opened before the port that cannot be");
        write("--threads 1", "--port 0=gen:64B,2kpps,to=3", "--map 0:3", "--port 3=pcap:DIR/four.pcap");
        live.refuses("reload", "forwarding cannot change");
        write("--threads 1", "--mac-table DIR/none", "--port 0=loop", "--port 3=loop");
        live.refuses("reload", "it cannot be read");
        assertEquals(before, live.ask("ports"));
    }
}
