package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The entries of {@link RankedQueues}: nodes of skew heaps, one heap a queue, ordered by rank and then by tie. A skew
 * heap is a binary tree in which no entry leaves before the one above it, and which is joined with another by swapping
 * the sides along one path; that keeps paths logarithmic on average over any run of operations (Sleator and Tarjan,
 * Self-Adjusting Heaps, 1986).
 *
 * <pre>
 *   0      8         16     24    32     36     40      44    48
 *   +------+---------+------+-----+------+------+-------+-----+
 *   | word | payload | rank | tie | next | left | right | pad |    next: in the entry's group, or the next free entry
 *   +------+---------+------+-----+------+------+-------+-----+
 * </pre>
 *
 * Memory grows by whole chunks and never shrinks. One thread at a time.
 */
final class RankedEntries {
    /** No entry. */
    static final int NONE = -1;

    private static final int WORD = 0;
    private static final int PAYLOAD = 8;
    private static final int RANK = 16;
    private static final int TIE = 24;
    private static final int NEXT = 32;
    private static final int LEFT = 36;
    private static final int RIGHT = 40;
    private static final int ENTRY_BYTES = 48;
    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_ENTRIES = 1 << CHUNK_SHIFT;
    private static final int MAX_CHUNKS = 1 << 16;

    private final Arena arena;
    private Region[] chunks = new Region[4];
    private int chunkCount;
    private int free = NONE;
    /** Entries yet to be visited, each with the one above it. */
    private int[] path = new int[64];
    private int above;

    RankedEntries(final Arena arena) {
        this.arena = arena;
    }

    /**
     * A new entry, with nothing below it and nothing next to it.
     *
     * @throws IllegalStateException if there are 2^28 already.
     */
    int take(final long word, final long payload, final long rank, final long tie) {
        if (free == NONE) {
            grow();
        }
        final int entry = free;
        final Region chunk = chunk(entry);
        final long at = offset(entry);
        free = chunk.getInt(at + NEXT);
        chunk.setLong(at + WORD, word);
        chunk.setLong(at + PAYLOAD, payload);
        chunk.setLong(at + RANK, rank);
        chunk.setLong(at + TIE, tie);
        clear(entry);
        return entry;
    }

    /** Takes an entry out of its heap and group, without a word to either. */
    void clear(final int entry) {
        setNext(entry, NONE);
        setLeft(entry, NONE);
        setRight(entry, NONE);
    }

    /** Gives an entry back. */
    void release(final int entry) {
        setNext(entry, free);
        free = entry;
    }

    /** Joins two heaps, either of which may be {@link #NONE}; returns the entry on top. */
    int join(final int one, final int other) {
        if (one == NONE || other == NONE) {
            return one == NONE ? other : one;
        }
        final boolean isFirst = isBefore(one, other);
        final int top = isFirst ? one : other;
        int upper = top;
        int lower = isFirst ? other : one;
        int right = right(upper);
        // The lower heap joins the right one, which changes sides with the left one.
        while (right != NONE) {
            setRight(upper, left(upper));
            final boolean rightFirst = isBefore(right, lower);
            final int next = rightFirst ? right : lower;
            lower = rightFirst ? lower : right;
            setLeft(upper, next);
            upper = next;
            right = right(upper);
        }
        setRight(upper, left(upper));
        setLeft(upper, lower);
        return top;
    }

    /** What is left of a heap below an entry without it. */
    int joinBelow(final int entry) {
        return join(left(entry), right(entry));
    }

    /** Puts another heap in the place of an entry below the one above it. */
    void replace(final int upper, final int entry, final int by) {
        if (left(upper) == entry) {
            setLeft(upper, by);
        } else {
            setRight(upper, by);
        }
    }

    /**
     * The first entry of a heap that a rule lets go, or {@link #NONE}. The rule is asked for an entry only after all
     * those above it were refused.
     *
     * @see #above()
     */
    int find(final int top, final int queue, final Eligibility rule) {
        above = NONE;
        if (rule.eligible(queue, word(top))) {
            return top;
        }
        int best = NONE;
        int depth = pushBelow(top, 0);
        while (depth > 0) {
            final int entry = path[--depth];
            final int upper = path[--depth];
            if (best == NONE || isBefore(entry, best)) {
                if (rule.eligible(queue, word(entry))) {
                    best = entry;
                    above = upper;
                } else {
                    depth = pushBelow(entry, depth);
                }
            }
        }
        return best;
    }

    /** The entry above the one found last; {@link #NONE} above the top. */
    int above() {
        return above;
    }

    /** Shows all entries of a heap and of their groups. */
    void forEach(final int top, final CellQueues.Visitor visitor) {
        showGroup(top, visitor);
        int depth = pushBelow(top, 0);
        while (depth > 0) {
            final int entry = path[--depth];
            depth--;
            showGroup(entry, visitor);
            depth = pushBelow(entry, depth);
        }
    }

    /** Whether no entry goes before the one above it. */
    boolean isHeap(final int top) {
        int depth = pushBelow(top, 0);
        while (depth > 0) {
            final int entry = path[--depth];
            if (isBefore(entry, path[--depth])) {
                return false;
            }
            depth = pushBelow(entry, depth);
        }
        return true;
    }

    private void showGroup(final int first, final CellQueues.Visitor visitor) {
        for (int entry = first; entry != NONE; entry = next(entry)) {
            visitor.entry(word(entry), payload(entry));
        }
    }

    private int pushBelow(final int entry, final int depth) {
        if (depth + 4 > path.length) {
            path = Arrays.copyOf(path, 2 * path.length);
        }
        final int afterLeft = push(left(entry), entry, depth);
        return push(right(entry), entry, afterLeft);
    }

    private int push(final int entry, final int upper, final int depth) {
        if (entry == NONE) {
            return depth;
        }
        path[depth] = upper;
        path[depth + 1] = entry;
        return depth + 2;
    }

    private boolean isBefore(final int one, final int other) {
        final long rank = rank(one);
        final long otherRank = rank(other);
        return rank < otherRank || rank == otherRank && tie(one) < tie(other);
    }

    long word(final int entry) {
        return chunk(entry).getLong(offset(entry) + WORD);
    }

    void setWord(final int entry, final long word) {
        chunk(entry).setLong(offset(entry) + WORD, word);
    }

    long payload(final int entry) {
        return chunk(entry).getLong(offset(entry) + PAYLOAD);
    }

    long rank(final int entry) {
        return chunk(entry).getLong(offset(entry) + RANK);
    }

    private long tie(final int entry) {
        return chunk(entry).getLong(offset(entry) + TIE);
    }

    int next(final int entry) {
        return chunk(entry).getInt(offset(entry) + NEXT);
    }

    void setNext(final int entry, final int next) {
        chunk(entry).setInt(offset(entry) + NEXT, next);
    }

    private int left(final int entry) {
        return chunk(entry).getInt(offset(entry) + LEFT);
    }

    private void setLeft(final int entry, final int left) {
        chunk(entry).setInt(offset(entry) + LEFT, left);
    }

    private int right(final int entry) {
        return chunk(entry).getInt(offset(entry) + RIGHT);
    }

    private void setRight(final int entry, final int right) {
        chunk(entry).setInt(offset(entry) + RIGHT, right);
    }

    private Region chunk(final int entry) {
        return chunks[entry >>> CHUNK_SHIFT];
    }

    private static long offset(final int entry) {
        return (long) (entry & CHUNK_ENTRIES - 1) * ENTRY_BYTES;
    }

    private void grow() {
        if (chunkCount == MAX_CHUNKS) {
            throw new IllegalStateException("queues are full: entries=" + (long) chunkCount * CHUNK_ENTRIES
                + " (the fabric holds more cells than there is room for; lower the load)");
        }
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunkCount * 2);
        }
        chunks[chunkCount] = Region.allocate(arena, (long) CHUNK_ENTRIES * ENTRY_BYTES);
        final int base = chunkCount++ << CHUNK_SHIFT;
        for (int i = CHUNK_ENTRIES - 1; i >= 0; i--) {
            release(base + i);
        }
    }
}
