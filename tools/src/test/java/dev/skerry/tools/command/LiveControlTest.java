package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Orders to a dataplane that runs: its ports come and go, and no packet is lost without a name. */
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

    /** Labels of counters follow the ports that come and go; what was counted goes on. */
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

    /** Waits until all counters of the port at node 5 say so, and no other port. */
    private void awaitName(final String port) {
        long named = 0;
        long others = 1;
        while (named < 50 || others > 0) {
            final List<String> shown = List.of(Invocation.ofLine("stat --json --dir " + folder.resolve("counters"))
                .out().split(", "));
            final String key = "node=\\\"5\\\",port=\\\"" + port + "\\\"";
            named = shown.stream().filter(line -> line.contains(key)).count();
            others = shown.stream().filter(line -> line.contains("node=\\\"5\\\"") && !line.contains(key)).count();
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
            live.refuses("add 6=loop", "live keeps no place for a port there, start it with --port 6=none");
            live.refuses("add 8=loop", "there is no node 8");
            live.refuses("add 3=loop", "node 3 has a port already, remove it first");
            live.refuses("add 5=pcap:" + folder.resolve("three.pcap"), "the port of node 3 writes this file too");
            live.refuses("add 5=gen:1B", "skerry: gen: gen:1B: bytes must be");
            live.refuses("add 5=none", "nothing is added by it");
            live.refuses("remove 5", "node 5 has no port");
            live.refuses("rate 3 1kpps", "the port is no generator");
            live.refuses("rate 0 fast", "skerry: gen: gen:fast");
            live.refuses("map 0:3,3:7", "live keeps no place");
            live.refuses("map 0:address", "live was started with --map");
            live.refuses("mac 02:00:00:00:00:03 3", "live was started with --map");
            live.refuses("untap 0", "the port has no tap");
            live.end(0);
            live.refuses("ports", "nobody listens there");
        }
    }

    /** Ports of several kinds come and go in any order, drained or not. */
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
}
