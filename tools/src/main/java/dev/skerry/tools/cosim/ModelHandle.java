package dev.skerry.tools.cosim;

import dev.skerry.nic.follow.Coverage;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.CoverageFile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * A model, as the C library uses it (tools/cosim/c/skerry.c looks up these methods by name). C reads and writes rows
 * directly in a block of memory, up to {@link #BATCH} steps per call:
 *
 * <pre>
 *   address
 *   +-------------------------------+--------------------------------+
 *   | BATCH rows of inputs          | BATCH rows of outputs          |     64-bit words in native byte order
 *   +-------------------------------+--------------------------------+
 * </pre>
 *
 * Any thread, one at a time per model. C converts an exception into an error code and a text. {@link dev.skerry.Model}
 * is the counterpart for Java.
 */
public final class ModelHandle {
    private static final int BATCH = 64;
    private static final String COVERAGE = "coverage";
    private static final String SLOT = "slot";
    private static final String DOWN = "down";
    private static final int REPORT_BYTES = 1 << 16;
    /** Start of a saved state, with the version of its format. */
    private static final String STATE = "skerry state 1";

    private final Arena arena = Arena.ofShared();
    private final String description;
    private final Twin twin;
    /** Offered flows, which a saved state contains before the state of the model. */
    private final List<long[]> offers = new ArrayList<>();
    private final MemorySegment rows;
    private final long outputsAt;
    private final int inputBytes;
    private final int outputBytes;
    /** Names of inputs, outputs and probes, then a report, each ended by a byte 0. */
    private final MemorySegment names;
    private final MemorySegment report = arena.allocate(REPORT_BYTES);
    private long reported;
    private long steps;

    private ModelHandle(final String description) {
        this.description = description;
        twin = Description.of(description).twin(arena);
        final Twin.Names of = twin.names();
        inputBytes = of.inputs().length * Long.BYTES;
        outputBytes = of.outputs().length * Long.BYTES;
        outputsAt = (long) BATCH * inputBytes;
        rows = arena.allocate(outputsAt + (long) BATCH * outputBytes, ValueLayout.JAVA_LONG.byteAlignment());
        names = arena.allocateFrom(String.join(" ", of.inputs()) + "\n" + String.join(" ", of.outputs()) + "\n"
            + String.join(" ", twin.probes()), StandardCharsets.US_ASCII);
    }

    /** Creates a model in its initial state. */
    public static ModelHandle open(final String description) {
        return new ModelHandle(description);
    }

    /**
     * Returns a constant that C reads once: 0 the address of the rows, 1 the words of an input row, 2 the words of an
     * output row, 3 the steps per call, 4 the address of the names, 5 the address of the report.
     */
    long property(final int which) {
        return switch (which) {
            case 0 -> rows.address();
            case 1 -> inputBytes / Long.BYTES;
            case 2 -> outputBytes / Long.BYTES;
            case 3 -> BATCH;
            case 4 -> names.address();
            case 5 -> report.address();
            default -> throw new IllegalArgumentException("no such property: which=" + which);
        };
    }

    /** Executes the rows in the block. If one is refused, the rows before it have taken effect. */
    void steps(final int count) {
        for (int i = 0; i < count; i++) {
            twin.step(rows, (long) i * inputBytes, rows, outputsAt + (long) i * outputBytes);
            steps++;
        }
        if (twin.reported() != reported) {
            reported = twin.reported();
            final String text = twin.report();
            report.setString(0, text.substring(0, Math.min(text.length(), REPORT_BYTES - 1)),
                StandardCharsets.US_ASCII);
        }
    }

    /** Names of the words of an input row, in order. */
    public List<String> inputs() {
        return List.of(twin.names().inputs());
    }

    /** Names of the words of an output row, in order. */
    public List<String> outputs() {
        return List.of(twin.names().outputs());
    }

    /**
     * Executes one row.
     *
     * @param in  the words of an input row.
     * @param out receives those of the output row.
     * @throws IllegalArgumentException if an input is invalid; the state is then unchanged.
     */
    public void step(final long[] in, final long[] out) {
        if (in.length * Long.BYTES != inputBytes) {
            throw new IllegalArgumentException("a row of inputs has " + inputBytes / Long.BYTES + " words: words="
                + in.length);
        }
        MemorySegment.copy(in, 0, rows, ValueLayout.JAVA_LONG, 0, in.length);
        twin.step(rows, 0, rows, outputsAt);
        steps++;
        MemorySegment.copy(rows, ValueLayout.JAVA_LONG, outputsAt, out, 0, out.length);
    }

    /** Returns the findings of a follower, one per line; empty if there are none. */
    public String findings() {
        return twin.report();
    }

    /** Names of the registers, in an order in which they can be set. */
    public List<String> registers() {
        return twin.registers().names();
    }

    /**
     * Writes what the steps have exercised to a coverage file.
     *
     * @throws IllegalArgumentException if the model is neither a follower of Shale nor a node of it with
     *                                  {@code coverage=1}, or the file cannot be written.
     */
    public void writeCoverage(final String file) {
        final Coverage covered = twin.coverage();
        if (covered.points().isEmpty()) {
            throw new IllegalArgumentException("only followers of Shale, and its nodes with coverage=1, "
                + "count what they exercise");
        }
        try {
            new CoverageFile(new CoverageFile.Run("library", description, "", steps, twin.reported()), covered)
                .write(Path.of(file));
        } catch (final InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * Returns the words of a register. {@code slot} is the slot of the next step, {@code coverage} the counts of all
     * bins.
     */
    public long[] get(final String name) {
        return name.equals(SLOT) ? new long[] {twin.slot()} : name.equals(COVERAGE) ? twin.coverage().counts()
            : twin.registers().get(name);
    }

    /**
     * Sets a register. {@code slot} starts a fresh model at a slot other than 0; {@code down} stops (1) or starts (0) a
     * node.
     */
    public void set(final String name, final long[] values) {
        if (name.equals(DOWN) && values.length == 1) {
            twin.setDown(values[0] != 0);
        } else if (!name.equals(SLOT)) {
            twin.registers().set(name, values);
        } else if (values.length == 1) {
            twin.beginAt(values[0]);
        } else {
            throw new IllegalArgumentException("a register of one word: name=slot words=" + values.length);
        }
    }

    /** Copies the state of another model into a fresh one, with its registers. */
    public void copyFrom(final ModelHandle other) {
        twin.copyFrom(other.twin);
    }

    /** Adds a flow; returns its index. */
    public int offer(final long slot, final int source, final int destination, final int cells) {
        final int flow = twin.offer(slot, source, destination, cells);
        offers.add(new long[] {slot, source, destination, cells});
        return flow;
    }

    /**
     * Returns the whole state: the version of its format, the description, the offered flows and the state of the
     * model, followed by a CRC-32.
     */
    public byte[] save() throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        out.writeUTF(STATE);
        out.writeInt(description.length());
        out.writeBytes(description);
        out.writeInt(offers.size());
        for (final long[] offer : offers) {
            for (final long word : offer) {
                out.writeLong(word);
            }
        }
        out.write(twin.save());
        out.writeInt(crc(bytes.toByteArray(), bytes.size()));
        return bytes.toByteArray();
    }

    /** Restores a saved state in a model that has not been stepped. */
    public void restore(final byte[] state) throws IOException {
        final int body = state.length - Integer.BYTES;
        if (body < 0 || ByteBuffer.wrap(state).getInt(body) != crc(state, body)) {
            throw new IllegalArgumentException("not a saved state, or damaged: bytes=" + state.length);
        }
        final DataInputStream in = new DataInputStream(new ByteArrayInputStream(state, 0, body));
        final String format = in.readUTF();
        final String of = new String(in.readNBytes(in.readInt()), StandardCharsets.ISO_8859_1);
        if (!format.equals(STATE) || !of.equals(description) || !offers.isEmpty()) {
            throw new IllegalArgumentException(offers.isEmpty()
                ? "the state is that of another model: " + format + ", " + of
                : "only a model without flows of its own is restored: offered=" + offers.size());
        }
        for (int left = in.readInt(); left > 0; left--) {
            offer(in.readLong(), (int) in.readLong(), (int) in.readLong(), (int) in.readLong());
        }
        twin.restore(in.readAllBytes());
    }

    private static int crc(final byte[] bytes, final int length) {
        final CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /** Frees the memory. The model must not be used any more. */
    public void close() {
        arena.close();
        twin.close();
    }

    /** Returns the error as one line. */
    static String text(final Throwable failure) {
        return failure instanceof IllegalArgumentException ? failure.getMessage() : failure.toString();
    }
}
