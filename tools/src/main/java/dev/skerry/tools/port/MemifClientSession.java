package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifBuffers;
import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifLayout;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.MemifReceiver;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.MemifSender;
import dev.skerry.dataplane.port.PortCounts;

import java.lang.foreign.MemorySegment;

/**
 * The client's side of the handshake; each message waits for the server's answer (docs/spec/memif.md §3):
 * <pre>
 *   HELLO -> INIT | ACK -> ADD_REGION | ACK -> ADD_RING C2S | ACK -> ADD_RING S2C | ACK -> CONNECT | CONNECTED
 * </pre>
 * Any other message ends the connection. The client shares one region with one ring per direction (see {@link
 * MemifLayout}).
 */
final class MemifClientSession implements MemifSession {
    /** Message sent last, in the order of the handshake. */
    private enum Step { NOTHING, INIT, REGION, C2S_RING, S2C_RING, CONNECT, CONNECTED }

    private static final int ETHERNET = 0;

    private final MemifConnection connection;
    private final MemifAddress address;
    private final PortCounts counts;
    private Step step = Step.NOTHING;
    private int ringLog2;
    private MemorySegment region;
    private MemifRing c2s;
    private MemifRing s2c;
    private MemifLink link;

    /**
     * Creates a session that waits for the server's HELLO.
     *
     * @param connection connection of this session.
     * @param address    requested interface.
     * @param counts     counters of the port.
     */
    MemifClientSession(final MemifConnection connection, final MemifAddress address, final PortCounts counts) {
        this.connection = connection;
        this.address = address;
        this.counts = counts;
    }

    @Override
    public void start() {
        // The server speaks first.
    }

    @Override
    public MemifLink link() {
        return link;
    }

    @Override
    public void on(final MemifMessage message) {
        final boolean expected = switch (message) {
            case final MemifMessage.Hello hello -> step == Step.NOTHING;
            case final MemifMessage.Ack ack -> step != Step.NOTHING && step.compareTo(Step.CONNECT) < 0;
            case final MemifMessage.Connected connected -> step == Step.CONNECT;
            default -> false;
        };
        if (!expected) {
            connection.end(MemifFault.MESSAGE_ORDER, message.toString());
        } else if (message instanceof final MemifMessage.Hello hello) {
            onHello(hello);
        } else if (message instanceof MemifMessage.Connected) {
            onConnected();
        } else {
            onAck();
        }
    }

    private void onHello(final MemifMessage.Hello hello) {
        if (hello.minVersion() > MemifMessage.VERSION || hello.maxVersion() < MemifMessage.VERSION) {
            connection.verdict().raise(MemifFault.VERSION, hello.minVersion(), MemifMessage.VERSION);
        } else if (hello.maxLog2() < 1) {
            connection.verdict().raise(MemifFault.LIMITS, hello.maxLog2(), 1);
        } else {
            ringLog2 = Math.min(hello.maxLog2(), address.ringLog2());
            say(Step.INIT, new MemifMessage.Init(
                MemifMessage.VERSION, address.id(), ETHERNET, address.secret(), MemifPort.NAME), UnixSocket.NO_FD);
        }
    }

    private void onAck() {
        switch (step) {
            case INIT -> addRegion();
            case REGION -> addRing(Step.C2S_RING, true, 0);
            case C2S_RING -> addRing(Step.S2C_RING, false, ringBytes());
            default -> say(Step.CONNECT, new MemifMessage.Connect(MemifPort.NAME), UnixSocket.NO_FD);
        }
    }

    private void addRegion() {
        final long bytes = MemifLayout.regionBytes(ringLog2, address.bufferBytes());
        final int fd = MemfdRegion.create(bytes);
        if (fd < 0) {
            connection.end(MemifFault.REGION_UNMAPPABLE, "errno=" + -fd);
            return;
        }
        region = Libc.map(fd, bytes, connection.arena());
        if (region == null) {
            connection.verdict().raise(MemifFault.REGION_UNMAPPABLE, bytes, MemfdRegion.MAX_BYTES);
        } else {
            c2s = new MemifRing(region, 0, ringLog2, MemifLayout.LINE_BYTES);
            s2c = new MemifRing(region, ringBytes(), ringLog2, MemifLayout.LINE_BYTES);
            c2s.format();
            s2c.format();
            say(Step.REGION, new MemifMessage.AddRegion(0, bytes), fd);
        }
        Libc.close(fd);
    }

    private void addRing(final Step next, final boolean isC2s, final long offset) {
        // The protocol requires an eventfd. Nobody waits on it, because both sides poll.
        final int fd = Libc.eventfd();
        if (fd < 0) {
            connection.end(MemifFault.SOCKET, "eventfd: errno=" + -fd);
            return;
        }
        say(next, new MemifMessage.AddRing(isC2s, 0, 0, offset, ringLog2, 0), fd);
        Libc.close(fd);
    }

    private void onConnected() {
        c2s.reset();
        s2c.reset();
        s2c.maskInterrupts();
        step = Step.CONNECTED;
        link = new MemifLink(
            new MemifReceiver[] {MemifReceiver.ofClient(s2c, buffers(1), connection.verdict(), counts)},
            MemifSender.ofClient(c2s, buffers(0), connection.verdict(), counts), connection.verdict());
    }

    private MemifBuffers buffers(final int ring) {
        return new MemifBuffers(0, region,
            MemifLayout.buffersOffset(ring, ringLog2, address.bufferBytes()), address.bufferBytes(), 1 << ringLog2);
    }

    private long ringBytes() {
        return MemifLayout.ringBytes(ringLog2, MemifLayout.LINE_BYTES);
    }

    private void say(final Step next, final MemifMessage message, final int fd) {
        step = next;
        connection.send(message, fd);
    }
}
