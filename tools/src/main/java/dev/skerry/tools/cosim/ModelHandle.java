package dev.skerry.tools.cosim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One model, as the C library holds it (tools/cosim/c/skerry.c looks these methods up by name). C reads and writes rows
 * directly in a block of memory, up to {@link #BATCH} steps per call:
 *
 * <pre>
 *   address
 *   +-------------------------------+--------------------------------+
 *   | BATCH rows of inputs          | BATCH rows of outputs          |     64-bit words in native byte order
 *   +-------------------------------+--------------------------------+
 * </pre>
 *
 * Any thread, one at a time per model. C turns an exception into an error code and a text.
 */
final class ModelHandle {
    private static final int BATCH = 64;

    private final Arena arena = Arena.ofShared();
    private final Twin twin;
    private final MemorySegment rows;
    private final long outputsAt;
    private final int inputBytes;
    private final int outputBytes;

    private ModelHandle(final String description) {
        twin = Description.of(description).twin(arena);
        inputBytes = twin.inputs().length * Long.BYTES;
        outputBytes = twin.outputs().length * Long.BYTES;
        outputsAt = (long) BATCH * inputBytes;
        rows = arena.allocate(outputsAt + (long) BATCH * outputBytes, ValueLayout.JAVA_LONG.byteAlignment());
    }

    /** Creates a model in its initial state. */
    static ModelHandle open(final String description) {
        return new ModelHandle(description);
    }

    /**
     * A constant that C reads once: 0 the address of the rows, 1 words of an input row, 2 words of an output row, 3
     * steps per call.
     */
    long property(final int which) {
        return switch (which) {
            case 0 -> rows.address();
            case 1 -> inputBytes / Long.BYTES;
            case 2 -> outputBytes / Long.BYTES;
            case 3 -> BATCH;
            default -> throw new IllegalArgumentException("no such property: which=" + which);
        };
    }

    /** Executes the rows in the block. If one is refused, the rows before it have taken effect. */
    void steps(final int count) {
        for (int i = 0; i < count; i++) {
            twin.step(rows, (long) i * inputBytes, rows, outputsAt + (long) i * outputBytes);
        }
    }

    /** Frees the memory. The model must not be used any more. */
    void close() {
        arena.close();
        twin.close();
    }

    /** The error in one line. */
    static String text(final Throwable failure) {
        return failure instanceof IllegalArgumentException ? failure.getMessage() : failure.toString();
    }
}
