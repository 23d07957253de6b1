package dev.skerry.nic.stardust;

import dev.skerry.nic.stardust.fabric.Stardust;

import java.util.Arrays;

/**
 * What banks of adapters had done before some slots, the multiples of the propagation delay, for those who run apart:
 * by it all of them find the same end (see {@link RunEnd}). An entry is its bank's to write before it says that it has
 * done the slot before, and everybody's to read {@link RunEnd#lagSlots} later.
 */
final class ProgressLog {
    private final long[][] settled;
    private final long[][] moves;
    private final int stride;

    /** Slot 0. */
    ProgressLog(final Stardust fabric, final int banks) {
        this.stride = fabric.linkSlots();
        // Who reads is that late, and who writes at most as far ahead of him.
        final int rows = 2 * RunEnd.lagSlots(fabric) / stride + 1;
        this.settled = new long[rows][banks];
        this.moves = new long[rows][banks];
    }

    /** Slots from one to the next. */
    int stride() {
        return stride;
    }

    /** A bank has done all slots before one. */
    void post(final int number, final long slot, final StardustBank bank) {
        settled[row(slot)][number] = bank.tally().settled();
        moves[row(slot)][number] = bank.moves();
    }

    /** Flows that were complete, or could never be, before a slot. */
    long settled(final long slot) {
        return Arrays.stream(settled[row(slot)]).sum();
    }

    /** What had moved before a slot. */
    long moves(final long slot) {
        return Arrays.stream(moves[row(slot)]).sum();
    }

    private int row(final long slot) {
        return (int) (slot / stride % settled.length);
    }
}
