package dev.skerry.tools.live;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.tools.port.generator.GeneratorPort;
import dev.skerry.tools.port.generator.GeneratorReport;
import org.HdrHistogram.Histogram;

import java.util.List;
import java.util.Map;

/**
 * Result of one run of {@code skerry live}.
 *
 * @param headline  fabric and engine.
 * @param ports     ports in the order of the command line.
 * @param edges     edges with all counters.
 * @param seconds   time from the first slot to the last.
 * @param slots     slots executed.
 * @param cells     cells delivered.
 * @param counted   what the fabric counted, by its own names.
 * @param control   share of all links that control messages took; 0 where a fabric has none.
 * @param latency   latencies by second.
 * @param held      packets still held.
 * @param givenUp   whether packets that were held did not arrive and the run did not wait for them any longer.
 * @param violation broken conservation law; empty if all hold.
 */
record LiveResult(String headline, List<PortSeat> ports, PacketEdges edges, double seconds, long slots, long cells,
    Map<NicCounter, Long> counted, double control, LatencyLog latency, long held, boolean givenUp,
    String violation) {
    private static final int DIGITS = 3;

    /** Cells lost, under any name. */
    long lost() {
        return counted.entrySet().stream().filter(count -> count.getKey().isDrop()).mapToLong(Map.Entry::getValue)
            .sum();
    }

    /** Time in ns from receipt at any port to hand-over to this port. */
    Histogram latencyNs(final int port) {
        return latency.sinceStart(port);
    }

    /** Latency in ns over all ports. */
    Histogram latencyNs() {
        final Histogram all = new Histogram(DIGITS);
        for (int port = 0; port < edges.ports(); port++) {
            all.add(latencyNs(port));
        }
        return all;
    }

    /** Report of a port's generator; null for a port of another kind. */
    GeneratorReport generator(final int port) {
        return ports.get(port).port() instanceof final FinitePortGuard guard
            && guard.port() instanceof final GeneratorPort generator ? generator.report() : null;
    }
}
