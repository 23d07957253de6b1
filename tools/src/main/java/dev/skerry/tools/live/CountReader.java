package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.packet.PacketCounter;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the counters of a running dataplane, from the start or from the last reset on. Values may lag. One thread. */
final class CountReader {
    /** In place of a port. */
    static final int ALL = -1;

    private final List<PortSeat> seats;
    private final PacketEdges edges;
    private final Map<String, Long> before = new LinkedHashMap<>();

    CountReader(final List<PortSeat> seats, final PacketEdges edges) {
        this.seats = seats;
        this.edges = edges;
    }

    /** From now on everything begins at 0. */
    void reset() {
        before.putAll(read(ALL));
    }

    /** The counters of a port, or all, that are not 0: a line each. */
    String text(final int port) {
        final StringBuilder text = new StringBuilder();
        read(port).forEach((name, value) -> {
            final long since = value - before.getOrDefault(name, 0L);
            if (since != 0) {
                text.append(name).append(' ').append(since).append('\n');
            }
        });
        return text.toString();
    }

    private Map<String, Long> read(final int of) {
        final Map<String, Long> values = new LinkedHashMap<>();
        for (int port = 0; port < seats.size(); port++) {
            if (of == ALL || of == port) {
                final String node = "port " + seats.get(port).choice().place() + " ";
                for (final EdgeCounter counter : EdgeCounter.values()) {
                    values.put(node + LiveCounters.nameOf(counter), edges.counts(port).get(counter));
                }
                final PortCounts ofPeer = seats.get(port).counts();
                for (final PortCounter counter : LiveCounters.OF_PEERS) {
                    values.put(node + LiveCounters.nameOf(counter), ofPeer.get(counter));
                }
            }
        }
        for (final PacketCounter counter : PacketCounter.values()) {
            if (of == ALL) {
                values.put("fabric " + LiveCounters.nameOf(counter), edges.count(counter));
            }
        }
        return values;
    }
}
