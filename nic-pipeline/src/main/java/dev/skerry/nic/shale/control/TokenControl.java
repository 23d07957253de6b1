package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.ControlFactory;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.List;

/** Makes hop-by-hop congestion control; its laws are those of tokens (docs/spec/shale.md §5.5). */
final class TokenControl implements ControlFactory {
    @Override
    public CongestionControl begin(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
        return new HopByHop(arena, shale, nodes, pool);
    }

    @Override
    public boolean takesRegisters() {
        return true;
    }

    @Override
    public long bytes(final Shale shale, final int nodes) {
        return HopByHop.bytes(shale, nodes);
    }

    @Override
    public FabricLaws laws(final Shale shale, final List<BankState> banks, final InFlightCells link) {
        final TokenAudit audit = new TokenAudit(shale, link);
        return slot -> {
            audit.begin();
            for (final BankState bank : banks) {
                audit.see((HopByHop) bank.control(), bank.queues(), bank.reach(), bank.range().first(),
                    bank.range().size());
            }
            audit.settle(slot);
        };
    }
}
