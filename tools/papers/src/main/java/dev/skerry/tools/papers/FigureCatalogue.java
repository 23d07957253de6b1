package dev.skerry.tools.papers;

import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.shale.ShaleBesideOpera;
import dev.skerry.tools.figure.shale.ShaleFailures;
import dev.skerry.tools.figure.shale.ShaleHeavyFlows;
import dev.skerry.tools.figure.shale.ShaleHostMemory;
import dev.skerry.tools.figure.shale.ShaleInterleaving;
import dev.skerry.tools.figure.shale.ShalePrototype;
import dev.skerry.tools.figure.shale.ShaleScale;
import dev.skerry.tools.figure.shale.ShaleShortFlows;
import dev.skerry.tools.figure.shale.ShaleTradeoff;
import dev.skerry.tools.figure.shoal.ShoalArrivals;
import dev.skerry.tools.figure.shoal.ShoalEpochLength;
import dev.skerry.tools.figure.shoal.ShoalFailedNodes;
import dev.skerry.tools.figure.shoal.ShoalFairness;
import dev.skerry.tools.figure.shoal.ShoalIncast;
import dev.skerry.tools.figure.shoal.ShoalLostSlots;
import dev.skerry.tools.figure.shoal.ShoalPrototype;
import dev.skerry.tools.figure.shoal.ShoalRackCost;
import dev.skerry.tools.figure.shoal.ShoalRackFairness;
import dev.skerry.tools.figure.shoal.ShoalRates;
import dev.skerry.tools.figure.shoal.ShoalSchedules;
import dev.skerry.tools.figure.shoal.ShoalSkew;
import dev.skerry.tools.figure.shoal.ShoalYoungFlows;
import dev.skerry.tools.figure.stardust.StardustAbsorption;
import dev.skerry.tools.figure.stardust.StardustBringUp;
import dev.skerry.tools.figure.stardust.StardustCost;
import dev.skerry.tools.figure.stardust.StardustCreditSize;
import dev.skerry.tools.figure.stardust.StardustHealing;
import dev.skerry.tools.figure.stardust.StardustHosts;
import dev.skerry.tools.figure.stardust.StardustIncast;
import dev.skerry.tools.figure.stardust.StardustLatency;
import dev.skerry.tools.figure.stardust.StardustLineRate;
import dev.skerry.tools.figure.stardust.StardustLowLatency;
import dev.skerry.tools.figure.stardust.StardustMix;
import dev.skerry.tools.figure.stardust.StardustOverload;
import dev.skerry.tools.figure.stardust.StardustPacketLatency;
import dev.skerry.tools.figure.stardust.StardustPacking;
import dev.skerry.tools.figure.stardust.StardustPatterns;
import dev.skerry.tools.figure.stardust.StardustPeerIncast;
import dev.skerry.tools.figure.stardust.StardustPeers;
import dev.skerry.tools.figure.stardust.StardustPermutation;
import dev.skerry.tools.figure.stardust.StardustPrototype;
import dev.skerry.tools.figure.stardust.StardustResources;
import dev.skerry.tools.figure.stardust.StardustScaling;
import dev.skerry.tools.figure.stardust.StardustStarvation;
import dev.skerry.tools.figure.stardust.StardustUtilization;
import dev.skerry.tools.figure.stardust.StardustWebFlows;

import java.util.List;
import java.util.Optional;

/** All figures, by paper, in the order they are listed. */
public final class FigureCatalogue {
    /** The figures; each name is there once. */
    public static final List<Figure> ALL = List.of(
        ShoalSchedules.FIGURE,
        ShoalLostSlots.FIGURE,
        ShoalRackCost.FIGURE,
        ShoalRates.FIGURE,
        ShoalIncast.FIGURE,
        ShoalPrototype.FIGURE,
        ShoalFairness.FIGURE,
        ShoalRackFairness.FIGURE,
        ShoalYoungFlows.FIGURE,
        ShoalArrivals.FIGURE,
        ShoalFailedNodes.FIGURE,
        ShoalEpochLength.FIGURE,
        ShoalSkew.FIGURE,
        ShaleTradeoff.FIGURE,
        ShaleBesideOpera.FIGURE,
        ShaleHostMemory.FIGURE,
        ShalePrototype.FIGURE,
        ShaleInterleaving.FIGURE,
        ShaleShortFlows.FIGURE,
        ShaleHeavyFlows.FIGURE,
        ShaleFailures.FIGURE,
        ShaleScale.FIGURE,
        StardustScaling.FIGURE,
        StardustPacking.FIGURE,
        StardustPrototype.FIGURE,
        StardustMix.FIGURE,
        StardustCost.FIGURE,
        StardustResources.FIGURE,
        StardustHealing.FIGURE,
        StardustBringUp.FIGURE,
        StardustStarvation.FIGURE,
        StardustLatency.FIGURE,
        StardustPacketLatency.FIGURE,
        StardustLowLatency.FIGURE,
        StardustUtilization.FIGURE,
        StardustOverload.FIGURE,
        StardustPatterns.FIGURE,
        StardustLineRate.FIGURE,
        StardustCreditSize.FIGURE,
        StardustAbsorption.FIGURE,
        StardustPermutation.FIGURE,
        StardustPeers.FIGURE,
        StardustHosts.FIGURE,
        StardustWebFlows.FIGURE,
        StardustIncast.WITH_TCP,
        StardustPeerIncast.FIGURE,
        StardustIncast.WITHOUT_TRANSPORT);

    private FigureCatalogue() {
    }

    /** The figure of a name. */
    public static Optional<Figure> named(final String name) {
        return ALL.stream().filter(figure -> figure.name().equals(name)).findFirst();
    }
}
