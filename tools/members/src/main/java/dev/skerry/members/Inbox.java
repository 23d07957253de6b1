package dev.skerry.members;

import dev.skerry.dataplane.memory.Region;
import org.agrona.DirectBuffer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** What has come from one member: whole messages, and the one that is coming. One thread. */
final class Inbox {
    private static final int LEAST_BYTES = 1 << 16;
    /** A buffer holds no more. */
    private static final long MOST_BYTES = Integer.MAX_VALUE - 8L;

    private final Arena arena;
    private final Deque<Message> whole = new ArrayDeque<>();
    /** Messages that have been read: their memory. */
    private final Deque<Message> spare = new ArrayDeque<>();
    private Message coming;
    private Message read;

    private static final class Message {
        private MemorySegment memory;
        private ByteBuffer view;
        private long length;
        private int filled;
    }

    /** Nothing has come; the arena has the memory. */
    Inbox(final Arena arena) {
        this.arena = arena;
    }

    /**
     * A part of a message has come.
     *
     * @param left bytes of the message that were missing before it, its own included.
     */
    void add(final long left, final DirectBuffer buffer, final int offset, final int bytes) {
        if (coming == null) {
            if (left < 1 || left > MOST_BYTES) {
                throw new IllegalStateException("a message of " + left + " bytes has been announced");
            }
            coming = spare.isEmpty() ? new Message() : spare.poll();
            coming.length = left;
            coming.filled = 0;
        }
        if (left != coming.length - coming.filled || bytes > left) {
            throw new IllegalStateException("a part of a message is missing: left=" + left + " expected="
                + (coming.length - coming.filled) + " bytes=" + bytes);
        }
        makeRoom(coming, coming.filled + bytes);
        buffer.getBytes(offset, coming.view, coming.filled, bytes);
        coming.filled += bytes;
        if (coming.filled == coming.length) {
            whole.add(coming);
            coming = null;
        }
    }

    /** The next whole message, null if there is none yet; valid until the next call that returns one. */
    MemorySegment next() {
        if (whole.isEmpty()) {
            return null;
        }
        if (read != null) {
            spare.add(read);
        }
        read = whole.remove();
        return read.memory.asSlice(0, read.length);
    }

    /** Memory grows with what has come, not with what is announced. The former memory is the arena's until its end. */
    private void makeRoom(final Message message, final long bytes) {
        if (message.memory != null && message.memory.byteSize() >= bytes) {
            return;
        }
        final MemorySegment larger = arena.allocate(
            Math.min(MOST_BYTES, Math.max(LEAST_BYTES, 2 * Long.highestOneBit(bytes))), Region.ALIGNMENT);
        if (message.memory != null) {
            MemorySegment.copy(message.memory, 0, larger, 0, message.filled);
        }
        message.memory = larger;
        message.view = larger.asByteBuffer();
    }
}
