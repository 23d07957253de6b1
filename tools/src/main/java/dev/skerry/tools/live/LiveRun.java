package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeControl;
import dev.skerry.nic.edge.EdgeGauges;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.tools.ctl.ControlSocket;
import dev.skerry.tools.input.HangUpSignal;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.run.FabricOptions;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** One run, from the first slot to the last packet. Belongs to the thread that calls {@link #run}. */
final class LiveRun {
    private static final long LOOK_NS = 5_000_000;
    private static final long COUNT_NS = 200_000_000;
    private static final double NS = 1e9;
    /** How long a run waits, in all, for peers that go on reading. */
    private static final long MOST_READING_NS = 10_000_000_000L;
    /** Waits as short as this are not worth a line. */
    private static final long SAID_NS = 100_000_000;

    private final FabricOptions fabric;
    private final LiveDesk.Setting setting;
    private final List<PortSeat> ports;
    private final PacketEdges edges;
    private final Double duration;
    private final StopSignal stop;
    private final PrintWriter err;
    /** By port, the one whose failure was told. */
    private final PacketPort[] told;
    private final PeerNews news;
    private final FirstDrops first;
    private final Drain drain = new Drain();
    private final long startNs = System.nanoTime();
    /** Null without a file of counters. */
    private final LiveCounters counters;
    private final LatencyLog latency;
    private final SlotNews slotNews;
    private EdgeGauges gauges;
    private EdgeControl control;
    private long nextLookNs;
    private long nextCountNs = System.nanoTime();
    private long endNs;
    private boolean ending;
    private boolean over;
    private long unread;
    private long drainedNs;
    private long readNs;
    private boolean isReadingSaid;
    private boolean givenUp;
    private long slots;

    LiveRun(final LiveDesk.Setting setting, final PacketEdges edges, final Double duration,
        final StopSignal stop, final LiveCounters counters, final PrintWriter err) {
        this.fabric = setting.fabric();
        this.setting = setting;
        this.ports = setting.seats();
        this.edges = edges;
        this.duration = duration;
        this.stop = stop;
        this.counters = counters;
        this.err = err;
        this.told = new PacketPort[ports.size()];
        this.news = new PeerNews(ports, edges, err);
        this.first = new FirstDrops(ports, edges, setting.mtu(), err);
        this.latency = new LatencyLog(edges, startNs);
        this.slotNews = new SlotNews(err, startNs);
    }

    /**
     * Runs the fabric to its end and closes all ports.
     *
     * @param orders whether and where orders are listened to.
     * @param folder of the counters; null: the usual one.
     */
    LiveResult run(final ControlOptions orders, final Path folder) {
        try (Engine engine = fabric.engine(edges.flows(), edges, false)) {
            if (counters != null) {
                counters.of(edges);
            }
            gauges = edges.gauges();
            control = edges.control();
            for (int port = 0; port < ports.size(); port++) {
                control.serve(port, !ports.get(port).isVacant());
            }
            runListening(engine, orders, folder);
            if (counters != null) {
                counters.onFabric(engine::count);
            }
            final double seconds = ((ending ? endNs : System.nanoTime()) - startNs) / NS;
            final long delivered = engine.count(NicCounter.CELLS_DELIVERED);
            final Map<NicCounter, Long> counted = new EnumMap<>(NicCounter.class);
            LiveCounters.OF_FABRIC.forEach(counter -> counted.put(counter, engine.count(counter)));
            long held = 0;
            String violation = "";
            try {
                held = edges.verify(engine.carried());
            } catch (final IllegalStateException broken) {
                violation = broken.getMessage();
            }
            latency.end(System.nanoTime());
            tell();
            edges.closePorts();
            tell();
            final List<String> failures = IntStream.range(0, ports.size()).mapToObj(this::failure).toList();
            first.tell();
            return new LiveResult(fabric.headline(), ports, edges, seconds, slots, delivered, counted,
                controlShare(counted.get(NicCounter.CONTROL_BYTES)), latency, failures, held,
                givenUp && held > 0, violation);
        }
    }

    private void runListening(final Engine engine, final ControlOptions orders, final Path folder) {
        final LiveDesk desk = new LiveDesk(setting, edges, control);
        final ControlSocket socket = orders.open(folder, desk);
        final HangUpSignal signal = setting.settings().listen(desk, err);
        try {
            engine.run(0, (slot, delivered, completed) -> {
                slots = slot;
                final long nowNs = System.nanoTime();
                if (nowNs - nextLookNs >= 0) {
                    tellCounts(engine, nowNs);
                    slotNews.tell(nowNs, slot, delivered, restedNs());
                    look(nowNs);
                }
                return !over;
            });
        } finally {
            // Orders that wait for a thread of the fabric wait no longer.
            control.end();
            if (signal != null) {
                signal.close();
            }
            if (socket != null) {
                socket.close();
            }
        }
    }

    /** Share of all links that control messages took; 0 where a fabric has none. */
    private double controlShare(final long bytes) {
        return fabric.fabric() instanceof final Stardust stardust && slots > 0 ? stardust.controlShare(bytes, slots)
            : 0;
    }

    private long restedNs() {
        long sum = 0;
        for (int bank = 0; bank < edges.banks(); bank++) {
            sum += gauges.restedNs(bank);
        }
        return sum / edges.banks();
    }

    private void tellCounts(final Engine engine, final long nowNs) {
        if (counters != null && nowNs - nextCountNs >= 0) {
            nextCountNs = nowNs + COUNT_NS;
            counters.onFabric(engine::count);
        }
    }

    /** Looks what has changed, between slots, every few milliseconds. */
    private void look(final long nowNs) {
        nextLookNs = nowNs + LOOK_NS;
        tell();
        news.tell(nowNs);
        first.tell(nowNs);
        if (latency.tick(nowNs) && counters != null) {
            counters.onLatency(latency);
        }
        if (!ending && isToEnd(nowNs)) {
            ending = true;
            endNs = nowNs;
            edges.endIntake();
            // The next look has to follow every bank's own, which ends its intake.
            nextLookNs = nowNs + 2 * LOOK_NS;
            return;
        }
        if (ending && !edges.isDrained()) {
            givenUp = drain.isGivenUp(edges.ended(), edges.looks(), edges.slots(),
                edges.isAtRest() || isAPortBehind());
        }
        over = ending && (givenUp || edges.isDrained() && !isRead(nowNs));
    }

    /** Whether a peer has packets to read and goes on reading. The first call begins the wait. */
    private boolean isRead(final long nowNs) {
        final long left = ports.stream().mapToLong(PortSeat::unread).sum();
        if (drainedNs == 0) {
            drainedNs = nowNs;
            // What was sent last is in the port's count after its next poll.
            readNs = nowNs;
            unread = Long.MAX_VALUE;
            return true;
        }
        if (left < unread) {
            unread = left;
            readNs = nowNs;
        }
        if (left > 0 && !isReadingSaid && nowNs - drainedNs > SAID_NS) {
            isReadingSaid = true;
            err.println("skerry: live: end: waiting for peers to read " + left + " packets, or files to take them, as "
                + "long as they go on and at most 10 s");
            err.flush();
        }
        return left > 0 && nowNs - readNs < edges.stallNs() && nowNs - drainedNs < MOST_READING_NS;
    }

    /** Whether a port has yet to take packets that have arrived for it. */
    private boolean isAPortBehind() {
        return IntStream.range(0, ports.size()).anyMatch(port -> gauges.arrivedCells(port) > 0);
    }

    private boolean isToEnd(final long nowNs) {
        return stop.requested() || duration != null && nowNs - startNs >= duration * NS || areAllExhausted();
    }

    private boolean areAllExhausted() {
        boolean some = false;
        for (int port = 0; port < ports.size(); port++) {
            if (edges.failure(port) == null && !ports.get(port).isVacant()) {
                if (!(ports.get(port).port() instanceof final FinitePortGuard guard && guard.isExhausted())) {
                    return false;
                }
                some = true;
            }
        }
        return some || edges.failure(0) != null;
    }

    /** Prints one line for each port that failed, once. */
    private void tell() {
        for (int port = 0; port < told.length; port++) {
            final String failure = failure(port);
            if (told[port] != ports.get(port).port() && !failure.isEmpty()) {
                told[port] = ports.get(port).port();
                err.println(failure);
                err.flush();
            }
        }
    }

    private String failure(final int port) {
        final RuntimeException thrown = edges.failure(port);
        if (thrown == null) {
            return ports.get(port).failure();
        }
        return (thrown instanceof InputException ? thrown.getMessage()
            : "skerry: live: port " + ports.get(port).choice() + ": it failed: " + thrown
                + ", the others go on without it").replaceAll("\\p{Cntrl}+", " ");
    }
}
