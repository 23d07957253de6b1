package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;

/**
 * How many cells the links of a Stardust fabric of two tiers carried, and how evenly the links to the same places
 * shared them. One thread.
 */
final class LinkLoads {
    private final StardustEngine engine;
    private final FoldedClos clos;
    private final long[] cells;

    /** Begins to count. */
    LinkLoads(final StardustEngine engine, final FoldedClos clos) {
        this.engine = engine;
        this.clos = clos;
        this.cells = new long[clos.ports()];
        Arrays.setAll(cells, engine::sentInto);
    }

    /** Ends to count. */
    LinkLoads stop() {
        Arrays.setAll(cells, port -> engine.sentInto(port) - cells[port]);
        return this;
    }

    /** The most over the least cells of the links of one adapter, of all adapters the largest. */
    double adapters() {
        return unevenness(0, 0, clos.config().faLinks());
    }

    /** The same of the links up of an element of tier 1. */
    double up() {
        return unevenness(1, clos.config().downLinks(1), clos.config().upLinks());
    }

    /** The same of the links of an element of tier 2 to one pod. */
    double down() {
        final int pods = clos.config().pods().getFirst();
        final int links = clos.config().radix() / pods;
        double most = 0;
        for (int pod = 0; pod < pods; pod++) {
            most = Math.max(most, unevenness(2, pod * links, links));
        }
        return most;
    }

    /** The same of the links to one adapter. */
    double last() {
        double most = 0;
        for (int adapter = 0; adapter < clos.fas(); adapter++) {
            long high = 0;
            long low = Long.MAX_VALUE;
            for (int port = clos.firstPort(adapter); port < clos.firstPort(adapter + 1); port++) {
                high = Math.max(high, cells[clos.peer(port)]);
                low = Math.min(low, cells[clos.peer(port)]);
            }
            most = Math.max(most, (double) high / low);
        }
        return most;
    }

    /** The mean of the last links over the fullest of them. */
    double meanOverMost() {
        double sum = 0;
        long most = 0;
        final int links = clos.firstPort(clos.fas());
        for (int port = 0; port < links; port++) {
            sum += cells[clos.peer(port)];
            most = Math.max(most, cells[clos.peer(port)]);
        }
        return sum / links / most;
    }

    private double unevenness(final int tier, final int from, final int links) {
        double most = 0;
        for (int device = clos.tierStart(tier); device < clos.tierStart(tier + 1); device++) {
            long high = 0;
            long low = Long.MAX_VALUE;
            for (int port = clos.firstPort(device) + from; port < clos.firstPort(device) + from + links; port++) {
                high = Math.max(high, cells[port]);
                low = Math.min(low, cells[port]);
            }
            most = Math.max(most, (double) high / low);
        }
        return most;
    }
}
