package dev.skerry.nic.shale;

import dev.skerry.dataplane.circuit.InFlightCells;

/**
 * The route word of a Shale cell: the content of its header, and what a queue entry must store about the previous hop.
 *
 * <pre>
 *   bit 63            41 40         27  26   25   23 22                 3 2    0
 *      +----------------+-------------+-----+-------+--------------------+------+
 *      | sent slot      | owed link   |final| came n|    destination     |  n   |
 *      +----------------+-------------+-----+-------+--------------------+------+
 *                                                   +-- the bucket (d, n) -----+
 * </pre>
 *
 * In flight, n is the number of spraying hops left after arrival; in a queue it is that number for the next hop, so
 * that the low 23 bits are always the bucket of the cell at the node to which it goes (docs/spec/shale.md §1).
 * {@code came n} is n at the node that holds the cell; {@code owed link} is the position in the epoch of the link back
 * to the previous hop, which is owed the token of {@code <d, came n>}. {@code sent slot} is the slot in which the
 * source sent the cell, modulo 2^23. The fields between are zero in flight. If the previous hop receives no token,
 * because the link to it has failed (docs/spec/shale.md §8.3), {@code owed link} is all ones.
 */
public final class Route {
    /** Mark used with faults: nothing arrives, not even an idle cell. */
    public static final long SILENCE = InFlightCells.SILENCE;
    /** Mark used with faults: a probe of a link that is down. */
    public static final long PROBE = InFlightCells.CONTROL;
    /** Number of slots after which the sent field wraps. */
    public static final int SENT_SLOTS = 1 << 23;
    /**
     * Above the maximum number of links of a node, h(r - 1), so that the owed link can represent each of them and none.
     */
    public static final int MAX_LINKS = 1 << 14;

    /** Maximum number of spraying hops left that a bucket can represent. */
    public static final int MAX_SPRAYS = 7;
    /** Value used instead of a bucket plus 1: the cell needs no token. */
    public static final int NO_TOKEN = Integer.MAX_VALUE;

    public static final int DESTINATION_SHIFT = 3;
    private static final int CAME_SHIFT = 23;
    private static final int FINAL_SHIFT = 26;
    private static final int OWED_SHIFT = 27;
    private static final int SENT_SHIFT = 41;
    private static final long BUCKET_MASK = (1L << CAME_SHIFT) - 1;
    private static final long SPRAYS_MASK = MAX_SPRAYS;
    private static final long HELD_MASK = (1L << SENT_SHIFT) - 1 & ~BUCKET_MASK;

    private Route() {
    }

    /** Whether an in-flight word is a cell; the other words begin with 61 ones, which a cell does not. */
    public static boolean isCell(final long word) {
        return InFlightCells.isCell(word);
    }

    /** The bucket of a destination and a number of spraying hops left. */
    public static int bucket(final int destination, final int sprays) {
        return destination << DESTINATION_SHIFT | sprays;
    }

    /** Width of the sprays in the number of a bucket. */
    public static int sprayBits(final int phases) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(phases - 1);
    }

    /** The number of a bucket, dense over destination and sprays. */
    public static int number(final int bucket, final int sprayBits) {
        return bucket >> DESTINATION_SHIFT << sprayBits | bucket & MAX_SPRAYS;
    }

    /** The destination of a bucket. */
    public static int bucketDestination(final int bucket) {
        return bucket >>> DESTINATION_SHIFT;
    }

    /** The word of a cell that leaves its source. */
    public static long first(final int destination, final int sprays, final long slot) {
        return slot << SENT_SHIFT | bucket(destination, sprays);
    }

    /**
     * The word of a cell that joins a queue.
     *
     * @param arrived   its word in flight.
     * @param sprays    spraying hops left after the next hop.
     * @param last      whether the next hop ends at the destination.
     * @param owedLink  position in the epoch of the link back to the previous hop.
     */
    public static long queued(final long arrived, final int sprays, final boolean last, final int owedLink) {
        return queued(arrived, sprays, last ? 1 : 0, owedLink);
    }

    /** The word of a cell that joins a queue; {@code last} is 1 for a last hop, else 0. */
    static long queued(final long arrived, final int sprays, final int last, final int owedLink) {
        return arrived & ~SPRAYS_MASK | sprays | (arrived & SPRAYS_MASK) << CAME_SHIFT
            | (long) last << FINAL_SHIFT | (long) owedLink << OWED_SHIFT;
    }

    /** The word in flight of a cell that leaves a queue. */
    public static long forwarded(final long queued) {
        return queued & ~HELD_MASK;
    }

    /** Destination of the cell. */
    public static int destination(final long route) {
        return (int) (route & BUCKET_MASK) >>> DESTINATION_SHIFT;
    }

    /** The destination of a cell in flight, from the lower half of its word. */
    public static int destination(final int lower) {
        return lower >>> DESTINATION_SHIFT;
    }

    /** {@link #sprays(long)}, from the lower half of a word. */
    public static int sprays(final int lower) {
        return lower & MAX_SPRAYS;
    }

    /** Spraying hops left after the hop to which the word refers. */
    public static int sprays(final long route) {
        return (int) (route & SPRAYS_MASK);
    }

    /** The bucket of the cell at the node to which the word takes it. */
    public static int bucket(final long route) {
        return (int) (route & BUCKET_MASK);
    }

    /** For a queued cell: whether the next hop ends at the destination. */
    public static boolean isFinal(final long queued) {
        return (queued >>> FINAL_SHIFT & 1) != 0;
    }

    /** For a queued cell: the number of tokens that the next hop costs, 0 if it is final, else 1; branch-free. */
    public static int tokens(final long queued) {
        return (int) (~queued >>> FINAL_SHIFT) & 1;
    }

    /** From the lower half of a queued cell's word: the bucket, plus 1, whose token it needs, or {@link #NO_TOKEN}. */
    public static int key(final int lower) {
        final int isFinal = lower << Integer.SIZE - 1 - FINAL_SHIFT >> Integer.SIZE - 1;
        return (lower & (int) BUCKET_MASK) + 1 | isFinal & NO_TOKEN;
    }

    /** For a queued cell: its bucket at the node that holds it, which is the token that it owes. */
    public static int owedBucket(final long queued) {
        return (int) (queued & BUCKET_MASK & ~SPRAYS_MASK) | (int) (queued >>> CAME_SHIFT & SPRAYS_MASK);
    }

    /** For a queued cell: position in the epoch of the link back to its previous hop. */
    public static int owedLink(final long queued) {
        return (int) (queued >>> OWED_SHIFT) & MAX_LINKS - 1;
    }

    /** For a queued cell: the spraying hops left on arrival, 0 if its next hop is a direct one. */
    public static int came(final long queued) {
        return (int) (queued >>> CAME_SHIFT & SPRAYS_MASK);
    }

    /** For a queued cell: whether its previous hop is owed a token. */
    public static boolean owes(final long queued) {
        return owedLink(queued) != MAX_LINKS - 1;
    }

    /** The word of a queued cell whose previous hop has received all that it was owed. */
    static long owingNothing(final long queued) {
        return queued | (long) (MAX_LINKS - 1) << OWED_SHIFT;
    }

    /**
     * The word of a queued cell that moves to another link of its phase; {@code last}: the link ends at the
     * destination.
     */
    static long moved(final long queued, final boolean last) {
        return last ? queued | 1L << FINAL_SHIFT : queued & ~(1L << FINAL_SHIFT);
    }

    /** The in-flight word of a cell that starts a new path, as if its source were the node that holds it. */
    static long restarted(final long route, final int sprays) {
        return route & ~(HELD_MASK | SPRAYS_MASK) | sprays;
    }

    /** The slot in which the source sent the cell, modulo {@link #SENT_SLOTS}. */
    public static long sentSlot(final long route) {
        return route >>> SENT_SHIFT;
    }

    /** Slots since the source sent the cell; exact below {@link #SENT_SLOTS}. */
    public static int age(final long route, final long slot) {
        return (int) (slot - (route >>> SENT_SHIFT)) & SENT_SLOTS - 1;
    }
}
