package dev.skerry.nic.model;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.Schedule;

/** Whether a node has somebody to send to and to receive from in a slot. Where it has not, a link carries nothing. */
record SlotCircuits(Schedule schedule, Population population) {
    SlotCircuits(final CircuitFabric fabric) {
        this(fabric.schedule(), fabric.population());
    }

    boolean sends(final int node, final int channel, final long slot) {
        return population.present(node)
            && schedule.peerAt(node, channel, schedule.slotInEpoch(slot)) != Schedule.IDLE;
    }

    /** Whether something that was sent in a slot, below 0 for before the first one, comes to a node. */
    boolean receives(final int node, final int channel, final long sentIn) {
        if (sentIn < 0) {
            return false;
        }
        final int sender = schedule.senderAt(node, channel, schedule.slotInEpoch(sentIn));
        return sender != Schedule.IDLE && population.present(sender);
    }
}
