package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shale.TokenAudit;
import dev.skerry.nic.fabric.shoal.Shoal;

/** The laws of one fabric, beside the law of conservation that all obey. One thread, between slots. */
@FunctionalInterface
interface FabricLaws {
    /**
     * Checks them after a slot.
     *
     * @throws IllegalStateException with the law and the place where it is broken.
     */
    void check(long slot);

    /** The laws of a fabric. */
    static FabricLaws of(final CircuitFabric fabric, final Bank[] banks, final CellLink link) {
        return switch (fabric) {
            case Shale shale -> shale.control().hopByHop() ? tokens(new TokenAudit(shale, link), banks) : slot -> { };
            case Shoal shoal -> banks[0] instanceof GuardedBank ? new GuardedLaws(shoal, banks, link)
                : new ShoalLaws(shoal, banks, link);
        };
    }

    private static FabricLaws tokens(final TokenAudit audit, final Bank[] banks) {
        return slot -> {
            audit.begin();
            for (final Bank bank : banks) {
                final ShaleBank nics = (ShaleBank) bank;
                audit.see(nics.tokens(), nics.parts().queues(), nics.reach(), nics.range().first(),
                    nics.range().size());
            }
            audit.settle(slot);
        };
    }
}
