package dev.skerry.tools.papers;

import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.shale.ShaleInterleaving;
import dev.skerry.tools.figure.shale.ShaleMechanisms;
import dev.skerry.tools.figure.shale.ShaleScale;
import dev.skerry.tools.figure.shale.ShaleSmall;
import dev.skerry.tools.figure.shoal.ShoalFairness;
import dev.skerry.tools.figure.shoal.ShoalPareto;
import dev.skerry.tools.figure.shoal.ShoalRackCost;
import dev.skerry.tools.figure.shoal.ShoalRates;
import dev.skerry.tools.figure.shoal.ShoalSchedules;
import dev.skerry.tools.figure.shoal.ShoalYoungFlows;
import dev.skerry.tools.figure.stardust.StardustCredits;
import dev.skerry.tools.figure.stardust.StardustFormulas;
import dev.skerry.tools.figure.stardust.StardustHealing;
import dev.skerry.tools.figure.stardust.StardustIncast;
import dev.skerry.tools.figure.stardust.StardustPermutation;
import dev.skerry.tools.figure.stardust.StardustSingleTier;
import dev.skerry.tools.figure.stardust.StardustUtilization;
import dev.skerry.tools.figure.stardust.StardustWebFlows;

import java.util.List;
import java.util.Optional;

/** All figures, by paper, in the order they are listed. */
public final class FigureCatalogue {
    /** The figures; each name is there once. */
    public static final List<Figure> ALL = List.of(
        ShoalSchedules.FIG3, ShoalSchedules.TABLE1,
        ShoalRackCost.FIGURE,
        ShoalRates.RATES, ShoalRates.INCAST, ShoalRates.PROTOTYPE,
        ShoalFairness.FAIRNESS, ShoalFairness.RACK_FAIRNESS,
        ShoalYoungFlows.FIGURE,
        ShoalPareto.FIG15, ShoalPareto.FIG17, ShoalPareto.EPOCH, ShoalPareto.FIG18,
        ShaleSmall.FIG1, ShaleSmall.FIG4,
        ShaleScale.FIG7,
        ShaleSmall.FIG8,
        ShaleInterleaving.FIGURE,
        ShaleMechanisms.FIG10, ShaleMechanisms.FIG11,
        ShaleScale.FIG12, ShaleScale.FIG13,
        StardustFormulas.SCALING, StardustFormulas.PACKING, StardustFormulas.FIG8A, StardustFormulas.FIG8B,
        StardustFormulas.FIG11, StardustFormulas.RESOURCES,
        StardustHealing.HEALING, StardustHealing.BRING_UP,
        StardustCredits.FIG7,
        StardustUtilization.FIG9_LATENCY,
        StardustSingleTier.LATENCY, StardustSingleTier.LOW_LATENCY,
        StardustUtilization.FIG9_QUEUES, StardustUtilization.FIG9_OVERLOAD, StardustUtilization.PATTERNS,
        StardustSingleTier.LINE_RATE,
        StardustCredits.CREDIT_SIZE,
        StardustIncast.INCAST_BUFFER,
        StardustPermutation.FIG10A, StardustPermutation.FIG10A_PEERS, StardustPermutation.FIG10A_FABRIC,
        StardustWebFlows.FIGURE,
        StardustIncast.WITH_TCP, StardustIncast.FIG10C_PEERS, StardustIncast.WITHOUT_TRANSPORT);

    private FigureCatalogue() {
    }

    /** The figure of a name. */
    public static Optional<Figure> named(final String name) {
        return ALL.stream().filter(figure -> figure.name().equals(name)).findFirst();
    }
}
