package dev.skerry.tools.live;

import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgeGauges;
import dev.skerry.nic.edge.EdgeWatch;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.Version;
import dev.skerry.tools.run.ScheduleFile;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Writes the counters of a fabric's edges to a counter file. The thread that counts also writes. */
final class LiveCounters implements EdgeWatch {
    /** What ports count of their peers and files. The first ones are packets that nobody got. */
    static final List<PortCounter> OF_PEERS = List.of(
        PortCounter.RX_DROPPED_TOO_LONG, PortCounter.RX_DROPPED_EMPTY, PortCounter.RX_DROPPED_NOT_ETHERNET,
        PortCounter.RX_CUT,
        PortCounter.RX_DROPPED_CUT, PortCounter.RX_ODD_LENGTH, PortCounter.RX_DROPPED_WRONG,
        PortCounter.RX_DROPPED_RING, PortCounter.RX_DROPPED_OFFLOAD, PortCounter.RX_LEFT,
        PortCounter.RX_FAILED,
        PortCounter.TX_DROPPED_TOO_LONG, PortCounter.TX_DROPPED_LOST, PortCounter.TX_DROPPED_REFUSED,
        PortCounter.TX_LEFT, PortCounter.TX_FAILED, PortCounter.TX_FULL, PortCounter.LINKS_UP, PortCounter.LINKS_DOWN,
        PortCounter.PEERS_REFUSED);
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
    private final List<PortSeat> seats;
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
    private EdgeGauges now;

    /**
     * Creates the counters at 0.
     *
     * @param file  file that holds them.
     * @param seats of the ports, which label the counters.
     */
    LiveCounters(final CounterFile file, final List<PortSeat> seats) {
        final List<PortChoice> ports = seats.stream().map(PortSeat::choice).toList();
        this.file = file;
        this.seats = seats;
        this.shown = ports.toArray(PortChoice[]::new);
        this.firstOf = new int[ports.size() + 1];
        this.ofPort = new int[ports.size()][EDGE.length];
        this.ofPeer = new int[ports.size()][OF_PEERS.size()];
        this.latencies = new int[ports.size()][OVER.length * QUANTILES.length];
        this.gauges = new PortGauges[ports.size()];
        final List<PortPlace> places = ports.stream().map(PortChoice::place).toList();
        file.set(file.add("build_info{version=\"" + Version.TEXT + "\",java=\"" + escaped(Runtime.version().toString())
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
        now = counted.gauges();
        banks = new BankGauges[Math.min(counted.banks(), MOST_BANKS)];
        for (int bank = 0; bank < banks.length; bank++) {
            banks[bank] = new BankGauges(file, bank);
        }
    }

    @Override
    public void onPort(final int port) {
        final PortChoice present = seats.get(port).choice();
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
        gauges[port].onPort(edges, now, !seats.get(port).failure().isEmpty());
    }

    @Override
    public void onBank(final int bank, final long slot) {
        if (bank < banks.length) {
            banks[bank].onBank(edges, now, slot);
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
}
