package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;

import java.lang.foreign.Arena;

/**
 * Who receives something, for each row of {@link InFlightCells}: a sender flags the node that the schedule connects it
 * to, so that receivers need not look at the places of idle cells. A bank that sends from most of its nodes says so
 * once for the row and flags none; then receivers look at all places.
 *
 * <pre>
 *   row: a byte for each node, 1 if it is flagged     | a byte for each bank of senders, 1 if it flags none
 *   +----+----+----+--                                +----+----+--
 *   | n0 | n1 | n2 | ..                               | b0 | b1 | ..
 *   +----+----+----+--                                +----+----+--
 * </pre>
 *
 * Bytes, so that two banks on two threads never write the same word. Senders write a row, and receivers read and clear
 * it one propagation delay later; what orders the places of the row orders its flags.
 */
public final class ArrivalFlags {
    /** What is in a row: nothing, what flags tell of, or perhaps more than they tell. */
    public static final int NOTHING = 0;
    public static final int FLAGGED = 1;
    public static final int FULL = 2;
    private static final long ANY_FULL = 0x0202_0202_0202_0202L;
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    /** Times bytes of 0 or 1, it has the lowest bit of byte i as bit i of its highest byte. */
    private static final long GATHER = 0x0102_0408_1020_4080L;
    private static final int GATHERED = 56;

    private final int rowBytes;
    private final int bankAt;
    private final Region flags;
    private int banks;
    /** 1 once something came from banks in other processes, which count as one more. */
    private int elsewhere;

    /**
     * No flags.
     *
     * @param arena owner of the memory.
     * @param nodes of the fabric.
     * @param rows  slots kept, as of the {@link InFlightCells}.
     */
    public ArrivalFlags(final Arena arena, final int nodes, final int rows) {
        this.bankAt = wholeLongs(nodes);
        this.rowBytes = 2 * bankAt;
        this.flags = Region.allocate(arena, bytes(nodes, rows));
    }

    /** Memory in bytes. */
    public static long bytes(final int nodes, final int rows) {
        return 2L * wholeLongs(nodes) * rows;
    }

    private static int wholeLongs(final int bytes) {
        return bytes + Long.BYTES - 1 & -Long.BYTES;
    }

    /** A bank of senders joins, before the first slot; returns its number. */
    public int join() {
        return banks++;
    }

    /** Says what a bank has sent in a row. */
    public void setSent(final int row, final int bank, final int what) {
        flags.setByte((long) row * rowBytes + bankAt + bank, what);
    }

    /** What all banks together have sent in a row. */
    public int sent(final int row) {
        final long at = (long) row * rowBytes + bankAt;
        long any = 0;
        for (int bank = 0; bank < banks + elsewhere; bank += Long.BYTES) {
            any |= flags.getLong(at + bank);
        }
        return any == 0 ? NOTHING : (any & ANY_FULL) != 0 ? FULL : FLAGGED;
    }

    /** Flags a node. */
    public void set(final int row, final int node) {
        flags.setByte((long) row * rowBytes + node, 1);
    }

    /** Flags a node that a bank in another process sends to; fewer banks than nodes have joined here. */
    public void setFromElsewhere(final int row, final int node) {
        elsewhere = 1;
        setSent(row, banks, FLAGGED);
        set(row, node);
    }

    /**
     * Lists the flagged ones of some nodes in order, and clears their flags.
     *
     * @param row   of the slot they were flagged in.
     * @param first the first node.
     * @param count number of nodes.
     * @param into  gets the flagged ones, counted from the first; has {@link QueueBits#SPARE} spare entries.
     * @return how many.
     */
    public int take(final int row, final int first, final int count, final int[] into) {
        final Region memory = flags;
        final long at = (long) row * rowBytes;
        final int end = first + count;
        int some = 0;
        for (int base = first & -Long.BYTES; base < end; base += Long.SIZE) {
            final int stop = Math.min(base + Long.SIZE, end);
            long word = 0;
            for (int node = base; node < stop; node += Long.BYTES) {
                word |= ((memory.getLong(at + node) & LOW_BITS) * GATHER >>> GATHERED) << node - base;
            }
            // At both ends there are flags of other banks.
            word &= base < first ? -1L << first - base : -1L;
            word &= end - base < Long.SIZE ? ~(-1L << end - base) : -1L;
            if (word != 0) {
                some = QueueBits.list(word, base - first, into, some);
            }
        }
        for (int k = 0; k < some; k++) {
            memory.setByte(at + first + into[k], 0);
        }
        return some;
    }
}
