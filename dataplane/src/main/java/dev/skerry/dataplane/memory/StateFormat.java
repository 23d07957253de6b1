package dev.skerry.dataplane.memory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * The bytes of a {@link StateImage}.
 *
 * <pre>
 *   0       4          8                                                              end - 4
 *   +-------+----------+--  ..  --+--------+------+--------+---------+--  ..  --+-------+
 *   | magic | entries  |          | path   | unit | length | bytes   |          | CRC32 |
 *   +-------+----------+--  ..  --+--------+------+--------+---------+--  ..  --+-------+
 *                                 |-------------- an entry ----------|
 *   path: from the root, in modified UTF-8; unit: bytes of one of its numbers; length: of its bytes, -1 for null
 * </pre>
 *
 * Numbers of the frame are big-endian, values in the native order of the machine.
 */
final class StateFormat {
    private static final int MAGIC = 0x534B5331;
    private static final int CRC_BYTES = Integer.BYTES;

    private StateFormat() {
    }

    /** The image of entries by path. */
    static byte[] write(final Map<String, StateEntry> entries) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            out.writeInt(entries.size());
            for (final Map.Entry<String, StateEntry> named : entries.entrySet()) {
                final StateEntry entry = named.getValue();
                out.writeUTF(named.getKey());
                out.writeByte(entry.unit());
                out.writeInt(entry.bytes() == null ? -1 : entry.bytes().length);
                out.write(entry.bytes() == null ? new byte[0] : entry.bytes());
            }
            out.writeInt(crc(bytes.toByteArray(), bytes.size()));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * The entries of an image by path, in its order.
     *
     * @throws IllegalArgumentException if it is no image or damaged.
     */
    static Map<String, StateEntry> parse(final byte[] image) {
        final int body = image.length - CRC_BYTES;
        if (body < 2 * Integer.BYTES || ByteBuffer.wrap(image).getInt() != MAGIC
            || ByteBuffer.wrap(image).getInt(body) != crc(image, body)) {
            throw new IllegalArgumentException("not a saved state, or damaged: bytes=" + image.length);
        }
        final Map<String, StateEntry> entries = new LinkedHashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(image, Integer.BYTES, body))) {
            for (int left = in.readInt(); left > 0; left--) {
                final String path = in.readUTF();
                final int unit = in.readByte();
                final int length = in.readInt();
                entries.put(path, new StateEntry(unit, length < 0 ? null : in.readNBytes(length)));
            }
        } catch (final IOException e) {
            throw new IllegalArgumentException("not a saved state: bytes=" + image.length, e);
        }
        return entries;
    }

    private static int crc(final byte[] bytes, final int length) {
        final CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
