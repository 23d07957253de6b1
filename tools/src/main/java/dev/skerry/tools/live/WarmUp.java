package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgePort;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.live.LiveCounters.LatencyLog;
import dev.skerry.tools.live.PortSlot.VacantPort;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;
import dev.skerry.tools.port.LivePort;
import dev.skerry.tools.port.LoopPort;
import dev.skerry.tools.port.LoopPort.LoopSettings;
import dev.skerry.tools.port.MemifPort;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifAddress.MemifRole;
import dev.skerry.tools.port.PortPlace;
import dev.skerry.tools.run.FabricOptions;

import java.lang.foreign.Arena;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Warms up the JVM before the ports open: test packets cross a fabric of the same kind until the JIT compiler has
 * compiled the packet path. The fabric, its ports and its counters are then discarded; only the compiled code remains.
 * Warm-up ends after several rounds of packets without a compilation, at the maximum number of packets, or after ten
 * seconds. Not thread-safe.
 */
final class WarmUp {
    /** Default of the maximum number of packets. */
    static final String USUAL_PACKETS = "400000";

    /** Packets of a round in an overloaded fabric and in one with pauses. */
    private static final int FULL_ROUND = 8_192;
    private static final int SPARSE_ROUND = 4_096;
    private static final int LEAST_ROUNDS = 4;
    /** Consecutive rounds without a compilation after which all code counts as compiled. */
    private static final int QUIET_ROUNDS = 6;
    /**
     * Maximum duration, so that a slow fabric, for example one whose threads share a core, does not delay the ports for
     * long.
     */
    private static final long MOST_NS = 10_000_000_000L;
    private static final double NS = 1e9;

    private final FabricOptions fabric;
    private final EdgeConfig config;
    private final List<PortChoice> choices;
    private final Supplier<List<MacForwarding>> forwarding;
    private final StopSignal stop;
    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private final long startNs = System.nanoTime();
    private long packets;
    private boolean isCompiled;
    private int rounds;
    private int quiet;
    private long compiledMs;

    /**
     * Prepares a warm-up.
     *
     * @param fabric     the fabric that will run afterwards.
     * @param config     configuration of its edges.
     * @param choices    its ports.
     * @param forwarding creates the forwarding of each port.
     * @param stop       stops the warm-up early.
     */
    WarmUp(final FabricOptions fabric, final EdgeConfig config, final List<PortChoice> choices,
        final Supplier<List<MacForwarding>> forwarding, final StopSignal stop) {
        this.fabric = fabric;
        this.config = config;
        this.choices = choices;
        this.forwarding = forwarding;
        this.stop = stop;
    }

    /** Tells whether to warm up with a maximum number of packets. */
    boolean isWanted(final long most) {
        return most > 0 && WarmPorts.areOfUse(choices, config.format().mtuBytes()) && compiler != null;
    }

    /**
     * Runs the warm-up.
     *
     * @param most maximum number of packets, at least 1.
     * @return the result in one line.
     */
    String run(final long most) {
        pass(false, FULL_ROUND, most / 3);
        pass(true, SPARSE_ROUND, most / 3);
        // The entry code of a run is compiled only after it has been executed, so a third pass enters the loop again.
        pass(true, SPARSE_ROUND, most - packets);
        return String.format(Locale.ROOT, "warm-up: %.2f s, %,d warm-up packets crossed the fabric, %s",
            (System.nanoTime() - startNs) / NS, packets, isCompiled ? "all code is compiled; the ports come up"
                : "compilation is not complete; the ports come up, but the first seconds may be slow");
    }

    /** Runs a fabric that is always full, or one with pauses, because the compiler needs profiles of both. */
    private void pass(final boolean sparse, final int round, final long most) {
        final long before = packets;
        rounds = 0;
        quiet = 0;
        compiledMs = compiler.getTotalCompilationTime();
        try (WarmPorts ports = new WarmPorts(choices, config.format().mtuBytes(), sparse)) {
            final List<MacForwarding> rules = forwarding.get();
            final List<EdgePort> at = new ArrayList<>();
            for (int port = 0; port < choices.size(); port++) {
                at.add(choices.get(port).at(ports.ports.get(port), rules.get(port)));
            }
            final PacketEdges edges = new PacketEdges(config.unpaced(), at, EdgeWatch.NONE);
            final LatencyLog latency = new LatencyLog(edges, startNs);
            try (Engine engine = fabric.engine(edges.flows(), edges, true)) {
                engine.run(0, (slot, delivered, completed) -> {
                    final long nowNs = System.nanoTime();
                    ports.poll(nowNs);
                    return goesOn(edges, latency, before, round, most, nowNs);
                });
            }
        }
        isCompiled = quiet >= QUIET_ROUNDS;
    }

    private boolean goesOn(final PacketEdges edges, final LatencyLog latency, final long before, final int round,
        final long most, final long nowNs) {
        long taken = 0;
        for (int port = 0; port < edges.ports(); port++) {
            taken += edges.counts(port).get(EdgeCounter.RX_PACKETS);
        }
        packets = before + taken;
        if (taken >= (long) (rounds + 1) * round) {
            rounds++;
            latency.end(nowNs);
            for (int port = 0; port < edges.ports(); port++) {
                latency.quantiles(port, LiveCounters.QUANTILES, new long[3 * LiveCounters.QUANTILES.length]);
            }
            final long nowMs = compiler.getTotalCompilationTime();
            quiet = nowMs == compiledMs ? quiet + 1 : 0;
            compiledMs = nowMs;
        }
        return !(rounds >= LEAST_ROUNDS && quiet >= QUIET_ROUNDS) && taken < most && !stop.requested()
            && nowNs - startNs < MOST_NS;
    }

    /**
     * Ports of a warm-up. They have the types of the real ports, so that the compiler sees the same classes, but no
     * external peer; a memif port has a peer in this process. Not thread-safe.
     */
    private static final class WarmPorts implements AutoCloseable {
        /** Packets per second of all ports in a fabric with pauses. One thread can carry five times as many. */
        private static final double SPARSE_RATE = 100_000;
        private static final int LEAST_BYTES = 64;
        private static final int MOST_BYTES = 600;

        /** The ports, in the order of the choices. */
        private final List<PacketPort> ports = new ArrayList<>();
        private final List<WarmPeer> peers = new ArrayList<>();
        private final PacketRate rate;
        /** Start of the names of the sockets. */
        private final String name;

        /**
         * Opens the ports.
         *
         * @param choices the real ports.
         * @param mtu     maximum packet length, at least 64 bytes.
         * @param sparse  whether the fabric has pauses; otherwise it is overloaded.
         */
        WarmPorts(final List<PortChoice> choices, final int mtu, final boolean sparse) {
            this.rate = sparse ? PacketRate.packets(SPARSE_RATE / choices.size()) : PacketRate.UNLIMITED;
            this.name = "memif:skerry-warm-up-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
            try {
                for (int port = 0; port < choices.size(); port++) {
                    final PortPlace to = choices.get((port + 1) % choices.size()).place();
                    final PortChoice choice = choices.get(port);
                    ports.add(new PortSlot(new PortChoice(choice.place(), VacantPort.KIND), open(choice, "gen:"
                        + LEAST_BYTES + "-" + Math.min(mtu, MOST_BYTES) + "B,to=" + to)));
                }
            } catch (final RuntimeException e) {
                close();
                throw e;
            }
        }

        /** Tells whether at least one port would send packets. */
        static boolean areOfUse(final List<PortChoice> choices, final int mtu) {
            return mtu >= LEAST_BYTES && !choices.stream().allMatch(choice -> choice.is(LoopSettings.KIND));
        }

        private LivePort open(final PortChoice choice, final String packets) {
            if (choice.is(LoopSettings.KIND)) {
                return LoopPort.open(LoopSettings.parse(choice.text()));
            }
            if (choice.is(MemifAddress.KIND)) {
                final MemifAddress like = MemifAddress.parse(choice.text());
                final boolean isServer = like.role() == MemifRole.SERVER;
                final String path = name + "-" + choice.place() + ",abstract,ring=" + like.ringLog2() + ",buffer="
                    + like.bufferBytes() + ",";
                final MemifPort own = MemifPort.open(MemifAddress.parse(path + (isServer ? "server" : "client")));
                peers.add(new WarmPeer(MemifPort.open(MemifAddress.parse(path + (isServer ? "client" : "server"))),
                    generator(new PortChoice(choice.place(), packets))));
                return own;
            }
            return generator(choice.is(GeneratorSettings.KIND) ? choice
                : new PortChoice(choice.place(), packets));
        }

        /** Returns a generator of the same packets, endless and at the rate of the warm-up. */
        private GeneratorPort generator(final PortChoice choice) {
            final GeneratorSettings like = choice.generator();
            return GeneratorPort.open(new GeneratorSettings(like.sizes(), rate, like.headers(), 1, like.same(),
                GeneratorSettings.ENDLESS, 0, like.seed(), like.id()));
        }

        /** Makes the peers of memif ports send and receive packets. */
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

        /**
         * The peer of a memif port in a warm-up: sends packets of a generator and discards the packets that it
         * receives. Not thread-safe.
         */
        private static final class WarmPeer implements AutoCloseable {
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
    }
}
