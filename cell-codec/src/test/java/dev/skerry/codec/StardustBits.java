package dev.skerry.codec;

import java.util.Arrays;
import java.util.zip.CRC32C;

/** Model of Stardust's frames: strings of bits with the widths of docs/spec/stardust.md §3.5. */
final class StardustBits {
    /** Type, priority, version, FCI, EOC, 0, epoch, destination, source, port, class, sequence, length, 0, start, 0. */
    static final int[] CELL = {2, 2, 4, 2, 1, 1, 4, 16, 16, 12, 4, 32, 10, 6, 10, 6};
    /** Type, kind, version, flags, sender, block, tier, counter. */
    static final int[] REACHABILITY = {2, 2, 4, 8, 16, 16, 8, 8};
    /** Type, kind, version, class, state, source, destination, port, backlog, counter, 0. */
    static final int[] REQUEST = {2, 2, 4, 4, 4, 16, 16, 16, 32, 16, 16};
    /** Type, kind, version, class, issuer, target, port, bytes, counter. */
    static final int[] CREDIT = {2, 2, 4, 8, 16, 16, 16, 32, 32};
    /** Type, kind, version, on or off, link, counter. */
    static final int[] PAUSE = {2, 2, 4, 8, 16, 32};

    private StardustBits() {
    }

    /** A frame of raw fields and bytes, then their CRC by the JDK. */
    static byte[] frame(final int[] widths, final byte[] behind, final int... fields) {
        final byte[] bytes = HeaderBits.framed(behind, Arrays.stream(widths).sum() / 8, 4, (byte) 0);
        Arrays.fill(bytes, 0, bytes.length - 4 - behind.length, (byte) 0);
        HeaderBits.put(bytes, widths, fields);
        repairCrc(bytes);
        return bytes;
    }

    static void repairCrc(final byte[] frame) {
        final CRC32C crc = new CRC32C();
        crc.update(frame, 0, frame.length - 4);
        for (int i = 0; i < 4; i++) {
            frame[frame.length - 4 + i] = (byte) (crc.getValue() >>> 24 - 8 * i);
        }
    }
}
