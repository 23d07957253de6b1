package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgePort;
import dev.skerry.nic.edge.EdgeWatch;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.run.FabricOptions;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * A rehearsal before the ports come up: packets of its own cross a fabric like the one to come until the JVM has
 * compiled the way of a packet. The fabric, its ports and its counters are thrown away afterwards; what stays is the
 * compiled code. It ends by work done: after rounds of packets in which nothing more was compiled, or when it has sent
 * as many packets as it may. One thread.
 */
final class WarmUp {
    /** Most packets by default. */
    static final String USUAL_PACKETS = "400000";

    /** Packets of a round, where the fabric gets more than it can carry, and where it has pauses. */
    private static final int FULL_ROUND = 8_192;
    private static final int SPARSE_ROUND = 4_096;
    private static final int LEAST_ROUNDS = 4;
    /** Rounds without any compilation after which all is compiled. */
    private static final int QUIET_ROUNDS = 6;
    /** A fabric that hardly moves, as where threads have to share a processor, must not keep the ports down. */
    private static final long MOST_NS = 10_000_000_000L;
    private static final double NS = 1e9;

    private final FabricOptions fabric;
    private final EdgeConfig config;
    private final List<PortChoice> choices;
    private final Supplier<List<ForwardingSeat>> forwarding;
    private final StopSignal stop;
    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private final long startNs = System.nanoTime();
    private long packets;
    private boolean isCompiled;
    private int rounds;
    private int quiet;
    private long compiledMs;

    /**
     * Prepares a rehearsal.
     *
     * @param fabric     the fabric to come.
     * @param config     its edges' sizes.
     * @param choices    its ports.
     * @param forwarding makes the rules of forwarding of each port anew.
     * @param stop       ends it early.
     */
    WarmUp(final FabricOptions fabric, final EdgeConfig config, final List<PortChoice> choices,
        final Supplier<List<ForwardingSeat>> forwarding, final StopSignal stop) {
        this.fabric = fabric;
        this.config = config;
        this.choices = choices;
        this.forwarding = forwarding;
        this.stop = stop;
    }

    /** Whether a rehearsal of at most some packets comes first. */
    boolean isWanted(final long most) {
        return most > 0 && WarmPorts.areOfUse(choices, config.format().mtuBytes()) && compiler != null;
    }

    /**
     * Runs the rehearsal.
     *
     * @param most the most packets, 0 for no rehearsal.
     * @return what came of it, one line; empty if there was none.
     */
    String run(final long most) {
        if (!isWanted(most)) {
            return "";
        }
        pass(false, FULL_ROUND, most / 3);
        pass(true, SPARSE_ROUND, most / 3);
        // The way into a fabric is compiled only where it was gone before.
        pass(true, SPARSE_ROUND, most - packets);
        return String.format(Locale.ROOT, "warm-up: %.2f s, %,d packets of its own crossed the fabric, %s",
            (System.nanoTime() - startNs) / NS, packets, isCompiled ? "all is compiled; the ports come up"
                : "not all is compiled yet; the ports come up, the first seconds may be slow");
    }

    /** A fabric that is full all the time, or one with pauses: the compiler needs to have seen both. */
    private void pass(final boolean sparse, final int round, final long most) {
        final long before = packets;
        rounds = 0;
        quiet = 0;
        compiledMs = compiler.getTotalCompilationTime();
        try (WarmPorts ports = new WarmPorts(choices, config.format().mtuBytes(), sparse)) {
            final List<ForwardingSeat> rules = forwarding.get();
            final List<EdgePort> at = new ArrayList<>();
            for (int port = 0; port < choices.size(); port++) {
                final PacketPort opened = ports.ports().get(port);
                at.add(choices.get(port).at(opened, rules.get(port)));
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
}
