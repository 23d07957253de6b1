package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.model.NodeCells;
import dev.skerry.tools.run.NodeChoice;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.TreeMap;

/** Helpers for tests of models that a line of text describes. */
final class TwinRig {
    /** Words of a channel: route, cell and feedback. */
    static final int CELL_WORDS = 3;
    /** No cell, no cell's words, no feedback. */
    static final long[] DUMMY = {-1, 0, -1};

    private TwinRig() {
    }

    static Twin twin(final String line) {
        return Description.of(line).twin(Arena.ofAuto());
    }

    /** The run that a model's settings describe. */
    static NodeChoice choice(final String kind, final String settings) {
        return NodeChoice.of(kind, new TreeMap<>(Description.of("x " + settings).values()));
    }

    /** Takes a row, which may be shorter than the model's, and returns its answer. */
    static long[] step(final Twin twin, final long... row) {
        return step(twin, row, false);
    }

    /** Resolves and takes a row, which becomes what the model received. */
    static long[] resolved(final Twin twin, final long[] row) {
        return step(twin, row, true);
    }

    private static long[] step(final Twin twin, final long[] row, final boolean resolves) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG,
                Arrays.copyOf(row, twin.names().inputs().length));
            final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, twin.names().outputs().length);
            if (resolves) {
                twin.resolve(in, 0);
                MemorySegment.copy(in, ValueLayout.JAVA_LONG, 0, row, 0, row.length);
            }
            twin.step(in, 0, out, 0);
            return out.toArray(ValueLayout.JAVA_LONG);
        }
    }

    /** Puts the words of a slot's cells into a row; each channel has that many words. */
    static void put(final NodeCells cells, final long[] row, final int from, final int words) {
        for (int channel = 0; channel < cells.channels(); channel++) {
            final int at = from + channel * words;
            row[at] = cells.route(channel);
            row[at + 1] = cells.cell(channel);
            row[at + 2] = cells.feedback(channel);
            final long[] message = cells.message(channel);
            if (message != null) {
                System.arraycopy(message, 0, row, at + CELL_WORDS, message.length);
            }
        }
    }

    static void refuses(final String reason, final Runnable action) {
        final String message = assertThrows(IllegalArgumentException.class, action::run).getMessage();
        assertTrue(message.contains(reason), message);
    }

    /** The input row of a model behind the library, and its last outputs. */
    @SuppressWarnings("restricted")
    static MemorySegment at(final long address, final long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    static long[] step(final ModelHandle model, final long... row) {
        final long rowBytes = model.property(1) * Long.BYTES;
        MemorySegment.copy(row, 0, at(model.property(0), rowBytes), ValueLayout.JAVA_LONG, 0, row.length);
        model.steps(1);
        return at(model.property(0) + model.property(3) * rowBytes, model.property(2) * Long.BYTES)
            .toArray(ValueLayout.JAVA_LONG);
    }

    static String text(final ModelHandle model, final int property) {
        return at(model.property(property), 1 << 16).getString(0);
    }
}
