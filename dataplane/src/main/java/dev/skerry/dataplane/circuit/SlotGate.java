package dev.skerry.dataplane.circuit;

/**
 * How far one party of {@link SlotCounts} may go: never further ahead of a neighbour than the delay between them, as
 * what the neighbour sent so long before must be there. Where delays are the same in both directions, a window of twice
 * the delay holds all that is under way: what a slot overwrites, the neighbour has read.
 *
 * <p>Counts that were seen are kept and read again only when they are what holds the party up. One thread.
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
     * @param counts     how far everybody is.
     * @param neighbours the parties that the party gets anything from, or sends anything to; not itself.
     * @param delays     by neighbour, in slots, at least 1: what either sends in slot s is not seen before s + delay.
     */
    public SlotGate(final SlotCounts counts, final int[] neighbours, final int[] delays) {
        if (neighbours.length == 0 || neighbours.length != delays.length) {
            throw new IllegalArgumentException("a party has neighbours, and a delay to each: neighbours="
                + neighbours.length + " delays=" + delays.length);
        }
        for (int i = 0; i < neighbours.length; i++) {
            if (delays[i] < 1 || neighbours[i] < 0 || neighbours[i] >= counts.parties()) {
                throw new IllegalArgumentException("no such neighbour or delay: neighbour=" + neighbours[i]
                    + " delay=" + delays[i] + " parties=" + counts.parties());
            }
        }
        this.counts = counts;
        this.neighbours = neighbours.clone();
        this.delays = delays.clone();
        this.seen = new long[neighbours.length];
    }

    /** Whether the party may do a slot. Slots come in order; never waits. */
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
