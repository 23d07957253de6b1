package dev.skerry.tools.figure.shoal;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.ShoalCost;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Cost and power of a rack of 512 nodes beside those of a packet-switched one: Shoal §5, Figure 11. Power follows from
 * the printed power of parts; of the printed prices one fixes what NICs cost, and the others are checked
 * (docs/spec/shoal.md §8).
 */
public final class ShoalRackCost {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-fig11", "Figure 11, section 5",
        "cost and power of a rack of 512 nodes by the price of circuit switches", 0.01, 0.01, ShoalRackCost::measure);

    private static final int STEPS = 61;

    private ShoalRackCost() {
    }

    private static Findings measure(final Effort effort) {
        final ShoalCost rack = ShoalCost.PAPER;
        final double[] price = IntStream.range(0, STEPS).mapToDouble(step -> step / 100.0).toArray();
        return new Findings()
            .exactly("packet switches of 64 ports", 24, rack.packetSwitches())
            .exactly("circuit switches of 64 ports", 48, rack.circuitSwitches())
            .near("power of the packet-switched rack, kW", 8.72, 0.001, rack.packetW() / 1e3)
            .near("power of Shoal, kW", 2.55, 0.002, rack.shoalW() / 1e3)
            .within("  saved, %", 71, 0.5, 100 * rack.savedPower())
            .within("price of a circuit switch for the same cost, NICs 2x, %", 41.6, 0.1,
                100 * ShoalCost.switchRatio(1, 2))
            .within("  for 40 % less, NICs 2x, %", 18.3, 0.1, 100 * ShoalCost.switchRatio(0.6, 2))
            .within("  for 40 % less, NICs 3x, %", 9.6, 0.5, 100 * ShoalCost.switchRatio(0.6, 3))
            .within("area of a circuit switch, % of a packet switch", 15, 0.01, 100 * ShoalCost.area(0.5, 0.2, 0.3))
            .add(new Plot("cost", "Cost of Shoal over that of the packet-switched rack",
                "price of a circuit switch over that of a packet switch", "relative cost")
                .add("NICs 2x", Plot.Style.LINE, price, Arrays.stream(price).map(x -> ShoalCost.cost(x, 2)).toArray())
                .add("NICs 3x", Plot.Style.LINE, price, Arrays.stream(price).map(x -> ShoalCost.cost(x, 3)).toArray())
                .addBound("packet-switched rack", price, 1))
            .remark("What NICs cost in that of switches, 1/6, is not printed: it is what makes 33.3 % of NICs 3x.");
    }
}
