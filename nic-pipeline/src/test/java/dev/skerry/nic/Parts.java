package dev.skerry.nic;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.stage.InterleavedParts;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalParts;

/** The parts of any circuit fabric, for tests that cover several fabrics. */
public final class Parts {
    private Parts() {
    }

    public static FabricParts of(final CircuitFabric fabric) {
        if (fabric instanceof final Interleaved interleaved) {
            return new InterleavedParts(interleaved);
        }
        return fabric instanceof final Shale shale ? new ShaleParts(shale) : new ShoalParts((Shoal) fabric);
    }
}
