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
import dev.skerry.tools.live.LiveCounters.LatencyLog.LatencyBuckets;
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
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** Writes the counters of a fabric's edges to a counter file. The thread that counts also writes. */
final class LiveCounters implements EdgeWatch {
    /** What ports count of their peers and files; their packets and bytes are the edges' to count. */
    static final List<PortCounter> OF_PEERS = List.copyOf(EnumSet.complementOf(EnumSet.of(PortCounter.RX_PACKETS,
        PortCounter.RX_BYTES, PortCounter.RX_TOO_LONG_BYTES, PortCounter.TX_PACKETS, PortCounter.TX_BYTES,
        PortCounter.TX_DOWN)));
    private static final EdgeCounter[] EDGE = EdgeCounter.values();
    /** What a fabric counts of its cells and messages: all that it loses, and why. */
    static final Set<NicCounter> OF_FABRIC = ofFabric();
    /** Most banks with counters of their own. */
    static final int MOST_BANKS = 256;
    private static final int MOST_NAME = 120;
    /** Windows of latencies: the last second, the last minute, and since the start. */
    private static final String[] OVER = {"1s", "60s", "start"};
    static final double[] QUANTILES = {0.5, 0.99, 1};

    private final CounterFile file;
    private final List<PortSlot> portSlots;
    /** By port: what its counters are labelled with, and the first of them; behind the last port the end. */
    private final PortChoice[] shown;
    private final int[] firstOf;
    private final int[][] ofPort;
    private final int[][] ofPeer;
    private final PortGauges[] gauges;
    /** By bank, as many as there are once the fabric is built. */
    private BankGauges[] banks = {};
    /** By port: by window, by quantile. */
    private final int[][] latencies;
    private final long[] quantiles = new long[OVER.length * QUANTILES.length];
    private final Map<NicCounter, Integer> ofFabric = new EnumMap<>(NicCounter.class);
    private PacketEdges edges;

    /**
     * Creates the counters at 0.
     *
     * @param file  file that holds them.
     * @param portSlots of the ports, which label the counters.
     */
    LiveCounters(final CounterFile file, final List<PortSlot> portSlots) {
        final List<PortChoice> ports = portSlots.stream().map(PortSlot::choice).toList();
        this.file = file;
        this.portSlots = portSlots;
        this.shown = ports.toArray(PortChoice[]::new);
        this.firstOf = new int[ports.size() + 1];
        this.ofPort = new int[ports.size()][EDGE.length];
        this.ofPeer = new int[ports.size()][OF_PEERS.size()];
        this.latencies = new int[ports.size()][OVER.length * QUANTILES.length];
        this.gauges = new PortGauges[ports.size()];
        final List<PortPlace> places = ports.stream().map(PortChoice::place).toList();
        file.set(file.add("build_info{version=\"" + BuildVersion.TEXT + "\",java=\""
            + escaped(Runtime.version().toString())
            + "\"}"), 1);
        for (int port = 0; port < ofPort.length; port++) {
            final String inner = "node=\"" + places.get(port) + "\"," + key(ports.get(port));
            final String keys = "{" + inner + "}";
            for (int i = 0; i < EDGE.length; i++) {
                ofPort[port][i] = file.add("port_" + nameOf(EDGE[i]) + keys);
            }
            firstOf[port] = ofPort[port][0];
            gauges[port] = new PortGauges(file, port, inner, places);
            for (int i = 0; i < OF_PEERS.size(); i++) {
                ofPeer[port][i] = file.add("port_" + nameOf(OF_PEERS.get(i)) + keys);
            }
            for (int i = 0; i < latencies[port].length; i++) {
                latencies[port][i] = file.add("port_latency_ns{" + inner + ",over=\"" + OVER[i / QUANTILES.length]
                    + "\",quantile=\"" + QUANTILES[i % QUANTILES.length] + "\"}");
            }
        }
        OF_FABRIC.forEach(counter -> ofFabric.put(counter, file.add("fabric_" + nameOf(counter))));
        firstOf[ofPort.length] = Collections.min(ofFabric.values());
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
            return CounterFile.create(where, "live " + headline, counters(ports, MOST_BANKS));
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

    /** Number of counters for some ports and banks. */
    static int counters(final int ports, final int banks) {
        return 1 + ports * (EDGE.length + OF_PEERS.size() + OVER.length * QUANTILES.length) + OF_FABRIC.size()
            + PortGauges.counters(ports) + BankGauges.counters(banks);
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
        for (int port = 0; port < latencies.length; port++) {
            log.quantiles(port, QUANTILES, quantiles);
            for (int i = 0; i < latencies[port].length; i++) {
                file.set(latencies[port][i], quantiles[i]);
            }
            gauges[port].onLatency(log.buckets(port));
        }
    }

    /** Sets the edges to read, of a fabric that is built, and adds the counters of its banks. Before it runs. */
    void of(final PacketEdges counted) {
        edges = counted;
        banks = new BankGauges[Math.min(counted.banks(), MOST_BANKS)];
        for (int bank = 0; bank < banks.length; bank++) {
            banks[bank] = new BankGauges(file, bank);
        }
    }

    @Override
    public void onPort(final int port) {
        final PortChoice present = portSlots.get(port).choice();
        if (!present.equals(shown[port])) {
            for (int counter = firstOf[port]; counter < firstOf[port + 1]; counter++) {
                file.relabel(counter, key(shown[port]), key(present));
            }
            shown[port] = present;
        }
        for (int i = 0; i < EDGE.length; i++) {
            file.set(ofPort[port][i], edges.counts(port).get(EDGE[i]));
        }
        final PortCounts counts = edges.port(port).port().counts();
        for (int i = 0; i < OF_PEERS.size(); i++) {
            file.set(ofPeer[port][i], counts.get(OF_PEERS.get(i)));
        }
        gauges[port].onPort(edges, !portSlots.get(port).failure().isEmpty());
    }

    @Override
    public void onBank(final int bank, final long slot) {
        if (bank < banks.length) {
            banks[bank].onBank(edges, slot);
        }
    }

    /** Name of a counter in files and reports. */
    static String nameOf(final Enum<?> counter) {
        return counter.name().toLowerCase(Locale.ROOT);
    }

    private static String escaped(final String text) {
        final String shortened = text.length() > MOST_NAME ? text.substring(0, MOST_NAME) + "..." : text;
        return shortened.replaceAll("[^ -~]", "?").replace("\\", "\\\\").replace("\"", "\\\"");
    }

    /** The counters of one bank: its slots, how fast they pass, how long it rested, its packets. The bank's thread. */
    private static final class BankGauges {
        private static final PacketCounter[] PACKET = PacketCounter.values();
        private static final int OWN = 3;
        private static final long WINDOW_NS = 1_000_000_000;
        private static final double NS = 1e9;
        private static final double MILLION = 1e6;

        private final CounterFile file;
        private final int bank;
        private final int slots;
        private final int rate;
        private final int idle;
        private final int[] packets = new int[PACKET.length];
        private long startNs = System.nanoTime();
        private long startSlot;
        private long startIdleNs;

        /** Adds the counters of a bank. */
        BankGauges(final CounterFile file, final int bank) {
            this.file = file;
            this.bank = bank;
            final String keys = "{bank=\"" + bank + "\"}";
            this.slots = file.add("slots" + keys);
            this.rate = file.add("slots_per_second" + keys);
            this.idle = file.add("idle_ppm" + keys);
            for (int i = 0; i < PACKET.length; i++) {
                packets[i] = file.add("fabric_" + LiveCounters.nameOf(PACKET[i]) + keys);
            }
        }

        /** Number of counters of some banks. */
        static int counters(final int banks) {
            return banks * (PACKET.length + OWN);
        }

        /** Writes them; rates once a second. */
        void onBank(final PacketEdges edges, final long slot) {
            file.set(slots, slot);
            for (int i = 0; i < PACKET.length; i++) {
                file.set(packets[i], edges.count(bank, PACKET[i]));
            }
            final long nowNs = System.nanoTime();
            if (nowNs - startNs >= WINDOW_NS) {
                final long idleNs = edges.idleNs(bank);
                final double lengthNs = nowNs - startNs;
                final double busyNs = Math.max(1, lengthNs - (idleNs - startIdleNs));
                file.set(rate, (long) ((slot - startSlot) * NS / busyNs));
                file.set(idle, (long) Math.min(MILLION, (idleNs - startIdleNs) * MILLION / lengthNs));
                startNs = nowNs;
                startSlot = slot;
                startIdleNs = idleNs;
            }
        }
    }

    /**
     * What a port is at present: its state, its queues, and by destination the cells under way and the packets dropped;
     * and its latencies in few buckets. Two threads write, each its own: the port's, and the one that watches the run.
     */
    private static final class PortGauges {
        /** Where there are more ports, cells by destination are left out: they would be most of all counters. */
        static final int MOST_PORTS = 64;

        private static final int OWN = 3;
        private static final int DOWN = 0;
        private static final int UP = 1;
        private static final int FAILED = 2;

        private final CounterFile file;
        private final int port;
        private final int state;
        private final int in;
        private final int out;
        /** By destination, -1 for the port itself; empty where they are left out. */
        private final int[] held;
        private final int[] dropped;
        private final int[] buckets = new int[LatencyBuckets.BUCKETS];
        private final int sum;

        /**
         * Adds the gauges of a port.
         *
         * @param file   holds them.
         * @param port   number of the port.
         * @param keys   its keys, without braces.
         * @param places of all ports.
         */
        PortGauges(final CounterFile file, final int port, final String keys, final List<PortPlace> places) {
            this.file = file;
            this.port = port;
            this.state = file.add("port_state{" + keys + "}");
            this.in = file.add("port_queue_cells{" + keys + ",queue=\"in\"}");
            this.out = file.add("port_queue_cells{" + keys + ",queue=\"out\"}");
            final int destinations = places.size() <= MOST_PORTS ? places.size() : 0;
            this.held = new int[destinations];
            this.dropped = new int[destinations];
            for (int to = 0; to < destinations; to++) {
                final String labels = "{" + keys + ",to=\"" + places.get(to) + "\"}";
                held[to] = to == port ? -1 : file.add("port_held_cells" + labels);
                dropped[to] = to == port ? -1 : file.add("port_dropped_for" + labels);
            }
            for (int bucket = 0; bucket < buckets.length; bucket++) {
                buckets[bucket] = file.add("port_latency_bucket{" + keys + ",le=\"" + LatencyBuckets.end(bucket)
                    + "\"}");
            }
            this.sum = file.add("port_latency_sum_ns{" + keys + "}");
        }

        /** Number of counters of all ports. */
        static int counters(final int ports) {
            return ports * (OWN + LatencyBuckets.BUCKETS + 1 + (ports <= MOST_PORTS ? 2 * (ports - 1) : 0));
        }

        /** Writes state and queues; a port may have failed by its own word. The port's thread. */
        void onPort(final PacketEdges edges, final boolean isFailed) {
            file.set(state, isFailed || edges.failure(port) != null ? FAILED : edges.isUp(port) ? UP : DOWN);
            file.set(in, edges.waitingCells(port));
            file.set(out, edges.arrivedCells(port));
            for (int to = 0; to < held.length; to++) {
                if (to != port) {
                    file.set(held[to], edges.heldCells(port, to));
                    file.set(dropped[to], edges.counts(port).droppedFor(to));
                }
            }
        }

        /** Writes latencies. The thread that watches the run. */
        void onLatency(final LatencyBuckets latency) {
            for (int bucket = 0; bucket < buckets.length; bucket++) {
                file.set(buckets[bucket], latency.count(bucket));
            }
            file.set(sum, latency.sumNs);
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
            if (nowNs - startedNs < SECOND_NS) {
                return false;
            }
            close(nowNs);
            return true;
        }

        /** Closes the current second, over or not. The run has ended. */
        void end(final long nowNs) {
            close(nowNs);
        }

        private void close(final long nowNs) {
            final NanoHistogram.Interval[] ports = new NanoHistogram.Interval[before.length];
            for (int port = 0; port < ports.length; port++) {
                ports[port] = edges.latencyNs(port).since(before[port]);
                minute[port].add(ports[port]);
                buckets[port].add(ports[port]);
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
            final Iterator<Second> latest = seconds.descendingIterator();
            while (latest.hasNext() && lengthNs < (most - 1) * SECOND_NS + SECOND_NS / 2) {
                final Second second = latest.next();
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

        /**
         * A histogram of durations in few buckets, for programs that keep them for months: bucket k has those of at
         * most {@code 2^(10 + k) - 1} ns, 1 us to 8.6 s, the last one the rest. The steps of {@link NanoHistogram} end
         * where buckets end, so counts are exact. One thread.
         */
        static final class LatencyBuckets {
            /** Number of buckets, the last one without an end. */
            static final int BUCKETS = 25;
            private static final int LEAST_LOG2 = 10;

            private final long[] counts = new long[BUCKETS];
            /** Sum of all durations in ns, to 0.2 %. */
            long sumNs;

            LatencyBuckets() {
            }

            /** Where a bucket ends, in ns, for the key {@code le}. */
            static String end(final int bucket) {
                return bucket == BUCKETS - 1 ? "+Inf" : Long.toString((1L << LEAST_LOG2 + bucket) - 1);
            }

            /** Adds what was counted in an interval. */
            void add(final NanoHistogram.Interval interval) {
                interval.forEach((ns, times) -> {
                    counts[Math.clamp(Long.SIZE - Long.numberOfLeadingZeros(ns) - LEAST_LOG2, 0, BUCKETS - 1)] += times;
                    sumNs += ns * times;
                });
            }

            long count(final int bucket) {
                return counts[bucket];
            }
        }
    }
}
