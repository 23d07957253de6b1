package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;

import java.util.List;

/**
 * Pushing against pulling: three edge devices, two in the middle, hosts 0 and 2 send to port A, host 1 to port B:
 * Stardust Figures 7 and 12 (docs/spec/stardust.md §7, §10 row 3).
 */
public final class StardustStarvation {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig7", "Figures 7, 12",
        "what a port gets beside one that is overloaded, pushed and pulled", 0.1, 0.1, StardustStarvation::measure);

    private static final FoldedClosConfig THREE = new FoldedClosConfig(3, 2, 1, 3, 0, List.of());
    private static final int A = 4;
    private static final int B = 5;
    private static final int BYTES = 512;
    private static final double SPEED_UP = 1.1;
    private static final CellCut CUT = new CellCut(BYTES, BYTES, false, Packing.CONTINUOUS);

    private StardustStarvation() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final int slots = effort.either(60_000, 600_000);
        for (int classes = 1; classes <= 2; classes++) {
            final String of = classes == 1 ? "" : ", A's traffic of the higher class";
            try (StardustEngine engine = run(push(classes, effort), classes, slots, effort)) {
                found.within("push" + of + ": A, % of the port", 100, 1, rate(engine, A, BYTES, slots));
                found.within("push" + of + ": B, % of the port", classes == 1 ? 66.7 : 0, 1,
                    rate(engine, B, BYTES, slots));
            }
            effort.done(classes / 2.0 - 0.25);
            final double port = BYTES / SPEED_UP;
            try (StardustEngine engine = run(pull(classes, port, effort), classes, slots, effort)) {
                found.within("pull" + of + ": A, % of the port", 100, 1, rate(engine, A, port, slots));
                found.within("pull" + of + ": B, % of the port", 100, 1, rate(engine, B, port, slots));
                found.exactly("pull" + of + ": cells dropped", 0, StardustRuns.dropped(engine));
                found.exactly("pull" + of + ": pauses", 0, engine.count(NicCounter.PAUSES));
            }
            effort.done(classes / 2.0);
        }
        return found;
    }

    private static Stardust push(final int classes, final Effort effort) {
        return new Stardust(Deployment.full(new FoldedClos(THREE)), 2,
            new HostSide(2, 2, classes, BYTES, 1 << 16, 1 << 15, true), CUT, Credits.paced(BYTES).of(BYTES),
            LinkRules.dropping(LinkRules.USUAL.limitCells(), Spraying.RENEWED), false, effort.seed());
    }

    private static Stardust pull(final int classes, final double port, final Effort effort) {
        return new Stardust(Deployment.full(new FoldedClos(THREE)), 2,
            new HostSide(2, 2, classes, port, 1 << 17, 1 << 16, true), CUT,
            new Credits(Credits.USUAL_BYTES, 1.02 * port, 0, 0, 1, true), LinkRules.USUAL, true, effort.seed());
    }

    private static StardustEngine run(final Stardust fabric, final int classes, final int slots, final Effort effort) {
        final FlowSet flows = new FlowSet();
        final int[][] pairs = {{0, A}, {1, B}, {2, A}};
        for (final int[] pair : pairs) {
            CircuitRuns.endless(flows, pair[0], pair[1]);
            flows.setClass(pair[1] == A ? 0 : classes - 1);
        }
        final StardustEngine engine = new StardustEngine(fabric, flows, effort.threads());
        engine.advance(slots);
        engine.checkConserved();
        return engine;
    }

    private static double rate(final StardustEngine engine, final int port, final double bytesPerSlot,
        final int slots) {
        return 100 * engine.bytesTo(port) / bytesPerSlot / slots;
    }
}
