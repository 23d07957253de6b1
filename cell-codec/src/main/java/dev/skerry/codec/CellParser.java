package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Restores the packets that {@link CellPacker} packed into the cells of one stream (docs/spec/stardust.md §3.4, §5.2).
 * Between two cells, the state of a stream is one {@code long}, so an array can hold the states of many streams:
 *
 * <pre>
 *    63       50 49    48 47        32 31                       0
 *   +-----------+--------+------------+--------------------------+
 *   |     0     | status |    high    |        remaining         |
 *   +-----------+--------+------------+--------------------------+
 *   status  0 START    a packet starts with the next byte               all other bits 0
 *           1 HALF     the first byte of its length is in "high"
 *           2 PACKET   "remaining" bytes of it are still to come
 *           3 LOST     out of step until a cell tells where a packet starts, or a credit ends
 * </pre>
 *
 * <p>A packet is abandoned and the stream is LOST if a cell is missing ({@link #gap}), a length is 0 or above 9,216,
 * the first start in a header contradicts the preceding bytes, or a credit ends within a packet. Parsing resumes at the
 * next first start in a header, in the same cell or a later one, or after the end of a credit, where a packet starts.
 * Therefore only packets in missing or damaged cells are lost, and a packet is delivered completely or not at all. Does
 * not allocate. Stateless; any thread may call.
 */
public final class CellParser {
    /** State of a stream before its first cell. */
    public static final long NEW = 0;
    /** State of a stream of unknown position. */
    public static final long LOST = 3L << 48;

    private static final int STATUS_SHIFT = 48;
    private static final int HIGH_SHIFT = 32;
    private static final long START = 0;
    private static final long HALF = 1L << STATUS_SHIFT;
    private static final long PACKET = 2L << STATUS_SHIFT;

    private CellParser() {
    }

    /** Receives packets, each in parts. */
    public interface Sink {
        /** A packet starts; {@code bytes} is its length, 1 to 9,216. */
        void start(int bytes);

        /** The next part of the packet: {@code bytes} bytes from {@code offset} on. */
        void part(MemorySegment cells, long offset, int bytes);

        /** The packet is complete. */
        void end();

        /** The packet that was started is lost; discard its parts. */
        void abandon();

        /** A cell contradicts the preceding cells or contains an invalid length: it is damaged. */
        void damaged();
    }

    /**
     * Parses the next cell of a stream.
     *
     * @param state       state of the stream.
     * @param cells       segment of the cell.
     * @param payload     offset of its payload.
     * @param length      bytes of payload, at least 1.
     * @param firstStart  offset in the payload of the first packet that starts in the cell, below {@code length}, or
     *                    {@link StardustHeader#NO_START}.
     * @param endOfCredit whether the cell is the last one of its credit.
     * @param sink        receives the packets.
     * @return the new state.
     */
    public static long accept(final long state, final MemorySegment cells, final long payload, final int length,
        final int firstStart, final boolean endOfCredit, final Sink sink) {
        assert length > 0 && (firstStart < length || firstStart == StardustHeader.NO_START) : length + " " + firstStart;
        long now = state;
        int at = 0;
        if (state != LOST && expectedStart(state, cells, payload, length) != firstStart) {
            now = damage(state, sink);
        }
        if (now == LOST) {
            at = firstStart == StardustHeader.NO_START ? length : firstStart;
            now = firstStart == StardustHeader.NO_START ? LOST : START;
        }
        while (at < length && now != LOST) {
            final long status = now & LOST;
            if (status == START) {
                now = HALF | (long) byteAt(cells, payload + at++) << HIGH_SHIFT;
            } else if (status == HALF) {
                now = begin((int) (now >>> HIGH_SHIFT & 0xFF) << Byte.SIZE | byteAt(cells, payload + at++), sink);
            } else {
                final int remaining = (int) now;
                final int part = Math.min(remaining, length - at);
                sink.part(cells, payload + at, part);
                at += part;
                now = part == remaining ? START : now - part;
                if (now == START) {
                    sink.end();
                }
            }
        }
        if (endOfCredit) {
            if (now != START && now != LOST) {
                damage(now, sink);
            }
            return START;
        }
        return now;
    }

    /** Cells of the stream are missing: abandons a packet that was started; returns the new state, {@link #LOST}. */
    public static long gap(final long state, final Sink sink) {
        if ((state & LOST) == PACKET) {
            sink.abandon();
        }
        return LOST;
    }

    /** Offset at which the first packet of this cell starts according to the preceding cells. */
    private static int expectedStart(final long state, final MemorySegment cells, final long payload,
        final int length) {
        final long status = state & LOST;
        final int start = status == START ? 0 : status == PACKET ? (int) state
            : 1 + ((int) (state >>> HIGH_SHIFT & 0xFF) << Byte.SIZE | byteAt(cells, payload));
        return start < length ? start : StardustHeader.NO_START;
    }

    private static long begin(final int bytes, final Sink sink) {
        if (bytes == 0 || bytes > CellPacker.MAX_PACKET_BYTES) {
            sink.damaged();
            return LOST;
        }
        sink.start(bytes);
        return PACKET | bytes;
    }

    private static long damage(final long state, final Sink sink) {
        sink.damaged();
        return gap(state, sink);
    }

    private static int byteAt(final MemorySegment cells, final long offset) {
        return cells.get(ValueLayout.JAVA_BYTE, offset) & 0xFF;
    }
}
