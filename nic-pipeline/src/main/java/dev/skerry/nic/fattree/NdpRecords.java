package dev.skerry.nic.fattree;

import dev.skerry.nic.host.HostModel.Reno;
import org.agrona.collections.IntArrayList;

import java.util.Arrays;

/**
 * Records of the open connections of some hosts, in one array. Records of ended connections are reused. One thread.
 */
final class NdpRecords {
    /** Value used instead of a record: the connection is not open. */
    static final int NONE = -1;
    private static final int ENDED = -2;

    /** By connection: its record, {@link #NONE} before it opens, or {@link #ENDED}. */
    private final int[] of;
    private final int size;
    private final IntArrayList free = new IntArrayList();
    private int[] ints;
    private int end;
    private int open;

    /** Creates records without an open connection. */
    NdpRecords(final int connections, final int size) {
        this.of = new int[connections];
        this.size = size;
        this.ints = new int[16 * size];
        Arrays.fill(of, NONE);
    }

    /** The window that starts at the first missing segment, rounded up to a power of two. */
    static int window(final Reno rules) {
        return Math.max(Integer.SIZE, Integer.highestOneBit(rules.windowPackets() - 1) << 1);
    }

    /** Number of open connections. */
    int open() {
        return open;
    }

    /** Index of the record of a connection, or {@link #NONE}. */
    int of(final int connection) {
        return Math.max(NONE, of[connection]);
    }

    /** Whether a connection has ended. */
    boolean hasEnded(final int connection) {
        return of[connection] == ENDED;
    }

    /** Opens a connection, with a record of zeros. */
    int take(final int connection) {
        int at = end;
        if (!free.isEmpty()) {
            at = free.popInt();
            Arrays.fill(ints, at, at + size, 0);
        } else {
            end = Math.addExact(end, size);
            if (end > ints.length) {
                ints = Arrays.copyOf(ints, (int) Math.min(Integer.MAX_VALUE - 8L, 2L * end));
            }
        }
        of[connection] = at;
        open++;
        return at;
    }

    /** Closes a connection. */
    void free(final int connection) {
        free.pushInt(of[connection]);
        of[connection] = ENDED;
        open--;
    }

    int get(final int at, final int field) {
        return ints[at + field];
    }

    void set(final int at, final int field, final int value) {
        ints[at + field] = value;
    }

    void add(final int at, final int field, final int more) {
        ints[at + field] += more;
    }

    /** Whether a bit is set. */
    boolean has(final int at, final int bit) {
        return (ints[at + (bit >> 5)] >>> bit & 1) != 0;
    }

    void put(final int at, final int bit) {
        ints[at + (bit >> 5)] |= 1 << bit;
    }

    void clear(final int at, final int bit) {
        ints[at + (bit >> 5)] &= ~(1 << bit);
    }

    /** Distance from a bit to the next one set, modulo all bits; {@code bits} or more if no bit is set. */
    int first(final int at, final int bit, final int mask, final int bits) {
        int ahead = 0;
        while (ahead < bits) {
            final int place = bit + ahead & mask;
            final int word = ints[at + (place >> 5)] >>> place;
            if (word != 0) {
                return ahead + Integer.numberOfTrailingZeros(word);
            }
            ahead += Integer.SIZE - (place & Integer.SIZE - 1);
        }
        return bits;
    }
}
