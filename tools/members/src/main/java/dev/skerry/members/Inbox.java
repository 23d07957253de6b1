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
    private static final int LEAST_BYTES = 1 << 12;

    private final Arena arena;
    private final Deque<Message> whole = new ArrayDeque<>();
    /** Messages that have been read: their memory. */
    private final Deque<Message> spare = new ArrayDeque<>();
    private Message coming;
    private Message read;

    private static final class Message {
        final MemorySegment memory;
        final ByteBuffer view;
        long length;
        int filled;

        Message(final MemorySegment memory) {
            this.memory = memory;
            this.view = memory.asByteBuffer();
        }
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
            coming = message(left);
        }
        if (left != coming.length - coming.filled || bytes > left) {
            throw new IllegalStateException("a part of a message is missing: left=" + left + " expected="
                + (coming.length - coming.filled) + " bytes=" + bytes);
        }
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

    private Message message(final long bytes) {
        final Message used = spare.poll();
        final Message message = used != null && used.memory.byteSize() >= bytes ? used
            : new Message(arena.allocate(Math.max(LEAST_BYTES, 2 * Long.highestOneBit(bytes)), Region.ALIGNMENT));
        message.length = bytes;
        message.filled = 0;
        return message;
    }
}
