package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Schedule;

/**
 * Counts the dummies of a bank in which something can fail, place by place; elsewhere turns less cells tell. An engine
 * goes on for a while after the slot that it reports as its last, so the newest slots are kept one by one. One thread.
 */
final class ShoalDummies {
    /** Slots kept one by one: more than an engine goes on without a look whether all is done. */
    private static final int KEPT = 1 << 18;

    private final NodeRange range;
    private final Schedule schedule;
    private final InFlightCells link;
    private final int[] inSlot = new int[KEPT];
    private long sent;
    private long slots;

    ShoalDummies(final NodeRange range, final Schedule schedule, final InFlightCells link) {
        this.range = range;
        this.schedule = schedule;
        this.link = link;
    }

    /** Counts those of a slot, before anything is done to them. */
    void count(final long slot) {
        int now = 0;
        for (int channel = 0; channel < schedule.channels(); channel++) {
            long at = link.offset(slot)
                + ((long) channel * schedule.nodes() + range.first()) * InFlightCells.PLACE_BYTES;
            for (int node = 0; node < range.size(); node++) {
                now += link.route(at) == InFlightCells.NO_CELL && link.feedback(at) != InFlightCells.NO_FEEDBACK
                    ? 1 : 0;
                at += InFlightCells.PLACE_BYTES;
            }
        }
        inSlot[(int) slot & KEPT - 1] = now;
        sent += now;
        slots = slot + 1;
    }

    /** Turns of the first slots in which nodes sent a header only; -1 if that is no longer known. */
    long sent(final long firstSlots) {
        long of = sent;
        for (long slot = firstSlots; slot < slots && slots - firstSlots <= KEPT; slot++) {
            of -= inSlot[(int) slot & KEPT - 1];
        }
        return slots - firstSlots <= KEPT ? of : -1;
    }
}
