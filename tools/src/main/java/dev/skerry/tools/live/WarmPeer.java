package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.tools.port.generator.GeneratorPort;

import java.lang.foreign.Arena;

/** The other end of a memif port of a rehearsal: sends packets of a generator, throws away what it gets. One thread. */
final class WarmPeer implements AutoCloseable {
    private static final int BURST = 32;
    private static final int MOST_BYTES = 1 << 14;

    private final PacketPort port;
    private final GeneratorPort generator;
    private final Arena arena = Arena.ofShared();
    private final PacketBurst out = new PacketBurst(arena, BURST, MOST_BYTES);
    private final PacketBurst in = new PacketBurst(arena, BURST, MOST_BYTES);
    private int first;

    WarmPeer(final PacketPort port, final GeneratorPort generator) {
        this.port = port;
        this.generator = generator;
    }

    void poll(final long nowNs) {
        port.poll(nowNs);
        if (first == out.size()) {
            out.clear();
            first = 0;
            generator.rxBurst(out);
        }
        if (first < out.size()) {
            first += port.txBurst(out, first);
        }
        in.clear();
        port.rxBurst(in);
    }

    @Override
    public void close() {
        port.close();
        generator.close();
        arena.close();
    }
}
