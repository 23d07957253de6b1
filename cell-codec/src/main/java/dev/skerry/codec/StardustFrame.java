package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Where the next message of {@link StardustControl} is written; reusable. One thread. */
public final class StardustFrame {
    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** A frame without memory. */
    public StardustFrame() {
    }

    /**
     * Moves the frame.
     *
     * @param memory    segment of the frame.
     * @param firstByte offset of its first byte.
     * @return this.
     */
    public StardustFrame at(final MemorySegment memory, final long firstByte) {
        this.segment = memory;
        this.offset = firstByte;
        return this;
    }

    /** Writes the first word; throws IndexOutOfBoundsException if a message of this kind has no room. */
    void begin(final int kind, final int flags, final int first, final int second, final int third) {
        Objects.checkFromIndexSize(offset, StardustControl.frameBytes(kind), segment.byteSize());
        segment.set(Wire.LONG, offset, (long) StardustHeader.CONTROL << StardustHeader.TYPE_SHIFT
            | (long) kind << StardustControl.KIND_SHIFT | (long) StardustHeader.VERSION << StardustHeader.VERSION_SHIFT
            | (long) flags << 48 | (long) first << 32 | (long) second << 16 | third);
    }

    /** Writes the second word. */
    void tail(final long word) {
        segment.set(Wire.LONG, offset + Long.BYTES, word);
    }

    /** Writes a map of 128 bits into the second and third word. */
    void map(final long low, final long high) {
        segment.set(StardustControl.MAP, offset + Long.BYTES, low);
        segment.set(StardustControl.MAP, offset + 2 * Long.BYTES, high);
    }

    /** Writes the CRC. */
    void end(final int kind) {
        Crc32c.seal(segment, offset, StardustControl.bytes(kind));
    }
}
