package dev.skerry.tools;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.stage.ShoalParts;

/** The parts that engines and models need of a circuit fabric: the one place that knows every such fabric. */
public final class CircuitParts {
    private CircuitParts() {
    }

    /** Those of a fabric. */
    public static FabricParts of(final CircuitFabric fabric) {
        return switch (fabric) {
            case final Shale shale -> new ShaleParts(shale);
            case final Shoal shoal -> new ShoalParts(shoal);
            default -> throw new IllegalArgumentException("no parts of this fabric: fabric=" + fabric);
        };
    }
}
