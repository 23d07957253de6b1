package dev.skerry.tools.trace;

import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.dataplane.pieo.PieoMemory;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.Unpacked;
import dev.skerry.tools.trace.VectorSource.Scope;
import dev.skerry.tools.trace.VectorSource.SlotRange;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * Vectors of a PIEO: for each operation its inputs, all outputs, and then the registers and the pointer array. Time is
 * the clock cycle in which the operation is accepted, counted from the first one after reset. A refused operation,
 * which hardware must not receive, takes one cycle.
 */
public final class PieoVectors implements VectorSource {
    private static final int CLOCK_PS = 1000;
    private static final int OP_BITS = 2;
    private static final int COUNT_BITS = 17;
    private static final int CLOCK_BITS = 3;

    private final Arena arena;
    private final Pieo pieo;
    private final Iterator<PieoOperation> operations;
    private final SlotRange range;
    private final Scope scope;
    private PieoOperation operation;
    private int code;
    private long number;
    private long clock;

    /**
     * Creates an empty PIEO.
     *
     * @param layout     dimensions of the PIEO.
     * @param operations operations to execute.
     * @param range      traced operations.
     */
    public PieoVectors(final PieoLayout layout, final Iterator<PieoOperation> operations,
        final SlotRange range) {
        this.arena = Arena.ofShared();
        this.pieo = new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
        this.operations = operations;
        this.range = range;
        this.scope = new Scope("pieo", signals(layout));
        this.clock = pieo.clocks();
    }

    private static List<Signal> signals(final PieoLayout layout) {
        final int sublistBits = Integer.bitCount(layout.noSublist());
        final List<Signal> signals = new ArrayList<>(List.of(
            new Signal("op_in", OP_BITS), new Signal("id_in", layout.idBits()),
            new Signal("rank_in", layout.rankBits()), new Signal("time_in", layout.timeBits()),
            new Signal("done", 1), new Signal("id_out", layout.idBits()), new Signal("rank_out", layout.rankBits()),
            new Signal("send_time_out", layout.timeBits()), new Signal("f_enqueued_in_sublist_out", sublistBits),
            new Signal("flow_id_moved_out", layout.idBits() + 1),
            new Signal("flow_id_moved_to_sublist_out", sublistBits), new Signal("clocks", CLOCK_BITS),
            new Signal("held", COUNT_BITS), new Signal("free_list_head", sublistBits)));
        for (int entry = 0; entry < layout.sublists(); entry++) {
            signals.add(new Signal("pa" + entry + "_sublist", sublistBits));
            signals.add(new Signal("pa" + entry + "_count", COUNT_BITS));
            signals.add(new Signal("pa" + entry + "_rank", layout.rankBits()));
            signals.add(new Signal("pa" + entry + "_time", layout.timeBits()));
        }
        return signals;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(scope);
    }

    @Override
    public boolean next() {
        do {
            if (number == range.end() || !operations.hasNext()) {
                return false;
            }
            // Adds the cycles of the operation before.
            clock += number == 0 ? 0 : Math.max(pieo.clocks(), 1);
            operation = operations.next();
            code = run(operation);
        }
        while (number++ < range.first());
        return true;
    }

    private int run(final PieoOperation next) {
        return switch (next.kind()) {
            case PieoOperation.ENQUEUE -> pieo.enqueue(next.id(), next.rank(), next.time());
            case PieoOperation.DEQUEUE -> pieo.dequeue(next.time());
            default -> pieo.dequeueF(next.id());
        };
    }

    @Override
    public long time() {
        return clock;
    }

    @Override
    public long unitPs() {
        return CLOCK_PS;
    }

    @Override
    public void read(final int index, final long[] values) {
        final PieoMemory memory = pieo.memory();
        final long[] ports = {operation.kind(), operation.id(), operation.rank(), operation.time(),
            code == Pieo.DONE ? 1 : 0, pieo.id(), pieo.rank(), pieo.sendTime(), pieo.enqueuedInSublist(),
            pieo.movedId(), pieo.movedToSublist(), pieo.clocks(), pieo.size(), memory.used()};
        System.arraycopy(ports, 0, values, 0, ports.length);
        int at = ports.length;
        for (int entry = 0; entry < pieo.layout().sublists(); entry++) {
            values[at++] = memory.sublist(entry);
            values[at++] = memory.count(entry);
            values[at++] = memory.smallestRank(entry);
            values[at++] = memory.smallestSendTime(entry);
        }
    }

    @Override
    public void close() {
        arena.close();
    }

    /**
     * An operation of a PIEO, read from a trace file or drawn at random so that its size oscillates.
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
        private static final String WHAT = "pieo trace";
        /** Enqueues per eight operations, while the PIEO fills and while it drains. */
        private static final int ENQUEUES_FILLING = 5;
        private static final int ENQUEUES_DRAINING = 3;
        private static final int EIGHT = 8;

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
                throw new InputException(WHAT, file + ":" + number, "is not an operation",
                    "write E id rank send_time, D now, or F id");
            }
            Choices.refuseIf(operations.isEmpty(), WHAT, file, "holds no operation", "give another file");
            return operations;
        }

        private static String text(final Path file) throws IOException {
            try (InputStream in = Unpacked.open(file)) {
                return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            }
        }

        private static PieoOperation parse(final String[] field) {
            return switch (field[0]) {
                case "E" -> new PieoOperation(ENQUEUE, Integer.parseInt(field[1]), Long.parseLong(field[2]),
                    Long.parseLong(field[3]));
                case "D" -> new PieoOperation(DEQUEUE, 0, 0, Long.parseLong(field[1]));
                case "F" -> new PieoOperation(DEQUEUE_F, Integer.parseInt(field[1]), 0, 0);
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

        private static PieoOperation random(final PieoLayout layout, final SplittableRandom random,
            final int enqueues) {
            final int id = random.nextInt(layout.nullId() + 1);
            final long time = number(random, layout.timeBits(), layout.noTime());
            final int which = random.nextInt(EIGHT);
            if (which < enqueues) {
                return new PieoOperation(ENQUEUE, id, number(random, layout.rankBits(), layout.noRank()), time);
            }
            return which < EIGHT - 1 ? new PieoOperation(DEQUEUE, 0, 0, time)
                : new PieoOperation(DEQUEUE_F, id, 0, 0);
        }

        private static long number(final SplittableRandom random, final int bits, final long none) {
            return Math.min(random.nextLong(1L << random.nextInt(bits + 1)), none - 1);
        }
    }
}
