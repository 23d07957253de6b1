package dev.skerry.dataplane.memory;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts a fabric at slot 0 into the state that {@link StateWriter} wrote. Objects are those of the fabric; regions and
 * arrays whose size has changed are made anew. One thread.
 */
final class StateReader implements StateGraph.Codec {
    private final DataInputStream in;
    private final Arena arena;
    private final StateBlocks blocks = new StateBlocks();
    private final List<Object> objects = new ArrayList<>();
    private final Map<Object, Boolean> taken = new IdentityHashMap<>();

    StateReader(final DataInputStream in, final Arena arena) {
        this.in = in;
        this.arena = arena;
    }

    @Override
    public long number(final String path, final long present, final boolean fixed) throws IOException {
        final long value = in.readLong();
        if (fixed && value != present) {
            throw foreign(path, value + ", not " + present);
        }
        return value;
    }

    @Override
    public Object reference(final String path, final Class<?> type, final Object present, final boolean fixed)
        throws IOException {
        final Object then = switch (in.readUnsignedByte()) {
            case StateWriter.NULL -> null;
            case StateWriter.KNOWN -> known(path, in.readInt());
            case StateWriter.NEW -> fresh(path, type, present, fixed);
            default -> throw foreign(path, "no reference");
        };
        if (then != present && (fixed || then != null && !type.isInstance(then))) {
            throw foreign(path, "another object");
        }
        return then;
    }

    private Object known(final String path, final int number) {
        if (number < 0 || number >= objects.size()) {
            throw foreign(path, "no object " + number);
        }
        return objects.get(number);
    }

    private Object fresh(final String path, final Class<?> type, final Object present, final boolean fixed)
        throws IOException {
        final int name = in.readInt();
        final long size = in.readLong();
        final boolean free = present != null && !taken.containsKey(present)
            && StateWriter.name(present).hashCode() == name;
        final boolean fits = free && (StateWriter.size(present) == size || present instanceof BitSet);
        if (!fits && (fixed || size < 0 || size > Long.MAX_VALUE - Long.BYTES)) {
            throw foreign(path, "size " + size);
        }
        final Object value = fits ? present : make(path, type, size);
        if (StateWriter.name(value).hashCode() != name) {
            throw foreign(path, "not a " + StateWriter.name(value));
        }
        objects.add(value);
        taken.put(value, true);
        if (StateGraph.isData(value)) {
            blocks.read(in, value, size);
        }
        return value;
    }

    private Object make(final String path, final Class<?> type, final long size) {
        if (type == Region.class) {
            return Region.allocate(arena, size);
        }
        if (type.isArray()) {
            final Class<?> element = type.getComponentType();
            final long bytes = element == boolean.class || !element.isPrimitive() ? 1
                : StateBlocks.size(Array.newInstance(element, 1));
            if (size / bytes <= Integer.MAX_VALUE - Long.BYTES) {
                return Array.newInstance(element, (int) (size / bytes));
            }
        }
        throw foreign(path, "no place for it");
    }

    private static IllegalArgumentException foreign(final String path, final String why) {
        return new IllegalArgumentException("state of another fabric: " + path + ": " + why);
    }
}
