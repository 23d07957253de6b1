package dev.skerry.nic;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.stage.InterleavedParts;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalParts;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;

/** Circuit fabrics for tests, and the parts of any. */
public final class Parts {
    private Parts() {
    }

    /** Shoal over the plain schedule, by its exact rule. */
    public static Shoal shoal(final int nodes, final int channels, final int propagation) {
        return shoal(RoundRobin.plain(nodes, channels), propagation);
    }

    /** Shoal by its exact rule. */
    public static Shoal shoal(final RoundRobin schedule, final int propagation) {
        return Shoal.of(schedule, ReleaseRule.EXACT, true, propagation);
    }

    /** The plain schedule for "PLAIN", else the one that the delay rearranges. */
    public static RoundRobin schedule(final String arrangement, final int nodes, final int channels,
        final int propagation) {
        return arrangement.equals("PLAIN") ? RoundRobin.plain(nodes, channels)
            : RoundRobin.rearranged(nodes, channels, propagation);
    }

    /** Shale without failed nodes. */
    public static Shale shale(final int h, final int r, final MechanismSet mechanisms, final int firstHopTokens,
        final int propagation, final long seed) {
        final Phased schedule = new Phased(h, r);
        return new Shale(schedule, Population.complete(schedule), mechanisms, 1, firstHopTokens, propagation, seed);
    }

    public static FabricParts of(final CircuitFabric fabric) {
        if (fabric instanceof final Interleaved interleaved) {
            return new InterleavedParts(interleaved);
        }
        return fabric instanceof final Shale shale ? new ShaleParts(shale) : new ShoalParts((Shoal) fabric);
    }
}
