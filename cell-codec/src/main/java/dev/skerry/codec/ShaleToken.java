package dev.skerry.codec;

/**
 * A token as an {@code int}, the same for every layout, so that queues of tokens need not know the header's:
 *
 * <pre>
 *   bit 31        25 24  23 22                  3 2      0
 *       +-----------+------+---------------------+--------+
 *       |     0     | kind |  destination (20)   |  index |
 *       +-----------+------+---------------------+--------+
 * </pre>
 *
 * {@link #NONE} is 0. Kind, destination and index name a bucket, what an ordinary token returns, or the part of the
 * fabric a failure token speaks of (spec/shale §4, §8). Any thread may call.
 */
public final class ShaleToken {
    /** No token. */
    public static final int NONE = 0;

    /** Kind of an empty slot. */
    public static final int KIND_NONE = 0;

    /** Kind of an ordinary token, one unit of a bucket's budget. */
    public static final int KIND_TOKEN = 1;

    /** Kind of an invalidation (spec/shale §8.3). */
    public static final int KIND_INVALIDATION = 2;

    /** Kind of a re-validation (spec/shale §8.5). */
    public static final int KIND_REVALIDATION = 3;

    static final int KIND_SHIFT = 23;
    static final int DESTINATION_SHIFT = 3;
    static final int DESTINATION_MASK = 0xFFFFF;
    static final int INDEX_MASK = 0x7;

    private ShaleToken() {
    }

    /** An ordinary token of the bucket {@code <destination, index>}. */
    public static int of(final int destination, final int index) {
        return of(KIND_TOKEN, destination, index);
    }

    /**
     * A token of any kind.
     *
     * @param kind        {@link #KIND_TOKEN}, {@link #KIND_INVALIDATION} or {@link #KIND_REVALIDATION}.
     * @param destination node id, below 2^20.
     * @param index       remaining sprays of the bucket, 0 to 7.
     */
    public static int of(final int kind, final int destination, final int index) {
        assert kind >= KIND_TOKEN && kind <= KIND_REVALIDATION : "kind=" + kind;
        assert (destination & ~DESTINATION_MASK) == 0 : "destination=" + destination;
        assert (index & ~INDEX_MASK) == 0 : "index=" + index;
        return kind << KIND_SHIFT | destination << DESTINATION_SHIFT | index;
    }

    /** One of the four kinds. */
    public static int kind(final int token) {
        return token >>> KIND_SHIFT;
    }

    /** The node id. */
    public static int destination(final int token) {
        return token >>> DESTINATION_SHIFT & DESTINATION_MASK;
    }

    /** The index, remaining sprays of the bucket. */
    public static int index(final int token) {
        return token & INDEX_MASK;
    }
}
