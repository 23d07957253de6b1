package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Receivers of each row of {@link InFlightCells}. A sender flags the node to which the schedule connects it, so that
 * receivers need not read the places of idle cells. A bank that sends from most of its nodes sets one mark for the
 * whole row instead of flags; receivers then read all places.
 *
 * <pre>
 *   row: two bytes for each node, 0 or 1 + position   | a byte for each bank: what it has sent
 *   +----+----+----+--                                +----+----+--
 *   | n0 | n1 | n2 | ..                               | b0 | b1 | ..
 *   +----+----+----+--                                +----+----+--
 * </pre>
 *
 * A bank may pack its cells contiguously at the places of its first nodes; a flag then gives the position. In a row of
 * few cells, packed places share cache lines, while separate places would each touch one.
 *
 * <p>Flags are whole bytes, so that two banks on two threads never write the same word. Senders write a row; receivers
 * read and clear it one propagation delay later. The mechanism that orders accesses to the places of a row also orders
 * its flags.
 */
public final class ArrivalFlags {
    /** Content of a row: nothing, only flagged cells, or possibly more than the flagged cells. */
    public static final int NOTHING = 0;
    public static final int FLAGGED = 1;
    public static final int FULL = 2;
    /** Some banks have flagged their cells, others have not. */
    public static final int MIXED = FLAGGED | FULL;
    /** Maximum number of packed positions: a flag holds the position plus one in two bytes. */
    public static final int POSITIONS = 0xFFFF;
    private static final long ANY_FULL = 0x0202_0202_0202_0202L;
    private static final long ANY_FLAGGED = 0x0101_0101_0101_0101L;
    private static final int NODES_A_LONG = Long.BYTES / Short.BYTES;
    private static final long FIFTEEN_BITS = 0x7FFF_7FFF_7FFF_7FFFL;
    private static final long LOW_BITS = 0x0001_0001_0001_0001L;
    /** A multiplication by this gathers flags of 0 or 1: flag i becomes bit i of the highest two bytes. */
    private static final long GATHER = 1L << 48 | 1L << 33 | 1L << 18 | 1L << 3;
    private static final int GATHERED = 48;

    private final int rowBytes;
    private final int bankAt;
    private final Region flags;
    /** Bank of each node, and the place of position 0 for each node. */
    private final int[] bankOf;
    private final int[] placeOf;
    /** Last node of each bank. */
    private final int[] lastOf;
    private int banks;
    /** 1 once banks in other processes have sent something; together they count as one more bank. */
    private int elsewhere;

    /**
     * Creates flags that are all clear.
     *
     * @param arena owner of the memory.
     * @param nodes number of nodes of the fabric.
     * @param rows  number of slots kept, as in the {@link InFlightCells}.
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
     * Adds a bank of senders, before the first slot.
     *
     * @param first the bank's first node.
     * @param count the bank's number of nodes.
     * @param packs whether the bank packs the cells that it flags; at most {@link #POSITIONS} of them.
     * @return number of the bank.
     */
    public int join(final int first, final int count, final boolean packs) {
        Arrays.fill(bankOf, first, first + count, banks);
        if (packs) {
            Arrays.fill(placeOf, first, first + count, first);
        }
        lastOf[banks] = first + count - 1;
        return banks++;
    }

    /** Sets what a bank has sent in a row. */
    public void setSent(final int row, final int bank, final int what) {
        flags.setByte((long) row * rowBytes + bankAt + bank, what);
    }

    /**
     * The place in its row where an unflagged node finds what a sender has sent to it. This is the sender's own place,
     * unless its bank packs cells. In that case the sender has sent nothing, and the result is the last place of its
     * bank, which is idle: only a bank that sends from all its nodes fills that place.
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

    /** Flags a node and sets the position of its cell: 0 if the sender uses its own place. */
    public void set(final int row, final int node, final int position) {
        flags.setShort((long) row * rowBytes + flag(node), 1 + position);
    }

    /** The place in its row, counted from that of node 0, of a position of a sender. */
    public int place(final int sender, final int position) {
        return placeOf[sender] + position;
    }

    /**
     * Flags a node as the receiver of a bank in another process. Requires that fewer banks than nodes have joined here.
     */
    public void setFromElsewhere(final int row, final int node) {
        elsewhere = 1;
        setSent(row, banks, FLAGGED);
        set(row, node, 0);
    }

    /**
     * Lists the flagged nodes of a range in order, and clears their flags.
     *
     * @param row   row of the slot in which they were flagged.
     * @param first the first node.
     * @param count number of nodes.
     * @param into  receives the flagged nodes, counted from the first; has {@link QueueBits#SPARE} spare entries.
     * @param at    receives the position of each of them, see {@link #set}.
     * @return number of flagged nodes.
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
            // The words at both ends also contain flags of other banks.
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
