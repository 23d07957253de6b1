package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeControl;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.tools.ctl.ControlSocket;
import dev.skerry.tools.input.HangUpSignal;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.live.LiveCounters.LatencyLog;
import dev.skerry.tools.live.PortChoice.PortChecks;
import dev.skerry.tools.run.FabricOptions;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/** A run, from the first slot to the last packet. Not thread-safe; used by the thread that calls {@link #run}. */
final class LiveRun {
    private static final long LOOK_NS = 5_000_000;
    private static final long COUNT_NS = 200_000_000;
    private static final double NS = 1e9;
    /** Maximum time for which a run waits for peers to read their last packets. */
    private static final long MOST_READING_NS = 10_000_000_000L;
    /** Waits that are shorter than this are not reported. */
    private static final long REPORTED_NS = 100_000_000;
    /**
     * Minimum time between two lines about the peer of a port, so that a peer that is refused repeatedly does not fill
     * a log.
     */
    private static final long STATUS_NS = 1_000_000_000;
    private static final long DROPS_NS = 100_000_000;
    /** In place of a port. */
    private static final int FABRIC = -1;

    private final FabricOptions fabric;
    private final LiveDispatcher.Setting setting;
    private final List<PortSlot> ports;
    private final PacketEdges edges;
    private final Double duration;
    private final StopSignal stop;
    private final PrintWriter err;
    /** For each port, the port object whose failure has been reported. */
    private final PacketPort[] reported;
    /** For each port, the last reported status of its peer, and the earliest time of the next line. */
    private final String[] status;
    private final long[] nextStatusNs;
    /** Kinds of losses, and of packets sent incomplete, that have not been reported yet. */
    private final Set<EdgeCounter> edgeDropsLeft = EnumSet.noneOf(EdgeCounter.class);
    private final Set<PacketCounter> lossesLeft = EnumSet.noneOf(PacketCounter.class);
    private final Set<PortCounter> portDropsLeft = EnumSet.of(PortCounter.TX_LEFT);
    private final Set<PortCounter> sentLeft = EnumSet.of(PortCounter.RX_CUT, PortCounter.RX_ODD_LENGTH);
    private long nextDropsNs = System.nanoTime();
    private final Drain drain = new Drain();
    private final long startNs = System.nanoTime();
    /** Null if there is no counter file. */
    private final LiveCounters counters;
    private final LatencyLog latency;
    private final SlotRateMonitor slotRate;
    private EdgeControl control;
    private long nextLookNs;
    private long nextCountNs = System.nanoTime();
    private long endNs;
    private boolean ending;
    private boolean over;
    private long unread;
    private long drainedNs;
    private long readNs;
    private boolean isReadingReported;
    private boolean givenUp;
    private long slots;

    LiveRun(final LiveDispatcher.Setting setting, final PacketEdges edges, final Double duration,
        final StopSignal stop, final LiveCounters counters, final PrintWriter err) {
        this.fabric = setting.fabric();
        this.setting = setting;
        this.ports = setting.portSlots();
        this.edges = edges;
        this.duration = duration;
        this.stop = stop;
        this.counters = counters;
        this.err = err;
        this.reported = new PacketPort[ports.size()];
        this.status = new String[ports.size()];
        this.nextStatusNs = new long[ports.size()];
        Arrays.fill(status, "");
        Arrays.fill(nextStatusNs, System.nanoTime());
        Arrays.stream(EdgeCounter.values()).filter(EdgeCounter::isDrop).forEach(edgeDropsLeft::add);
        LiveCounters.OF_PEERS.stream().filter(counter -> counter.name().contains("DROPPED"))
            .forEach(portDropsLeft::add);
        Arrays.stream(PacketCounter.values()).filter(PacketCounter::isLoss).forEach(lossesLeft::add);
        this.latency = new LatencyLog(edges, startNs);
        this.slotRate = new SlotRateMonitor(err, startNs);
    }

    /**
     * Runs the fabric to its end and closes all ports.
     *
     * @param listener opens the control socket for a dispatcher; returns null if there is none.
     */
    LiveResult run(final Function<LiveDispatcher, ControlSocket> listener) {
        try (Engine engine = fabric.engine(edges.flows(), edges, false)) {
            if (counters != null) {
                counters.of(edges);
            }
            control = edges.control();
            for (int port = 0; port < ports.size(); port++) {
                control.serve(port, !ports.get(port).isVacant());
            }
            runListening(engine, listener);
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
            reportFailures();
            edges.closePorts();
            reportFailures();
            if (counters != null) {
                counters.end(latency, slots);
            }
            final List<String> failures = IntStream.range(0, ports.size()).mapToObj(this::failure).toList();
            reportDrops();
            return new LiveResult(fabric.headline(), ports, edges, seconds, slots, delivered, counted,
                slots == 0 ? 0 : fabric.fabric().controlShare(counted.get(NicCounter.CONTROL_BYTES), slots), latency,
                failures, held, givenUp && held > 0, violation);
        }
    }

    private void runListening(final Engine engine, final Function<LiveDispatcher, ControlSocket> listener) {
        final LiveDispatcher dispatcher = new LiveDispatcher(setting, edges, control);
        final ControlSocket socket = listener.apply(dispatcher);
        final HangUpSignal signal = setting.settings().listen(dispatcher, err);
        try {
            engine.run(0, (slot, delivered, completed) -> {
                slots = slot;
                final long nowNs = System.nanoTime();
                if (nowNs - nextLookNs >= 0) {
                    publishCounts(engine, nowNs);
                    slotRate.tell(nowNs, slot, delivered, idleNs());
                    look(nowNs);
                }
                return !over;
            });
        } finally {
            // Releases orders that are waiting for a thread of the fabric.
            control.end();
            if (signal != null) {
                signal.close();
            }
            if (socket != null) {
                socket.close();
            }
        }
    }

    private long idleNs() {
        long sum = 0;
        for (int bank = 0; bank < edges.banks(); bank++) {
            sum += edges.idleNs(bank);
        }
        return sum / edges.banks();
    }

    private void publishCounts(final Engine engine, final long nowNs) {
        if (counters != null && nowNs - nextCountNs >= 0) {
            nextCountNs = nowNs + COUNT_NS;
            counters.onFabric(engine::count);
        }
    }

    /** Checks for changes every few milliseconds, between slots. */
    private void look(final long nowNs) {
        nextLookNs = nowNs + LOOK_NS;
        reportFailures();
        reportStatus(nowNs);
        if (nowNs - nextDropsNs >= 0) {
            nextDropsNs = nowNs + DROPS_NS;
            reportDrops();
        }
        if (latency.tick(nowNs) && counters != null) {
            counters.onLatency(latency);
        }
        if (!ending && isToEnd(nowNs)) {
            ending = true;
            endNs = nowNs;
            edges.endIntake();
            // The next check must come after every bank has checked its ports, which ends its intake.
            nextLookNs = nowNs + 2 * LOOK_NS;
            return;
        }
        if (ending && !edges.isDrained()) {
            givenUp = drain.isGivenUp(edges.ended(), edges.looks(), edges.slots(),
                edges.isIdle() || isAPortBehind());
        }
        over = ending && (givenUp || edges.isDrained() && !isRead(nowNs));
    }

    /** Tells whether a peer still has packets to read and keeps reading. The first call starts the wait. */
    private boolean isRead(final long nowNs) {
        final long left = ports.stream().mapToLong(PortSlot::unread).sum();
        if (drainedNs == 0) {
            drainedNs = nowNs;
            // The count of a port includes the last packets only after its next poll.
            readNs = nowNs;
            unread = Long.MAX_VALUE;
            return true;
        }
        if (left < unread) {
            unread = left;
            readNs = nowNs;
        }
        if (left > 0 && !isReadingReported && nowNs - drainedNs > REPORTED_NS) {
            isReadingReported = true;
            say("skerry: live: end: waiting for peers to read " + left + " packets, or files to accept them, while "
                + "they make progress and for at most 10 s");
        }
        return left > 0 && nowNs - readNs < edges.stallNs() && nowNs - drainedNs < MOST_READING_NS;
    }

    /** Tells whether a port has not accepted all packets that have arrived for it. */
    private boolean isAPortBehind() {
        return IntStream.range(0, ports.size()).anyMatch(port -> edges.arrivedCells(port) > 0);
    }

    private boolean isToEnd(final long nowNs) {
        return stop.requested() || duration != null && nowNs - startNs >= duration * NS || areAllExhausted();
    }

    private boolean areAllExhausted() {
        boolean some = false;
        for (int port = 0; port < ports.size(); port++) {
            if (edges.failure(port) == null && !ports.get(port).isVacant()) {
                if (!ports.get(port).isExhausted()) {
                    return false;
                }
                some = true;
            }
        }
        return some || edges.failure(0) != null;
    }

    /** Reports each failed port once. */
    private void reportFailures() {
        for (int port = 0; port < reported.length; port++) {
            final String failure = failure(port);
            if (reported[port] != ports.get(port).port() && !failure.isEmpty()) {
                reported[port] = ports.get(port).port();
                say(failure);
            }
        }
    }

    private void say(final String line) {
        err.println(line);
        err.flush();
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

    /** Reports changes of the peers of ports: connected, refused with the reason, or unreachable. */
    private void reportStatus(final long nowNs) {
        for (int port = 0; port < status.length; port++) {
            final String now = ports.get(port).port().status();
            if (nowNs - nextStatusNs[port] >= 0 && !now.isEmpty() && !now.equals(status[port])) {
                status[port] = now;
                nextStatusNs[port] = nowNs + STATUS_NS;
                say("skerry: live: port " + ports.get(port).choice() + ": "
                    + status[port].replaceAll("\\p{Cntrl}+", " "));
            }
        }
    }

    /**
     * Reports the first packet of each kind that is lost, or sent incomplete, with its port and the cause. There is one
     * line per kind, whatever the number of ports and packets; the counters have the totals.
     */
    private void reportDrops() {
        lossesLeft.removeIf(counter -> reportDrop(FABRIC, edges.count(counter), "first loss: ",
            counter.sentence()));
        for (int port = 0; port < ports.size(); port++) {
            final int at = port;
            edgeDropsLeft.removeIf(counter -> reportDrop(at, edges.counts(at).get(counter), "first loss: ",
                counter.sentence()));
            final PortCounts counts = edges.port(at).port().counts();
            portDropsLeft.removeIf(counter -> reportDrop(at, counts.get(counter), "first loss: ",
                counter.sentence() + details(counter, counts)));
            sentLeft.removeIf(counter -> reportDrop(at, counts.get(counter) - (counter == PortCounter.RX_CUT
                ? counts.get(PortCounter.RX_DROPPED_CUT) : 0), "no loss, but ", counter.sentence()));
        }
    }

    private String details(final PortCounter counter, final PortCounts counts) {
        return counter != PortCounter.RX_DROPPED_TOO_LONG || counts.get(counter) == 0 ? ""
            : String.format(Locale.ROOT, ": %,d bytes, but --mtu %d allows frames of up to %,d bytes",
            counts.get(PortCounter.RX_TOO_LONG_BYTES) / counts.get(counter), setting.mtu(),
            setting.mtu() + PortChecks.HEADERS);
    }

    /** Reports a count above 0 and its place, which is text only then: this is called for all counters all the time. */
    private boolean reportDrop(final int port, final long count, final String kind, final String sentence) {
        if (count > 0) {
            say("skerry: live: " + (port == FABRIC ? "the fabric" : "port " + ports.get(port).choice()) + ": " + kind
                + sentence + "; the report and skerry stat count all of them");
        }
        return count > 0;
    }

    /**
     * Warns once when a fabric has become much slower than at the start. Only time with cells in flight counts. The
     * measure is the sum of slots and delivered cells per second, which hardly depends on the load: a full slot takes
     * longer than an empty one. Not thread-safe.
     */
    static final class SlotRateMonitor {
        /** A fabric is slow if its rate is less than 1/8 of that at the start for {@link #SECONDS} seconds. */
        static final int SLOW = 8;
        static final int SECONDS = 3;
        /** Number of busy seconds that count as the start. */
        static final int START = 5;

        private static final long SECOND_NS = 1_000_000_000;
        private static final double NS = 1e9;
        /** Seconds with a smaller busy share are ignored. */
        private static final double LEAST_BUSY = 0.1;

        private final PrintWriter err;
        private long beforeNs;
        private long slotBefore;
        private long cellsBefore;
        private long idleBefore;
        private int seconds;
        private double startWork;
        private double startSlots;
        private int slow;
        private int well;
        private boolean isReported;

        /** Creates a monitor that has not measured anything yet. */
        SlotRateMonitor(final PrintWriter err, final long nowNs) {
            this.err = err;
            this.beforeNs = nowNs;
        }

        /**
         * Measures the rate, once per second.
         *
         * @param nowNs  current time.
         * @param slot   slots executed.
         * @param cells  cells delivered.
         * @param idleNs total time in which no slot was executed because nothing was in flight.
         */
        void tell(final long nowNs, final long slot, final long cells, final long idleNs) {
            final long passedNs = nowNs - beforeNs;
            if (passedNs < SECOND_NS) {
                return;
            }
            final double busyNs = passedNs - (idleNs - idleBefore);
            if (busyNs >= LEAST_BUSY * passedNs) {
                judge((slot - slotBefore) * NS / busyNs, (cells - cellsBefore) * NS / busyNs);
            }
            beforeNs = nowNs;
            slotBefore = slot;
            cellsBefore = cells;
            idleBefore = idleNs;
        }

        private void judge(final double slots, final double cells) {
            final double work = slots + cells;
            if (seconds < START) {
                seconds++;
                if (work > startWork) {
                    startWork = work;
                    startSlots = slots;
                }
                return;
            }
            slow = work * SLOW < startWork ? slow + 1 : 0;
            well = work * SLOW < 2 * startWork ? 0 : well + 1;
            if (slow >= SECONDS && !isReported) {
                isReported = true;
                err.println(String.format(Locale.ROOT,
                    "skerry: live: slots: %,.0f per second now, %,.0f at the start: other programs use the "
                        + "processors of its threads; stop those programs, reserve processors with --pin, or use "
                        + "fewer threads with --threads 1", slots, startSlots));
                err.flush();
            }
            // A slowdown is reported again if the fabric has recovered for some seconds in between.
            isReported &= well < SECONDS;
        }
    }

    /**
     * Decides when to stop waiting for cells in flight after intake has ended. It counts checks and slots instead of
     * time, because a loaded machine slows the fabric down without losing cells. Not thread-safe.
     */
    static final class Drain {
        /**
         * Maximum number of checks of every bank without an arrival while the fabric waits; at one check every 5 ms,
         * about ten seconds.
         */
        static final int MOST_ROUNDS = 2_000;
        /** Maximum number of slots without an arrival while cells are in flight. No fabric holds a cell longer. */
        static final long MOST_SLOTS = 1 << 16;

        private long arrived = -1;
        private long sinceSlot;
        private long looks;
        private int rounds;

        /**
         * Updates the state with current counts.
         *
         * @param arrivedNow cells that have reached a port or were lost.
         * @param looksNow   checks completed by every bank.
         * @param slot       current slot.
         * @param waits      whether the cells in flight need no further slot, or a port has yet to accept some of them.
         *     A fabric executes thousands of slots before a slow port accepts a packet.
         * @return whether to stop waiting: the fabric has executed {@link #MOST_SLOTS} slots without an arrival, or
         *     every bank has completed {@link #MOST_ROUNDS} checks while it waited.
         */
        boolean isGivenUp(final long arrivedNow, final long looksNow, final long slot, final boolean waits) {
            if (arrivedNow != arrived) {
                arrived = arrivedNow;
                sinceSlot = slot;
                looks = looksNow;
                rounds = 0;
            } else if (looksNow != looks) {
                looks = looksNow;
                rounds += waits ? 1 : 0;
            }
            if (waits) {
                sinceSlot = slot;
            }
            return waits ? rounds >= MOST_ROUNDS : slot - sinceSlot >= MOST_SLOTS;
        }
    }
}
