package dev.skerry.tools.run;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.stage.InterleavedParts;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.stage.ShoalParts;

/** The parts that engines and models need of a circuit fabric: the one place that knows every such fabric. */
public final class CircuitParts {
    private CircuitParts() {
    }

    /** The parts of a fabric. Every run comes by here, and a switch over types takes 5 ms to link. */
    public static FabricParts of(final CircuitFabric fabric) {
        if (fabric instanceof final Shale shale) {
            return new ShaleParts(shale);
        }
        if (fabric instanceof final Interleaved interleaved) {
            return new InterleavedParts(interleaved);
        }
        if (fabric instanceof final Shoal shoal) {
            return new ShoalParts(shoal);
        }
        throw unknown(fabric);
    }

    /** The same; with the rule of its authors' simulator, Shoal counts parked cells as that does. */
    static FabricParts counting(final CircuitFabric fabric) {
        return fabric instanceof final Shoal shoal && shoal.rule() == ReleaseRule.AUTHORS_SIMULATOR
            ? new ShoalParts(shoal, true) : of(fabric);
    }

    /** The same; they count the longest queue of every link too, if the fabric has that. */
    static FabricParts byLink(final CircuitFabric fabric) {
        return fabric instanceof final Shale shale ? new ShaleParts(shale, true) : counting(fabric);
    }

    /** The error for a fabric that is not listed here. */
    public static IllegalArgumentException unknown(final Fabric fabric) {
        return new IllegalArgumentException("the tools do not know this fabric: fabric=" + fabric);
    }
}
