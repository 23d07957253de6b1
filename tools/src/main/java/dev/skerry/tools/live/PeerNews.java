package dev.skerry.tools.live;

import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.tools.port.PeeredPort;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;

/**
 * Reports changes at the peers of ports, one line each: connected, refused with the reason, or unreachable. At
 * most one line per second and port, so that a peer that is refused repeatedly does not fill the disk. One thread.
 */
final class PeerNews {
    private static final long SECOND_NS = 1_000_000_000;

    private final List<PortSeat> ports;
    private final PacketEdges edges;
    private final PrintWriter err;
    private final String[] told;
    private final long[] nextNs;

    /** Creates a reporter that has printed nothing yet. */
    PeerNews(final List<PortSeat> ports, final PacketEdges edges, final PrintWriter err) {
        this.ports = ports;
        this.edges = edges;
        this.err = err;
        this.told = new String[ports.size()];
        this.nextNs = new long[ports.size()];
        Arrays.fill(told, "");
        Arrays.fill(nextNs, System.nanoTime());
    }

    /** Checks all ports and prints what has changed. */
    void tell(final long nowNs) {
        for (int port = 0; port < told.length; port++) {
            if (ports.get(port).port() instanceof final PeeredPort peered && nowNs - nextNs[port] >= 0
                && !peered.news().equals(told[port])) {
                told[port] = peered.news();
                nextNs[port] = nowNs + SECOND_NS;
                err.println("skerry: live: port " + ports.get(port).choice() + ": "
                    + told[port].replaceAll("\\p{Cntrl}+", " "));
                err.flush();
            }
        }
    }
}
