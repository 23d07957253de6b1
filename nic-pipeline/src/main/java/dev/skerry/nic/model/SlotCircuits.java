package dev.skerry.nic.model;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.schedule.Schedule;

/** Whether a node has somebody to send to and to receive from in a slot. Where it has not, a link carries nothing. */
record SlotCircuits(CircuitFabric fabric) {
    boolean sends(final int node, final int channel, final long slot) {
        final Schedule schedule = fabric.schedule();
        return fabric.population().present(node)
            && schedule.peerAt(node, channel, schedule.slotInEpoch(slot)) != Schedule.IDLE;
    }

    /** Whether something that was sent in a slot, below 0 for before the first one, comes to a node. */
    boolean receives(final int node, final int channel, final long sentIn) {
        if (sentIn < 0) {
            return false;
        }
        final Schedule schedule = fabric.schedule();
        final int sender = schedule.senderAt(node, channel, schedule.slotInEpoch(sentIn));
        return sender != Schedule.IDLE && fabric.population().present(sender);
    }
}
