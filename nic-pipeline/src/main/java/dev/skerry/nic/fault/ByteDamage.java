package dev.skerry.nic.fault;

import dev.skerry.codec.Crc32c;
import dev.skerry.codec.HeaderFault;

import java.lang.foreign.MemorySegment;

/**
 * Applies damage to the bytes of a transmission, and determines which check of the receiver detects it
 * (docs/spec/shale.md §8.5, docs/spec/shoal.md §6.2): the fabric writes the cell, a burst of up to 32 bits is changed
 * in it, and the header is checked by its codec. A CRC of 8 bits misses one long burst in 256; the CRC-32C of the frame
 * around the cell detects every burst. One bank, one thread.
 */
public final class ByteDamage {
    private final Frame frame;
    private final byte[] bytes;
    private final MemorySegment segment;

    /** The transmission that is damaged next, as bytes. */
    public interface Frame {
        /** Bytes of a cell, header and payload. */
        int cellBytes();

        /** Writes the transmission into a segment of {@link #cellBytes}, which contains the previous one. */
        void writeTo(MemorySegment cell);

        /** The fault that the receiver finds in the header of the cell. */
        HeaderFault check(MemorySegment cell);
    }

    /** Creates an object for the transmissions of a frame. */
    public ByteDamage(final Frame frame) {
        this.frame = frame;
        this.bytes = new byte[frame.cellBytes()];
        this.segment = MemorySegment.ofArray(bytes);
    }

    /**
     * Damages the frame's transmission anywhere: 64 random bits determine the position of the burst, and the bits it
     * changes.
     */
    public HeaderFault damage(final long noise) {
        return damage(place(noise, 0), burst(noise));
    }

    /** Damages only its payload, which starts at byte {@code first}. */
    public HeaderFault damageFrom(final int first, final long noise) {
        return damage(place(noise, first), burst(noise));
    }

    private int place(final long noise, final int first) {
        return first + (int) Long.remainderUnsigned(noise >>> Integer.SIZE, bytes.length - first - Integer.BYTES + 1);
    }

    private static int burst(final long noise) {
        return (int) noise == 0 ? 1 : (int) noise;
    }

    /**
     * Damages the frame's transmission.
     *
     * @param place the first of four bytes, 0 to cell bytes - 4.
     * @param burst the bits that change, those of the first byte lowest; not 0.
     * @return the fault in the header; {@link HeaderFault#NONE} if only the frame's check detects the damage.
     * @throws IllegalStateException if no check detects it.
     */
    public HeaderFault damage(final int place, final int burst) {
        frame.writeTo(segment);
        final int intact = Crc32c.of(segment, 0, bytes.length);
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[place + i] ^= (byte) (burst >>> i * Byte.SIZE);
        }
        final HeaderFault found = frame.check(segment);
        if (found == HeaderFault.NONE && Crc32c.of(segment, 0, bytes.length) == intact) {
            throw new IllegalStateException("undetected damage: byte=" + place + " burst="
                + Integer.toHexString(burst));
        }
        return found;
    }
}
