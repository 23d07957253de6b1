package dev.skerry.codec;

/**
 * A token as an {@code int}, independent of the header's layout:
 *
 * <pre>
 *   bit 31        25 24  23 22                  3 2      0
 *       +-----------+------+---------------------+--------+
 *       |     0     | kind |  destination (20)   |  index |
 *       +-----------+------+---------------------+--------+
 * </pre>
 *
 * {@link #NONE} is 0. An ordinary token returns one unit of the budget of bucket {@code <destination, index>}. The
 * kind, destination and index of a failure token identify what it invalidates or re-validates (docs/spec/shale.md §4,
 * §8). Stateless; any thread may call.
 */
public final class ShaleToken {
    /** No token. */
    public static final int NONE = 0;

    /** Kind of an empty slot. */
    public static final int KIND_NONE = 0;

    /** Kind of an ordinary token. */
    public static final int KIND_TOKEN = 1;

    /** Kind of an invalidation (docs/spec/shale.md §8.3). */
    public static final int KIND_INVALIDATION = 2;

    /** Kind of a re-validation (docs/spec/shale.md §8.5). */
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
     * Creates a token of any kind.
     *
     * @param kind        {@link #KIND_TOKEN}, {@link #KIND_INVALIDATION} or {@link #KIND_REVALIDATION}.
     * @param destination node id, below 2^20.
     * @param index       sprays that remain, 0 to 7.
     */
    public static int of(final int kind, final int destination, final int index) {
        assert kind >= KIND_TOKEN && kind <= KIND_REVALIDATION : "kind=" + kind;
        assert (destination & ~DESTINATION_MASK) == 0 : "destination=" + destination;
        assert (index & ~INDEX_MASK) == 0 : "index=" + index;
        return kind << KIND_SHIFT | destination << DESTINATION_SHIFT | index;
    }

    /** Kind, 0 to 3 for a valid token. */
    public static int kind(final int token) {
        return token >>> KIND_SHIFT;
    }

    /** Destination of the bucket, a node id. */
    public static int destination(final int token) {
        return token >>> DESTINATION_SHIFT & DESTINATION_MASK;
    }

    /** Index of the bucket: sprays that remain. */
    public static int index(final int token) {
        return token & INDEX_MASK;
    }
}
