package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.nic.fabric.shale.HopByHop;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shale.TokenAudit;

/**
 * The laws of a whole fabric, checked between slots: cells in = cells out + cells held + named drops (design decision
 * 7, spec/shale §5.5 I4), what is held counted cell by cell, and for hop-by-hop the law of tokens. One thread, while no
 * other touches the fabric.
 */
final class Audit {
    private final Shale shale;
    private final NicBank[] banks;
    private final CellLink link;
    private final TokenAudit tokens;

    Audit(final Shale shale, final NicBank[] banks, final CellLink link) {
        this.shale = shale;
        this.banks = banks;
        this.link = link;
        this.tokens = shale.control().hopByHop() ? new TokenAudit(shale, link) : null;
    }

    /**
     * Checks every law after a slot.
     *
     * @throws IllegalStateException with the law, the slot and the place where it is broken.
     */
    void check(final long slot) {
        try {
            conserve(slot);
            if (tokens != null) {
                tokens.begin();
                for (final NicBank bank : banks) {
                    tokens.see((HopByHop) bank.parts().admission(), bank.parts().queues(), bank.range().first(),
                        bank.range().size());
                }
                tokens.settle(slot);
            }
        } catch (final IllegalStateException broken) {
            throw new IllegalStateException("after slot " + slot + ": " + broken.getMessage(), broken);
        }
    }

    /**
     * Checks the law of conservation after a slot.
     *
     * @return cells held in queues and in flight.
     */
    long conserve(final long slot) {
        long injected = 0;
        long delivered = 0;
        long dropped = 0;
        long queued = 0;
        for (final NicBank bank : banks) {
            injected += bank.count(NicCounter.CELLS_INJECTED);
            delivered += bank.count(NicCounter.CELLS_DELIVERED);
            dropped += bank.count(NicCounter.DROPPED_NO_LINK);
            queued += queued(bank);
        }
        final long held = queued + inFlight(slot);
        if (injected != delivered + held + dropped) {
            throw new IllegalStateException("cells are not conserved: injected=" + injected + " delivered=" + delivered
                + " held=" + held + " dropped=" + dropped);
        }
        return held;
    }

    private long queued(final NicBank bank) {
        final int nodes = bank.range().size();
        long total = 0;
        for (int node = 0; node < nodes; node++) {
            int queued = 0;
            for (int inEpoch = 0; inEpoch < shale.schedule().epochSlots(); inEpoch++) {
                queued += bank.parts().queues().length(inEpoch * nodes + node);
            }
            if (queued != bank.parts().maxima().held(node)) {
                throw new IllegalStateException("queued cells miscounted: node=" + (bank.range().first() + node)
                    + " counted=" + queued + " kept=" + bank.parts().maxima().held(node));
            }
            total += queued;
        }
        return total;
    }

    /** Cells sent and not yet handled: those of the last slots, as many as the propagation delay has. */
    private long inFlight(final long slot) {
        long cells = 0;
        for (long sent = Math.max(0, slot - shale.propagationSlots() + 1); sent <= slot; sent++) {
            for (int id = 0; id < shale.nodes(); id++) {
                if (link.route(link.offset(sent) + (long) id * Long.BYTES) != CellLink.NO_CELL) {
                    cells++;
                }
            }
        }
        return cells;
    }
}
