package dev.skerry.tools.live;

import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.tools.port.generator.GeneratorPort;
import dev.skerry.tools.port.generator.GeneratorReport;
import org.HdrHistogram.Histogram;

import java.util.List;

/**
 * What came of it.
 *
 * @param headline  fabric and engine.
 * @param ports     as they were given.
 * @param edges     with all counters.
 * @param seconds   from the first slot to the last.
 * @param slots     gone by.
 * @param cells     delivered.
 * @param lost      cells the fabric lost, under its own names.
 * @param held      packets still held.
 * @param violation the law that is broken, empty if none is.
 */
record LiveResult(String headline, List<PortChoice> ports, PacketEdges edges, double seconds, long slots, long cells,
    long lost, long held, String violation) {
    private static final int DIGITS = 3;

    /** From being taken from a port to being handed to this one, in ns. */
    Histogram latencyNs(final int port) {
        return histogram(edges.latencyNs(port));
    }

    /** The same of all ports. */
    Histogram latencyNs() {
        final Histogram all = new Histogram(DIGITS);
        for (int port = 0; port < edges.ports(); port++) {
            all.add(latencyNs(port));
        }
        return all;
    }

    /** What a generator saw; null for other ports. */
    GeneratorReport generator(final int port) {
        return edges.port(port).port() instanceof final FinitePortGuard guard
            && guard.port() instanceof final GeneratorPort generator ? generator.report() : null;
    }

    private static Histogram histogram(final SlotHistogram counted) {
        final Histogram histogram = new Histogram(DIGITS);
        counted.forEach(histogram::recordValueWithCount);
        return histogram;
    }
}
