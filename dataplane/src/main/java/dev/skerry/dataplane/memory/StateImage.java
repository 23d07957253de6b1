package dev.skerry.dataplane.memory;

import dev.skerry.dataplane.memory.Checkpoint.StateReader;
import dev.skerry.dataplane.memory.Checkpoint.StateWriter;
import dev.skerry.dataplane.memory.StateGraph.StateBlocks;
import dev.skerry.schedule.check.Bounds;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * The complete state of a model as bytes, which can be saved, restored into an equal model of this or another process,
 * and compared by name. It contains every field of every reachable object, so no structure can be omitted. An image
 * fits models of the same build on machines of the same byte order.
 *
 * <pre>
 *   0       4                     end - 4
 *   +-------+---------  ..  ------+-------+
 *   | magic | state, with names   | CRC32 |    big-endian, content of memory in native order
 *   +-------+---------  ..  ------+-------+
 * </pre>
 *
 * <p>One thread, which owns the model. Allocates freely; not for the path of a cell.
 */
public final class StateImage {
    private static final int MAGIC = 0x534B5332;
    private static final int CRC_BYTES = Integer.BYTES;
    private static final String ROOT = "model";
    private static final int NO_INDEX = -1;

    private final Object root;
    private final Arena arena;
    private final StateAccess access;

    /**
     * Creates the images of a model.
     *
     * @param root     the model.
     * @param arena    provides the memory for structures that have grown.
     * @param access   defines what is constant, and gives access to fields.
     */
    public StateImage(final Object root, final Arena arena, final StateAccess access) {
        this.root = root;
        this.arena = arena;
        this.access = access;
    }

    /**
     * The first difference between two images in one of their entries.
     *
     * @param path   path of the value from the root.
     * @param index  index of the value in the entry; negative if the entry has a single value, or the sizes differ.
     * @param first  the value in the first image, as text.
     * @param second the value in the second image.
     */
    public record Difference(String path, int index, String first, String second) {
        @Override
        public String toString() {
            return path + (index < 0 ? "" : "[" + index + "]") + ": " + first + ", not " + second;
        }
    }

    /** The current state. */
    public byte[] save() {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            new StateGraph(access, new StateWriter(out, true)).walk(ROOT, root);
            out.writeInt(crc(bytes.toByteArray(), bytes.size()));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Restores a state into the model.
     *
     * @param image an image returned by {@link #save} of an equal model.
     * @throws IllegalArgumentException if the image is damaged or of another model. The model is unchanged if the image
     *                                  is damaged, and unusable if it was of another model.
     */
    public void restore(final byte[] image) {
        try (DataInputStream in = checked(image)) {
            new StateGraph(access, new StateReader(in, arena, true)).walk(ROOT, root);
            Bounds.refuseIf(in.read() >= 0, "the state is that of another model: it holds more");
        } catch (final EOFException e) {
            throw new IllegalArgumentException("the state is that of another model: it holds less", e);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Lists the differences between two images of equal models.
     *
     * @return the first difference of each entry that differs, in order of their paths; empty if the images are equal.
     * @throws IllegalArgumentException if an image is damaged.
     */
    public static List<Difference> differences(final byte[] first, final byte[] second) {
        final List<Difference> differences = new ArrayList<>();
        final Map<String, StateEntry> others = parse(second);
        parse(first).forEach((path, entry) -> {
            final StateEntry other = others.remove(path);
            if (other == null) {
                differences.add(new Difference(path, NO_INDEX, "present", "there"));
            } else if (!Arrays.equals(entry.bytes(), other.bytes())) {
                differences.add(entry.difference(path, other));
            }
        });
        others.keySet().forEach(path -> differences.add(new Difference(path, NO_INDEX, "absent", "present")));
        return differences;
    }

    /** The state in an image. */
    private static DataInputStream checked(final byte[] image) {
        final int body = image.length - CRC_BYTES;
        Bounds.refuseIf(body < Integer.BYTES || ByteBuffer.wrap(image).getInt() != MAGIC
            || ByteBuffer.wrap(image).getInt(body) != crc(image, body), "not a saved state, or damaged: bytes=",
            image.length);
        return new DataInputStream(new ByteArrayInputStream(image, Integer.BYTES, body - Integer.BYTES));
    }

    private static int crc(final byte[] bytes, final int length) {
        final CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /** The entries of an image by path, in the order of the image. */
    private static Map<String, StateEntry> parse(final byte[] image) {
        final Map<String, StateEntry> entries = new LinkedHashMap<>();
        try (DataInputStream in = checked(image)) {
            while (in.available() > 0) {
                final String path = in.readUTF();
                entries.put(path, switch (in.readUnsignedByte()) {
                    case StateWriter.NUMBER -> StateEntry.of(in.readLong());
                    case StateWriter.NULL -> new StateEntry(1, null);
                    case StateWriter.KNOWN -> StateEntry.of(in.readInt());
                    default -> StateEntry.read(in);
                });
            }
        } catch (final IOException e) {
            throw new IllegalArgumentException("not a saved state: bytes=" + image.length, e);
        }
        return entries;
    }

    /**
     * The value of one entry as bytes, in the byte order of the machine.
     *
     * @param unit  size of each number in bytes: 1, 2, 4 or 8.
     * @param bytes the numbers; null for a null reference.
     */
    private record StateEntry(int unit, byte[] bytes) {
        private static final int NO_INDEX = -1;

        /** A number, or the number of an object that was already written. */
        static StateEntry of(final long value) {
            return new StateEntry(Long.BYTES,
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(value).array());
        }

        /** A new object after its kind: its content, or its size if it has no content. */
        static StateEntry read(final DataInputStream in) throws IOException {
            in.skipNBytes(Integer.BYTES);
            final long size = in.readLong();
            final int unit = in.readUnsignedByte();
            if (unit == 0) {
                return of(size);
            }
            final byte[] bytes = new byte[(int) size];
            new StateBlocks().read(in, bytes, size);
            return new StateEntry(unit, bytes);
        }

        /** The number at an index, sign-extended. */
        long number(final int index) {
            final MemorySegment segment = MemorySegment.ofArray(bytes);
            final long at = (long) index * unit;
            return switch (unit) {
                case Byte.BYTES -> segment.get(ValueLayout.JAVA_BYTE, at);
                case Short.BYTES -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
                case Integer.BYTES -> segment.get(ValueLayout.JAVA_INT_UNALIGNED, at);
                default -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            };
        }

        boolean sameSize(final StateEntry other) {
            return bytes != null && other.bytes != null && bytes.length == other.bytes.length;
        }

        /** The first number in which two different entries differ, or their sizes. */
        StateImage.Difference difference(final String path, final StateEntry other) {
            if (!sameSize(other)) {
                return new StateImage.Difference(path, NO_INDEX, size(), other.size());
            }
            final int index = Arrays.mismatch(bytes, other.bytes) / unit;
            return new StateImage.Difference(path, bytes.length == unit ? NO_INDEX : index,
                Long.toString(number(index)), Long.toString(other.number(index)));
        }

        private String size() {
            return bytes == null ? "none" : bytes.length + " bytes";
        }
    }
}
