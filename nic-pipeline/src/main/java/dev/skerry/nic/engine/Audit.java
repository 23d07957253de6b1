package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.flow.NodeRange;

/**
 * Checks the laws of a whole fabric between slots: conservation ({@link CellBalance}, docs/spec/shale.md §5.5 I4), then
 * the laws of the fabric itself. One thread, while no other touches the fabric.
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
        return balance(slot).conserved();
    }

    /** Where the cells of its banks are after a slot; those in flight count at the bank that sent them. */
    CellBalance balance(final long slot) {
        CellBalance sum = CellBalance.NOTHING;
        for (final Bank bank : banks) {
            sum = sum.plus(new CellBalance(bank.count(NicCounter.CELLS_INJECTED),
                bank.count(NicCounter.CELLS_RESENT) + bank.count(NicCounter.CELLS_RETRANSMITTED),
                bank.count(NicCounter.CELLS_RETURNED) + bank.count(NicCounter.CELLS_TRIMMED),
                bank.count(NicCounter.CELLS_DELIVERED), bank.dropped(),
                queued(bank) + bank.underWay() + inFlight(bank.range(), slot)));
        }
        return sum;
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

    /** Cells that some nodes have sent in the last P slots, which no node has handled yet. */
    private long inFlight(final NodeRange senders, final long slot) {
        long cells = 0;
        for (long sent = Math.max(0, slot - fabric.propagationSlots() + 1); sent <= slot; sent++) {
            for (int channel = 0; channel < fabric.channels(); channel++) {
                final long row = link.offset(sent)
                    + (long) channel * fabric.nodes() * InFlightCells.PLACE_BYTES;
                for (int node = senders.first(); node < senders.end(); node++) {
                    if (InFlightCells.isCell(link.route(row + (long) node * InFlightCells.PLACE_BYTES))) {
                        cells++;
                    }
                }
            }
        }
        return cells;
    }

    /**
     * Where the cells of some nodes are, for the law of conservation: cells in = cells out + cells held + named drops.
     * A resent cell counts as in again, a cell returned to its flow, or cut, as out.
     *
     * @param injected  cells that flows have sent.
     * @param resent    cells sent again.
     * @param returned  cells returned to their flows, or cut.
     * @param delivered cells at their destinations.
     * @param dropped   cells lost, over all drop counters.
     * @param held      cells in queues and in flight, counted one by one.
     */
    public record CellBalance(long injected, long resent, long returned, long delivered, long dropped, long held) {
        /** Nothing anywhere. */
        public static final CellBalance NOTHING = new CellBalance(0, 0, 0, 0, 0, 0);

        /** The cells of all nodes of both. */
        public CellBalance plus(final CellBalance other) {
            return new CellBalance(injected + other.injected, resent + other.resent, returned + other.returned,
                delivered + other.delivered, dropped + other.dropped, held + other.held);
        }

        /**
         * Checks the law, for all nodes of a fabric.
         *
         * @return cells held.
         * @throws IllegalStateException if it is broken.
         */
        public long conserved() {
            if (injected + resent != delivered + held + dropped + returned) {
                throw new IllegalStateException("cells are not conserved: injected=" + injected + " resent=" + resent
                    + " delivered=" + delivered + " held=" + held + " dropped=" + dropped + " returned=" + returned);
            }
            return held;
        }
    }
}
