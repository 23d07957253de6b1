package dev.skerry.nic.engine;

import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;

/**
 * How lock step goes from meeting to meeting. It decides the slot in which a run ends, so every lock step of a fabric
 * has the same.
 *
 * @param apart whether each bank goes through a stride by itself, as it sees nothing that is sent in it.
 * @param slots between two meetings, at least 1.
 */
record Strides(boolean apart, long slots) {
    /** Slots per stride when workers also meet in every slot. */
    private static final int LOOK_SLOTS = 16;

    static Strides of(final FabricParts parts, final Traffic traffic, final boolean check) {
        final int propagation = parts.fabric().propagationSlots();
        final boolean apart = !check && propagation > 1 && !parts.meetsInEverySlot();
        // Otherwise banks share more than the link, or edges bring cells in every slot.
        final boolean linkAlone = propagation != 1 && !check && traffic.edges() == null
            && traffic.faults() == Faults.NONE && !parts.resends(traffic);
        return new Strides(apart, apart ? propagation : linkAlone ? LOOK_SLOTS : 1);
    }
}
