package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
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
 * @param failures  by port: why it failed, one line; empty if it did not.
 * @param held      packets still held.
 * @param givenUp   whether packets that were held did not arrive and the run did not wait for them any longer.
 * @param violation broken conservation law; empty if all hold.
 */
record LiveResult(String headline, List<PortSeat> ports, PacketEdges edges, double seconds, long slots, long cells,
    Map<NicCounter, Long> counted, double control, LatencyLog latency, List<String> failures, long held,
    boolean givenUp, String violation) {
    private static final int DIGITS = 3;
    private static final int LOST = 1;
    private static final int WRONG_INPUT = 2;

    /** Exit code: 1 if something was not conserved, did not arrive or was not put out, 2 if an input was damaged. */
    int exitCode() {
        boolean isDamaged = false;
        for (int port = 0; port < ports.size(); port++) {
            final PortCounts counts = ports.get(port).counts();
            if (counts.get(PortCounter.TX_FAILED) > 0 || edges.failure(port) != null) {
                return LOST;
            }
            isDamaged |= counts.get(PortCounter.RX_FAILED) > 0;
        }
        return !violation.isEmpty() || givenUp ? LOST : isDamaged ? WRONG_INPUT : 0;
    }

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
