package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** A peer in a process of its own is killed under traffic. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
@Isolated("it counts what the process has open")
final class MemifVanishTest {
    @TempDir
    private Path folder;

    /** The other process: echoes until it is killed. */
    public static void main(final String[] address) {
        final MemifPort port = MemifPort.open(MemifAddress.parse(address[0]));
        final PacketBurst burst = new PacketBurst(Arena.global(), 32, 2048);
        int sent = 0;
        while (true) {
            if (sent == burst.size()) {
                burst.clear();
                sent = 0;
                port.rxBurst(burst);
            }
            sent += port.txBurst(burst, sent);
            port.poll(System.nanoTime());
        }
    }

    @Test
    void shouldSurviveAKilledClientAndServeTheNext() throws IOException, InterruptedException {
        final Path socket = folder.resolve("m.sock");
        final Set<String> descriptors = MemifRig.descriptors();
        final long mappings = MemifRig.mappings();
        try (MemifPort port = MemifRig.open(socket, "server")) {
            for (int time = 1; time <= 2; time++) {
                killUnderTraffic(port, "memif:" + socket + ",client");
            }
            assertEquals(2, port.counts().get(PortCounter.LINKS_DOWN));
        }
        MemifRig.assertSameDescriptors(descriptors);
        assertEquals(mappings, MemifRig.mappings(), "mappings");
    }

    @Test
    void shouldSurviveAKilledServerAndFindTheNext() throws IOException, InterruptedException {
        final Path socket = folder.resolve("m.sock");
        final Set<String> descriptors = MemifRig.descriptors();
        final long mappings = MemifRig.mappings();
        try (MemifPort port = MemifRig.open(socket, "client")) {
            for (int time = 1; time <= 2; time++) {
                killUnderTraffic(port, "memif:" + socket + ",server");
            }
        }
        MemifRig.assertSameDescriptors(descriptors);
        assertEquals(mappings, MemifRig.mappings(), "mappings");
    }

    private static void killUnderTraffic(final MemifPort port, final String address)
        throws IOException, InterruptedException {
        final Process peer = new ProcessBuilder(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp", classPath(),
            MemifVanishTest.class.getName(), address))
            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
        try (Arena arena = Arena.ofShared()) {
            final PacketBurst out = new PacketBurst(arena, 32, 64);
            final PacketBurst in = new PacketBurst(arena, 32, 64);
            for (int i = 0; i < 32; i++) {
                MemifRig.fill(out, 60, 3);
            }
            final long[] received = new long[1];
            MemifRig.until(() -> {
                port.txBurst(out, 0);
                in.clear();
                received[0] += port.rxBurst(in);
                for (int i = 0; i < in.size(); i++) {
                    MemifRig.verify(in, i, 60, 3);
                }
                return received[0] > 1000;
            }, port);
            peer.destroyForcibly();
            MemifRig.until(() -> {
                port.txBurst(out, 0);
                in.clear();
                port.rxBurst(in);
                return !port.isUp();
            }, port);
            assertEquals(MemifFault.PEER_GONE, port.lastFault());
        } finally {
            peer.destroyForcibly();
            peer.waitFor();
        }
    }

    /** Class path of this test, whether the build uses the class path or modules. */
    private static String classPath() {
        return String.join(":", System.getProperty("java.class.path", ""), System.getProperty("jdk.module.path", ""),
            MemifVanishTest.class.getProtectionDomain().getCodeSource().getLocation().getPath(),
            MemifVanishTest.class.getProtectionDomain().getCodeSource().getLocation().getPath()
                .replace("/classes/", "/test-classes/"));
    }
}
