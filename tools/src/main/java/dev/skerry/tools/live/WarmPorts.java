package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.port.LoopPort;
import dev.skerry.tools.port.LoopSettings;
import dev.skerry.tools.port.MemifAddress;
import dev.skerry.tools.port.MemifPort;
import dev.skerry.tools.port.MemifRole;
import dev.skerry.tools.port.generator.GeneratorPort;
import dev.skerry.tools.port.generator.GeneratorSettings;
import dev.skerry.tools.port.generator.PacketRate;

import java.util.ArrayList;
import java.util.List;

/**
 * Ports of a rehearsal: of the kinds of the ports to come, so the compiler sees the classes that it will see later,
 * and without anybody outside. A memif port has a peer in this process. One thread.
 */
final class WarmPorts implements AutoCloseable {
    /** Packets a second of all ports where the fabric is to have pauses: one thread carries five times as many. */
    private static final double SPARSE_RATE = 100_000;
    private static final int LEAST_BYTES = 64;
    private static final int MOST_BYTES = 600;

    private final List<PacketPort> ports = new ArrayList<>();
    private final List<WarmPeer> peers = new ArrayList<>();
    private final PacketRate rate;
    /** Begin of the names of the sockets. */
    private final String name;

    /**
     * Opens ports.
     *
     * @param choices the ports to come.
     * @param mtu     longest packet, at least 64.
     * @param sparse  whether the fabric is to have pauses, otherwise more than it can carry.
     */
    WarmPorts(final List<PortChoice> choices, final int mtu, final boolean sparse) {
        this.rate = sparse ? new PacketRate.Packets(SPARSE_RATE / choices.size()) : new PacketRate.Unlimited();
        this.name = "memif:skerry-warm-up-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
        try {
            for (int port = 0; port < choices.size(); port++) {
                final PortPlace to = choices.get((port + 1) % choices.size()).place();
                ports.add(open(choices.get(port), "gen:" + LEAST_BYTES + "-" + Math.min(mtu, MOST_BYTES) + "B,to="
                    + to));
            }
        } catch (final RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Whether some port would bring packets. */
    static boolean areOfUse(final List<PortChoice> choices, final int mtu) {
        return mtu >= LEAST_BYTES && !choices.stream().allMatch(choice -> LoopSettings.isOne(choice.text()));
    }

    private PacketPort open(final PortChoice choice, final String packets) {
        if (LoopSettings.isOne(choice.text())) {
            return LoopPort.open(LoopSettings.parse(choice.text()));
        }
        if (MemifAddress.isOne(choice.text())) {
            final MemifAddress like = MemifAddress.parse(choice.text());
            final boolean isServer = like.role() == MemifRole.SERVER;
            final String path = name + "-" + choice.place() + ",abstract,ring=" + like.ringLog2() + ",buffer="
                + like.bufferBytes() + ",";
            final MemifPort own = MemifPort.open(MemifAddress.parse(path + (isServer ? "server" : "client")));
            peers.add(new WarmPeer(MemifPort.open(MemifAddress.parse(path + (isServer ? "client" : "server"))),
                generator(new PortChoice(choice.place(), packets))));
            return own;
        }
        return new FinitePortGuard(generator(GeneratorSettings.isOne(choice.text()) ? choice
            : new PortChoice(choice.place(), packets)));
    }

    /** A generator of the same packets, without end and at the rate of the rehearsal. */
    private GeneratorPort generator(final PortChoice choice) {
        final GeneratorSettings like = choice.generator();
        return GeneratorPort.open(new GeneratorSettings(like.sizes(), rate, like.headers(), 1, like.same(),
            GeneratorSettings.ENDLESS, 0, like.seed(), like.id()));
    }

    /** The ports, in the order of the choices. */
    List<PacketPort> ports() {
        return ports;
    }

    /** Lets the peers of memif ports send and take packets. */
    void poll(final long nowNs) {
        for (final WarmPeer peer : peers) {
            peer.poll(nowNs);
        }
    }

    @Override
    public void close() {
        ports.forEach(PacketPort::close);
        peers.forEach(WarmPeer::close);
    }
}
