package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;

import java.util.List;

/**
 * A megabyte from each of 128 adapters at once to one port of 50 Gb/s: what waits at its source is not lost, with 32 MB
 * before the port it is (Stardust §5.4, docs/spec/stardust.md §10 row 15). 64 elements of 128 links in one tier; ports
 * send the payload of cells at 50 Gb/s, links have their headers' share more.
 */
public final class StardustAbsorption {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-incast-buffer", "Section 5.4",
        "1 MB from each of 128 adapters to a port, pulled and pushed", 1.5, 0.3, StardustAbsorption::measure);

    private static final int ADAPTERS = 128;
    private static final int LINKS = 64;
    private static final int CELL_BYTES = 256;
    private static final long BYTES = 1_000_000;
    private static final long BUFFER_BYTES = 32_000_000;
    private static final double GBPS = 50;
    private static final double SLOT_US = CELL_BYTES * Byte.SIZE / GBPS / 1e3;
    private static final int LINK_SLOTS = 13;
    private static final double ROUND_US = (double) ADAPTERS * Credits.USUAL_BYTES * Byte.SIZE / GBPS / 1e3;
    /** Port 0 of the first adapter; the senders are the other ports of all. */
    private static final int PORTS = 2;

    private StardustAbsorption() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final int senders = effort.either(ADAPTERS / 4, ADAPTERS);
        pull(found, senders, effort.part(0, 0.9));
        if (!effort.quick()) {
            push(found, effort.part(0.9, 1));
        }
        return found;
    }

    private static void pull(final Findings found, final int senders, final Effort effort) {
        try (StardustEngine engine = new StardustEngine(pulled(effort.seed()), flows(senders), effort.threads())) {
            final Outcome outcome = StardustRuns.complete(engine, senders, effort);
            final int done = outcome.completedIn().length;
            final double optimum = senders * BYTES * Byte.SIZE / GBPS / 1e3;
            final double last = done < senders ? Double.NaN : (outcome.completedIn()[senders - 1] + 1) * SLOT_US;
            final double first = done < senders ? Double.NaN : (outcome.completedIn()[0] + 1) * SLOT_US;
            double peak = 0;
            for (int adapter = 1; adapter < senders; adapter++) {
                peak = Math.max(peak, engine.maxWaitingAt(adapter) / 1e6);
            }
            found.between("all drained, ms over " + Check.text(optimum / 1e3), "1", 1, 1.01, last / optimum)
                .near("most that an adapter holds for it, MB", 1 - 1.0 / senders, 0.01, peak)
                .atMost("first to last, rounds of credits of " + Check.text(ROUND_US * senders / ADAPTERS)
                    + " us", "3", 3, (last - first) / (ROUND_US * senders / ADAPTERS))
                .exactly("cells and packets dropped", 0, StardustRuns.dropped(engine))
                .exactly("pauses", 0, engine.count(NicCounter.PAUSES));
        }
    }

    /** Adapters send at once what comes in; the elements lose nothing, the port what it has no room for. */
    private static void push(final Findings found, final Effort effort) {
        try (StardustEngine engine = new StardustEngine(pushed(effort.seed()), flows(ADAPTERS), effort.threads())) {
            // All of it is at the port: half as fast as it comes in, as the adapters have twice the links.
            effort.advance(engine::advance, 4 * BYTES / CELL_BYTES);
            engine.checkConserved();
            found.between("pushed through a buffer of 32 MB: MB lost", "94", 0.98 * 94, 1.02 * 94,
                (double) engine.count(NicCounter.PACKETS_LOST) * CELL_BYTES / 1e6);
        }
    }

    private static FlowSet flows(final int senders) {
        final FlowSet flows = new FlowSet();
        for (int adapter = 0; adapter < senders; adapter++) {
            flows.add(adapter, PORTS * adapter + 1, 0, BYTES, (int) (BYTES / CELL_BYTES) + 1, 0);
        }
        return flows;
    }

    private static Stardust pulled(final long seed) {
        return new Stardust(network(), LINK_SLOTS,
            new HostSide(PORTS, PORTS, 1, CELL_BYTES, 1 << 17, 1 << 16, HostModel.PACED),
            new CellCut(1500, CELL_BYTES, true, Packing.CONTINUOUS),
            new Credits(Credits.USUAL_BYTES, 1.02 * CELL_BYTES, 0, 0, 1, true), LinkRules.USUAL, true, seed);
    }

    private static Stardust pushed(final long seed) {
        return new Stardust(network(), LINK_SLOTS,
            new HostSide(PORTS, PORTS, 1, CELL_BYTES, BUFFER_BYTES / 2, BUFFER_BYTES / 4, HostModel.PACED),
            new CellCut(CELL_BYTES, CELL_BYTES, false, Packing.CONTINUOUS), Credits.paced(CELL_BYTES),
            LinkRules.dropping(1 << 20, Spraying.RENEWED), false, seed);
    }

    private static Deployment network() {
        return Deployment.full(new FoldedClos(new FoldedClosConfig(ADAPTERS, LINKS, 1, ADAPTERS, 0, List.of())));
    }
}
