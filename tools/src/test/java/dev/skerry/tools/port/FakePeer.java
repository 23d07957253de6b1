package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.MemifConnection.MemfdRegion;
import dev.skerry.tools.port.UnixSocket.MemifMessage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Random;

/** The other end of a port's socket: sends and writes whatever a test asks for. Stays silent if not closed. */
final class FakePeer implements AutoCloseable {
    static final int LOG2 = 4;
    static final int BUFFER = 256;
    private static final int WRITES = 400;
    static final long REGION_BYTES = MemifRing.regionBytes(LOG2, BUFFER);
    static final long S2C_OFFSET = MemifRing.ringBytes(LOG2, MemifRing.LINE_BYTES);

    private final MemifPort port;
    private final UnixSocket socket;
    private final int fd;
    private final Arena arena = Arena.ofShared();
    /** Memory that this peer shares; set once a client has shared it. */
    MemorySegment region;

    private FakePeer(final MemifPort port, final int fd) {
        assertTrue(fd >= 0, "errno " + -fd);
        this.port = port;
        this.fd = fd;
        this.socket = new UnixSocket(fd);
    }

    /** Connects a client to a server port. */
    static FakePeer client(final MemifPort server) {
        return new FakePeer(server, UnixSocket.connect(server.address().path(), false));
    }

    /** Accepts a client port at a path. */
    static FakePeer server(final MemifPort client, final Path path) {
        final int listener = UnixSocket.listen(path.toString(), false);
        assertTrue(listener >= 0, "errno " + -listener);
        try {
            final int[] peer = {-1};
            MemifRig.until(() -> (peer[0] = Libc.accept(listener)) >= 0, client);
            return new FakePeer(client, peer[0]);
        } finally {
            Libc.close(listener);
            assertTrue(path.toFile().delete());
        }
    }

    int fd() {
        return fd;
    }

    FakePeer say(final MemifMessage message) {
        return say(message, UnixSocket.NO_FD);
    }

    FakePeer say(final MemifMessage message, final int passed) {
        assertEquals(MemifMessage.BYTES, socket.send(message, passed));
        return this;
    }

    /** Sends a message with a descriptor, which it then closes. */
    FakePeer give(final MemifMessage message, final int passed) {
        say(message, passed);
        Libc.close(passed);
        return this;
    }

    /** The port's next message, or null if the port has hung up. */
    MemifMessage hear() {
        final int[] size = new int[1];
        MemifRig.until(() -> (size[0] = socket.receive()) != -Libc.EAGAIN && size[0] != -Libc.ECONNRESET, port);
        return size[0] <= 0 ? null : MemifMessage.decode(socket.message());
    }

    FakePeer expect(final Class<? extends MemifMessage> type) {
        assertInstanceOf(type, hear());
        return this;
    }

    FakePeer init() {
        return expect(MemifMessage.Hello.class)
            .say(new MemifMessage.Init(MemifMessage.VERSION, 0, 0, "", "fake")).expect(MemifMessage.Ack.class);
    }

    FakePeer addRegion() {
        final int memory = MemfdRegion.create(REGION_BYTES);
        region = Libc.map(memory, REGION_BYTES, arena);
        region.set(ValueLayout.JAVA_INT, 0, MemifRing.COOKIE);
        region.set(ValueLayout.JAVA_INT, S2C_OFFSET, MemifRing.COOKIE);
        return give(new MemifMessage.AddRegion(0, REGION_BYTES), memory).expect(MemifMessage.Ack.class);
    }

    FakePeer addRings() {
        final int wake = Libc.eventfd();
        addRings(wake);
        Libc.close(wake);
        return this;
    }

    private FakePeer addRings(final int wake) {
        return give(new MemifMessage.AddRing(true, 0, 0, 0, LOG2, 0), Libc.eventfd()).expect(MemifMessage.Ack.class)
            .say(new MemifMessage.AddRing(false, 0, 0, S2C_OFFSET, LOG2, 0), wake).expect(MemifMessage.Ack.class);
    }

    /** Runs a client's whole handshake. */
    FakePeer connect() {
        final int wake = Libc.eventfd();
        connect(wake);
        Libc.close(wake);
        return this;
    }

    /** The same, with a descriptor by which the peer is to be woken. */
    FakePeer connect(final int wake) {
        return init().addRegion().addRings(wake).say(new MemifMessage.Connect("fake"))
            .expect(MemifMessage.Connected.class);
    }

    /** Posts all buffers of S2C, so that the port can send. */
    void post() {
        for (int slot = 0; slot < 1 << LOG2; slot++) {
            final long descriptor = S2C_OFFSET + 2L * MemifRing.LINE_BYTES + 16L * slot;
            region.set(ValueLayout.JAVA_INT, descriptor + 4, BUFFER);
            region.set(ValueLayout.JAVA_INT, descriptor + 8,
                (int) MemifRing.buffersOffset(1, LOG2, BUFFER) + slot * BUFFER);
        }
        region.set(ValueLayout.JAVA_SHORT, S2C_OFFSET + 6, (short) (1 << LOG2));
    }

    /** Runs a server's whole handshake and maps the client's memory. */
    FakePeer accept() {
        say(new MemifMessage.Hello("fake", MemifMessage.VERSION, MemifMessage.VERSION, 0, 0, 0, LOG2));
        expect(MemifMessage.Init.class).say(new MemifMessage.Ack());
        final MemifMessage.AddRegion added = assertInstanceOf(MemifMessage.AddRegion.class, hear());
        final int memory = socket.takeFd();
        region = Libc.map(memory, added.size(), arena);
        assertEquals(-1, Libc.ftruncate(memory, 4096), "EPERM: a server cannot cut what a client has shared");
        Libc.close(memory);
        say(new MemifMessage.Ack());
        expect(MemifMessage.AddRing.class).say(new MemifMessage.Ack());
        expect(MemifMessage.AddRing.class).say(new MemifMessage.Ack());
        return expect(MemifMessage.Connect.class).say(new MemifMessage.Connected("fake"));
    }

    /** Changes fields of descriptors, indexes or any bytes of the shared memory, and lets the port look after each. */
    void writeAnything(final long seed) {
        final Random random = new Random(seed);
        for (int write = 0; write < WRITES; write++) {
            final long ring = random.nextBoolean() ? 0 : S2C_OFFSET;
            final long descriptor = ring + 2L * MemifRing.LINE_BYTES + 16L * random.nextInt(1 << LOG2);
            switch (random.nextInt(write > WRITES / 2 ? 6 : 4)) {
                case 0 -> region.set(ValueLayout.JAVA_SHORT, descriptor + 2L * random.nextInt(2),
                    (short) random.nextInt(3));
                case 1 -> region.set(ValueLayout.JAVA_INT, descriptor + 4, random.nextInt() >>> random.nextInt(32));
                case 2 -> region.set(ValueLayout.JAVA_INT, descriptor + 8, random.nextInt() >>> random.nextInt(32));
                case 3 -> region.set(ValueLayout.JAVA_SHORT, ring + (random.nextBoolean() ? 6 : 64),
                    (short) (region.get(ValueLayout.JAVA_SHORT, ring + 6) + random.nextInt(2)));
                case 4 -> region.set(ValueLayout.JAVA_SHORT, ring + (random.nextBoolean() ? 6 : 64),
                    (short) random.nextInt());
                default -> region.set(ValueLayout.JAVA_BYTE, random.nextLong(region.byteSize()),
                    (byte) random.nextInt());
            }
            look();
        }
    }

    /** Receives and sends. */
    private void look() {
        try (Arena own = Arena.ofConfined()) {
            port.rxBurst(new PacketBurst(own, 8, 512));
            final PacketBurst out = new PacketBurst(own, 2, 512);
            MemifRig.fill(out, 300, 1);
            MemifRig.fill(out, 60, 2);
            port.txBurst(out, 0);
        }
    }

    @Override
    public void close() {
        socket.close();
        arena.close();
    }
}
