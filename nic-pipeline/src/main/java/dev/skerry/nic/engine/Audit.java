package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.FabricParts;

/**
 * Checks the laws of a whole fabric between slots. Conservation: cells in = cells out + cells held + named drops
 * (docs/spec/shale.md §5.5 I4), with held cells counted one by one. A resent cell counts as in again, a cell returned
 * to its flow, or cut, as out. Then the laws of the fabric itself. One thread, while no other touches the fabric.
 */
public final class Audit {
    private final CircuitFabric fabric;
    private final Bank[] banks;
    private final InFlightCells link;
    private final FabricLaws laws;

    public Audit(final FabricParts parts, final Bank[] banks, final InFlightCells link) {
        this.fabric = parts.fabric();
        this.banks = banks;
        this.link = link;
        this.laws = parts.laws(banks, link);
    }

    /**
     * Checks every law after a slot.
     *
     * @throws IllegalStateException with the law, the slot and the place where it is broken.
     */
    public void check(final long slot) {
        try {
            conserve(slot);
            laws.check(slot);
        } catch (final IllegalStateException broken) {
            throw new IllegalStateException("after slot " + slot + ": " + broken.getMessage(), broken);
        }
    }

    /**
     * Checks the law of conservation after a slot.
     *
     * @return cells held in queues and in flight.
     */
    public long conserve(final long slot) {
        long injected = 0;
        long resent = 0;
        long returned = 0;
        long delivered = 0;
        long dropped = 0;
        long queued = 0;
        for (final Bank bank : banks) {
            injected += bank.count(NicCounter.CELLS_INJECTED);
            resent += bank.count(NicCounter.CELLS_RESENT) + bank.count(NicCounter.CELLS_RETRANSMITTED);
            returned += bank.count(NicCounter.CELLS_RETURNED) + bank.count(NicCounter.CELLS_TRIMMED);
            delivered += bank.count(NicCounter.CELLS_DELIVERED);
            dropped += bank.dropped();
            queued += queued(bank) + bank.underWay();
        }
        final long held = queued + inFlight(slot);
        if (injected + resent != delivered + held + dropped + returned) {
            throw new IllegalStateException("cells are not conserved: injected=" + injected + " resent=" + resent
                + " delivered=" + delivered + " held=" + held + " dropped=" + dropped + " returned=" + returned);
        }
        return held;
    }

    private static long queued(final Bank bank) {
        long total = 0;
        for (int node = 0; node < bank.range().size(); node++) {
            final int queued = bank.queued(node);
            if (queued != bank.maxima().held(node)) {
                throw new IllegalStateException("queued cells miscounted: node=" + (bank.range().first() + node)
                    + " counted=" + queued + " kept=" + bank.maxima().held(node));
            }
            total += queued;
        }
        return total;
    }

    /** Cells sent in the last P slots, which no node has handled yet. */
    private long inFlight(final long slot) {
        long cells = 0;
        for (long sent = Math.max(0, slot - fabric.propagationSlots() + 1); sent <= slot; sent++) {
            for (int place = 0; place < fabric.cellsInSlot(); place++) {
                if (InFlightCells.isCell(link.route(link.offset(sent) + (long) place * InFlightCells.PLACE_BYTES))) {
                    cells++;
                }
            }
        }
        return cells;
    }
}
