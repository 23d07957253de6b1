package dev.skerry.nic.engine;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The connection to the other members of a fabric that several processes run together. Between two members messages
 * arrive once, complete and in order; their content is not inspected here. One thread, which runs the fabric.
 *
 * <p>Each call that waits throws {@link MemberLostException} if a member is lost, or sends nothing for too long.
 */
public interface RowExchange extends AutoCloseable {
    /** Number of this member, 0 to {@code members() - 1}. */
    int member();

    /** Number of members, at least 1. */
    int members();

    /**
     * Sends a message. Waits while there is no room, and meanwhile receives what arrives.
     *
     * @param to    another member.
     * @param bytes the message, at least one byte; may be reused afterwards.
     */
    void send(int to, MemorySegment bytes);

    /** Receives what has arrived, without waiting. */
    void poll();

    /**
     * Waits for and returns the next message of a member.
     *
     * @param from another member.
     * @return native memory, aligned to 64 bytes, valid until the next call of this method or of {@link #poll}.
     */
    MemorySegment receive(int from);

    /**
     * Gathers one message per member, in order of members. All members must call, while no other message is in flight.
     *
     * @param mine at least one byte.
     */
    default byte[][] gather(final byte[] mine) {
        final byte[][] all = new byte[members()][];
        all[member()] = mine;
        try (Arena own = Arena.ofConfined()) {
            final MemorySegment bytes = own.allocate(mine.length, Region.ALIGNMENT)
                .copyFrom(MemorySegment.ofArray(mine));
            for (int other = 0; other < all.length; other++) {
                if (other != member()) {
                    send(other, bytes);
                }
            }
        }
        for (int other = 0; other < all.length; other++) {
            if (other != member()) {
                all[other] = receive(other).toArray(ValueLayout.JAVA_BYTE);
            }
        }
        return all;
    }

    /**
     * Gathers the columns of numbers of every member, in order of members; see {@link #gather(byte[])}.
     *
     * <pre>
     *   length of a column | its numbers       for each column, 8 bytes each
     * </pre>
     */
    default long[][][] gather(final long[]... mine) {
        final int longs = Arrays.stream(mine).mapToInt(column -> 1 + column.length).sum();
        final ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(longs, Long.BYTES));
        final LongBuffer into = bytes.asLongBuffer();
        for (final long[] column : mine) {
            into.put(column.length).put(column);
        }
        return Arrays.stream(gather(bytes.array())).map(RowExchange::columns).toArray(long[][][]::new);
    }

    private static long[][] columns(final byte[] bytes) {
        final LongBuffer from = ByteBuffer.wrap(bytes).asLongBuffer();
        final List<long[]> columns = new ArrayList<>();
        while (from.hasRemaining()) {
            final long[] column = new long[(int) from.get()];
            from.get(column);
            columns.add(column);
        }
        return columns.toArray(long[][]::new);
    }

    /** A column of whole numbers. */
    static long[] longs(final int[] of) {
        return Arrays.stream(of).asLongStream().toArray();
    }

    /** The integers of a column of numbers. */
    static int[] ints(final long[] of) {
        return Arrays.stream(of).mapToInt(Math::toIntExact).toArray();
    }

    /**
     * Notifies all reachable members that the run cannot continue.
     *
     * @param member the member that caused this.
     * @param why    the reason, as part of one line.
     */
    void abort(int member, String why);

    /** Leaves the group. All others must have finished, or have been notified of the abort. */
    @Override
    void close();

    /** A member of a fabric that several processes run together is lost, late, or has failed. */
    final class MemberLostException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final int member;
        private final String why;

        /**
         * Creates the exception.
         *
         * @param member its number.
         * @param why    what is known, without the number, as part of one line.
         */
        public MemberLostException(final int member, final String why) {
            super("member " + member + ": " + printable(why));
            this.member = member;
            this.why = printable(why);
        }

        /**
         * Replaces control characters, because the text comes from another process and may be printed on a terminal.
         */
        private static String printable(final String text) {
            return text.replaceAll("\\p{Cntrl}", "?");
        }

        /** Number of the member. */
        public int member() {
            return member;
        }

        /** What is known, as part of one line. */
        public String why() {
            return why;
        }
    }
}
