package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import dev.skerry.tools.port.UnixSocket.MemifMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * {@code skerry live} is killed under traffic, ends in good order at a signal, reports why it refuses a peer, and puts
 * its threads into the real-time class.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
final class LiveProcessTest {
    /** The policy in {@code /proc/PID/task/ID/stat}, counted after the name. */
    private static final int POLICY = 38;
    private static final int ROUND_ROBIN = 2;

    @TempDir
    private Path folder;

    /** The peer survives and finds the next process at the same path. The capture keeps whole packets. */
    @Test
    void shouldBeFollowedByTheNextWhenItIsKilled() throws Exception {
        final Path socket = folder.resolve("m.sock");
        final Path capture = folder.resolve("out.pcap");
        final String line = "--map 1:0,0:1,2:3 --port 0=memif:" + socket + ",server --port 1=gen:64B,20kpps,to=0 "
            + "--port 2=gen:65-1514B,20kpps,to=3 --port 3=pcap:" + capture;
        try (MemifPort peer = MemifRig.open(socket, "client"); Arena arena = Arena.ofShared()) {
            final PacketBurst burst = new PacketBurst(arena, 32, 2_048);
            for (int time = 0; time < 2; time++) {
                try (LiveProcess live = new LiveProcess(folder, line + time).listening()) {
                    receive(peer, burst, 500);
                    live.until(counters -> LiveProcess.count(counters, "tx_packets", 3) > 1_000);
                    // On a busy machine it may first be too slow for the peer, which then reconnects.
                    assertEquals("skerry: live: port 0=memif:" + socket + ",server: it has a peer",
                        live.errors().lines().filter(said -> !said.contains("first loss")).toList().getLast());
                    // The process was killed.
                }
                MemifRig.until(() -> !peer.isUp(), peer);
                assertEquals(MemifFault.PEER_GONE, peer.lastFault());
                assertTrue(Files.exists(socket), "what a killed process leaves");
                assertTrue(packetsOf(Path.of(capture + "" + time + ".partial")) > 0, "packets in the capture");
            }
        }
    }

    private static void receive(final MemifPort peer, final PacketBurst burst, final int packets) {
        final int[] received = new int[1];
        MemifRig.until(() -> {
            burst.clear();
            received[0] += peer.rxBurst(burst);
            return received[0] >= packets;
        }, peer);
    }

    /** Packets of a capture that may end within a packet. */
    private static long packetsOf(final Path capture) {
        long packets = 0;
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:in=" + capture + ",speed=max"));
            Arena arena = Arena.ofShared()) {
            final PacketBurst burst = new PacketBurst(arena, 32, 2_048);
            while (!port.isExhausted()) {
                burst.clear();
                packets += port.rxBurst(burst);
                for (int i = 0; i < burst.size(); i++) {
                    assertTrue(burst.length(i) >= 65 && burst.length(i) <= 1_514, "bytes=" + burst.length(i));
                }
            }
        }
        return packets;
    }

    @Test
    void shouldSayWhyAPeerIsTurnedAwayAndServeTheNext() throws Exception {
        final Path socket = folder.resolve("m.sock");
        try (LiveProcess live = new LiveProcess(folder, "--port 1=gen:64B,1kpps,to=0 --port 0=memif:" + socket
            + ",server,secret=open --port 2=memif:" + folder.resolve("none") + ",client").listening()) {
            refused(live, socket, new MemifMessage.Init(0x0100, 0, 0, "open", "old"), "VERSION");
            refused(live, socket, new MemifMessage.Init(MemifMessage.VERSION, 0, 0, "guess", "thief"), "SECRET");
            try (MemifPort peer = MemifRig.open(socket, "client,secret=open"); Arena arena = Arena.ofShared()) {
                receive(peer, new PacketBurst(arena, 32, 2_048), 10);
            }
            assertEquals(130, live.end("INT"), live::errors);
            final JsonNode result = live.result();
            assertTrue(result.get("conserved").asBoolean());
            assertTrue(result.get("ports").get(1).get("peers_refused").asInt() >= 2, result::toString);
            assertTrue(result.get("ports").get(1).get("links_up").asInt() >= 1, result::toString);
            assertTrue(live.errors().contains("none,client: SOCKET: cannot connect: there is no such file or folder, "
                + "trying again"), live::errors);
            assertTrue(!live.errors().contains("secret=open") && live.errors().contains("secret=..."), live::errors);
        }
    }

    /** A peer that is slow at the end gets all; one that reads nothing does not hold it up. What it left is counted. */
    @ParameterizedTest
    @CsvSource({"shoal, true", "shale, true", "stardust, true", "shoal, false"})
    void shouldWaitForAPeerToReadAndCountWhatItLeaves(final String fabric, final boolean reads) throws Exception {
        final Path socket = folder.resolve("m.sock");
        try (LiveProcess live = new LiveProcess(folder, "--fabric " + fabric + " --stall-ms " + (reads ? 9000 : 300)
            + " --port 1=gen:64B,max,to=0,count=500,after=3 --port 0=memif:" + socket + ",server").listening();
            MemifPort peer = MemifRig.open(socket, "client"); Arena arena = Arena.ofShared()) {
            MemifRig.until(peer::isUp, peer);
            live.until(counters -> LiveProcess.count(counters, "tx_packets", 0) == 500);
            live.signal("TERM");
            live.until(counters -> live.errors().contains("waiting for peers to read 500 packets"));
            if (reads) {
                receive(peer, new PacketBurst(arena, 32, 2_048), 500);
            }
            assertEquals(143, live.exitCode(), live.errors());
            final JsonNode port = live.result().get("ports").get(1);
            assertEquals(reads ? 500 : 0, port.get("tx_packets").asInt(), port::toString);
            assertEquals(reads ? 0 : 500, port.get("tx_left").asInt(), port::toString);
        }
    }

    /** A failure has its own exit code and lines also where a signal ends the run, and --quiet does not hide it. */
    @Test
    void shouldEndWithTheCodeOfAFailureAfterASignal() throws Exception {
        try (LiveProcess live = new LiveProcess(folder, "--quiet --port 1=gen:1000B,max,to=0 --port 0=pcap:/dev/full")
            .listening()) {
            live.until(counters -> LiveProcess.count(counters, "tx_failed", 0) == 1);
            assertEquals(2, LiveProcess.count(live.counters(), "state", 0), "failed");
            assertEquals(1, live.end("TERM"), live.errors());
            assertTrue(live.errors().contains("/dev/full: writing failed"), live.errors());
            assertEquals(0, live.result().get("ports").get(1).get("tx_packets").asInt());
        }
    }

    private static void refused(final LiveProcess live, final Path socket, final MemifMessage first, final String why)
        throws IOException, InterruptedException {
        try (UnixSocket peer = new UnixSocket(UnixSocket.connect(socket.toString(), false))) {
            assertEquals(MemifMessage.BYTES, peer.send(first, UnixSocket.NO_FD));
            live.until(counters -> live.errors().contains("a peer was rejected: " + why));
        }
    }

    /** Packets arrive, files are whole, the report is printed; threads have the policy of this one. */
    @Test
    void shouldReadItsSettingsAgainAtHupAndEndInGoodOrderAtTerm() throws Exception {
        final Path settings = folder.resolve("settings");
        final Path capture = folder.resolve("out.pcap");
        final String ports = "--ctl " + folder.resolve("s") + "\n--port 0=gen:64B,1kpps,to=1\n--port 1=pcap:" + capture
            + "\n--port 2=";
        Files.writeString(settings, ports + "none\n");
        try (LiveProcess live = new LiveProcess(folder, "@" + settings)) {
            live.until(counters -> LiveProcess.count(counters, "tx_packets", 1) > 0);
            final int ours = policyOf(Path.of("/proc/thread-self"));
            policies(live.pid()).forEach(policy -> assertEquals(ours, policy));
            Files.writeString(settings, ports + "gen:64B,1kpps,to=1\n");
            live.signal("HUP");
            live.until(counters -> LiveProcess.count(counters, "rx_packets", 2) > 0);
            assertTrue(live.errors().contains("skerry: live: reload: port 2: added gen:64B,1kpps,to=1"), live::errors);
            assertEquals(143, live.end("TERM"), live::errors);
            assertTrue(live.result().get("conserved").asBoolean());
            assertTrue(Files.exists(capture), "the capture has its name");
        }
    }

    @Test
    void shouldPutAllThreadsIntoTheRealTimeClassOrSayWhyNot() throws Exception {
        final boolean isAllowed = new ProcessBuilder("chrt", "--rr", "1", "true").redirectErrorStream(true).start()
            .waitFor() == 0;
        try (LiveProcess live = new LiveProcess(folder, "--nodes 4 --port 0=loop --port 1=loop --real-time")) {
            if (isAllowed) {
                live.listening();
                final List<Integer> policies = policies(live.pid());
                assertTrue(policies.size() > 5, () -> "threads of the JVM are among them: " + policies);
                policies.forEach(policy -> assertEquals(ROUND_ROBIN, policy, policies::toString));
                // Java reads the first digit of such a file only.
                final long budget = Long.parseLong(
                    PcapRig.run("cat", "/proc/sys/kernel/sched_rt_runtime_us").getFirst());
                assertEquals(budget >= 0, live.errors().contains(String.format(Locale.ROOT,
                    "skerry: live: --real-time: the kernel suspends real-time threads after %,d us", budget)),
                    live::errors);
                live.end();
            } else {
                assertEquals(2, live.exitCode());
                assertEquals("skerry: live: --real-time: the kernel does not allow this process a real-time class: "
                    + "errno=1, start as root, with CAP_SYS_NICE or after ulimit -r 1, or leave it out",
                    live.errors().strip());
            }
        }
    }

    private static List<Integer> policies(final long process) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process + "/task"))) {
            return threads.map(LiveProcessTest::policyOf).filter(policy -> policy >= 0).toList();
        }
    }

    /** The policy of a thread, -1 if it has just ended. */
    private static int policyOf(final Path thread) {
        try {
            final String stat = Files.readString(thread.resolve("stat"));
            return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[POLICY]);
        } catch (final IOException ended) {
            return -1;
        }
    }
}
