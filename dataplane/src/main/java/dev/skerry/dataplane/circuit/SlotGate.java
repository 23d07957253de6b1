package dev.skerry.dataplane.circuit;

import dev.skerry.schedule.check.Bounds;

/**
 * Limits how far one party of {@link SlotCounts} may run ahead of each neighbour: at most by the delay between them,
 * because everything that the neighbour sent one delay ago must be complete. With equal delays in both directions a
 * window of twice the delay holds everything in flight: the neighbour has already read the slot that is overwritten.
 *
 * <p>Counts are cached and re-read only when they block the party. One thread, the party's.
 */
public final class SlotGate {
    private final SlotCounts counts;
    private final int[] neighbours;
    private final int[] delays;
    private final long[] seen;
    private long until;

    /**
     * Creates a gate before slot 0.
     *
     * @param counts     counts of all parties.
     * @param neighbours parties from which this party receives or to which it sends, at least one; not itself.
     * @param delays     delay to each neighbour in slots, at least 1: what either sends in slot s is seen in s + delay
     *                   or later.
     * @throws IllegalArgumentException if a neighbour or a delay is out of range.
     */
    public SlotGate(final SlotCounts counts, final int[] neighbours, final int[] delays) {
        Bounds.refuseIf(neighbours.length == 0 || neighbours.length != delays.length,
            "a party needs neighbours, and a delay to each: neighbours=", neighbours.length, " delays=", delays.length);
        for (int i = 0; i < neighbours.length; i++) {
            Bounds.refuseIf(delays[i] < 1 || neighbours[i] < 0 || neighbours[i] >= counts.parties(),
                "no such neighbour or delay: neighbour=", neighbours[i], " delay=", delays[i], " parties=",
                counts.parties());
        }
        this.counts = counts;
        this.neighbours = neighbours.clone();
        this.delays = delays.clone();
        this.seen = new long[neighbours.length];
    }

    /** Whether the party may process a slot. Slots must be queried in ascending order. Never waits. */
    public boolean isOpen(final long slot) {
        return slot < until || look(slot);
    }

    private boolean look(final long slot) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < neighbours.length; i++) {
            if (seen[i] + delays[i] <= slot) {
                seen[i] = counts.slots(neighbours[i]);
                if (seen[i] + delays[i] <= slot) {
                    return false;
                }
            }
            least = Math.min(least, seen[i] + delays[i]);
        }
        until = least;
        return true;
    }
}
