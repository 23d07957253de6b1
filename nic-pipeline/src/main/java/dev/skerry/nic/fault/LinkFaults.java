package dev.skerry.nic.fault;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Schedule;

/**
 * Determines and counts the effect of faulty links on each transmission: the common rule of all fabrics. The
 * transmissions that are damaged, and the damage, depend only on the seed, slot, sender and channel. One thread.
 */
public class LinkFaults {
    private final FaultState state;
    private long lost;
    private long outOfWindow;
    private long damaged;
    private long damagedCells;

    /** Fate of a transmission. */
    public enum Fate {
        /** It arrives as it was sent. */
        INTACT,
        /** Nothing arrives. */
        LOST,
        /** Nothing arrives: it crossed the fabric while circuits were changing. */
        OUT_OF_WINDOW,
        /** It arrives and fails a check. */
        DAMAGED
    }

    /**
     * Creates counts of zero.
     *
     * @param state faulty parts; its owner advances it from slot to slot.
     */
    public LinkFaults(final FaultState state) {
        this.state = state;
    }

    /** Whether anything may go wrong in this slot. */
    public boolean any() {
        return state.any();
    }

    /**
     * The fate of one transmission of this slot.
     *
     * @param from    sending node.
     * @param to      node at the other end of the link.
     * @param sender  number of the sending node or port that determines damage.
     * @param channel channel of the sender, 0 if it has only one.
     * @param isCell  whether a cell of a flow is sent; only these count as lost or damaged cells.
     */
    public Fate fate(final int from, final int to, final int sender, final int channel, final boolean isCell) {
        if (state.leavesLinks()) {
            return Fate.INTACT;
        }
        if (state.isLost(from, to)) {
            lost += isCell ? 1 : 0;
            return Fate.LOST;
        }
        if (state.isOutOfWindow(from)) {
            outOfWindow += isCell ? 1 : 0;
            return Fate.OUT_OF_WINDOW;
        }
        if (state.isDamaged(from, to, sender, channel)) {
            damaged++;
            damagedCells += isCell ? 1 : 0;
            return Fate.DAMAGED;
        }
        return Fate.INTACT;
    }

    /**
     * 64 random bits for the transmission of a sender on a channel in this slot, which determine its damage, if any.
     */
    public long noise(final int sender, final int channel) {
        return state.noise(sender, channel);
    }

    /** Cells of flows that were lost. */
    public long lost() {
        return lost;
    }

    /** Cells of flows that were lost because the clock of their sender was off. */
    public long outOfWindow() {
        return outOfWindow;
    }

    /** Damaged transmissions, including idle ones. */
    public long damaged() {
        return damaged;
    }

    /** Cells of flows that were damaged. */
    public long damagedCells() {
        return damagedCells;
    }

    /**
     * Applies {@link LinkFaults} to the transmissions of a bank in a slot: lost transmissions become
     * {@link InFlightCells#SILENCE}, damaged ones {@link InFlightCells#DAMAGED}. One slot later a lost cell is
     * indistinguishable from one that was never sent. One thread, the sender's.
     */
    public static final class LinkFaultInjector extends LinkFaults {
        private final NodeRange range;
        private final Schedule schedule;
        private final InFlightCells link;
        private final long headerBits;
        private final Bytes bytes;

        /** Effect on the bytes of damaged transmissions. */
        @FunctionalInterface
        public interface Bytes {
            /** Does nothing. */
            Bytes NONE = (id, at, wrongBits, noise) -> { };

            /**
             * Called for a damaged transmission while the link still contains it as it was sent.
             *
             * @param id        its sender.
             * @param at        its place on the link.
             * @param wrongBits flipped bits of its feedback word; 0 if there are none.
             * @param noise     64 random bits, negative if its header is damaged and not its payload.
             */
            void hit(int id, long at, long wrongBits, long noise);
        }

        /**
         * Creates the injector for all links from a bank.
         *
         * @param range      its nodes.
         * @param schedule   the connections.
         * @param state      faulty parts; advanced by the bank.
         * @param link       receives what the bank sends.
         * @param headerBits the bits of a feedback word that are in a header, and can be wrong in a damaged one.
         * @param bytes      effect on damaged transmissions.
         */
        public LinkFaultInjector(final NodeRange range, final Schedule schedule, final FaultState state,
            final InFlightCells link, final long headerBits, final Bytes bytes) {
            super(state);
            this.range = range;
            this.schedule = schedule;
            this.link = link;
            this.headerBits = headerBits;
            this.bytes = bytes;
        }

        /** Applies the faults of the slot that the bank has just sent, to which the state was advanced. */
        public void afflict(final long slot) {
            if (!any()) {
                return;
            }
            final int inEpoch = schedule.slotInEpoch(slot);
            for (int channel = 0; channel < schedule.channels(); channel++) {
                long at = link.offset(slot) + ((long) channel * schedule.nodes()
                    + range.first()) * InFlightCells.PLACE_BYTES;
                for (int id = range.first(); id < range.end(); id++) {
                    final int peer = schedule.peerAt(id, channel, inEpoch);
                    if (peer != Schedule.IDLE && link.route(at) != InFlightCells.SILENCE) {
                        afflict(at, id, peer, channel);
                    }
                    at += InFlightCells.PLACE_BYTES;
                }
            }
        }

        private void afflict(final long at, final int id, final int peer, final int channel) {
            switch (fate(id, peer, id, channel, InFlightCells.isCell(link.route(at)))) {
                case LOST, OUT_OF_WINDOW -> link.silence(at);
                case DAMAGED -> {
                    final long noise = noise(id, channel);
                    // Half of the damaged cells are damaged in the header and half in the payload.
                    final long wrongBits = noise < 0 ? noise & headerBits : 0;
                    bytes.hit(id, at, wrongBits, noise);
                    link.damage(at, wrongBits);
                }
                default -> { }
            }
        }
    }
}
