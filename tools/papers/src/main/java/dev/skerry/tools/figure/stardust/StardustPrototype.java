package dev.skerry.tools.figure.stardust;

import static dev.skerry.tools.resources.PrototypeBus.NDP;
import static dev.skerry.tools.resources.PrototypeBus.PACKED;
import static dev.skerry.tools.resources.PrototypeBus.REFERENCE;
import static dev.skerry.tools.resources.PrototypeBus.UNPACKED;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.CycleModel;

import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** The prototype by its clocks: Stardust Figure 8a (docs/spec/stardust.md §10 row 4). */
public final class StardustPrototype {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig8a", "Figure 8a",
        "throughput of the NetFPGA prototype by packet size, cycle by cycle", 0.01, 0.01, StardustPrototype::measure);

    /** What Figure 8 compares, NDP's switch aside. */
    static final String[] DESIGNS = {"Stardust", "Reference Switch", "Stardust, cells not packed"};
    private static final double SLOW_HZ = 150e6;
    private static final double FAST_HZ = 200e6;
    /** So slow that neither fills the line. */
    private static final CycleModel NARROW = CycleModel.prototype(20e6);
    private static final int LEAST = 64;
    private static final int MOST = 1518;

    private StardustPrototype() {
    }

    private static Findings measure(final Effort effort) {
        final CycleModel slow = CycleModel.prototype(SLOW_HZ);
        final CycleModel fast = CycleModel.prototype(FAST_HZ);
        final Findings found = new Findings();
        found.exactly("packed at 150 MHz, 64 B, share of the line rate", 1, PACKED.share(slow, LEAST));
        found.exactly("packed at 150 MHz, 65 B", 1, PACKED.share(slow, 65));
        found.reported("packed at 150 MHz, least of 64 to 1518 B", "1", least(bytes -> PACKED.share(slow, bytes)));
        found.atLeast("packed over reference switch, least of 64 to 1518 B", "1 at least", 1,
            least(bytes -> PACKED.share(slow, bytes) / REFERENCE.share(slow, bytes)));
        found.within("reference switch at 150 MHz, 65 B", 0.850, 0.001, REFERENCE.share(slow, 65));
        found.within("reference switch carries 65 B from, MHz", 176.5, 0.1, slow.referenceClockHz(65) / 1e6);
        found.exactly("reference switch at 180 MHz, 65 B", 1, REFERENCE.share(CycleModel.prototype(180e6), 65));
        found.within("NDP switch at 150 MHz, 97 B", 0.702, 0.001, NDP.share(slow, 97));
        found.within("NDP switch at 150 MHz, 65 B", 0.64, 0.005, NDP.share(slow, 65));
        found.within("NDP switch at 200 MHz, 65 B", 0.850, 0.001, NDP.share(fast, 65));
        found.within("NDP switch at 200 MHz, 97 B", 0.936, 0.001, NDP.share(fast, 97));
        found.within("NDP switch at 200 MHz, 129 B", 0.993, 0.001, NDP.share(fast, 129));
        found.within("unpacked over packed, 65 B", 0.508, 0.001,
            UNPACKED.share(NARROW, 65) / PACKED.share(NARROW, 65));
        found.within("packets of 64 B on the line, M a second", 59.52, 0.01, slow.linePackets(LEAST) / 1e6);
        return found.add(new Plot("share", "Throughput by packet size at 150 MHz", "packet size (B)",
            "share of the line rate")
            .add(DESIGNS[0], Plot.Style.LINE, sizes(b -> b), sizes(b -> PACKED.share(slow, b)))
            .add(DESIGNS[1], Plot.Style.LINE, sizes(b -> b), sizes(b -> REFERENCE.share(slow, b)))
            .add("NDP switch", Plot.Style.LINE, sizes(b -> b), sizes(b -> NDP.share(slow, b)))
            .add(DESIGNS[2], Plot.Style.LINE, sizes(b -> b), sizes(b -> UNPACKED.share(slow, b))))
            .remark("The bus is stepped clock by clock while the line is full: 32 B at 150 MHz are 38.4 Gb/s, so "
                + "from 481 B on nothing on that bus carries all of 40 Gb/s. The printed 30 % by which NDP falls "
                + "behind is 36 % at 150 MHz.");
    }

    private static double least(final IntToDoubleFunction value) {
        return IntStream.rangeClosed(LEAST, MOST).mapToDouble(value).min().orElseThrow();
    }

    private static double[] sizes(final IntToDoubleFunction value) {
        return IntStream.rangeClosed(LEAST, MOST).mapToDouble(value).toArray();
    }
}
