package dev.skerry.tools.live;

import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.nic.count.NanoHistogram;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.tools.input.BuildVersion;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.FlowMeter;
import dev.skerry.tools.port.FlowMeter.FlowCounter;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.LatencyBuckets;
import dev.skerry.tools.port.PortPlace;
import dev.skerry.tools.run.ScheduleFile;
import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Writes the counters of the edges of a fabric to a counter file. Each value is written by the thread that counts it.
 */
final class LiveCounters implements EdgeWatch {
    /** Port counters about peers and files. Packets and bytes are counted by the edges. */
    static final List<PortCounter> OF_PEERS = List.copyOf(EnumSet.complementOf(EnumSet.of(PortCounter.RX_PACKETS,
        PortCounter.RX_BYTES, PortCounter.RX_TOO_LONG_BYTES, PortCounter.TX_PACKETS, PortCounter.TX_BYTES,
        PortCounter.TX_DOWN)));
    /** Counters of cells and messages in the fabric: all losses by cause, damage, marks and control traffic. */
    static final Set<NicCounter> OF_FABRIC = ofFabric();
    static final double[] QUANTILES = {0.5, 0.99, 1};
    /** Maximum number of banks with separate counters. */
    private static final int MOST_BANKS = 256;
    /** Maximum number of counters for flows, enough for about 120 flows. */
    private static final int MOST_FLOW_SERIES = 1 << 12;
    /**
     * Maximum number of ports for which cells are also counted by destination; with more ports, these would be most of
     * the counters.
     */
    private static final int MOST_PORTS = 64;
    private static final int MOST_NAME = 120;
    /** Windows of latency quantiles: the last second, the last minute, and since the start. */
    private static final String[] OVER = {"1s", "60s", "start"};
    /** Additional counters: for a port, its state and its queues; for a bank, its slots and their rates. */
    private static final int OWN = 3;
    private static final int DOWN = 0;
    private static final int UP = 1;
    private static final int FAILED = 2;

    private final CounterFile file;
    private final List<PortSlot> portSlots;
    /** For each port, the choice that labels its counters. */
    private final PortChoice[] shown;
    /** For each port, the counters that its own thread writes, and those that the monitoring thread writes. */
    private final List<List<Gauge>> ofPort = new ArrayList<>();
    private final List<List<Gauge>> ofLatency = new ArrayList<>();
    /** For each port, the flows that its generator sends and receives. */
    private final List<FlowGauges> ofFlows = new ArrayList<>();
    /** Counters of flows by label. If a generator replaces another at a port, it continues the same series. */
    private final Map<String, Integer> flowSeries = new HashMap<>();
    /** Counters by bank, added when the fabric has been built. */
    private final List<BankGauges> ofBank = new ArrayList<>();
    private final Map<NicCounter, Integer> ofFabric = new EnumMap<>(NicCounter.class);
    /** For each port, its counts about its peer. */
    private final PortCounts[] peers;
    /** Latencies of the port that is being written: quantiles by window, and buckets. */
    private final long[] quantiles = new long[OVER.length * QUANTILES.length];
    private LatencyBuckets buckets;
    private PacketEdges edges;

    /** A counter of the file, and the source of its value. */
    private record Gauge(int counter, LongSupplier value) {
    }

    /**
     * Creates the counters with value 0.
     *
     * @param file      file for the counters.
     * @param portSlots the ports, which label the counters.
     */
    LiveCounters(final CounterFile file, final List<PortSlot> portSlots) {
        this.file = file;
        this.portSlots = portSlots;
        this.shown = portSlots.stream().map(PortSlot::choice).toArray(PortChoice[]::new);
        this.peers = new PortCounts[shown.length];
        file.set(file.add("build_info{version=\"" + BuildVersion.TEXT + "\",java=\""
            + escaped(Runtime.version().toString())
            + "\"}"), 1);
        for (int port = 0; port < shown.length; port++) {
            addPort(port);
        }
        OF_FABRIC.forEach(counter -> ofFabric.put(counter, file.add("fabric_" + nameOf(counter))));
    }

    private void addPort(final int port) {
        final String keys = "node=\"" + shown[port].place() + "\"," + key(shown[port]);
        final List<Gauge> own = new ArrayList<>();
        final List<Gauge> latency = new ArrayList<>();
        for (final EdgeCounter counter : EdgeCounter.values()) {
            add(own, "port_" + nameOf(counter), keys, () -> edges.counts(port).get(counter));
        }
        add(own, "port_state", keys, () -> state(port));
        add(own, "port_queue_cells", keys + ",queue=\"in\"", () -> edges.waitingCells(port));
        add(own, "port_queue_cells", keys + ",queue=\"out\"", () -> edges.arrivedCells(port));
        for (int i = 0; shown.length <= MOST_PORTS && i < shown.length; i++) {
            final int to = i;
            if (to != port) {
                final String more = keys + ",to=\"" + shown[to].place() + "\"";
                add(own, "port_held_cells", more, () -> edges.heldCells(port, to));
                add(own, "port_dropped_for", more, () -> edges.counts(port).droppedFor(to));
            }
        }
        for (int i = 0; i < LatencyBuckets.BUCKETS; i++) {
            final int bucket = i;
            add(latency, "port_latency_bucket", keys + ",le=\"" + LatencyBuckets.end(bucket) + "\"",
                () -> buckets.count(bucket));
        }
        add(latency, "port_latency_sum_ns", keys, () -> buckets.sumNs());
        for (final PortCounter counter : OF_PEERS) {
            add(own, "port_" + nameOf(counter), keys, () -> peers[port].get(counter));
        }
        for (int i = 0; i < quantiles.length; i++) {
            final int which = i;
            add(latency, "port_latency_ns", keys + ",over=\"" + OVER[i / QUANTILES.length] + "\",quantile=\""
                + QUANTILES[i % QUANTILES.length] + "\"", () -> quantiles[which]);
        }
        ofPort.add(own);
        ofLatency.add(latency);
        ofFlows.add(new FlowGauges());
    }

    private void add(final List<Gauge> to, final String name, final String keys, final LongSupplier value) {
        to.add(new Gauge(file.add(name + "{" + keys + "}"), value));
    }

    /** Iterates by index, because an iterator allocates. */
    private void write(final List<Gauge> gauges) {
        for (int i = 0; i < gauges.size(); i++) {
            file.set(gauges.get(i).counter, gauges.get(i).value.getAsLong());
        }
    }

    /** Returns the state of a port. A port can also report a failure itself, without throwing an exception. */
    private int state(final int port) {
        return !portSlots.get(port).failure().isEmpty() || edges.failure(port) != null ? FAILED
            : edges.isUp(port) ? UP : DOWN;
    }

    private static String key(final PortChoice port) {
        return "port=\"" + escaped(port.shown()) + "\"";
    }

    /**
     * Creates the counter file. If the default folder cannot be written, prints a warning and returns null, because
     * packets must flow without counters, too.
     *
     * @param folder folder given by the user; null for the default one.
     * @throws InputException if the file cannot be created in the folder given by the user.
     */
    static CounterFile file(final Path folder, final String headline, final int ports, final PrintWriter err) {
        final Path where = folder != null ? folder : PrivateFiles.userFolder();
        try {
            return CounterFile.create(where, "live " + headline, counters(ports));
        } catch (final IOException e) {
            warn(folder, e, "stat", err);
            return null;
        }
    }

    /**
     * Creates the file next to the counter file that contains the schedule of the fabric; null if there is no counter
     * file.
     */
    static ScheduleFile schedule(final Path folder, final CounterFile file, final Fabric fabric,
        final PrintWriter err) {
        try {
            return file == null ? null : ScheduleFile.beside(file.path(), fabric);
        } catch (final IOException e) {
            warn(folder, e, "watch", err);
            return null;
        }
    }

    private static void warn(final Path folder, final IOException e, final String reader, final PrintWriter err) {
        if (folder != null) {
            throw InputException.notWritten("--dir", folder, e, "choose a folder with room that you may write to");
        }
        err.println("skerry: live: counters: " + PrivateFiles.userFolder() + ": cannot be written ("
            + PrivateFiles.reason(e) + "), " + reader + " will not show all counters of this process; choose another "
            + "folder with --dir");
    }

    /** Returns the maximum number of counters for a number of ports and the maximum number of banks. */
    private static int counters(final int ports) {
        return 1 + OF_FABRIC.size() + MOST_FLOW_SERIES + MOST_BANKS * (PacketCounter.values().length + OWN)
            + ports * (EdgeCounter.values().length + OF_PEERS.size() + OWN + LatencyBuckets.BUCKETS + 1
            + OVER.length * QUANTILES.length + (ports <= MOST_PORTS ? 2 * (ports - 1) : 0));
    }

    private static Set<NicCounter> ofFabric() {
        final Set<NicCounter> counters = EnumSet.of(NicCounter.CELLS_DAMAGED, NicCounter.CELLS_MARKED,
            NicCounter.PAUSES, NicCounter.CONTROL_BYTES, NicCounter.CONTROL_LOST, NicCounter.CREDITS_IGNORED);
        counters.addAll(NicCounter.DROPS);
        return Collections.unmodifiableSet(counters);
    }

    /**
     * Writes the counters of the fabric. Called by the monitoring thread; the values may lag behind.
     *
     * @param count returns the value of a counter.
     */
    void onFabric(final ToLongFunction<NicCounter> count) {
        ofFabric.forEach((counter, at) -> file.set(at, count.applyAsLong(counter)));
    }

    /** Writes latencies in ns, once per second. Called by the monitoring thread. */
    void onLatency(final LatencyLog log) {
        for (int port = 0; port < shown.length; port++) {
            log.quantiles(port, QUANTILES, quantiles);
            buckets = log.buckets(port);
            write(ofLatency.get(port));
        }
    }

    /** Sets the edges of the fabric, which has been built but does not run yet, and adds the counters of its banks. */
    void of(final PacketEdges counted) {
        edges = counted;
        for (int bank = 0; bank < Math.min(counted.banks(), MOST_BANKS); bank++) {
            ofBank.add(new BankGauges(bank));
        }
    }

    @Override
    public void onPort(final int port) {
        final PortChoice present = portSlots.get(port).choice();
        if (!present.equals(shown[port])) {
            for (final List<Gauge> gauges : List.of(ofPort.get(port), ofLatency.get(port))) {
                gauges.forEach(gauge -> file.relabel(gauge.counter, key(shown[port]), key(present)));
            }
            shown[port] = present;
        }
        peers[port] = edges.port(port).port().counts();
        write(ofPort.get(port));
        if (portSlots.get(port).generator() != null) {
            ofFlows.get(port).onPort(portSlots.get(port));
        }
    }

    /** Writes the final values of all counters, after the run, when ports are closed. */
    void end(final LatencyLog log, final long slot) {
        for (int port = 0; port < shown.length; port++) {
            onPort(port);
            ofFlows.get(port).end();
        }
        for (int bank = 0; bank < ofBank.size(); bank++) {
            onBank(bank, slot);
        }
        onLatency(log);
    }

    /**
     * Returns the counter of a flow; -1 if there are too many. Synchronized because the threads of several ports add
     * flows.
     */
    private synchronized int series(final String label) {
        if (flowSeries.size() == MOST_FLOW_SERIES && !flowSeries.containsKey(label)) {
            return -1;
        }
        return flowSeries.computeIfAbsent(label, file::add);
    }

    /** Returns the place of the generator with an id, followed by the id if its settings have another one. */
    private String placeOf(final int id) {
        for (final PortSlot slot : portSlots) {
            for (final GeneratorPort generator : slot.generators()) {
                if (generator.id() == id) {
                    return slot.choice().place() + (generator.settings().id() == id ? "" : " id " + id);
                }
            }
        }
        return "id " + id;
    }

    @Override
    public void onBank(final int bank, final long slot) {
        if (bank < ofBank.size()) {
            ofBank.get(bank).onBank(slot);
        }
    }

    /** Passes all counts of a port and its peer, by name. */
    static void forEach(final PacketEdges edges, final int port, final BiConsumer<String, Long> each) {
        for (final EdgeCounter counter : EdgeCounter.values()) {
            each.accept(nameOf(counter), edges.counts(port).get(counter));
        }
        final PortCounts peer = edges.port(port).port().counts();
        OF_PEERS.forEach(counter -> each.accept(nameOf(counter), peer.get(counter)));
    }

    /** Returns the name of a counter in files and reports. */
    static String nameOf(final Enum<?> counter) {
        return counter.name().toLowerCase(Locale.ROOT);
    }

    private static String escaped(final String text) {
        final String shortened = text.length() > MOST_NAME ? text.substring(0, MOST_NAME) + "..." : text;
        return shortened.replaceAll("[^ -~]", "?").replace("\\", "\\\\").replace("\"", "\\\"");
    }

    /**
     * The flows that the generator at a port sends and receives. The counters of a flow are added when it is first
     * seen. Quantiles are written for one flow at a time because they are expensive to compute. Used by the thread of
     * the port.
     */
    private final class FlowGauges {
        private static final int MOST_SENT = 128;

        private final List<Gauge> gauges = new ArrayList<>();
        private final List<List<Gauge>> slow = new ArrayList<>();
        private final Set<String> senders = new HashSet<>();
        private GeneratorPort of;
        private int received;
        private int turn;

        void onPort(final PortSlot slot) {
            if (slot.generator() != of) {
                of = slot.generator();
                slot.generators().forEach(generator -> addSent(slot, generator));
            }
            for (; received < of.received().size(); received++) {
                add(of.received().get(received), slot.choice().place());
            }
            write(gauges);
            if (!slow.isEmpty()) {
                turn = turn + 1 < slow.size() ? turn + 1 : 0;
                write(slow.get(turn));
            }
        }

        /** Writes the quantiles of all flows. */
        void end() {
            slow.forEach(LiveCounters.this::write);
        }

        private void addSent(final PortSlot slot, final GeneratorPort generator) {
            final int id = generator.id();
            for (int i = 0; i < Math.min(generator.settings().headers().flows(), MOST_SENT); i++) {
                final int flow = i;
                final String keys = "from=\"" + placeOf(id) + "\",flow=\"" + flow + "\"";
                if (senders.add(keys)) {
                    add(gauges, "flow_sent_packets", keys, () -> slot.sent(id, flow));
                }
            }
        }

        private void add(final FlowMeter meter, final PortPlace to) {
            final String keys = "from=\"" + placeOf(meter.id()) + "\",flow=\"" + meter.flow() + "\",to=\"" + to + "\"";
            for (final FlowCounter counter : FlowCounter.values()) {
                add(gauges, "flow_" + nameOf(counter) + "_packets", keys, () -> counter.of(meter));
            }
            for (int i = 0; i < LatencyBuckets.BUCKETS; i++) {
                final int bucket = i;
                add(gauges, "flow_latency_bucket", keys + ",le=\"" + LatencyBuckets.end(bucket) + "\"",
                    () -> meter.buckets().count(bucket));
            }
            add(gauges, "flow_latency_sum_ns", keys, () -> meter.buckets().sumNs());
            slow.add(new ArrayList<>());
            for (final double share : QUANTILES) {
                add(slow.getLast(), "flow_latency_ns", keys + ",quantile=\"" + share + "\"",
                    () -> meter.latencyNs(share));
            }
        }

        /** Adds a counter, unless there are too many. */
        private void add(final List<Gauge> to, final String name, final String keys, final LongSupplier value) {
            final int counter = series(name + "{" + keys + "}");
            if (counter >= 0) {
                to.add(new Gauge(counter, value));
            }
        }
    }

    /** The counters of a bank: its slots, their rate, its idle time and its packets. Used by the thread of the bank. */
    private final class BankGauges {
        private static final long WINDOW_NS = 1_000_000_000;
        private static final double NS = 1e9;
        private static final double MILLION = 1e6;

        private final int bank;
        private final List<Gauge> gauges = new ArrayList<>();
        private long slots;
        private long slotsPerSecond;
        private long idlePpm;
        private long startNs = System.nanoTime();
        private long startSlot;
        private long startIdleNs;

        /** Adds the counters of a bank. */
        BankGauges(final int bank) {
            this.bank = bank;
            final String keys = "bank=\"" + bank + "\"";
            add(gauges, "slots", keys, () -> slots);
            add(gauges, "slots_per_second", keys, () -> slotsPerSecond);
            add(gauges, "idle_ppm", keys, () -> idlePpm);
            for (final PacketCounter counter : PacketCounter.values()) {
                add(gauges, "fabric_" + nameOf(counter), keys, () -> edges.count(bank, counter));
            }
        }

        /** Writes the counters; measures rates once per second. */
        void onBank(final long slot) {
            slots = slot;
            final long nowNs = System.nanoTime();
            if (nowNs - startNs >= WINDOW_NS) {
                final long idleNs = edges.idleNs(bank);
                final double lengthNs = nowNs - startNs;
                final double busyNs = Math.max(1, lengthNs - (idleNs - startIdleNs));
                slotsPerSecond = (long) ((slot - startSlot) * NS / busyNs);
                idlePpm = (long) Math.min(MILLION, (idleNs - startIdleNs) * MILLION / lengthNs);
                startNs = nowNs;
                startSlot = slot;
                startIdleNs = idleNs;
            }
            write(gauges);
        }
    }

    /**
     * Latencies of every port in each of the last 60 s. It reads the histograms that the threads of ports write, at no
     * cost for these threads. Used by the monitoring thread only.
     */
    static final class LatencyLog {
        /** Number of intervals kept, of one second each. */
        static final int KEPT = 60;
        /** Value that selects the time since the start instead of a number of seconds. */
        static final int SINCE_START = Integer.MAX_VALUE;

        private static final long SECOND_NS = 1_000_000_000;
        private static final int DIGITS = 3;

        private final PacketEdges edges;
        private final NanoHistogram[] before;
        /** For each port, the sum of the intervals kept. */
        private final NanoHistogram[] minute;
        /** For each port, all latencies until the end of the last interval. */
        private final LatencyBuckets[] buckets;
        private final NanoHistogram second = new NanoHistogram();
        private final Deque<Second> seconds = new ArrayDeque<>();
        private long startedNs;
        private int next;

        /**
         * An interval.
         *
         * @param number   its number, from 0.
         * @param lengthNs its length: a second, or less for the last one.
         * @param ports    for each port, its latencies in the interval.
         */
        private record Second(int number, long lengthNs, NanoHistogram.Interval[] ports) {
        }

        /**
         * The latencies of all ports in an interval.
         *
         * @param number  start of the interval in seconds since the start of the run.
         * @param latency latencies in ns.
         */
        record OfSecond(int number, Histogram latency) {
        }

        LatencyLog(final PacketEdges edges, final long nowNs) {
            this.edges = edges;
            this.startedNs = nowNs;
            this.before = new NanoHistogram[edges.ports()];
            this.minute = new NanoHistogram[edges.ports()];
            this.buckets = new LatencyBuckets[edges.ports()];
            for (int port = 0; port < before.length; port++) {
                before[port] = new NanoHistogram();
                minute[port] = new NanoHistogram();
                buckets[port] = new LatencyBuckets();
            }
        }

        /** Ends the current interval if a second has passed; returns whether it has. */
        boolean tick(final long nowNs) {
            final boolean isOver = nowNs - startedNs >= SECOND_NS;
            if (isOver) {
                end(nowNs);
            }
            return isOver;
        }

        /** Ends the current interval, even if it is shorter than a second. */
        void end(final long nowNs) {
            // The arrays of the oldest second are used again: they have lived long enough to fill the old generation.
            final NanoHistogram.Interval[] ports = seconds.size() == KEPT ? seconds.removeFirst().ports
                : new NanoHistogram.Interval[before.length];
            for (int port = 0; port < ports.length; port++) {
                final NanoHistogram latency = edges.latencyNs(port);
                if (ports[port] == null) {
                    ports[port] = latency.since(before[port]);
                } else {
                    minute[port].subtract(ports[port]);
                    latency.since(before[port], ports[port]);
                }
                minute[port].add(ports[port]);
                ports[port].forEach(buckets[port]::add);
            }
            seconds.addLast(new Second(next++, nowNs - startedNs, ports));
            startedNs = nowNs;
        }

        /**
         * Computes quantiles of the latencies of a port in ns. This takes a few microseconds, during which a fabric
         * with a single thread stands still.
         *
         * @param port   the port.
         * @param shares quantiles, above 0 and at most 1.
         * @param into   receives the quantiles of the last second, then of the last minute, then since the start.
         */
        void quantiles(final int port, final double[] shares, final long[] into) {
            second.clear();
            second.add(seconds.getLast().ports[port]);
            for (int i = 0; i < shares.length; i++) {
                into[i] = second.valueAt(shares[i]);
                into[shares.length + i] = minute[port].valueAt(shares[i]);
                into[2 * shares.length + i] = edges.latencyNs(port).valueAt(shares[i]);
            }
        }

        /** Returns the latencies of a port until the end of the last interval, in coarse buckets. */
        LatencyBuckets buckets(final int port) {
            return buckets[port];
        }

        /** Returns the latencies of a port in ns, of the last {@code most} seconds or since the start. */
        Histogram of(final int port, final int most) {
            return most == SINCE_START ? histogram(edges.latencyNs(port)) : last(port, most);
        }

        /** Returns the latencies of all ports, of the last {@code most} seconds or since the start. */
        Histogram ofAll(final int most) {
            final Histogram sum = new Histogram(DIGITS);
            IntStream.range(0, before.length).mapToObj(port -> of(port, most)).forEach(sum::add);
            return sum;
        }

        /** Returns the latencies of all ports in every interval of the last minute, the earliest first. */
        List<OfSecond> seconds() {
            final List<OfSecond> each = new ArrayList<>();
            for (final Second second : seconds) {
                final NanoHistogram sum = new NanoHistogram();
                for (final NanoHistogram.Interval port : second.ports) {
                    sum.add(port);
                }
                each.add(new OfSecond(second.number, histogram(sum)));
            }
            return each;
        }

        /** Returns the last seconds of a port. A partial interval at the end counts as part of the second before it. */
        private Histogram last(final int port, final int most) {
            final NanoHistogram sum = new NanoHistogram();
            long lengthNs = 0;
            for (final Second second : seconds.reversed()) {
                if (lengthNs >= (most - 1) * SECOND_NS + SECOND_NS / 2) {
                    break;
                }
                lengthNs += second.lengthNs;
                sum.add(second.ports[port]);
            }
            return histogram(sum);
        }

        /** Returns a copy of a histogram that provides percentiles. */
        static Histogram histogram(final NanoHistogram counted) {
            final Histogram histogram = new Histogram(DIGITS);
            counted.forEach(histogram::recordValueWithCount);
            return histogram;
        }
    }
}
