package dev.skerry.dataplane.circuit;

import dev.skerry.schedule.check.Bounds;

/**
 * How far one party of {@link SlotCounts} may go: never further ahead of a neighbour than the delay between them,
 * because what the neighbour sent one delay ago must be complete. With equal delays in both directions a window of
 * twice the delay holds everything in flight: the neighbour has read what a slot overwrites.
 *
 * <p>Counts are cached and read again only when they hold the party up. One thread, the party's.
 */
public final class SlotGate {
    private final SlotCounts counts;
    private final int[] neighbours;
    private final int[] delays;
    private final long[] seen;
    private long until;

    /**
     * A gate before slot 0.
     *
     * @param counts     of all parties.
     * @param neighbours parties that this party receives from or sends to, at least one; not itself.
     * @param delays     by neighbour, in slots, at least 1: what either sends in slot s is seen in s + delay or later.
     * @throws IllegalArgumentException if a neighbour or a delay is out of range.
     */
    public SlotGate(final SlotCounts counts, final int[] neighbours, final int[] delays) {
        Bounds.refuseIf(neighbours.length == 0 || neighbours.length != delays.length,
            "a party has neighbours, and a delay to each: neighbours=", neighbours.length, " delays=", delays.length);
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

    /** Whether the party may do a slot. Slots are asked for in ascending order. Never waits. */
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
