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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** Writes the counters of a fabric's edges to a counter file. The thread that counts also writes. */
final class LiveCounters implements EdgeWatch {
    /** What ports count of their peers and files; their packets and bytes are the edges' to count. */
    static final List<PortCounter> OF_PEERS = List.copyOf(EnumSet.complementOf(EnumSet.of(PortCounter.RX_PACKETS,
        PortCounter.RX_BYTES, PortCounter.RX_TOO_LONG_BYTES, PortCounter.TX_PACKETS, PortCounter.TX_BYTES,
        PortCounter.TX_DOWN)));
    /** What a fabric counts of its cells and messages: all that it loses, and why. */
    static final Set<NicCounter> OF_FABRIC = ofFabric();
    static final double[] QUANTILES = {0.5, 0.99, 1};
    /** Most banks with counters of their own. */
    private static final int MOST_BANKS = 256;
    /** Most counters of flows: those of some 120 flows. */
    private static final int MOST_FLOW_SERIES = 1 << 12;
    /** Where there are more ports, cells by destination are left out: they would be most of all counters. */
    private static final int MOST_PORTS = 64;
    private static final int MOST_NAME = 120;
    /** Windows of latencies: the last second, the last minute, and since the start. */
    private static final String[] OVER = {"1s", "60s", "start"};
    /** Counters of the state and the queues of a port, and of the slots of a bank and their rates. */
    private static final int OWN = 3;
    private static final int DOWN = 0;
    private static final int UP = 1;
    private static final int FAILED = 2;

    private final CounterFile file;
    private final List<PortSlot> portSlots;
    /** By port: what its counters are labelled with. */
    private final PortChoice[] shown;
    /** By port: what its thread writes, and what the thread that watches the run does. */
    private final List<List<Gauge>> ofPort = new ArrayList<>();
    private final List<List<Gauge>> ofLatency = new ArrayList<>();
    /** By port, the flows that its generator sends and receives. */
    private final List<FlowGauges> ofFlows = new ArrayList<>();
    /** By label, the counters of flows: a generator that follows another at a port goes on with its series. */
    private final Map<String, Integer> flowSeries = new HashMap<>();
    /** By bank, as many as there are once the fabric is built. */
    private final List<BankGauges> ofBank = new ArrayList<>();
    private final Map<NicCounter, Integer> ofFabric = new EnumMap<>(NicCounter.class);
    /** By port, what it counts of its peer. */
    private final PortCounts[] peers;
    /** Latencies of the port that is being written: by window and quantile, and in buckets. */
    private final long[] quantiles = new long[OVER.length * QUANTILES.length];
    private LatencyBuckets buckets;
    private PacketEdges edges;

    /** A counter of the file, and what is written to it. */
    private record Gauge(int counter, LongSupplier value) {
    }

    /**
     * Creates the counters at 0.
     *
     * @param file  file that holds them.
     * @param portSlots of the ports, which label the counters.
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

    /** Loops by index because an iterator allocates. */
    private void write(final List<Gauge> gauges) {
        for (int i = 0; i < gauges.size(); i++) {
            file.set(gauges.get(i).counter, gauges.get(i).value.getAsLong());
        }
    }

    /** A port may have failed by its own word. */
    private int state(final int port) {
        return !portSlots.get(port).failure().isEmpty() || edges.failure(port) != null ? FAILED
            : edges.isUp(port) ? UP : DOWN;
    }

    private static String key(final PortChoice port) {
        return "port=\"" + escaped(port.shown()) + "\"";
    }

    /**
     * Creates the file of counters. Without one, prints a warning and returns null: packets matter more.
     *
     * @param folder where; null: the usual folder.
     * @throws InputException if it cannot be made in the folder that was asked for.
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

    /** The same for the file beside it that says who meets whom. */
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
            + PrivateFiles.reason(e) + "), " + reader + " will not show all of this process; --dir chooses another "
            + "folder");
    }

    /** Most counters for some ports, and for as many banks as there may be. */
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
     * Writes what the fabric counted. The thread that watches the run calls; the values may lag.
     *
     * @param count the value of a counter.
     */
    void onFabric(final ToLongFunction<NicCounter> count) {
        ofFabric.forEach((counter, at) -> file.set(at, count.applyAsLong(counter)));
    }

    /** Writes latencies in ns, once a second. The thread that watches the run calls. */
    void onLatency(final LatencyLog log) {
        for (int port = 0; port < shown.length; port++) {
            log.quantiles(port, QUANTILES, quantiles);
            buckets = log.buckets(port);
            write(ofLatency.get(port));
        }
    }

    /** Sets the edges to read, of a fabric that is built, and adds the counters of its banks. Before it runs. */
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
        if (portSlots.get(port).port() instanceof final GeneratorPort generator) {
            ofFlows.get(port).onPort(generator, present.place());
        }
    }

    /** Writes the last values of everything, after the run and when ports are closed. */
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

    /** A counter of a flow; -1 if there are too many. The threads of ports come to flows at the same time. */
    private synchronized int series(final String label) {
        if (flowSeries.size() == MOST_FLOW_SERIES && !flowSeries.containsKey(label)) {
            return -1;
        }
        return flowSeries.computeIfAbsent(label, file::add);
    }

    /** The place of the generator with an id; the id if there is none. */
    private String placeOf(final int id) {
        for (final PortSlot slot : portSlots) {
            if (slot.port() instanceof final GeneratorPort generator && generator.settings().id() == id) {
                return slot.choice().place().toString();
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

    /** Passes what a port and its peer counted, by name. */
    static void forEach(final PacketEdges edges, final int port, final BiConsumer<String, Long> each) {
        for (final EdgeCounter counter : EdgeCounter.values()) {
            each.accept(nameOf(counter), edges.counts(port).get(counter));
        }
        final PortCounts peer = edges.port(port).port().counts();
        OF_PEERS.forEach(counter -> each.accept(nameOf(counter), peer.get(counter)));
    }

    /** Name of a counter in files and reports. */
    static String nameOf(final Enum<?> counter) {
        return counter.name().toLowerCase(Locale.ROOT);
    }

    private static String escaped(final String text) {
        final String shortened = text.length() > MOST_NAME ? text.substring(0, MOST_NAME) + "..." : text;
        return shortened.replaceAll("[^ -~]", "?").replace("\\", "\\\\").replace("\"", "\\\"");
    }

    /**
     * The flows that the generator at one port sends and receives. A flow gets its counters when it is first seen, its
     * quantiles are written one flow at a time because they are not free. The port's thread.
     */
    private final class FlowGauges {
        private static final int MOST_SENT = 128;

        private final List<Gauge> gauges = new ArrayList<>();
        private final List<List<Gauge>> slow = new ArrayList<>();
        private List<FlowMeter> of;
        private int sent;
        private int received;
        private int turn;

        void onPort(final GeneratorPort generator, final PortPlace place) {
            if (generator.received() != of) {
                of = generator.received();
                gauges.clear();
                slow.clear();
                sent = 0;
                received = 0;
            }
            for (final int most = Math.min(generator.settings().headers().flows(), MOST_SENT); sent < most; sent++) {
                final int flow = sent;
                add(gauges, "flow_sent_packets", "from=\"" + place + "\",flow=\"" + flow + "\"",
                    () -> generator.sent(flow));
            }
            for (; received < of.size(); received++) {
                add(of.get(received), place);
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

        /** Adds nothing where there are too many counters already. */
        private void add(final List<Gauge> to, final String name, final String keys, final LongSupplier value) {
            final int counter = series(name + "{" + keys + "}");
            if (counter >= 0) {
                to.add(new Gauge(counter, value));
            }
        }
    }

    /** The counters of one bank: its slots, how fast they pass, how long it rested, its packets. The bank's thread. */
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

        /** Writes them; measures rates once a second. */
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
     * Latencies by second: what every port counted in each of the last 60 s. It reads histograms that the ports'
     * threads write, so it costs them nothing. One thread, which watches the run.
     */
    static final class LatencyLog {
        /** Intervals kept, a second each. */
        static final int KEPT = 60;
        /** In place of a number of seconds. */
        static final int SINCE_START = Integer.MAX_VALUE;

        private static final long SECOND_NS = 1_000_000_000;
        private static final int DIGITS = 3;

        private final PacketEdges edges;
        private final NanoHistogram[] before;
        /** By port, the seconds kept. */
        private final NanoHistogram[] minute;
        /** By port, all that was counted until the last second ended. */
        private final LatencyBuckets[] buckets;
        private final NanoHistogram second = new NanoHistogram();
        private final Deque<Second> seconds = new ArrayDeque<>();
        private long startedNs;
        private int next;

        /**
         * One interval.
         *
         * @param number   its number from 0.
         * @param lengthNs how long it was; a second, the last one less.
         * @param ports    by port, what it counted.
         */
        private record Second(int number, long lengthNs, NanoHistogram.Interval[] ports) {
        }

        /**
         * An interval over all ports.
         *
         * @param number  seconds since the start when it began.
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

        /** Closes the current second if it is over; returns whether it was. */
        boolean tick(final long nowNs) {
            final boolean isOver = nowNs - startedNs >= SECOND_NS;
            if (isOver) {
                end(nowNs);
            }
            return isOver;
        }

        /** Closes the current second, over or not. */
        void end(final long nowNs) {
            final NanoHistogram.Interval[] ports = new NanoHistogram.Interval[before.length];
            for (int port = 0; port < ports.length; port++) {
                ports[port] = edges.latencyNs(port).since(before[port]);
                minute[port].add(ports[port]);
                ports[port].forEach(buckets[port]::add);
            }
            if (seconds.size() == KEPT) {
                final NanoHistogram.Interval[] oldest = seconds.removeFirst().ports;
                for (int port = 0; port < oldest.length; port++) {
                    minute[port].subtract(oldest[port]);
                }
            }
            seconds.addLast(new Second(next++, nowNs - startedNs, ports));
            startedNs = nowNs;
        }

        /**
         * The latencies in ns that shares of a port's packets do not exceed. Costs a few microseconds: where one thread
         * does all, the fabric waits for it.
         *
         * @param port   the port.
         * @param shares above 0, at most 1.
         * @param into   receives those of the last second, then of the last minute, then since the start.
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

        /** Latencies of a port until the last second ended, in few buckets. */
        LatencyBuckets buckets(final int port) {
            return buckets[port];
        }

        /** Latencies of a port in ns: of the last so many seconds, or since the start. */
        Histogram of(final int port, final int most) {
            return most == SINCE_START ? histogram(edges.latencyNs(port)) : last(port, most);
        }

        /** The same over all ports. */
        Histogram ofAll(final int most) {
            final Histogram sum = new Histogram(DIGITS);
            IntStream.range(0, before.length).mapToObj(port -> of(port, most)).forEach(sum::add);
            return sum;
        }

        /** Every interval of the last minute over all ports, the earliest first. */
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

        /** The last seconds of a port; the rest of a second at the end goes to the second before it. */
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

        /** The same counts for percentiles. */
        static Histogram histogram(final NanoHistogram counted) {
            final Histogram histogram = new Histogram(DIGITS);
            counted.forEach(histogram::recordValueWithCount);
            return histogram;
        }
    }
}
