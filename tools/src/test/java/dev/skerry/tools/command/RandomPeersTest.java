package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.MemifPort;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Peers of a dataplane come, stop, go on and vanish 1,000 times under traffic: no packet is without a name, and nothing
 * of them is left. Threads of the fabric and of the test take turns where there are few processors, so the test waits
 * for what a peer has to see, never for its turn.
 */
@Tag("long")
@Isolated("it counts what the process has open")
@EnabledOnOs(OS.LINUX)
@Timeout(600)
final class RandomPeersTest {
    private static final long SEED = Long.getLong("skerry.test.peersSeed", 1);
    private static final int CHANGES = 1_000;
    private static final int PEERS = 3;
    private static final String PORTS = " --stall-ms 5 --port 0=gen:64-400B,20kpps,to=1-3"
        + " --port 1=memif:DIR/m,server,id=1 --port 2=memif:DIR/m,server,id=2 --port 3=memif:DIR/n,server"
        + " --port 4=pcap:DIR/four.pcap";
    private static final int MOST_POLLS = 60;

    @TempDir
    private Path folder;

    private final MemifPort[] peers = new MemifPort[PEERS];
    private final boolean[] stopped = new boolean[PEERS];

    @ParameterizedTest
    @ValueSource(strings = {"--threads 1", "--fabric shale --mode lockstep", "--fabric stardust --mode lockstep"})
    void shouldLeaveNothingBehindHoweverPeersComeAndGo(final String fabric) throws Exception {
        final Random random = new Random(SEED);
        // The first dataplane of a JVM opens what stays open: jars, a source of random numbers.
        try (RunningDataplane first = new RunningDataplane(Files.createDirectory(folder.resolve("first")),
            fabric + PORTS)) {
            first.end(0, 1, 2, 3);
        }
        final long before = descriptors();
        final MemifSockets sockets = new MemifSockets();
        try (RunningDataplane live = new RunningDataplane(folder, fabric + PORTS); Arena arena = Arena.ofShared()) {
            final PacketBurst burst = new PacketBurst(arena, 32, 2_048);
            for (int change = 0; change < CHANGES; change++) {
                final int peer = random.nextInt(PEERS);
                if (peers[peer] == null) {
                    peers[peer] = sockets.open(MemifAddress.parse("memif:" + folder.resolve(peer == 2 ? "n,client"
                        : "m,client,id=" + (peer + 1))));
                    stopped[peer] = false;
                    // Some are closed before they have met the dataplane.
                    final boolean isAwaited = random.nextInt(4) > 0;
                    while (isAwaited && !peers[peer].isUp()) {
                        work(burst);
                        Thread.yield();
                    }
                } else if (stopped[peer] || random.nextInt(3) == 0) {
                    stopped[peer] = !stopped[peer];
                } else {
                    peers[peer].close();
                    peers[peer] = null;
                }
                for (int polls = random.nextInt(MOST_POLLS); polls > 0; polls--) {
                    work(burst);
                }
            }
            for (final MemifPort peer : peers) {
                if (peer != null) {
                    peer.close();
                }
            }
            final JsonNode report = live.end(0, 1, 2, 3);
            long ups = 0;
            long arrived = 0;
            for (final JsonNode port : report.get("ports")) {
                ups += port.get("links_up").asLong();
                arrived += port.get("tx_packets").asLong();
            }
            assertTrue(ups > CHANGES / 10 && arrived > 0, "seed " + SEED + ": peers came " + ups + " times, packets "
                + arrived);
        }
        assertEquals(before, descriptors(), "descriptors, seed " + SEED);
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            assertEquals(0, maps.filter(map -> map.contains("memfd:")).count(), "mappings, seed " + SEED);
        }
    }

    /** Peers that are not stopped take what comes and send it back. */
    private void work(final PacketBurst burst) {
        for (int peer = 0; peer < PEERS; peer++) {
            if (peers[peer] != null && !stopped[peer]) {
                peers[peer].poll(System.nanoTime());
                burst.clear();
                if (peers[peer].rxBurst(burst) > 0) {
                    peers[peer].txBurst(burst, 0);
                }
            }
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }
}
