package dev.skerry.dataplane.memory;

import dev.skerry.dataplane.memory.StateGraph.StateBlocks;
import dev.skerry.schedule.check.Bounds;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * The state of a fabric in one file (docs/checkpoints.md). It is written to a temporary file next to it, forced to disk
 * and renamed, so the name always refers to a complete state. Only its user may read it. The checksum detects damage,
 * not tampering: set the property {@link Region#BOUNDS} before restoring state from others. One thread, which owns the
 * fabric; nothing else may run meanwhile.
 *
 * <pre>
 *   0       8        12          12 + n                         end - 8
 *   +-------+--------+-----------+--  ..  --+--  ..  --+--------+
 *   | magic | n      | identity  | state of the fabric | CRC32C |
 *   +-------+--------+-----------+--  ..  --+--  ..  --+--------+
 *   identity: UTF-8, what made the fabric, n bytes; numbers are big-endian, content of memory in native order
 * </pre>
 */
public final class Checkpoint {
    /** "SKERRY" and the format version. */
    private static final long MAGIC = 0x534B_4552_5259_0001L;
    private static final int MOST_IDENTITY = 1 << 20;
    private static final int BUFFER = 1 << 16;
    private static final String ROOT = "engine";

    private final Path file;
    private final String identity;

    private Checkpoint(final Path file, final String identity) {
        this.file = file;
        this.identity = identity;
    }

    /**
     * Writes the state of a fabric.
     *
     * @param file     replaced atomically when everything has been written; its folder exists.
     * @param identity describes how to create the fabric, for the reader of the file.
     * @param arena    arena of the fabric.
     * @param root     object from which all state can be reached.
     * @param access   defines what is constant, and gives access to fields.
     * @throws IllegalStateException if state cannot be reached; the file is unchanged.
     * @throws IOException           if the file cannot be written; it is unchanged.
     */
    public static void write(final Path file, final String identity, final CountedArena arena, final Object root,
        final StateAccess access) throws IOException {
        final Path beside = file.resolveSibling(file.getFileName() + ".partial");
        try {
            try (FileChannel channel = PrivateFiles.create(beside)) {
                final CheckedOutputStream sum = new CheckedOutputStream(
                    new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER), new CRC32C());
                final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(sum, BUFFER));
                final byte[] text = identity.getBytes(StandardCharsets.UTF_8);
                out.writeLong(MAGIC);
                out.writeInt(text.length);
                out.write(text);
                new StateGraph(access, new StateWriter(out, false)).walk(ROOT, root);
                out.writeLong(arena.bytes());
                out.flush();
                out.writeLong(sum.getChecksum().getValue());
                out.flush();
                channel.force(true);
            }
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent())) {
                folder.force(true);
            }
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /**
     * Opens a file and checks it completely.
     *
     * @throws IllegalArgumentException if it is not a checkpoint of this format, or is truncated or damaged.
     * @throws IOException              if it cannot be read.
     */
    public static Checkpoint open(final Path file) throws IOException {
        final long size = Files.size(file);
        try (InputStream raw = Files.newInputStream(file);
            DataInputStream in = new DataInputStream(new BufferedInputStream(raw, BUFFER))) {
            Bounds.refuseIf(size < 2 * Long.BYTES + Integer.BYTES || in.readLong() != MAGIC,
                "not a checkpoint of this version");
            final int length = in.readInt();
            Bounds.refuseIf(length < 0 || length > MOST_IDENTITY, "damaged");
            final byte[] identity = in.readNBytes(length);
            Bounds.refuseIf(!isWhole(file, size), "cut off or damaged");
            return new Checkpoint(file, new String(identity, StandardCharsets.UTF_8));
        }
    }

    /** Description of how to create the fabric. */
    public String identity() {
        return identity;
    }

    /**
     * Restores the state into a fabric that was created in the same way. After a failure the fabric is unusable.
     *
     * @param arena    arena of the fabric.
     * @param root     as for {@link #write}.
     * @param access   as for {@link #write}.
     * @throws IllegalArgumentException if the state belongs to another fabric.
     * @throws IOException              if the file cannot be read.
     */
    public void restore(final CountedArena arena, final Object root, final StateAccess access) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER))) {
            in.skipNBytes(Long.BYTES);
            in.skipNBytes(in.readInt());
            new StateGraph(access, new StateReader(in, arena, false)).walk(ROOT, root);
            arena.counted(in.readLong());
            in.skipNBytes(Long.BYTES);
            Bounds.refuseIf(in.read() >= 0, "state of another fabric: it holds more");
        } catch (final EOFException e) {
            throw new IllegalArgumentException("state of another fabric: it holds less", e);
        }
    }

    private static boolean isWhole(final Path file, final long size) throws IOException {
        try (CheckedInputStream in = new CheckedInputStream(
            new BufferedInputStream(Files.newInputStream(file), BUFFER), new CRC32C())) {
            in.skipNBytes(size - Long.BYTES);
            final long sum = in.getChecksum().getValue();
            return new DataInputStream(in).readLong() == sum;
        }
    }

    /**
     * Restores into a fabric or model the state that {@link StateWriter} wrote. Objects are those of the fabric;
     * regions and arrays whose size has changed are reallocated. One thread.
     */
    static final class StateReader implements StateGraph.Codec {
        private static final String FOREIGN = "state of another fabric: ";

        private final DataInputStream in;
        private final Arena arena;
        private final boolean isNamed;
        private final StateBlocks blocks = new StateBlocks();
        private final List<Object> objects = new ArrayList<>();
        private final Map<Object, Boolean> taken = new IdentityHashMap<>();

        StateReader(final DataInputStream in, final Arena arena, final boolean isNamed) {
            this.in = in;
            this.arena = arena;
            this.isNamed = isNamed;
        }

        private void expect(final String path) throws IOException {
            Bounds.refuseIf(isNamed && !in.readUTF().equals(path), FOREIGN, path, ": no such place");
        }

        @Override
        public long number(final String path, final long present, final boolean fixed) throws IOException {
            expect(path);
            Bounds.refuseIf(isNamed && in.readUnsignedByte() != StateWriter.NUMBER, FOREIGN, path, ": no number");
            final long value = in.readLong();
            Bounds.refuseIf(fixed && value != present, FOREIGN, path, ": ", value, ", not ", present);
            return value;
        }

        @Override
        public Object reference(final String path, final Class<?> type, final Object present, final boolean fixed)
            throws IOException {
            expect(path);
            final Object then = switch (in.readUnsignedByte()) {
                case StateWriter.NULL -> null;
                case StateWriter.KNOWN -> known(path, in.readInt());
                case StateWriter.NEW -> fresh(path, type, present, fixed);
                default -> throw new IllegalArgumentException(FOREIGN + path + ": no reference");
            };
            Bounds.refuseIf(then != present && (fixed || then != null && !type.isInstance(then)), FOREIGN, path,
                ": another object");
            return then;
        }

        private Object known(final String path, final int number) {
            Bounds.refuseIf(number < 0 || number >= objects.size(), FOREIGN, path, ": no object ", number);
            return objects.get(number);
        }

        private Object fresh(final String path, final Class<?> type, final Object present, final boolean fixed)
            throws IOException {
            final int name = in.readInt();
            final long size = in.readLong();
            in.skipNBytes(isNamed ? 1 : 0);
            final boolean free = present != null && !taken.containsKey(present)
                && StateWriter.name(present).hashCode() == name;
            final boolean fits = free && (StateWriter.size(present) == size || present instanceof BitSet);
            Bounds.refuseIf(!fits && (fixed || size < 0 || size > Long.MAX_VALUE - Long.BYTES), FOREIGN, path,
                ": size ", size);
            final Object value = fits ? present : StateBlocks.make(arena, type, size);
            Bounds.refuseIf(value == null, FOREIGN, path, ": no place for it");
            Bounds.refuseIf(StateWriter.name(value).hashCode() != name, FOREIGN, path, ": not a ",
                StateWriter.name(value));
            objects.add(value);
            taken.put(value, true);
            if (StateGraph.isData(value)) {
                blocks.read(in, value, size);
            }
            return value;
        }
    }

    /**
     * Writes the state of a fabric or model: numbers as longs; references as null, as the number of an object written
     * before, or as a new object with the hash of its class name, its size and its content. With names, each number and
     * reference is preceded by its path and kind, and content by its element size in bytes. One thread.
     */
    static final class StateWriter implements StateGraph.Codec {
        static final int NULL = 0;
        static final int KNOWN = 1;
        static final int NEW = 2;
        static final int NUMBER = 3;

        private final DataOutputStream out;
        private final boolean isNamed;
        private final StateBlocks blocks = new StateBlocks();
        private final Map<Object, Integer> numbers = new IdentityHashMap<>();

        StateWriter(final DataOutputStream out, final boolean isNamed) {
            this.out = out;
            this.isNamed = isNamed;
        }

        @Override
        public long number(final String path, final long present, final boolean fixed) throws IOException {
            if (isNamed) {
                out.writeUTF(path);
                out.writeByte(NUMBER);
            }
            out.writeLong(present);
            return present;
        }

        @Override
        public Object reference(final String path, final Class<?> type, final Object present, final boolean fixed)
            throws IOException {
            final Integer known = present == null ? null : numbers.get(present);
            if (isNamed) {
                out.writeUTF(path);
            }
            if (present == null) {
                out.writeByte(NULL);
            } else if (known != null) {
                out.writeByte(KNOWN);
                out.writeInt(known);
            } else {
                numbers.put(present, numbers.size());
                out.writeByte(NEW);
                out.writeInt(name(present).hashCode());
                out.writeLong(size(present));
                if (isNamed) {
                    out.writeByte(unit(present));
                }
                if (StateGraph.isData(present)) {
                    blocks.write(out, present);
                }
            }
            return present;
        }

        /** Element size of content in bytes, 0 if there is no content. */
        private static int unit(final Object value) {
            return switch (value) {
                case final long[] longs -> Long.BYTES;
                case final double[] doubles -> Double.BYTES;
                case final int[] ints -> Integer.BYTES;
                case final short[] shorts -> Short.BYTES;
                case final BitSet bits -> Byte.BYTES;
                default -> !StateGraph.isData(value) ? 0
                    : value.getClass().isArray() || StateBlocks.size(value) % Integer.BYTES != 0 ? Byte.BYTES
                    : Integer.BYTES;
            };
        }

        /**
         * Name of a class that is the same in every process: without the number of a lambda, and independent of the
         * actual class of segments and collections.
         */
        static String name(final Object value) {
            if (value instanceof Collection<?> || value instanceof Map<?, ?>) {
                return "collection";
            }
            if (StateGraph.isData(value) && !value.getClass().isArray() && !(value instanceof Region)) {
                return "data";
            }
            final String name = value.getClass().getName();
            return value.getClass().isHidden() ? name.substring(0, name.indexOf('/')) : name;
        }

        /** Bytes of content, number of elements of an array of objects, or 0. */
        static long size(final Object value) {
            return StateGraph.isData(value) ? StateBlocks.size(value)
                : value instanceof final Object[] elements ? elements.length : 0;
        }
    }
}
