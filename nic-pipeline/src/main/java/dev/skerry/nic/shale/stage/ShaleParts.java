package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.CacheLines;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.shale.LinkFailureAdmission;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TokenAudit;

import java.lang.foreign.Arena;

/**
 * What an engine asks Shale for.
 *
 * @param fabric the fabric.
 */
public record ShaleParts(Shale fabric) implements FabricParts {
    /** With hop-by-hop, as the description of the package counts them. */
    static final CacheLines CACHE_LINES = new CacheLines(61, 32);

    @Override
    public void check(final Traffic traffic) {
        if (traffic.flows().classes() > 1) {
            throw new IllegalArgumentException("only Shoal has traffic classes: classes="
                + traffic.flows().classes());
        }
    }

    @Override
    public boolean resends(final Traffic traffic) {
        return false;
    }

    @Override
    public long bytes(final Traffic traffic, final int window) {
        return ShaleBank.bytes(fabric, fabric.nodes(), traffic.flows().size())
            + (traffic.mayFail() ? LinkFailureAdmission.bytes(fabric, fabric.nodes()) : 0);
    }

    @Override
    public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
        return (range, ends) -> new ShaleBank(arena, range, fabric, traffic.faults(), ends);
    }

    @Override
    public ArrivalMap scheduled(final InFlightCells link) {
        return new PhasedArrivals(fabric.schedule(), link);
    }

    @Override
    public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
        if (!fabric.control().hopByHop()) {
            return slot -> { };
        }
        final TokenAudit audit = new TokenAudit(fabric, link);
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

    @Override
    public NodeProbes probes(final Bank bank, final int node) {
        return new ShaleNodeProbes((ShaleBank) bank, fabric, node);
    }

    @Override
    public CacheLines cacheLines() {
        return CACHE_LINES;
    }
}
