package dev.skerry.nic.model;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.LinkFaults;
import dev.skerry.schedule.Schedule;

/**
 * Links between nodes that are stepped separately ({@link NodeModel}). They lose and damage cells as in a run with the
 * same faults. A test bench passes the cells of each node to {@link #carry} before the neighbour receives them, one
 * propagation delay later. Not thread-safe.
 */
public final class FaultyLinks {
    private final Schedule schedule;
    private final FaultState state;
    private final LinkFaults links;
    private final long readIfDamaged;
    private int inEpoch;

    /**
     * Creates links before slot 0.
     *
     * @param parts  parts of the fabric.
     * @param faults faults of the run.
     */
    public FaultyLinks(final FabricParts parts, final Faults faults) {
        this.schedule = parts.fabric().schedule();
        this.state = faults.state(schedule.nodes());
        this.links = new LinkFaults(state);
        this.readIfDamaged = parts.readIfDamaged();
    }

    /** Advances to a slot in which cells are sent; slots must ascend. */
    public void turnTo(final long slot) {
        state.turnTo(slot);
        inEpoch = schedule.slotInEpoch(slot);
    }

    /**
     * Applies the faults of a slot to the cells that a node sends.
     *
     * @param from sender.
     * @param sent what the sender sent.
     * @param into receives what arrives at the node that each channel leads to, by channel of the sender.
     */
    public void carry(final int from, final NodeCells sent, final NodeCells into) {
        into.set(sent);
        for (int channel = 0; channel < sent.channels(); channel++) {
            final int peer = schedule.peerAt(from, channel, inEpoch);
            final long route = sent.route(channel);
            if (peer == Schedule.IDLE || route == InFlightCells.SILENCE) {
                continue;
            }
            switch (links.fate(from, peer, from, channel, InFlightCells.isCell(route))) {
                case LOST, OUT_OF_WINDOW -> into.setNothing(channel);
                case DAMAGED -> damage(from, channel, sent.feedback(channel), into);
                default -> { }
            }
        }
    }

    /**
     * Damages a cell. The sign of the noise selects the header or the payload; only damage to the header can change the
     * feedback.
     */
    private void damage(final int from, final int channel, final long feedback, final NodeCells into) {
        final long noise = links.noise(from, channel);
        if (readIfDamaged == 0) {
            into.setNothing(channel);
        } else {
            into.set(channel, InFlightCells.DAMAGED, 0, noise < 0 ? feedback ^ noise & readIfDamaged : feedback);
        }
    }
}
