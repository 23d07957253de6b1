package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifLayout;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.MemifReceiver;
import dev.skerry.dataplane.port.MemifRegions;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.MemifSender;
import dev.skerry.dataplane.port.PortCounts;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * The server's side of the handshake (docs/spec/memif.md §3):
 * <pre>
 *   HELLO -> | INIT -> ACK | ADD_REGION -> ACK, one or more | ADD_RING -> ACK, two or more | CONNECT -> CONNECTED
 * </pre>
 * Any other message ends the connection.
 */
final class MemifServerSession implements MemifSession {
    /** Highest index of a region, and of a ring per direction. */
    static final int MAX_INDEX = 15;

    private static final int ETHERNET = 0;

    private final MemifConnection connection;
    private final MemifServer server;
    private final List<MemorySegment> regions = new ArrayList<>();
    private final List<MemifRing> c2s = new ArrayList<>();
    private final List<MemifRing> s2c = new ArrayList<>();
    private final int maxRingLog2;
    private long bytes;
    private MemifPort port;
    private MemifLink link;

    /**
     * Creates a session.
     *
     * @param connection connection of this session.
     * @param server     server whose ports the peer may choose.
     */
    MemifServerSession(final MemifConnection connection, final MemifServer server) {
        this.connection = connection;
        this.server = server;
        this.maxRingLog2 = server.maxRingLog2();
    }

    @Override
    public void start() {
        say(new MemifMessage.Hello(MemifPort.NAME, MemifMessage.VERSION, MemifMessage.VERSION,
            MAX_INDEX, MAX_INDEX, MAX_INDEX, maxRingLog2));
    }

    @Override
    public void on(final MemifMessage message) {
        if (link != null || (port == null) != (message instanceof MemifMessage.Init)) {
            connection.end(MemifFault.MESSAGE_ORDER, message.toString());
            return;
        }
        switch (message) {
            case final MemifMessage.Init init -> onInit(init);
            case final MemifMessage.AddRegion region -> onRegion(region);
            case final MemifMessage.AddRing ring -> onRing(ring);
            case final MemifMessage.Connect connect -> onConnect();
            default -> connection.end(MemifFault.MESSAGE_ORDER, message.toString());
        }
    }

    @Override
    public MemifLink link() {
        return link;
    }

    private void onInit(final MemifMessage.Init init) {
        final MemifPort wanted = server.port(init.id());
        if (init.version() != MemifMessage.VERSION) {
            raise(MemifFault.VERSION, init.version(), MemifMessage.VERSION);
        } else if (init.mode() != ETHERNET) {
            raise(MemifFault.MODE, init.mode(), ETHERNET);
        } else if (wanted == null) {
            connection.end(MemifFault.ID_UNKNOWN, "id=" + Integer.toUnsignedString(init.id()));
        } else if (!same(init.secret(), wanted.address().secret())) {
            connection.end(MemifFault.SECRET, "");
        } else if (!wanted.attach(connection)) {
            connection.end(MemifFault.ID_TAKEN, "id=" + Integer.toUnsignedString(init.id()));
        } else {
            port = wanted;
            say(new MemifMessage.Ack());
        }
    }

    private void onRegion(final MemifMessage.AddRegion region) {
        if (region.index() != regions.size() || region.index() > MAX_INDEX) {
            raise(MemifFault.REGION_INDEX, region.index(), Math.min(regions.size(), MAX_INDEX));
            return;
        }
        if (region.size() < 1 || region.size() > MemfdRegion.MAX_BYTES - bytes) {
            raise(MemifFault.REGION_SIZE, region.size(), MemfdRegion.MAX_BYTES - bytes);
            return;
        }
        final int fd = connection.takeFd();
        if (fd == UnixSocket.NO_FD) {
            return;
        }
        final MemorySegment segment =
            MemfdRegion.adopt(fd, region.size(), connection.arena(), connection.verdict());
        Libc.close(fd);
        if (segment != null) {
            regions.add(segment);
            bytes += region.size();
            say(new MemifMessage.Ack());
        }
    }

    private void onRing(final MemifMessage.AddRing ring) {
        final List<MemifRing> rings = ring.c2s() ? c2s : s2c;
        final int line = port.address().lineBytes();
        if (ring.index() != rings.size() || ring.index() > MAX_INDEX) {
            raise(MemifFault.RING_INDEX, ring.index(), Math.min(rings.size(), MAX_INDEX));
        } else if (ring.log2Size() < 1 || ring.log2Size() > maxRingLog2) {
            raise(MemifFault.RING_SIZE, ring.log2Size(), maxRingLog2);
        } else if (ring.privateBytes() != 0) {
            raise(MemifFault.RING_PRIVATE, ring.privateBytes(), 0);
        } else if (ring.region() >= regions.size()) {
            raise(MemifFault.REGION_INDEX, ring.region(), regions.size());
        } else if (!MemifRing.fits(regions.get(ring.region()).byteSize(), ring.offset(), ring.log2Size(), line)) {
            raise(MemifFault.RING_PLACE, ring.offset(), regions.get(ring.region()).byteSize());
        } else {
            final int fd = connection.takeFd();
            if (fd != UnixSocket.NO_FD) {
                // The eventfd would wake us. We poll, so its kind does not matter.
                Libc.close(fd);
                rings.add(new MemifRing(regions.get(ring.region()), ring.offset(), ring.log2Size(), line));
                say(new MemifMessage.Ack());
            }
        }
    }

    private void onConnect() {
        if (c2s.isEmpty() || s2c.isEmpty()) {
            raise(MemifFault.RING_NONE, Math.min(c2s.size(), s2c.size()), 1);
            return;
        }
        if (hasCookies(c2s) && hasCookies(s2c)) {
            c2s.forEach(MemifRing::reset);
            s2c.forEach(MemifRing::reset);
            c2s.forEach(MemifRing::maskInterrupts);
            final MemifRegions all = new MemifRegions(regions.toArray(MemorySegment[]::new));
            final PortCounts counts = port.counts();
            link = new MemifLink(
                c2s.stream().map(ring -> MemifReceiver.ofServer(ring, all, connection.verdict(), counts))
                    .toArray(MemifReceiver[]::new),
                MemifSender.ofServer(s2c.getFirst(), all, connection.verdict(), counts), connection.verdict());
            say(new MemifMessage.Connected(MemifPort.NAME));
        }
    }

    private boolean hasCookies(final List<MemifRing> rings) {
        for (final MemifRing ring : rings) {
            final int cookie = ring.cookie();
            if (cookie != MemifLayout.COOKIE) {
                raise(MemifFault.COOKIE, cookie, MemifLayout.COOKIE);
                return false;
            }
        }
        return true;
    }

    /** Compares in constant time, which leaks nothing about the matching part. */
    private static boolean same(final String said, final String secret) {
        return MessageDigest.isEqual(
            said.getBytes(StandardCharsets.ISO_8859_1), secret.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void say(final MemifMessage message) {
        connection.send(message, UnixSocket.NO_FD);
    }

    private void raise(final MemifFault fault, final long found, final long bound) {
        connection.verdict().raise(fault, found, bound);
    }
}
