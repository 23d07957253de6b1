package dev.skerry.tools.cosim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One model as the C library holds it (tools/cosim/c/skerry.c, which finds these methods by name). Rows travel in a
 * block of memory that C reads and writes directly, up to {@link #BATCH} steps a call:
 *
 * <pre>
 *   address
 *   +-------------------------------+--------------------------------+
 *   | BATCH rows of inputs          | BATCH rows of outputs          |     64-bit words in native byte order
 *   +-------------------------------+--------------------------------+
 * </pre>
 *
 * Any thread may call, one at a time for the same model. What is thrown here is cleared in C and becomes an error code
 * and a text.
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

    /** A model in its initial state. */
    static ModelHandle open(final String description) {
        return new ModelHandle(description);
    }

    /** What C asks for once: 0 the address of the rows, 1 words of an input row, 2 of an output row, 3 steps a call. */
    long property(final int which) {
        return switch (which) {
            case 0 -> rows.address();
            case 1 -> inputBytes / Long.BYTES;
            case 2 -> outputBytes / Long.BYTES;
            case 3 -> BATCH;
            default -> throw new IllegalArgumentException("no such property: which=" + which);
        };
    }

    /** Steps the model along the rows in the block. Those before one that is refused have been made. */
    void steps(final int count) {
        for (int i = 0; i < count; i++) {
            twin.step(rows, (long) i * inputBytes, rows, outputsAt + (long) i * outputBytes);
        }
    }

    /** Frees the memory; the model is not to be used any more. */
    void close() {
        arena.close();
        twin.close();
    }

    /** What went wrong, as one line. */
    static String text(final Throwable failure) {
        return failure instanceof IllegalArgumentException ? failure.getMessage() : failure.toString();
    }
}
