package dev.skerry.tools.trace;

import dev.skerry.dataplane.queue.PieoLayout;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.Unpacked;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Operations of a PIEO, read from a trace file or drawn at random so that its size oscillates. */
public final class PieoOperations {
    private static final String WHAT = "pieo trace";
    /** Enqueues per eight operations, while the PIEO fills and while it drains. */
    private static final int ENQUEUES_FILLING = 5;
    private static final int ENQUEUES_DRAINING = 3;
    private static final int EIGHT = 8;

    private PieoOperations() {
    }

    /**
     * Reads the operations of a trace of {@code skerry pieo}: {@code E id rank send_time ...}, {@code D now ...},
     * {@code F id ...}. Ignores the rest of a line, which holds the hardware's answer.
     *
     * @param file trace.
     * @return the operations in order.
     * @throws InputException if the file cannot be read, or a line is malformed.
     */
    public static List<PieoOperation> read(final Path file) {
        final List<PieoOperation> operations = new ArrayList<>();
        int number = 0;
        try {
            for (final String line : text(file).split("\n")) {
                number++;
                if (!line.isBlank() && line.charAt(0) != '#') {
                    operations.add(parse(line.strip().split("\\s+")));
                }
            }
        } catch (final IOException | UncheckedIOException e) {
            throw new InputException(WHAT, file.toString(), "cannot be read (" + e.getMessage() + ")",
                "give the path of a trace, as text or gzip");
        } catch (final IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new InputException(WHAT, file + ":" + number, "is no operation",
                "write E id rank send_time, D now, or F id");
        }
        if (operations.isEmpty()) {
            throw new InputException(WHAT, file.toString(), "holds no operation", "give another file");
        }
        return operations;
    }

    private static String text(final Path file) throws IOException {
        try (InputStream in = Unpacked.open(file)) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private static PieoOperation parse(final String[] field) {
        return switch (field[0]) {
            case "E" -> new PieoOperation(PieoOperation.ENQUEUE, Integer.parseInt(field[1]), Long.parseLong(field[2]),
                Long.parseLong(field[3]));
            case "D" -> new PieoOperation(PieoOperation.DEQUEUE, 0, 0, Long.parseLong(field[1]));
            case "F" -> new PieoOperation(PieoOperation.DEQUEUE_F, Integer.parseInt(field[1]), 0, 0);
            default -> throw new IllegalArgumentException(field[0]);
        };
    }

    /**
     * Draws random operations. Small numbers are as likely as large ones, so that ties occur at every magnitude.
     *
     * @param layout dimensions of the PIEO.
     * @param count  number of operations.
     * @param seed   seed of all choices.
     * @return the operations in order.
     */
    public static Iterator<PieoOperation> random(final PieoLayout layout, final long count, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        // Filling and draining takes several times the capacity.
        final long period = 16L * layout.capacity();
        return LongStream.range(0, count)
            .mapToObj(i -> random(layout, random, i % period < period / 2 ? ENQUEUES_FILLING : ENQUEUES_DRAINING))
            .iterator();
    }

    private static PieoOperation random(final PieoLayout layout, final SplittableRandom random, final int enqueues) {
        final int id = random.nextInt(layout.nullId() + 1);
        final long time = number(random, layout.timeBits(), layout.noTime());
        final int which = random.nextInt(EIGHT);
        if (which < enqueues) {
            return new PieoOperation(PieoOperation.ENQUEUE, id, number(random, layout.rankBits(), layout.noRank()),
                time);
        }
        return which < EIGHT - 1 ? new PieoOperation(PieoOperation.DEQUEUE, 0, 0, time)
            : new PieoOperation(PieoOperation.DEQUEUE_F, id, 0, 0);
    }

    private static long number(final SplittableRandom random, final int bits, final long none) {
        return Math.min(random.nextLong(1L << random.nextInt(bits + 1)), none - 1);
    }

    /**
     * An operation of a PIEO.
     *
     * @param kind {@link #ENQUEUE}, {@link #DEQUEUE} or {@link #DEQUEUE_F}.
     * @param id   id of the element, 0 for a dequeue.
     * @param rank rank of the element, 0 except for an enqueue.
     * @param time send time of an enqueue, current time of a dequeue, 0 for a dequeue by id.
     */
    public record PieoOperation(int kind, int id, long rank, long time) {
        /** {@code enqueue(f)}. */
        public static final int ENQUEUE = 1;
        /** {@code dequeue()}. */
        public static final int DEQUEUE = 2;
        /** {@code dequeue(f)}. */
        public static final int DEQUEUE_F = 3;
    }
}
