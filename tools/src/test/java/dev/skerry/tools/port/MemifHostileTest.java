package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.MemifConnection.MemfdRegion;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import dev.skerry.tools.port.MemifPort.MemifSockets.MemifServer;
import dev.skerry.tools.port.MemifRig.NothingLeft;
import dev.skerry.tools.port.UnixSocket.MemifMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Hostile clients at a server that also has a good client, and hostile servers (docs/spec/memif.md §9, §10). Each
 * attack gets one named reason, does not affect the good client, and leaks nothing; a client finds the next server.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
@Isolated("it counts what the process has open")
final class MemifHostileTest {
    private static final int PEERS = 5;
    private static final String SOCKET = """
        import socket, struct, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        """;
    /** Says HELLO as a server does, then prints how many bytes the client sends. */
    private static final String SERVER = SOCKET + """
        s.bind("\\0" + sys.argv[1])
        s.listen(16)
        print("listening", flush=True)
        c, _ = s.accept()
        inits = 0
        try:
            c.send(struct.pack("<H32sHHHHHB", 2, b"evil", 0x200, 0x200, 15, 15, 15, 14).ljust(128, b"\\0"))
            for m in iter(lambda: c.recv(4096), b""):
                inits += m[0] == 3
        except ConnectionError:
            pass  # The client has left, before or after the HELLO.
        print(inits, flush=True)
        """;
    private static final String CLIENT = SOCKET + """
        print("here", flush=True)
        for i in range(int(sys.argv[2])):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect("\\0" + sys.argv[1])
            print(len(s.recv(4096)), flush=True)
        """;

    private final Arena arena = Arena.ofShared();
    @TempDir
    private Path folder;
    @RegisterExtension
    private final NothingLeft nothingLeft = new NothingLeft();
    private MemifPort port;
    private MemifPort goodPort;
    private MemifPort goodClient;
    private Path hostileSocket;
    private MemifPort client;

    /** The first pipe that is closed leaves a socket of the JDK behind. */
    @BeforeAll
    static void closeAPipe() throws IOException {
        final Pipe pipe = Pipe.open();
        pipe.source().close();
        pipe.sink().close();
    }

    @BeforeEach
    void open() {
        final Path socket = folder.resolve("m.sock");
        final MemifSockets sockets = new MemifSockets();
        port = sockets.open(MemifRig.address(socket, "server,id=0"));
        goodPort = sockets.open(MemifRig.address(socket, "server,id=1"));
        hostileSocket = folder.resolve("h.sock");
        client = MemifRig.open(hostileSocket, "client,ring=4,buffer=256");
        goodClient = MemifRig.open(socket, "client,id=1,ring=4");
        MemifRig.up(goodPort, goodClient);
    }

    @AfterEach
    void shouldGoOnWithTheOthersAndLeaveNothingBehind() {
        final PacketBurst burst = new PacketBurst(arena, 4, 64);
        MemifRig.fill(burst, 64, 9);
        assertEquals(1, goodClient.txBurst(burst, 0));
        burst.clear();
        assertEquals(1, goodPort.rxBurst(burst));
        MemifRig.verify(burst, 0, 64, 9);
        try (FakePeer next = connected(); MemifPort server = MemifRig.open(hostileSocket, "server")) {
            MemifRig.up(server, client);
            assertTrue(port.isUp() && next.fd() >= 0);
        }
        goodClient.close();
        port.close();
        goodPort.close();
        client.close();
        arena.close();
    }

    /** A client whose handshake is done. */
    private FakePeer connected() {
        final FakePeer peer = FakePeer.client(port).connect();
        MemifRig.until(port::isUp, port);
        return peer;
    }

    /** A client that sends a forbidden message gets a DISCONNECT with the reason, then the end. */
    private void refused(final MemifFault fault, final Consumer<FakePeer> attack) {
        try (FakePeer peer = FakePeer.client(port)) {
            attack.accept(peer);
            assertEquals(new MemifMessage.Disconnect(0, fault.sentence()), peer.hear(), fault.name());
            assertEquals(null, peer.hear());
            assertFalse(port.isUp());
            assertEquals(fault, port.lastFault());
            assertTrue(port.lastReason().startsWith(fault + ": " + fault.sentence()), port.lastReason());
        }
    }

    private static MemifMessage.Init init(final int version, final int id, final int mode, final String secret) {
        return new MemifMessage.Init(version, id, mode, secret, "fake");
    }

    @Test
    void shouldRefuseAWrongIntroduction() {
        refused(MemifFault.VERSION, peer -> peer.expect(MemifMessage.Hello.class).say(init(0x0100, 0, 0, "")));
        refused(MemifFault.MODE, peer -> peer.expect(MemifMessage.Hello.class).say(init(0x0200, 0, 1, "")));
        refused(MemifFault.ID_UNKNOWN, peer -> peer.expect(MemifMessage.Hello.class).say(init(0x0200, 7, 0, "")));
        refused(MemifFault.ID_TAKEN, peer -> peer.expect(MemifMessage.Hello.class).say(init(0x0200, 1, 0, "")));
        refused(MemifFault.SECRET, peer -> peer.expect(MemifMessage.Hello.class).say(init(0x0200, 0, 0, "guess")));
    }

    @Test
    void shouldRefuseWhatIsNotAMessage() {
        final MemorySegment bytes = arena.allocate(100_000);
        for (final int size : new int[] {1, 127, 129, 256, 100_000}) {
            refused(MemifFault.MESSAGE_SIZE, peer -> raw(peer, bytes, size));
        }
        for (final int type : new int[] {0, 9, 0xffff}) {
            bytes.set(JAVA_SHORT, 0, (short) type);
            refused(MemifFault.MESSAGE_UNKNOWN, peer -> raw(peer, bytes, 128));
        }
    }

    private static void raw(final FakePeer peer, final MemorySegment bytes, final int size) {
        peer.expect(MemifMessage.Hello.class);
        raw(peer, bytes, size, 0, UnixSocket.NO_FD);
    }

    /** Sends any bytes, and a descriptor any number of times. */
    private static void raw(final FakePeer peer, final MemorySegment bytes, final int size, final int times,
        final int passed) {
        try (Arena own = Arena.ofConfined()) {
            final MemorySegment vector = own.allocate(16, 8);
            vector.set(ADDRESS, 0, bytes);
            vector.set(JAVA_LONG, 8, size);
            final MemorySegment header = own.allocate(56, 8);
            header.set(ADDRESS, 16, vector);
            header.set(JAVA_LONG, 24, 1);
            if (times > 0) {
                final MemorySegment control = own.allocate(16 + 4L * times + 4, 8);
                control.set(JAVA_LONG, 0, 16 + 4L * times);
                control.set(JAVA_INT, 8, Libc.SOL_SOCKET);
                control.set(JAVA_INT, 12, Libc.SCM_RIGHTS);
                for (int i = 0; i < times; i++) {
                    control.set(JAVA_INT, 16 + 4L * i, passed);
                }
                header.set(ADDRESS, 32, control);
                header.set(JAVA_LONG, 40, 16 + (4L * times + 7 & -8));
            }
            assertEquals(size, Libc.sendmsg(peer.fd(), header, 0));
        }
    }

    @Test
    void shouldRefuseMessagesOutOfOrder() {
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.expect(MemifMessage.Hello.class).say(new MemifMessage.Ack()));
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.expect(MemifMessage.Hello.class)
            .say(new MemifMessage.Connect("x")));
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.expect(MemifMessage.Hello.class)
            .give(new MemifMessage.AddRegion(0, 4096), MemfdRegion.create(4096)));
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.init().say(init(0x0200, 0, 0, "")));
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.connect().say(new MemifMessage.Connect("x")));
        refused(MemifFault.MESSAGE_ORDER, peer -> peer.init()
            .say(new MemifMessage.Hello("x", 0, 0x0200, 0, 0, 0, 4)));
        refused(MemifFault.RING_NONE, peer -> peer.init().say(new MemifMessage.Connect("x")));
        refused(MemifFault.RING_NONE, peer -> peer.init().addRegion()
            .give(new MemifMessage.AddRing(true, 0, 0, 0, 4, 0), Libc.eventfd()).expect(MemifMessage.Ack.class)
            .say(new MemifMessage.Connect("x")));
        refused(MemifFault.MESSAGE_ORDER, peer -> {
            peer.connect();
            for (int i = 0; i < 5; i++) {
                peer.say(new MemifMessage.Ack());
            }
        });
    }

    @Test
    void shouldRefuseDescriptorsThatAreMissingOrTooMany() {
        refused(MemifFault.FD_MISSING, peer -> peer.init().say(new MemifMessage.AddRegion(0, 4096)));
        refused(MemifFault.FD_MISSING, peer -> peer.init().addRegion()
            .say(new MemifMessage.AddRing(true, 0, 0, 0, 4, 0)));
        refused(MemifFault.FD_SUPERFLUOUS, peer -> peer.expect(MemifMessage.Hello.class)
            .give(init(0x0200, 0, 0, ""), Libc.eventfd()).expect(MemifMessage.Ack.class));
        refused(MemifFault.FD_SUPERFLUOUS, peer -> peer.init().addRegion().addRings()
            .give(new MemifMessage.Connect("x"), Libc.eventfd()).expect(MemifMessage.Connected.class));
    }

    /** 28 is the number that a control buffer of 128 bytes holds, 253 the kernel's limit. */
    @ParameterizedTest
    @ValueSource(ints = {2, 27, 28, 29, 253})
    void shouldRefuseManyDescriptors(final int times) {
        final MemorySegment bytes = arena.allocate(MemifMessage.BYTES);
        new MemifMessage.AddRegion(0, 4096).encode(bytes);
        refused(times <= 28 ? MemifFault.FD_SUPERFLUOUS : MemifFault.MESSAGE_SIZE, peer -> {
            final int memory = MemfdRegion.create(4096);
            raw(peer.init(), bytes, MemifMessage.BYTES, times, memory);
            Libc.close(memory);
            if (times <= 28) {
                peer.expect(MemifMessage.Ack.class);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/null", "/dev/zero", "/proc/self/mem", "/proc/self/status", "pipe:"})
    void shouldRefuseFilesThatAreNotMemory(final String file) throws IOException {
        final Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel out = pipe.source(); Pipe.SinkChannel in = pipe.sink();
            RandomAccessFile opened = new RandomAccessFile(file.equals("pipe:") ? "/dev/null" : file, "r")) {
            final int number = descriptorOf(file);
            refused(MemifFault.REGION_UNSEALED, peer -> peer.init().say(new MemifMessage.AddRegion(0, 4096), number));
            assertTrue(opened.getFD().valid() && out.isOpen() && in.isOpen());
        }
    }

    /** The latest descriptor of this process that leads to a file. */
    private static int descriptorOf(final String target) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(fd -> leadsTo(fd, target)).mapToInt(fd -> Integer.parseInt(fd.getFileName().toString()))
                .max().orElseThrow();
        }
    }

    private static boolean leadsTo(final Path fd, final String target) {
        try {
            return Files.readSymbolicLink(fd).toString().replaceFirst("/proc/\\d+/", "/proc/self/").startsWith(target);
        } catch (final IOException e) {
            return false;
        }
    }

    @Test
    void shouldRefuseRegionsThatAreNotWhatTheySay() {
        refused(MemifFault.REGION_INDEX, peer -> region(peer, 1, 4096, MemfdRegion.create(4096)));
        refused(MemifFault.REGION_SIZE, peer -> region(peer, 0, 0, MemfdRegion.create(4096)));
        refused(MemifFault.REGION_SIZE, peer -> region(peer, 0, -1, MemfdRegion.create(4096)));
        refused(MemifFault.REGION_SIZE, peer -> region(peer, 0, (1L << 30) + 1, MemfdRegion.create(4096)));
        refused(MemifFault.REGION_SHORT, peer -> region(peer, 0, 4097, MemfdRegion.create(4096)));
        refused(MemifFault.REGION_SHORT, peer -> region(peer, 0, 4096, MemfdRegion.create(0)));
        refused(MemifFault.REGION_UNSEALED, peer -> region(peer, 0, 4096, Libc.eventfd()));
        refused(MemifFault.REGION_UNSEALED, peer -> region(peer, 0, 4096,
            Libc.socket(Libc.AF_UNIX, Libc.SOCK_SEQPACKET, 0)));
        final int unsealable = Libc.memfdCreate("unsealable", Libc.MFD_CLOEXEC);
        Libc.ftruncate(unsealable, 4096);
        refused(MemifFault.REGION_UNSEALED, peer -> region(peer, 0, 4096, unsealable));
        refused(MemifFault.REGION_INDEX, peer -> {
            peer.init();
            for (int i = 0; i < 16; i++) {
                peer.give(new MemifMessage.AddRegion(i, 4096), MemfdRegion.create(4096))
                    .expect(MemifMessage.Ack.class);
            }
            peer.give(new MemifMessage.AddRegion(16, 4096), MemfdRegion.create(4096));
        });
    }

    private static void region(final FakePeer peer, final int index, final long size, final int memory) {
        peer.init().give(new MemifMessage.AddRegion(index, size), memory);
    }

    @Test
    void shouldSealAFileThatThePeerCouldCut() {
        final int memory = Libc.memfdCreate("unsealed", Libc.MFD_CLOEXEC | Libc.MFD_ALLOW_SEALING);
        assertEquals(0, Libc.ftruncate(memory, 8192));
        try (FakePeer peer = FakePeer.client(port)) {
            peer.init().say(new MemifMessage.AddRegion(0, 8192), memory).expect(MemifMessage.Ack.class);
            assertEquals(-1, Libc.ftruncate(memory, 4096), "EPERM: it cannot shrink any more");
            assertEquals(8192, Libc.fileBytes(memory));
        }
        Libc.close(memory);
        MemifRig.until(() -> port.lastFault() == MemifFault.PEER_GONE, port);
    }

    @Test
    void shouldRefuseRingsThatCannotBe() {
        ring(MemifFault.RING_INDEX, new MemifMessage.AddRing(true, 1, 0, 0, 4, 0));
        ring(MemifFault.RING_INDEX, new MemifMessage.AddRing(false, 1, 0, 0, 4, 0));
        ring(MemifFault.RING_SIZE, new MemifMessage.AddRing(true, 0, 0, 0, 0, 0));
        ring(MemifFault.RING_SIZE, new MemifMessage.AddRing(true, 0, 0, 0, 11, 0));
        ring(MemifFault.RING_SIZE, new MemifMessage.AddRing(true, 0, 0, 0, 255, 0));
        ring(MemifFault.RING_PRIVATE, new MemifMessage.AddRing(true, 0, 0, 0, 4, 8));
        ring(MemifFault.REGION_INDEX, new MemifMessage.AddRing(true, 0, 1, 0, 4, 0));
        ring(MemifFault.RING_PLACE, new MemifMessage.AddRing(true, 0, 0, 8, 4, 0));
        ring(MemifFault.RING_PLACE, new MemifMessage.AddRing(true, 0, 0, 0xffff_fff0L, 4, 0));
        ring(MemifFault.RING_PLACE, new MemifMessage.AddRing(true, 0, 0, 0, 10, 0));
        refused(MemifFault.COOKIE, peer -> {
            peer.init().addRegion().addRings();
            peer.region.set(JAVA_INT, FakePeer.S2C_OFFSET, 0x03e3_1f21);
            peer.say(new MemifMessage.Connect("x"));
        });
    }

    private void ring(final MemifFault fault, final MemifMessage.AddRing ring) {
        refused(fault, peer -> peer.init().addRegion().give(ring, Libc.eventfd()));
    }

    /** A client corrupts the rings after the handshake. */
    private void broken(final MemifFault fault, final boolean sends, final Consumer<MemorySegment> attack) {
        refused(fault, peer -> {
            peer.connect();
            MemifRig.until(port::isUp, port);
            attack.accept(peer.region);
            final PacketBurst burst = new PacketBurst(arena, 4, 64);
            if (sends) {
                MemifRig.fill(burst, 64, 0);
                assertEquals(0, port.txBurst(burst, 0));
            } else {
                assertEquals(0, port.rxBurst(burst));
            }
            assertFalse(port.isUp(), "down at once");
            assertEquals(0, port.rxBurst(burst));
        });
    }

    @Test
    void shouldRefuseRingsThatBreak() {
        final long descriptor = 2L * MemifRing.LINE_BYTES;
        broken(MemifFault.INDEX_JUMP, false, region -> region.set(JAVA_SHORT, 6, (short) 17));
        broken(MemifFault.DESCRIPTOR_REGION, false, region -> {
            region.set(JAVA_SHORT, descriptor + 2, (short) 1);
            region.set(JAVA_SHORT, 6, (short) 1);
        });
        broken(MemifFault.DESCRIPTOR_RANGE, false, region -> {
            region.set(JAVA_INT, descriptor + 4, 64);
            region.set(JAVA_INT, descriptor + 8, (int) FakePeer.REGION_BYTES - 63);
            region.set(JAVA_SHORT, 6, (short) 1);
        });
        broken(MemifFault.CHAIN_OPEN, false, region -> {
            region.set(JAVA_SHORT, descriptor, (short) 1);
            region.set(JAVA_SHORT, 6, (short) 1);
        });
        broken(MemifFault.NO_CAPACITY, true,
            region -> region.set(JAVA_SHORT, FakePeer.S2C_OFFSET + 6, (short) 1));
        broken(MemifFault.INDEX_JUMP, true,
            region -> region.set(JAVA_SHORT, FakePeer.S2C_OFFSET + 6, (short) 17));
        broken(MemifFault.DESCRIPTOR_RANGE, true, region -> {
            region.set(JAVA_INT, FakePeer.S2C_OFFSET + descriptor + 4, -1);
            region.set(JAVA_SHORT, FakePeer.S2C_OFFSET + 6, (short) 1);
        });
        assertEquals(7, port.counts().get(PortCounter.LINKS_DOWN));
    }

    @Test
    void shouldDropAPacketThatIsTooLongAndGoOn() {
        try (FakePeer peer = connected()) {
            final int slots = 1 << FakePeer.LOG2;
            for (int slot = 0; slot < slots; slot++) {
                final long descriptor = 2L * MemifRing.LINE_BYTES + 16L * slot;
                peer.region.set(JAVA_SHORT, descriptor, (short) (slot < slots - 1 ? 1 : 0));
                peer.region.set(JAVA_INT, descriptor + 4, (int) FakePeer.REGION_BYTES);
            }
            peer.region.set(JAVA_SHORT, 6, (short) slots);
            assertEquals(0, port.rxBurst(new PacketBurst(arena, 4, 64)));
            assertEquals(1, port.counts().get(PortCounter.RX_DROPPED_TOO_LONG));
            assertTrue(port.isUp());
        }
        MemifRig.until(() -> port.lastFault() == MemifFault.PEER_GONE, port);
    }

    /** Peers write anything into the rings and descriptors, while the port looks at them; most rounds end by name. */
    @Test
    void shouldOutliveRandomWriters() {
        int ended = 0;
        for (long seed = 1; seed <= 60; seed++) {
            try (FakePeer peer = connected()) {
                peer.writeAnything(seed);
                ended += port.isUp() ? 0 : 1;
            }
            MemifRig.until(() -> !port.isUp() && port.lastFault() != null, port);
            assertNotEquals(MemifFault.MEMORY_LOST, port.lastFault(), "seed=" + seed);
        }
        assertTrue(ended > 10, "ended=" + ended);
        ended = 0;
        for (long seed = 1; seed <= 30; seed++) {
            try (FakePeer peer = FakePeer.server(client, hostileSocket)) {
                peer.accept();
                MemifRig.until(client::isUp, client);
                peer.writeAnything(seed);
                ended += client.isUp() ? 0 : 1;
            }
            MemifRig.until(() -> !client.isUp(), client);
            assertNotEquals(MemifFault.MEMORY_LOST, client.lastFault(), "seed=" + seed);
        }
        assertTrue(ended > 5, "ended=" + ended);
    }

    @Test
    void shouldNotWaitForASilentPeer() {
        try (FakePeer peer = FakePeer.client(port)) {
            peer.init();
            port.poll(System.nanoTime() + MemifConnection.HANDSHAKE_NS + 1_000_000_000L);
            assertEquals(MemifFault.TIMEOUT, port.lastFault());
            peer.expect(MemifMessage.Disconnect.class);
        }
        try (FakePeer peer = FakePeer.server(client, hostileSocket)) {
            assertTrue(peer.fd() >= 0);
            client.poll(System.nanoTime() + MemifConnection.HANDSHAKE_NS + 1_000_000_000L);
            assertEquals(MemifFault.TIMEOUT, client.lastFault());
        }
        // The next look is due in the future. Continue with a port whose clock starts now.
        client.close();
        client = MemifRig.open(hostileSocket, "client");
    }

    @Test
    void shouldNotLetACrowdIn() {
        final FakePeer[] crowd = new FakePeer[MemifServer.MAX_WAITING];
        for (int i = 0; i < crowd.length; i++) {
            crowd[i] = FakePeer.client(port).expect(MemifMessage.Hello.class);
        }
        refused(MemifFault.PEER_CROWD, peer -> peer.expect(MemifMessage.Hello.class));
        for (final FakePeer peer : crowd) {
            peer.close();
        }
        MemifRig.until(() -> port.lastFault() == MemifFault.PEER_GONE, port);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void shouldForgetAPeerThatVanishesAtAnyStep(final int step) {
        final long before = port.counts().get(PortCounter.PEERS_REFUSED);
        try (FakePeer peer = FakePeer.client(port)) {
            switch (step) {
                case 0 -> peer.expect(MemifMessage.Hello.class);
                case 1 -> peer.init();
                case 2 -> peer.init().addRegion();
                case 3 -> peer.init().addRegion().addRings();
                default -> peer.connect();
            }
        }
        MemifRig.until(() -> port.counts().get(PortCounter.PEERS_REFUSED) + port.counts().get(PortCounter.LINKS_DOWN)
            == before + 1, port);
        assertEquals(MemifFault.PEER_GONE, port.lastFault());
    }

    /** The client hangs up. On a busy machine it may have tried again since, and found nobody. */
    private void serverRefused(final MemifFault fault, final Consumer<FakePeer> attack) {
        try (FakePeer peer = FakePeer.server(client, hostileSocket)) {
            final long beginNs = System.nanoTime();
            attack.accept(peer);
            MemifMessage last = peer.hear();
            while (last != null && !(last instanceof MemifMessage.Disconnect)) {
                last = peer.hear();
            }
            assertEquals(new MemifMessage.Disconnect(0, fault.sentence()), last, fault.name());
            assertFalse(client.isUp());
            if (client.lastFault() != MemifFault.SOCKET || System.nanoTime() - beginNs < MemifPort.RETRY_NS) {
                assertEquals(fault, client.lastFault());
            }
        }
    }

    private static MemifMessage hello(final int least, final int most, final int log2) {
        return new MemifMessage.Hello("fake", least, most, 0, 0, 0, log2);
    }

    @Test
    void shouldRefuseServersThatItCannotUseOrThatLoseTheirWay() {
        serverRefused(MemifFault.VERSION, peer -> peer.say(hello(0x0100, 0x01ff, 4)));
        serverRefused(MemifFault.VERSION, peer -> peer.say(hello(0x0300, 0x03ff, 4)));
        serverRefused(MemifFault.LIMITS, peer -> peer.say(hello(0x0200, 0x0200, 0)));
        serverRefused(MemifFault.MESSAGE_ORDER, peer -> peer.say(new MemifMessage.Ack()));
        serverRefused(MemifFault.MESSAGE_ORDER, peer -> peer.say(new MemifMessage.Connected("x")));
        serverRefused(MemifFault.MESSAGE_ORDER, peer -> peer.say(new MemifMessage.AddRegion(0, 4096)));
        serverRefused(MemifFault.MESSAGE_ORDER,
            peer -> peer.say(hello(0x0200, 0x0200, 4)).say(hello(0x0200, 0x0200, 4)));
        serverRefused(MemifFault.MESSAGE_ORDER, peer -> {
            peer.say(hello(0x0200, 0x0200, 4));
            for (int i = 0; i < 10; i++) {
                peer.say(new MemifMessage.Ack());
            }
        });
        serverRefused(MemifFault.FD_SUPERFLUOUS, peer -> peer.give(hello(0x0200, 0x0200, 4), Libc.eventfd()));
    }

    @Test
    void shouldRepeatWhatTheServerSaidPrintably() {
        try (FakePeer peer = FakePeer.server(client, hostileSocket)) {
            peer.say(new MemifMessage.Disconnect(1, "go\naway\u001b[31m"));
            MemifRig.until(() -> client.lastFault() == MemifFault.PEER_DISCONNECT, client);
            assertEquals("PEER_DISCONNECT: the peer disconnected: go?away?[31m", client.lastReason());
        }
    }

    @Test
    void shouldRefuseRingsThatServersBreak() {
        final long ring = FakePeer.S2C_OFFSET;
        serverBroken(MemifFault.INDEX_JUMP, region -> region.set(JAVA_SHORT, ring + 64, (short) 17));
        serverBroken(MemifFault.CHAIN_OPEN, region -> {
            region.set(JAVA_SHORT, ring + 2L * MemifRing.LINE_BYTES, (short) 1);
            region.set(JAVA_SHORT, ring + 64, (short) 1);
        });
        serverBroken(MemifFault.DESCRIPTOR_LENGTH, region -> {
            region.set(JAVA_INT, ring + 2L * MemifRing.LINE_BYTES + 4, 257);
            region.set(JAVA_SHORT, ring + 64, (short) 1);
        });
    }

    private void serverBroken(final MemifFault fault, final Consumer<MemorySegment> attack) {
        serverRefused(fault, peer -> {
            peer.accept();
            MemifRig.until(client::isUp, client);
            attack.accept(peer.region);
            assertEquals(0, client.rxBurst(new PacketBurst(arena, 4, 2048)));
            assertFalse(client.isUp());
        });
    }

    /** Peers of another user, at abstract sockets, where no permission of a file keeps them out. */
    private static String name(final String of) {
        return "skerry-test-" + of + "-" + ProcessHandle.current().pid();
    }

    @Test
    void aClientSendsNoSecretToAServerOfAnotherUser() throws IOException {
        final String name = name("server");
        try (OtherUser server = OtherUser.run(SERVER, name);
            MemifPort own = MemifRig.open(Path.of(name), "client,abstract,secret=hunter2")) {
            MemifRig.until(() -> own.lastFault() != null, own);
            assertEquals("0", server.line(), "INITs, which bring the secret");
            assertEquals(MemifFault.PEER_USER, own.lastFault());
        }
    }

    @Test
    void aServerTurnsClientsOfAnotherUserAway() throws IOException {
        final String name = name("client");
        try (MemifPort own = MemifRig.open(Path.of(name), "server,abstract");
            OtherUser user = OtherUser.run(CLIENT, name, Integer.toString(PEERS))) {
            MemifRig.until(() -> own.counts().get(PortCounter.PEERS_REFUSED) == PEERS, own);
            for (int peer = 0; peer < PEERS; peer++) {
                assertEquals("0", user.line(), "bytes that it got");
            }
            assertEquals(MemifFault.PEER_USER, own.lastFault());
            assertTrue(own.lastReason().contains("another user"), own.lastReason());
        }
    }
}
