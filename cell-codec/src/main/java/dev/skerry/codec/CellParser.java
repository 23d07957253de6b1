package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Takes the cells of one stream apart into packets again (spec/stardust §3.4 and §5.2), the way {@link CellPacker} put
 * them together. What a stream must remember between two cells is one {@code long}, so a bank of streams is an array:
 *
 * <pre>
 *    63       50 49    48 47        32 31                       0
 *   +-----------+--------+------------+--------------------------+
 *   |     0     | status |    high    |        remaining         |
 *   +-----------+--------+------------+--------------------------+
 *   status  0 START    a packet starts with the next byte               all else 0
 *           1 HALF     the first byte of its length is in "high"
 *           2 PACKET   so many of its bytes remain
 *           3 LOST     nothing is known until a cell says where a packet starts, or a credit ends
 * </pre>
 *
 * <p>A packet is given up, and the stream is LOST, when a cell is missing ({@link #gap}), when a length is 0 or above
 * 9,216, when the first start that the header tells is not where the bytes before put it, or when a credit ends within
 * a packet. Parsing goes on at the first start of that cell or, if it has none, of a later one; behind the end of a
 * credit a packet starts. So only packets that touch missing or damaged cells are lost, and a packet is delivered whole
 * or not at all. Nothing allocates. Stateless; any thread may call.
 */
public final class CellParser {
    /** What a stream remembers before its first cell. */
    public static final long NEW = 0;
    /** What a stream remembers that is joined at an unknown place. */
    public static final long LOST = 3L << 48;

    private static final int STATUS_SHIFT = 48;
    private static final int HIGH_SHIFT = 32;
    private static final long START = 0;
    private static final long HALF = 1L << STATUS_SHIFT;
    private static final long PACKET = 2L << STATUS_SHIFT;

    private CellParser() {
    }

    /** Gets packets, each in parts. */
    public interface Sink {
        /** A packet of so many bytes starts. */
        void start(int bytes);

        /** The next bytes of the packet lie in the cell. */
        void part(MemorySegment cells, long offset, int bytes);

        /** The packet is complete. */
        void end();

        /** The packet that was started does not come; what was given of it is void. */
        void abandon();

        /** The bytes of a cell do not fit what came before it or the packets' bounds: it is damaged. */
        void damaged();
    }

    /**
     * Takes the next cell of a stream.
     *
     * @param state       what the stream remembers.
     * @param cells       where the cell lies.
     * @param payload     offset of its payload.
     * @param length      bytes of payload.
     * @param firstStart  offset in the payload of the first packet that starts there, below {@code length}, or
     *                    {@link StardustHeader#NO_START}.
     * @param endOfCredit whether it is the last one of its credit.
     * @param sink        gets the packets.
     * @return what the stream remembers now.
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

    /** Cells of the stream are missing: gives up a packet that was started. */
    public static long gap(final long state, final Sink sink) {
        if ((state & LOST) == PACKET) {
            sink.abandon();
        }
        return LOST;
    }

    /** Where the first packet of this cell starts by what came before it. */
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
