package dev.skerry.nic.engine;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The way to the other members of a fabric that several processes run together. Between two members messages arrive
 * once, whole and in order; what a message says is not looked at here. One thread, which runs the fabric.
 *
 * <p>Each call that waits throws {@link MemberLostException} if a member is lost, or nothing comes from it for too
 * long.
 */
public interface RowExchange extends AutoCloseable {
    /** Number of this member, 0 to {@code members() - 1}. */
    int member();

    /** How many members there are, at least 1. */
    int members();

    /**
     * Sends a message. Waits while there is no room on the way, and takes in meanwhile what comes.
     *
     * @param to    another member.
     * @param bytes the message, at least one byte; free for other use afterwards.
     */
    void send(int to, MemorySegment bytes);

    /** Takes in what has come, without waiting. */
    void poll();

    /**
     * The next message of a member; waits for it.
     *
     * @param from another member.
     * @return native memory, aligned to 64 bytes, valid until the next call of this method or of {@link #poll}.
     */
    MemorySegment receive(int from);

    /**
     * What every member says, in order of members. All say something, while nothing else is under way.
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
     * Tells all others, as far as they can be reached, that the run can't go on.
     *
     * @param member whose fault it is.
     * @param why    as part of one line.
     */
    void abort(int member, String why);

    /** Leaves the others, who are at their end too, or have been told that this is not one. */
    @Override
    void close();
}
