package dev.skerry.nic.stardust.credit;

/**
 * The record of a queue of an adapter (docs/spec/stardust.md §3.1): 32 bytes, two to a cache line.
 *
 * <pre>
 *   0           4             8            16        20       24      28
 *   +-----------+-------------+------------+---------+--------+-------+-------+
 *   | head flow | head packet | bytes held | balance | number | place | state |   number, place: of the next cell
 *   +-----------+-------------+------------+---------+--------+-------+-------+   in the stream
 *
 *   state        31         6 5              2   1       0
 *                +-----------+----------------+--------+-------+
 *                | said last | number of the  | frozen | wants |   said: slot mod 2^26 in which it said that it
 *                |           | last credit    |        |       |   wants nothing
 *                +-----------+----------------+--------+-------+
 * </pre>
 */
public final class VoqLayout {
    /** Log of the bytes of a record. */
    public static final int SHIFT = 5;
    /** Ints of a record, by index. */
    public static final int FLOW = 0;
    public static final int PACKET = 1;
    public static final int BALANCE = 4;
    public static final int NUMBER = 5;
    public static final int PLACE = 6;
    public static final int STATE = 7;
    /** The long of a record, by index. */
    public static final int BYTES = 1;
    /** Bits of the state: it asked for credits; its destination could not be reached when its turn came. */
    static final int WANTS = 1;
    public static final int FROZEN = 2;
    /** Where in the state the number of the last credit is, and the slot. */
    static final int SEEN = 2;
    static final int SAID = 6;
    /** Slots that the state tells apart, less one. */
    static final int MOST_SINCE = -1 >>> SAID;

    private VoqLayout() {
    }
}
