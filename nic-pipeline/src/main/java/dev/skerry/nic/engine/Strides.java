package dev.skerry.nic.engine;

import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;

/**
 * How lock step goes from meeting to meeting, and the slots in which a run without a limit may end.
 *
 * <p>Such a run ends once all cells are settled and all banks are idle. Where nodes exchange and count messages for as
 * long as a run lasts, it ends at a multiple of {@code ends}, so that no counter depends on when the engine noticed.
 *
 * @param apart whether each bank goes through a stride by itself, as it sees nothing that is sent in it.
 * @param slots between two meetings, at least 1.
 * @param ends  slots between two at which a run may end, where banks never become idle: a multiple of every
 *              engine's stride.
 */
record Strides(boolean apart, long slots, long ends) {
    private static final long END_SLOTS = 1024;
    /** Slots per stride when workers also meet in every slot. */
    private static final int LOOK_SLOTS = 16;

    static Strides of(final FabricParts parts, final Traffic traffic, final boolean check) {
        final int propagation = parts.fabric().propagationSlots();
        final boolean apart = !check && propagation > 1 && !parts.meetsInEverySlot();
        // Otherwise banks share more than the link, or edges bring cells in every slot.
        final boolean linkAlone = propagation != 1 && !check && traffic.edges() == null
            && traffic.faults() == Faults.NONE && !parts.resends(traffic);
        final long delay = Math.max(1, propagation);
        return new Strides(apart, apart ? propagation : linkAlone ? LOOK_SLOTS : 1,
            Math.ceilDiv(END_SLOTS, delay) * delay);
    }

    /** Whether a bank lets a run without a limit end before a slot, once all cells are settled. */
    boolean mayEnd(final Bank bank, final long slot) {
        return bank.canIdle() ? bank.isIdle(slot) : slot % ends == 0;
    }
}
