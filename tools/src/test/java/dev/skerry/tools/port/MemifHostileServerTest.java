package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.UnixSocket.MemifMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;

/** Hostile servers: the client hangs up with one named reason and connects to the next server. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
@Isolated("it counts what the process has open")
final class MemifHostileServerTest {
    private final Arena arena = Arena.ofShared();
    @TempDir
    private Path folder;
    private Path socket;
    private Set<String> descriptors;
    private long mappings;
    private MemifPort port;

    @BeforeEach
    void open() {
        descriptors = MemifRig.descriptors();
        mappings = MemifRig.mappings();
        socket = folder.resolve("m.sock");
        port = MemifRig.open(socket, "client,ring=4,buffer=256");
    }

    @AfterEach
    void shouldConnectToTheNextAndLeaveNothingBehind() {
        try (MemifPort server = MemifRig.open(socket, "server")) {
            MemifRig.up(server, port);
        }
        port.close();
        arena.close();
        MemifRig.assertSameDescriptors(descriptors);
        assertEquals(mappings, MemifRig.mappings(), "mappings");
    }

    /** On a busy machine the port may have tried again since, and found nobody. */
    private void refused(final MemifFault fault, final Consumer<FakePeer> attack) {
        try (FakePeer peer = FakePeer.server(port, socket)) {
            final long beginNs = System.nanoTime();
            attack.accept(peer);
            MemifMessage last = peer.hear();
            while (last != null && !(last instanceof MemifMessage.Disconnect)) {
                last = peer.hear();
            }
            assertEquals(new MemifMessage.Disconnect(0, fault.sentence()), last, fault.name());
            assertFalse(port.isUp());
            if (port.lastFault() != MemifFault.SOCKET || System.nanoTime() - beginNs < MemifPort.RETRY_NS) {
                assertEquals(fault, port.lastFault());
            }
        }
    }

    private static MemifMessage hello(final int least, final int most, final int log2) {
        return new MemifMessage.Hello("fake", least, most, 0, 0, 0, log2);
    }

    @Test
    void shouldRefuseWhatItCannotUse() {
        refused(MemifFault.VERSION, peer -> peer.say(hello(0x0100, 0x01ff, 4)));
        refused(MemifFault.VERSION, peer -> peer.say(hello(0x0300, 0x03ff, 4)));
        refused(MemifFault.LIMITS, peer -> peer.say(hello(0x0200, 0x0200, 0)));
    }

    @Test
    void shouldRefuseMessagesOutOfOrder() {
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.say(new MemifMessage.Ack()));
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.say(new MemifMessage.Connected("x")));
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.say(new MemifMessage.AddRegion(0, 4096)));
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.say(hello(0x0200, 0x0200, 4)).say(hello(0x0200, 0x0200, 4)));
        refused(MemifFault.MESSAGE_ORDER, peer -> {
            peer.say(hello(0x0200, 0x0200, 4));
            for (int i = 0; i < 10; i++) {
                peer.say(new MemifMessage.Ack());
            }
        });
        refused(MemifFault.FD_SUPERFLUOUS, peer -> peer.give(hello(0x0200, 0x0200, 4), Libc.eventfd()));
    }

    @Test
    void shouldRepeatWhatTheServerSaidPrintably() {
        try (FakePeer peer = FakePeer.server(port, socket)) {
            peer.say(new MemifMessage.Disconnect(1, "go\naway\u001b[31m"));
            MemifRig.until(() -> port.lastFault() == MemifFault.PEER_DISCONNECT, port);
            assertEquals("PEER_DISCONNECT: the peer disconnected: go?away?[31m", port.lastReason());
        }
    }

    @Test
    void shouldRefuseRingsThatBreak() {
        final long ring = FakePeer.S2C_OFFSET;
        broken(MemifFault.INDEX_JUMP, region -> region.set(ValueLayout.JAVA_SHORT, ring + 64, (short) 17));
        broken(MemifFault.CHAIN_OPEN, region -> {
            region.set(ValueLayout.JAVA_SHORT, ring + 2L * MemifRing.LINE_BYTES, (short) 1);
            region.set(ValueLayout.JAVA_SHORT, ring + 64, (short) 1);
        });
        broken(MemifFault.DESCRIPTOR_LENGTH, region -> {
            region.set(ValueLayout.JAVA_INT, ring + 2L * MemifRing.LINE_BYTES + 4, 257);
            region.set(ValueLayout.JAVA_SHORT, ring + 64, (short) 1);
        });
    }

    private void broken(final MemifFault fault, final Consumer<MemorySegment> attack) {
        refused(fault, peer -> {
            peer.accept();
            MemifRig.until(port::isUp, port);
            attack.accept(peer.region);
            assertEquals(0, port.rxBurst(new PacketBurst(arena, 4, 2048)));
            assertFalse(port.isUp());
        });
    }

    /** A server writes anything into the rings and descriptors; most rounds end by name. */
    @Test
    void shouldOutliveRandomWriters() {
        int ended = 0;
        for (long seed = 1; seed <= 30; seed++) {
            try (FakePeer peer = FakePeer.server(port, socket)) {
                peer.accept();
                MemifRig.until(port::isUp, port);
                RandomWriter.write(peer.region, seed, () -> RandomWriter.look(port));
                ended += port.isUp() ? 0 : 1;
            }
            MemifRig.until(() -> !port.isUp(), port);
            assertNotEquals(MemifFault.MEMORY_LOST, port.lastFault(), "seed=" + seed);
        }
        assertTrue(ended > 5, "ended=" + ended);
    }

    @Test
    void shouldNotWaitForASilentServer() {
        try (FakePeer peer = FakePeer.server(port, socket)) {
            assertTrue(peer.fd() >= 0);
            port.poll(System.nanoTime() + MemifConnection.HANDSHAKE_NS + 1_000_000_000L);
            assertEquals(MemifFault.TIMEOUT, port.lastFault());
        }
        // The next look is due in the future. Continue with a port whose clock starts now.
        port.close();
        port = MemifRig.open(socket, "client");
    }
}
