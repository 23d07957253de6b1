package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.PacketEdges;

import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reports the first packet of each kind that is lost, or sent incomplete: at which port, and why. The counters have all
 * of them; a kind has one line however many ports and packets follow. One thread.
 */
final class FirstDrops {
    private static final long LOOK_NS = 100_000_000;
    private static final Set<PortCounter> OF_PORTS = EnumSet.of(PortCounter.RX_DROPPED_TOO_LONG,
        PortCounter.RX_DROPPED_EMPTY, PortCounter.RX_DROPPED_NOT_ETHERNET, PortCounter.RX_DROPPED_WRONG,
        PortCounter.RX_DROPPED_RING, PortCounter.RX_DROPPED_OFFLOAD, PortCounter.TX_DROPPED_REFUSED,
        PortCounter.TX_DROPPED_TOO_LONG, PortCounter.TX_DROPPED_LOST, PortCounter.TX_LEFT,
        PortCounter.RX_DROPPED_CUT);
    private static final Set<PortCounter> SENT = EnumSet.of(PortCounter.RX_CUT, PortCounter.RX_ODD_LENGTH);

    private final List<PortSeat> ports;
    private final PacketEdges edges;
    private final int mtu;
    private final PrintWriter err;
    private final Set<EdgeCounter> edgeLeft = EnumSet.noneOf(EdgeCounter.class);
    private final Set<PortCounter> portLeft = EnumSet.copyOf(OF_PORTS);
    private final Set<PortCounter> sentLeft = EnumSet.copyOf(SENT);
    private long nextNs = System.nanoTime();

    /** Nothing has been lost yet. */
    FirstDrops(final List<PortSeat> ports, final PacketEdges edges, final int mtu,
        final PrintWriter err) {
        this.ports = ports;
        this.edges = edges;
        this.mtu = mtu;
        this.err = err;
        for (final EdgeCounter counter : EdgeCounter.values()) {
            if (counter.isDrop()) {
                edgeLeft.add(counter);
            }
        }
    }

    /** Looks at all counters, ten times a second. */
    void tell(final long nowNs) {
        if (nowNs - nextNs >= 0) {
            nextNs = nowNs + LOOK_NS;
            tell();
        }
    }

    /** Looks at all counters. */
    void tell() {
        for (int port = 0; port < ports.size(); port++) {
            final int at = port;
            edgeLeft.removeIf(counter -> say(at, edges.counts(at).get(counter), counter.sentence()));
            final PortCounts counts = edges.port(at).port().counts();
            portLeft.removeIf(counter -> say(at, counts.get(counter), counter.sentence() + details(counter, counts)));
            sentLeft.removeIf(counter -> say(at, sent(counter, counts), "no loss, but ", counter.sentence()));
        }
    }

    /** Packets that were not as they should be and were sent nevertheless. */
    private static long sent(final PortCounter counter, final PortCounts counts) {
        return counts.get(counter) - (counter == PortCounter.RX_CUT ? counts.get(PortCounter.RX_DROPPED_CUT) : 0);
    }

    private String details(final PortCounter counter, final PortCounts counts) {
        return counter != PortCounter.RX_DROPPED_TOO_LONG || counts.get(counter) == 0 ? ""
            : String.format(Locale.ROOT, ": %,d bytes, and --mtu %d lets frames of %,d bytes pass",
            counts.get(PortCounter.RX_TOO_LONG_BYTES) / counts.get(counter), mtu, mtu + PortChecks.HEADERS);
    }

    private boolean say(final int port, final long count, final String sentence) {
        return say(port, count, "first loss: ", sentence);
    }

    private boolean say(final int port, final long count, final String kind, final String sentence) {
        if (count > 0) {
            err.println("skerry: live: port " + ports.get(port).choice() + ": " + kind + sentence
                + "; the report and skerry stat count all of them");
            err.flush();
        }
        return count > 0;
    }
}
