package dev.skerry.dataplane.memory;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;

/** Writes the state of a fabric, see {@link Checkpoint} for the bytes. One thread. */
final class StateWriter implements StateGraph.Codec {
    static final int NULL = 0;
    static final int KNOWN = 1;
    static final int NEW = 2;

    private final DataOutputStream out;
    private final StateBlocks blocks = new StateBlocks();
    private final Map<Object, Integer> numbers = new IdentityHashMap<>();

    StateWriter(final DataOutputStream out) {
        this.out = out;
    }

    @Override
    public long number(final String path, final long present, final boolean fixed) throws IOException {
        out.writeLong(present);
        return present;
    }

    @Override
    public Object reference(final String path, final Class<?> type, final Object present, final boolean fixed)
        throws IOException {
        final Integer known = present == null ? null : numbers.get(present);
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
            if (StateGraph.isData(present)) {
                blocks.write(out, present);
            }
        }
        return present;
    }

    /** The name of a class; that of a lambda has no number, and segments and collections have many classes. */
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

    /** Bytes of content, elements of an array of objects, or 0. */
    static long size(final Object value) {
        return StateGraph.isData(value) ? StateBlocks.size(value)
            : value instanceof final Object[] elements ? elements.length : 0;
    }
}
