package dev.skerry.nic.fault;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Schedule;

/**
 * What becomes of the cells of a bank on their way, where faults are played: when the bank has written its slot, what
 * gets lost turns into {@link InFlightCells#SILENCE} and what is damaged into {@link InFlightCells#DAMAGED}. A slot
 * later nobody
 * can tell a cell that was cut off from one that was never sent. Which cells are damaged, and which bits of their
 * feedback, follows from the seed, slot, sender and channel alone. One thread, the sender's.
 */
public final class LinkFaultInjector {
    private final NodeRange range;
    private final Schedule schedule;
    private final FaultState state;
    private final InFlightCells link;
    private final long headerBits;
    private long lost;
    private long damaged;
    private long damagedCells;

    /**
     * The way from a bank to everyone.
     *
     * @param range      its nodes.
     * @param schedule   who is connected to whom.
     * @param state      what is faulty; turned by the bank.
     * @param link       what the bank writes.
     * @param headerBits the bits of a feedback word that stand in a header, and can be wrong in a damaged one.
     */
    public LinkFaultInjector(final NodeRange range, final Schedule schedule, final FaultState state,
        final InFlightCells link,
        final long headerBits) {
        this.range = range;
        this.schedule = schedule;
        this.state = state;
        this.link = link;
        this.headerBits = headerBits;
    }

    /** Plays the faults of the slot that the bank has just sent, for which the state was turned. */
    public void afflict(final long slot) {
        if (!state.any()) {
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
        if (state.isLost(id, peer)) {
            lost += InFlightCells.isCell(link.route(at)) ? 1 : 0;
            link.silence(at);
        } else if (state.isDamaged(id, channel)) {
            damaged++;
            damagedCells += InFlightCells.isCell(link.route(at)) ? 1 : 0;
            final long noise = state.noise(id, channel);
            // Of two damaged cells, one is hit in its header and one in its payload.
            link.damage(at, noise < 0 ? noise & headerBits : 0);
        }
    }

    /** Cells of flows that got lost. */
    public long lost() {
        return lost;
    }

    /** Cells that were damaged, those of no flow included. */
    public long damaged() {
        return damaged;
    }

    /** Cells of flows that were damaged. */
    public long damagedCells() {
        return damagedCells;
    }
}
