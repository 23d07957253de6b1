package dev.skerry.tools.cosim;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.OutFolder;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Supplier;

/**
 * Runs the device under test in a separate process, or on a thread of this one. Rows pass through a ring in shared
 * memory, so that both models run at the same time. If the device ends or hangs, the ring shows the row at which this
 * happened. A host restarts its device when necessary. Not thread-safe.
 *
 * <pre>
 *   rows written | rows answered | row 0 | row 1 | ...           counters on cache lines of their own
 *     row: 1 for the first after reset, else 0 | inputs | outputs
 * </pre>
 */
final class DeviceHost implements AutoCloseable {
    /** Rows of the ring: the maximum number of rows by which the writer is ahead of the device. */
    static final int ROWS = 1024;
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final long START_NS = 60 * NS_PER_SECOND;
    private static final int SIGNAL = 128;
    private static final int PRINTED_LINES = 5;
    private static final int PRINTED_BYTES = 4096;

    private final Start start;
    private final int inputs;
    private final int outputs;
    private final IdleStrategy idle = idle();
    private long patienceNs;
    private Ring ring;
    /** The running device; null if there is none. */
    private Running running;
    private boolean failed;
    private long written;

    private DeviceHost(final Start start, final Twin.Names names) {
        this.start = start;
        this.inputs = names.inputs().length;
        this.outputs = names.outputs().length;
    }

    /** A device under test. */
    interface Device extends AutoCloseable {
        /** Resets the device by creating a new instance. */
        void reset();

        /** Executes a step. */
        void step(MemorySegment in, MemorySegment out);

        @Override
        void close();
    }

    /** Starts a device with a new ring. */
    @FunctionalInterface
    private interface Start {
        Running start(Ring ring);
    }

    /** A device that has been started. */
    private interface Running {
        boolean isAlive();

        /** Describes how the device ended. */
        String end();

        /** The last lines that it printed. */
        List<String> printed();

        void stop();
    }

    /** Runs a shared library in a child process. */
    static DeviceHost inProcessOf(final Path model, final Twin.Names names) {
        return new DeviceHost(ring -> ChildProcess.start(model, ring), names);
    }

    /** Runs a device on a thread of this process. */
    static DeviceHost onThread(final Supplier<Device> device, final Twin.Names names) {
        return new DeviceHost(ring -> new DeviceThread(device, ring), names);
    }

    private static IdleStrategy idle() {
        return new BackoffIdleStrategy(100, 10, 1_000, 100_000);
    }

    /** Sets the maximum time that a device may take for a step. */
    void patience(final double seconds) {
        patienceNs = (long) (seconds * NS_PER_SECOND);
    }

    /** Starts the device unless it is running. Returns the number of the next row. */
    long begin() {
        if (running == null || failed) {
            close();
            ring = Ring.create(inputs, outputs);
            written = 0;
            failed = false;
            running = start.start(ring);
            final String failure = await(-1, START_NS);
            if (failure != null) {
                throw new InputException("model", String.join("; ", printed()), failure + " before its first step",
                    "run it with --in-process in a debugger");
            }
        }
        return written;
    }

    /** Lets the device finish the rows that are written. */
    void settle() {
        if (!failed) {
            await(written - 1);
        }
    }

    /** The input words of the next row, to be filled in before it is published. */
    MemorySegment next() {
        return ring.in[(int) (written % ROWS)];
    }

    /** Hands the next row to the device. */
    void publish(final boolean isFirst) {
        ring.first(written, isFirst);
        ring.set(Ring.WRITTEN, ++written);
    }

    /** Whether a row was answered. */
    boolean isAnswered(final long row) {
        return ring.get(Ring.ANSWERED) > row;
    }

    /** The words of a row that was answered, until {@link #ROWS} more are written. */
    MemorySegment in(final long row) {
        return ring.in[(int) (row % ROWS)];
    }

    MemorySegment out(final long row) {
        return ring.out[(int) (row % ROWS)];
    }

    /**
     * Waits for the answer to a row. Returns null, or the reason why there is no answer; {@link #begin} then starts a
     * new device.
     */
    String await(final long row) {
        return await(row, patienceNs);
    }

    private String await(final long row, final long patience) {
        long answered = Long.MIN_VALUE;
        long since = 0;
        while (!isAnswered(row)) {
            final long now = System.nanoTime();
            final boolean ended = !running.isAlive();
            final long progress = ring.get(Ring.ANSWERED);
            if (progress != answered) {
                answered = progress;
                since = now;
                idle.reset();
            } else if (ended) {
                failed = true;
                return running.end();
            } else if (now - since > patience) {
                failed = true;
                return "device gave no answer within " + (double) patience / NS_PER_SECOND + " s";
            }
            idle.idle();
        }
        return null;
    }

    /** The last lines that the device printed. */
    List<String> printed() {
        return running.printed();
    }

    /** Stops the device. */
    @Override
    public void close() {
        if (running != null) {
            running.stop();
            running = null;
        }
    }

    /** Shared memory that contains the rows. */
    private record Ring(Path folder, MemorySegment words, MemorySegment[] in, MemorySegment[] out) {
        private static final long WRITTEN = 0;
        private static final long ANSWERED = 128;
        private static final long FIRST_ROW = 256;
        private static final long END = -1;
        private static final String FILE = "rows";
        private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

        /** Creates a ring in a file of a temporary folder. */
        static Ring create(final int inputs, final int outputs) {
            try {
                final Ring ring = open(Files.createTempDirectory("skerry-cosim-"), inputs, outputs);
                ring.set(ANSWERED, -1);
                return ring;
            } catch (final IOException e) {
                throw InputException.notWritten("model", Path.of(System.getProperty("java.io.tmpdir")), e,
                    "point -Djava.io.tmpdir at a folder with room");
            }
        }

        static Ring open(final Path folder, final int inputs, final int outputs) throws IOException {
            final long rowBytes = (1L + inputs + outputs) * Long.BYTES;
            try (FileChannel file = FileChannel.open(folder.resolve(FILE), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                // The automatic arena keeps the memory for a device that hangs on a thread when its host is closed.
                final MemorySegment words =
                    file.map(MapMode.READ_WRITE, 0, FIRST_ROW + ROWS * rowBytes, Arena.ofAuto());
                final MemorySegment[] in = new MemorySegment[ROWS];
                final MemorySegment[] out = new MemorySegment[ROWS];
                for (int row = 0; row < ROWS; row++) {
                    final long at = FIRST_ROW + row * rowBytes + Long.BYTES;
                    in[row] = words.asSlice(at, (long) inputs * Long.BYTES);
                    out[row] = words.asSlice(at + (long) inputs * Long.BYTES, (long) outputs * Long.BYTES);
                }
                return new Ring(folder, words, in, out);
            }
        }

        long get(final long at) {
            return (long) WORD.getAcquire(words, at);
        }

        void set(final long at, final long value) {
            WORD.setRelease(words, at, value);
        }

        private long firstAt(final long row) {
            return FIRST_ROW + row % ROWS * (in[0].byteSize() + out[0].byteSize() + Long.BYTES);
        }

        void first(final long row, final boolean isFirst) {
            words.set(ValueLayout.JAVA_LONG, firstAt(row), isFirst ? 1 : 0);
        }

        /** Executes the rows that are written, until the end. */
        void serve(final Device device) {
            final IdleStrategy idle = idle();
            long row = 0;
            set(ANSWERED, row);
            for (long until = get(WRITTEN); until != END; until = get(WRITTEN)) {
                idle.idle((int) (until - row));
                while (row < until) {
                    if (words.get(ValueLayout.JAVA_LONG, firstAt(row)) != 0) {
                        device.reset();
                    }
                    device.step(in[(int) (row % ROWS)], out[(int) (row % ROWS)]);
                    set(ANSWERED, ++row);
                }
            }
        }
    }

    private static final class DeviceThread implements Running {
        private final Ring ring;
        private final Thread thread;
        private volatile RuntimeException failure;

        DeviceThread(final Supplier<Device> device, final Ring ring) {
            this.ring = ring;
            this.thread = Thread.ofPlatform().daemon().name("device").start(() -> {
                try (Device served = device.get()) {
                    ring.serve(served);
                } catch (final RuntimeException e) {
                    failure = e;
                }
            });
        }

        @Override
        public boolean isAlive() {
            return thread.isAlive();
        }

        @Override
        public String end() {
            return "device ended (" + failure + ")";
        }

        @Override
        public List<String> printed() {
            return List.of();
        }

        @Override
        public void stop() {
            ring.set(Ring.WRITTEN, Ring.END);
            delete(ring);
        }
    }

    /**
     * Process of a device. Its standard input is a pipe to which nothing is written, so that it ends when this process
     * ends.
     */
    private record ChildProcess(Process process, Ring ring) implements Running {
        private static final String LOG = "log";

        static ChildProcess start(final Path model, final Ring ring) {
            final String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
            try {
                return new ChildProcess(new ProcessBuilder(java, "-Xmx64m", "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1", "-XX:-CreateCoredumpOnCrash",
                    "-XX:ErrorFile=" + ring.folder().resolve("crash"), "-Xlog:disable",
                    "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                    DeviceHost.class.getName(), model.toString(), ring.folder().toString(),
                    Long.toString(ring.in()[0].byteSize() / Long.BYTES),
                    Long.toString(ring.out()[0].byteSize() / Long.BYTES)).redirectErrorStream(true)
                    .redirectOutput(ring.folder().resolve(LOG).toFile()).start(), ring);
            } catch (final IOException e) {
                throw new InputException("model", model.toString(), "its process cannot be started (" + e.getMessage()
                    + ")", "try --in-process");
            }
        }

        @Override
        public boolean isAlive() {
            return process.isAlive();
        }

        @Override
        public String end() {
            final int code = process.exitValue();
            return "device ended with exit code " + code + (code > SIGNAL ? " (signal " + (code - SIGNAL) + ")" : "");
        }

        @Override
        public List<String> printed() {
            try (FileChannel log = FileChannel.open(ring.folder().resolve(LOG))) {
                final byte[] last = new byte[(int) Math.min(PRINTED_BYTES, log.size())];
                log.read(ByteBuffer.wrap(last), log.size() - last.length);
                final List<String> lines = new String(last, StandardCharsets.US_ASCII).lines()
                    .map(line -> line.replaceAll("[^ -~]", "?"))
                    // Keeps only the signal and the function of a crash report of the JVM.
                    .filter(line -> !line.startsWith("#") || line.matches("#  SIG.*|# C .*")).toList();
                return lines.subList(Math.max(0, lines.size() - PRINTED_LINES), lines.size());
            } catch (final IOException e) {
                return List.of("what the device printed cannot be read: " + e.getMessage());
            }
        }

        @Override
        public void stop() {
            process.destroyForcibly();
            process.onExit().join();
            delete(ring);
        }
    }

    private static void delete(final Ring ring) {
        try {
            OutFolder.deleteAll(ring.folder());
        } catch (final IOException e) {
            throw new IllegalStateException("a temporary folder cannot be deleted: folder=" + ring.folder(), e);
        }
    }

    /**
     * Entry point of the child process.
     *
     * @param arguments library, folder of the ring, words of an input row, words of an output row.
     */
    static void main(final String[] arguments) throws IOException {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (System.in.read() >= 0) {
                    Thread.onSpinWait();
                }
            } catch (final IOException e) {
                // The pipe is also broken when the parent process has ended.
            }
            Runtime.getRuntime().halt(0);
        });
        try (Verilated model = new Verilated(Path.of(arguments[0]))) {
            Ring.open(Path.of(arguments[1]), Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]))
                .serve(model);
        } catch (final InputException e) {
            System.err.println(e.getMessage());
            System.exit(e.exitCode());
        }
    }
}
