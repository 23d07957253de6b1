package dev.skerry.dataplane.pieo;

import dev.skerry.schedule.check.Bounds;

/**
 * Dimensions of a {@link Pieo} and the layout of its state in a segment. With M = ⌈√capacity⌉ there are 2M sublists of
 * M elements each (docs/spec/shale.md §6; the RTL has capacity 64, M = 8):
 * <pre>
 *    byte  0       4       8      12      16
 *          +-------+-------+-------+-------+
 *        0 | held  | used  |   0   |   0   |  elements held; pointer entries in use, F (free_list_head)
 *          +-------+-------+-------+-------+
 *       16 |sublist| count | rank  | time  |  pointer array: one entry for each of the 2M sublists, in rank order,
 *          +-------+-------+-------+-------+  free ones from F on; rank and time are the smallest of the sublist
 *          +-------+-------+-------+
 *   16+32M |  id   | rank  | time  |          rank sublists: M elements each, at M * 12 * (sublist id), in rank order,
 *          +-------+-------+-------+          then vacant slots {0, all ones, all ones}
 *          +-------+
 *      ... | time  |                          eligibility sublists: the M send times of each sublist, ascending,
 *          +-------+                          at M * 4 * (sublist id), then all ones
 * </pre>
 * All fields are unsigned 32-bit numbers in native byte order. Rank and time have {@code rankBits} and {@code timeBits}
 * bits; all ones mean "none", so no element can use that value. For a capacity that is not a perfect square M is
 * rounded up: the structure has room for M² elements, but {@link Pieo#enqueue} refuses more than {@code capacity}.
 *
 * @param capacity maximum number of elements held, 1 to 65,536.
 * @param idBits   bits of an element's id, 1 to 30.
 * @param rankBits bits of a rank, 2 to 32.
 * @param timeBits bits of a send time, 2 to 32.
 */
public record PieoLayout(int capacity, int idBits, int rankBits, int timeBits) {
    /** Maximum capacity. */
    public static final int MAX_CAPACITY = 1 << 16;

    /** Alignment of the segment in bytes. */
    public static final long ALIGNMENT = Integer.BYTES;

    /** Checks every dimension. */
    public PieoLayout {
        Bounds.require("capacity", capacity, 1, MAX_CAPACITY);
        Bounds.require("idBits", idBits, 1, 30);
        Bounds.require("rankBits", rankBits, 2, 32);
        Bounds.require("timeBits", timeBits, 2, 32);
    }

    /**
     * Uses the widths of the RTL: ids of ⌈log2 capacity⌉ bits (at least one), ranks and times of 16.
     *
     * @param capacity maximum number of elements held, 1 to 65,536.
     */
    public PieoLayout(final int capacity) {
        this(capacity, Math.max(1, bitsFor(capacity)), 16, 16);
    }

    /** Bits needed to number {@code n} items, ⌈log2 n⌉: the RTL's {@code $clog2}. */
    private static int bitsFor(final int n) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(n - 1);
    }

    /** M, the number of elements in a sublist: ⌈√capacity⌉. */
    public int sublistLength() {
        // Exact: the square root of an int in a double is off by less than the distance to the next integer.
        return (int) Math.ceil(Math.sqrt(capacity));
    }

    /** 2M: number of sublists, and of entries of the pointer array. */
    public int sublists() {
        return 2 * sublistLength();
    }

    /** All ones in a rank field: no element. */
    public long noRank() {
        return (1L << rankBits) - 1;
    }

    /** All ones in a send time field: no element. */
    public long noTime() {
        return (1L << timeBits) - 1;
    }

    /** All ones in an id field: the id of the NULL element. It is also a valid id, so check the return code first. */
    public int nullId() {
        return (1 << idBits) - 1;
    }

    /** "No element was moved" on the port {@code flow_id_moved_out}, which is one bit wider than an id. */
    public int noId() {
        return (1 << idBits + 1) - 1;
    }

    /** "None" on the ports that identify a sublist, which are one bit wider than a sublist id. */
    public int noSublist() {
        return (1 << bitsFor(sublists()) + 1) - 1;
    }

    /** Clock cycles from reset to {@code pieo_reset_done_out}: one per sublist plus one. */
    public int resetClocks() {
        return sublists() + 1;
    }

    /** Size of the whole state in bytes. */
    public long byteSize() {
        return PieoMemory.times(this) + (long) sublists() * sublistLength() * PieoMemory.TIME_BYTES;
    }
}
