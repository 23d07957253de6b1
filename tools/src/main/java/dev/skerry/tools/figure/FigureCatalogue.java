package dev.skerry.tools.figure;

import java.util.List;
import java.util.Optional;

/** All figures, by paper, in the order they are listed. */
public final class FigureCatalogue {
    /** The figures; each name is there once. */
    public static final List<Figure> ALL = List.of(
        new ShoalRates(),
        new ShoalIncast(),
        new ShoalFairness(),
        new ShoalArrivals(),
        new ShaleTradeoff(),
        new ShalePrototype(),
        new ShaleShortFlows(),
        new ShaleHeavyFlows(),
        new ShaleFailures(),
        new ShaleScale(),
        new StardustScaling(),
        new StardustPacking(),
        new StardustPrototype(),
        new StardustMix(),
        new StardustCost(),
        new StardustResources(),
        new StardustHealing(),
        new StardustStarvation(),
        new StardustLatency(),
        new StardustUtilization(),
        new StardustOverload(),
        new StardustPatterns(),
        new StardustLineRate(),
        new StardustCreditSize(),
        new StardustAbsorption(),
        new StardustPermutation(),
        new StardustHosts(),
        new StardustWebFlows(),
        StardustIncast.withTcp(),
        StardustIncast.withoutTransport());

    private FigureCatalogue() {
    }

    /** The figure of a name. */
    public static Optional<Figure> named(final String name) {
        return ALL.stream().filter(figure -> figure.about().name().equals(name)).findFirst();
    }
}
