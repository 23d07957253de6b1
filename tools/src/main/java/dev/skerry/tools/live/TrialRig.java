package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.nic.edge.EdgePort;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.live.LiveRun.Drain;
import dev.skerry.tools.live.MacForwarding.ForwardingChoice;
import dev.skerry.tools.port.FlowMeter.FlowCounter;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;
import dev.skerry.tools.port.InterfacePort;
import dev.skerry.tools.port.LivePort;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import dev.skerry.tools.run.FabricOptions;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Sends packets through a fabric, or through a device between two ports, and measures the received packets. Not
 * thread-safe.
 */
interface TrialRig extends AutoCloseable {
    /** Grace period of a trial for overdue packets, as a share of its duration; at least {@link #LEAST_GRACE_NS}. */
    double GRACE = 0.01;
    long LEAST_GRACE_NS = 20_000_000;

    /**
     * The packets that each sender offers in a trial.
     *
     * @param size    packet sizes, in the syntax of a generator.
     * @param rate    rate of a sender.
     * @param count   packets of a sender; {@link GeneratorSettings#ENDLESS} for as many as are accepted within the
     *     trial.
     * @param seconds duration.
     * @param seed    seed of random sizes and flows.
     */
    record Offer(String size, PacketRate rate, long count, double seconds, long seed) {
        /** Maximum duration of a trial in ns. */
        long mostNs() {
            final long ns = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
            return count == GeneratorSettings.ENDLESS ? ns : ns + Math.max(LEAST_GRACE_NS, (long) (ns * GRACE));
        }
    }

    /**
     * Result of a trial, summed over all senders.
     *
     * @param offer   packets that each sender offered.
     * @param seconds time from the first packet until all were accepted or the time expired.
     * @param sent    packets accepted from senders.
     * @param seen    packets and latencies at the receivers.
     * @param pauseNs longest time for which the measuring thread did not run.
     */
    record Trial(Offer offer, double seconds, long sent, FlowReport seen, long pauseNs) {
        /** Returns the sum of what the generators received. */
        static Trial of(final Offer offer, final Watch watch, final long sent, final List<GeneratorPort> generators) {
            FlowReport seen = FlowReport.empty(0, 0);
            for (final GeneratorPort generator : generators) {
                for (final FlowReport flow : generator.report().flows()) {
                    // A late packet of an earlier trial has another id.
                    seen = generators.size() > 1 || flow.id() == generator.settings().id() ? seen.plus(flow) : seen;
                }
            }
            return new Trial(offer, watch.seconds(), sent, seen, watch.pauseNs);
        }

        long received() {
            return seen.counts().received();
        }
    }

    /** Returns the number of packets that a generator has sent. */
    static long sent(final GeneratorPort generator) {
        return IntStream.range(0, generator.settings().headers().flows()).mapToLong(generator::sent).sum();
    }

    /** Runs a trial. */
    Trial run(Offer offer);

    /** Returns a description of the fabric or device under test. */
    String headline();

    /** Returns the number of generators that send at the same time. */
    int senders();

    /** Returns the definition of the latencies. */
    default String clock() {
        return FlowResults.CLOCK;
    }

    @Override
    void close();

    /** Determines when a trial ends, and records the longest time between two calls of {@link #isOpen}. */
    final class Watch {
        private final Offer offer;
        private final StopSignal stop;
        private long startNs;
        private long lastNs;
        private long endNs;
        private long pauseNs;

        Watch(final Offer offer, final StopSignal stop) {
            this.offer = offer;
            this.stop = stop;
        }

        /** Tells whether packets may still be accepted. */
        boolean isOpen(final long nowNs, final boolean isExhausted) {
            if (startNs == 0) {
                startNs = nowNs;
                lastNs = nowNs;
            }
            pauseNs = Math.max(pauseNs, nowNs - lastNs);
            lastNs = nowNs;
            if (endNs == 0 && (isExhausted || nowNs - startNs >= offer.mostNs() || stop.requested())) {
                endNs = nowNs;
            }
            return endNs == 0;
        }

        double seconds() {
            return Math.max(1, endNs - startNs) / (double) TimeUnit.SECONDS.toNanos(1);
        }
    }

    /** A fabric with a generator at each node that sends or receives. Each trial is a separate run. */
    final class FabricRig implements TrialRig {
        private final FabricOptions fabric;
        private final EdgeConfig config;
        private final ForwardingChoice forwarding;
        private final Function<String, List<String>> ports;
        private final int senders;
        private final StopSignal stop;

        /**
         * Creates a rig without running the fabric.
         *
         * @param fabric     the fabric, with all options resolved.
         * @param config     configuration of its edges.
         * @param forwarding destination of each port.
         * @param ports      texts of the ports for a packet size; ports that send come first.
         * @param senders    number of ports that send.
         * @param stop       stops a trial early.
         */
        FabricRig(final FabricOptions fabric, final EdgeConfig config, final ForwardingChoice forwarding,
            final Function<String, List<String>> ports, final int senders, final StopSignal stop) {
            this.fabric = fabric;
            this.config = config;
            this.forwarding = forwarding;
            this.ports = ports;
            this.senders = senders;
            this.stop = stop;
        }

        /** Returns the ports for a packet size. */
        List<PortChoice> choices(final String size) {
            return PortChoice.parse(ports.apply(size), fabric.fabric().population().endpoints());
        }

        @Override
        public Trial run(final Offer offer) {
            final List<PortChoice> choices = choices(offer.size());
            final List<MacForwarding> rules = forwarding.of(choices, fabric.fabric().population().endpoints());
            final List<GeneratorPort> generators = new ArrayList<>();
            final List<EdgePort> at = new ArrayList<>();
            for (int port = 0; port < choices.size(); port++) {
                final GeneratorSettings settings = choices.get(port).generator();
                generators.add(GeneratorPort.open(port < senders ? settings.with(offer.rate(), offer.count(),
                    offer.seed() + port) : settings));
                at.add(choices.get(port).at(generators.getLast(), rules.get(port)));
            }
            final PacketEdges edges = new PacketEdges(config, at, EdgeWatch.NONE);
            final Watch watch = new Watch(offer, stop);
            final Drain drain = new Drain();
            try (Engine engine = fabric.engine(edges.flows(), edges, false)) {
                engine.run(0, (slot, delivered, completed) -> {
                    if (watch.isOpen(System.nanoTime(), generators.stream().limit(senders)
                        .allMatch(GeneratorPort::isExhausted))) {
                        return true;
                    }
                    edges.endIntake();
                    return !edges.isDrained()
                        && !drain.isGivenUp(edges.ended(), edges.looks(), edges.slots(), edges.isIdle());
                });
                edges.verify(engine.carried());
            } finally {
                edges.closePorts();
            }
            return Trial.of(offer, watch, generators.stream().mapToLong(TrialRig::sent).sum(), generators);
        }

        @Override
        public String headline() {
            return fabric.headline();
        }

        @Override
        public int senders() {
            return senders;
        }

        @Override
        public void close() {
            // Every trial has closed its ports.
        }
    }

    /** A device between two ports, or behind one port. The calling thread both sends and receives. */
    final class DeviceRig implements TrialRig {
        private static final int BURST = 32;
        private static final int MOST_BYTES = 1 << 14;
        private static final long POLL_NS = 1_000_000;
        private static final long CONNECT_NS = 30_000_000_000L;
        /** A trial ends when no packet has arrived for this time. */
        private static final long QUIET_NS = 500_000_000;

        private final PortChoice txChoice;
        private final PortChoice rxChoice;
        private final String packets;
        private final StopSignal stop;
        private final LivePort tx;
        private final LivePort rx;
        private final Arena arena = Arena.ofShared();
        private final PacketBurst out = new PacketBurst(arena, BURST, MOST_BYTES);
        private final PacketBurst in = new PacketBurst(arena, BURST, MOST_BYTES);
        private int id;
        private int first;
        private long nextPollNs = System.nanoTime();

        /**
         * Opens the ports.
         *
         * @param txChoice port that sends to the device.
         * @param rxChoice port that receives from the device; if its text equals that of the other port, one port does
         *     both.
         * @param packets  further settings for the generator, each preceded by a comma.
         * @param stop     stops a trial early.
         */
        DeviceRig(final PortChoice txChoice, final PortChoice rxChoice, final String packets, final StopSignal stop) {
            this.txChoice = txChoice;
            this.rxChoice = rxChoice;
            this.packets = packets;
            this.stop = stop;
            final MemifSockets sockets = new MemifSockets();
            this.tx = txChoice.open(sockets);
            try {
                this.rx = rxChoice.text().equals(txChoice.text()) ? tx : rxChoice.open(sockets);
            } catch (final RuntimeException e) {
                tx.close();
                throw e;
            }
        }

        /** Waits until both ports are connected. */
        void connect() {
            final long startNs = System.nanoTime();
            while (!(tx.isUp() && rx.isUp()) && !stop.requested()) {
                Choices.refuseIf(System.nanoTime() - startNs > CONNECT_NS, "rfc2544", tx.isUp() ? rxChoice.text()
                    : txChoice.text(), "no peer has connected to the port within 30 s", "start the device");
                poll(System.nanoTime());
                Thread.onSpinWait();
            }
        }

        @Override
        public Trial run(final Offer offer) {
            final GeneratorSettings settings = GeneratorSettings.parse(GeneratorSettings.KIND + ":" + offer.size()
                + ",id=" + id + packets, 0).with(offer.rate(), offer.count(), offer.seed());
            id = id + 1 & GeneratorSettings.MAX_ID;
            final Watch watch = new Watch(offer, stop);
            try (GeneratorPort generator = GeneratorPort.open(settings)) {
                clear();
                while (watch.isOpen(System.nanoTime(), generator.isExhausted() && first == out.size())) {
                    step(generator);
                }
                final long sent = TrialRig.sent(generator) - (out.size() - first);
                long lastNs = System.nanoTime();
                clear();
                while (System.nanoTime() - lastNs < QUIET_NS && received(generator) < sent && !stop.requested()) {
                    lastNs = receive(generator) > 0 ? System.nanoTime() : lastNs;
                }
                return Trial.of(offer, watch, sent, List.of(generator));
            }
        }

        /** Returns the number of received packets of this trial. */
        private static long received(final GeneratorPort generator) {
            return generator.received().stream().filter(flow -> flow.id() == generator.settings().id())
                .mapToLong(FlowCounter.RECEIVED::of).sum();
        }

        private void clear() {
            out.clear();
            first = 0;
        }

        private void step(final GeneratorPort generator) {
            if (first == out.size()) {
                clear();
                generator.rxBurst(out);
            }
            if (first < out.size()) {
                first += tx.txBurst(out, first);
            }
            receive(generator);
        }

        private int receive(final GeneratorPort generator) {
            poll(System.nanoTime());
            in.clear();
            final int came = rx.rxBurst(in);
            if (came > 0) {
                generator.txBurst(in, 0);
            }
            return came;
        }

        private void poll(final long nowNs) {
            if (nowNs - nextPollNs >= 0) {
                nextPollNs = nowNs + POLL_NS;
                tx.poll(nowNs);
                if (rx != tx) {
                    rx.poll(nowNs);
                }
            }
        }

        @Override
        public String headline() {
            return "device between " + txChoice.shown() + " and " + rxChoice.shown();
        }

        @Override
        public int senders() {
            return 1;
        }

        @Override
        public String clock() {
            return rx instanceof InterfacePort ? "from the generator's send call to the kernel's receive time stamp "
                + "at the interface, on the monotonic clock of this machine" : TrialRig.super.clock();
        }

        @Override
        public void close() {
            tx.close();
            rx.close();
            arena.close();
        }
    }
}
