package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Who receives something, for each row of {@link InFlightCells}: a sender flags the node that the schedule connects it
 * to, so that receivers need not look at the places of idle cells. A bank that sends from most of its nodes says so
 * once for the row and flags none; then receivers look at all places.
 *
 * <pre>
 *   row: two bytes for each node, 0 or 1 + position   | a byte for each bank: what it has sent
 *   +----+----+----+--                                +----+----+--
 *   | n0 | n1 | n2 | ..                               | b0 | b1 | ..
 *   +----+----+----+--                                +----+----+--
 * </pre>
 *
 * A bank may put what it sends side by side, at the places of its first nodes; a flag then says at which of them. In a
 * row of few cells, places side by side share cache lines that places of their own would each touch.
 *
 * Whole bytes, so that two banks on two threads never write the same word. Senders write a row, and receivers read and
 * clear it one propagation delay later; what orders the places of the row orders its flags.
 */
public final class ArrivalFlags {
    /** What is in a row: nothing, what flags tell of, or perhaps more than they tell. */
    public static final int NOTHING = 0;
    public static final int FLAGGED = 1;
    public static final int FULL = 2;
    /** Some banks have flagged what they sent, and others not. */
    public static final int MIXED = FLAGGED | FULL;
    /** Most positions side by side: one more is what two bytes can tell. */
    public static final int POSITIONS = 0xFFFF;
    private static final long ANY_FULL = 0x0202_0202_0202_0202L;
    private static final long ANY_FLAGGED = 0x0101_0101_0101_0101L;
    private static final int NODES_A_LONG = Long.BYTES / Short.BYTES;
    private static final long FIFTEEN_BITS = 0x7FFF_7FFF_7FFF_7FFFL;
    private static final long LOW_BITS = 0x0001_0001_0001_0001L;
    /** Times flags of 0 or 1, it has the lowest bit of flag i as bit i of its highest two bytes. */
    private static final long GATHER = 1L << 48 | 1L << 33 | 1L << 18 | 1L << 3;
    private static final int GATHERED = 48;

    private final int rowBytes;
    private final int bankAt;
    private final Region flags;
    /** By node: its bank, and the place that position 0 of the node stands for. */
    private final int[] bankOf;
    private final int[] placeOf;
    /** By bank: its last node. */
    private final int[] lastOf;
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
        this.bankAt = flagBytes(nodes);
        this.rowBytes = rowBytes(nodes);
        this.flags = Region.allocate(arena, bytes(nodes, rows));
        this.bankOf = new int[nodes];
        this.placeOf = IntStream.range(0, nodes).toArray();
        this.lastOf = new int[nodes];
    }

    /** Memory in bytes. */
    public static long bytes(final int nodes, final int rows) {
        return (long) rowBytes(nodes) * rows;
    }

    private static int rowBytes(final int nodes) {
        return flagBytes(nodes) + wholeLongs(nodes);
    }

    private static int flagBytes(final int nodes) {
        return wholeLongs(nodes * Short.BYTES);
    }

    private static int wholeLongs(final int bytes) {
        return bytes + Long.BYTES - 1 & -Long.BYTES;
    }

    private static long flag(final int node) {
        return (long) node * Short.BYTES;
    }

    /**
     * A bank of senders joins, before the first slot.
     *
     * @param first of its nodes.
     * @param count of its nodes.
     * @param packs whether it puts what it sends side by side, where it flags: {@link #POSITIONS} at most.
     * @return its number.
     */
    public int join(final int first, final int count, final boolean packs) {
        Arrays.fill(bankOf, first, first + count, banks);
        if (packs) {
            Arrays.fill(placeOf, first, first + count, first);
        }
        lastOf[banks] = first + count - 1;
        return banks++;
    }

    /** Says what a bank has sent in a row. */
    public void setSent(final int row, final int bank, final int what) {
        flags.setByte((long) row * rowBytes + bankAt + bank, what);
    }

    /**
     * The place in its row where a node that is not flagged finds what a sender has sent to it: the sender's own,
     * unless its bank puts cells side by side. Then it has sent nothing, and the last place of its bank is idle, as
     * only a bank fills that place that sends from all its nodes.
     */
    public int unflagged(final int row, final int sender) {
        final int bank = bankOf[sender];
        return (flags.getByte((long) row * rowBytes + bankAt + bank) & FULL) != 0 ? sender : lastOf[bank];
    }

    /** What all banks together have sent in a row. */
    public int sent(final int row) {
        final long at = (long) row * rowBytes + bankAt;
        long any = 0;
        for (int bank = 0; bank < banks + elsewhere; bank += Long.BYTES) {
            any |= flags.getLong(at + bank);
        }
        return ((any & ANY_FULL) != 0 ? FULL : NOTHING) | ((any & ANY_FLAGGED) != 0 ? FLAGGED : NOTHING);
    }

    /** Flags a node, for which something stands at a position: 0 where the sender has a place of its own. */
    public void set(final int row, final int node, final int position) {
        flags.setShort((long) row * rowBytes + flag(node), 1 + position);
    }

    /** The place in its row, counted from that of node 0, that a position of a sender stands for. */
    public int place(final int sender, final int position) {
        return placeOf[sender] + position;
    }

    /** Flags a node that a bank in another process sends to; fewer banks than nodes have joined here. */
    public void setFromElsewhere(final int row, final int node) {
        elsewhere = 1;
        setSent(row, banks, FLAGGED);
        set(row, node, 0);
    }

    /**
     * Lists the flagged ones of some nodes in order, and clears their flags.
     *
     * @param row   of the slot they were flagged in.
     * @param first the first node.
     * @param count number of nodes.
     * @param into  gets the flagged ones, counted from the first; has {@link QueueBits#SPARE} spare entries.
     * @param at    gets the position of each of them, see {@link #set}.
     * @return how many.
     */
    public int take(final int row, final int first, final int count, final int[] into, final int[] at) {
        final Region memory = flags;
        final long rowAt = (long) row * rowBytes;
        final int end = first + count;
        int some = 0;
        for (int base = first & -NODES_A_LONG; base < end; base += Long.SIZE) {
            final int stop = Math.min(base + Long.SIZE, end);
            long word = 0;
            for (int node = base; node < stop; node += NODES_A_LONG) {
                final long four = memory.getLong(rowAt + flag(node));
                final long some4 = ((four & FIFTEEN_BITS) + FIFTEEN_BITS | four) >>> Short.SIZE - 1 & LOW_BITS;
                word |= (some4 * GATHER >>> GATHERED) << node - base;
            }
            // At both ends there are flags of other banks.
            word &= base < first ? -1L << first - base : -1L;
            word &= end - base < Long.SIZE ? ~(-1L << end - base) : -1L;
            if (word != 0) {
                some = QueueBits.list(word, base - first, into, some);
            }
        }
        for (int k = 0; k < some; k++) {
            final long flag = rowAt + flag(first + into[k]);
            at[k] = memory.getShort(flag) - 1;
            memory.setShort(flag, 0);
        }
        return some;
    }
}
