package dev.skerry.dataplane.worker;

import dev.skerry.schedule.check.Bounds;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Scheduling of this process's threads relative to others under Linux: {@code sched_setattr(2)} and
 * {@code sched_setaffinity(2)}. A new thread inherits the scheduling of the thread that starts it. On other systems,
 * and on processors whose system call numbers are unknown here, no request is made and the real-time class is refused.
 * Any thread may call.
 */
public final class Scheduling {
    /** Minimum time slice of Linux. */
    static final long SHORTEST_SLICE_NS = 100_000;
    /** Above all threads without a real-time class; the kernel's own threads have 50 and more. */
    static final int PRIORITY = 1;
    /** Policies of {@code sched(7)}. */
    static final int USUAL = 0;
    static final int ROUND_ROBIN = 2;

    private static final AtomicBoolean REAL_TIME = new AtomicBoolean();
    private static final int ATTRIBUTES_BYTES = 48;
    /** Thread id that refers to the calling thread. */
    static final long CALLER = 0;
    /** {@code ESRCH}. */
    private static final int ENDED = 3;
    private static final long SIZE = 0;
    static final long POLICY = 4;
    private static final long PRIORITY_OF = 20;
    static final long SLICE_NS = 24;

    /** Processors of the kernel's default {@code cpu_set_t}, one bit each. */
    static final int MAX_CPUS = 1024;

    private Scheduling() {
    }

    /**
     * Checks, before any thread starts, that {@link #pin} can work.
     *
     * @param cpus   processors as numbered by the kernel, from 0.
     * @param system the value of {@code os.name}.
     * @throws UnsupportedOperationException if the system is not Linux.
     * @throws IllegalArgumentException      if a number is out of range.
     */
    static void checkPin(final int[] cpus, final String system) {
        if (cpus.length > 0 && !system.equals("Linux")) {
            throw new UnsupportedOperationException(
                "threads can be pinned to processors on Linux only: os.name=" + system);
        }
        for (final int cpu : cpus) {
            Bounds.refuseIf(cpu < 0 || cpu >= MAX_CPUS, "cpu must be from 0 to ", MAX_CPUS - 1, ": cpu=", cpu);
        }
    }

    /**
     * Restricts the calling thread to one processor.
     *
     * @param cpu a processor that this process may use.
     * @throws IllegalStateException if the kernel refuses; the message contains its error number.
     */
    static void pin(final int cpu) {
        final BitSet one = new BitSet();
        one.set(cpu);
        allow(one);
    }

    /** Restricts the calling thread to some processors; fails like {@link #pin}. */
    static void allow(final BitSet cpus) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment set = arena.allocate(MAX_CPUS / Byte.SIZE, Long.BYTES);
            final long[] words = cpus.toLongArray();
            MemorySegment.copy(words, 0, set, ValueLayout.JAVA_LONG, 0, words.length);
            final MemorySegment state = arena.allocate(Native.STATE);
            final int result = (int) Processors.SET.invokeExact(state, 0, set.byteSize(), set);
            if (result != 0) {
                throw new IllegalStateException("cannot pin a thread, processor absent or not allowed: cpu="
                    + (cpus.cardinality() == 1 ? cpus.nextSetBit(0) : cpus) + " errno="
                    + state.get(ValueLayout.JAVA_INT, Native.ERRNO));
            }
        } catch (final RuntimeException | Error e) {
            throw e;
        } catch (final Throwable e) {
            throw new IllegalStateException("cannot pin a thread: cpu=" + cpus, e);
        }
    }

    /** Processors to which the calling thread is restricted. Linux only. */
    static BitSet allowed() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment set = arena.allocate(MAX_CPUS / Byte.SIZE, Long.BYTES);
            final MemorySegment state = arena.allocate(Native.STATE);
            final int result = (int) Processors.GET.invokeExact(state, 0, set.byteSize(), set);
            if (result != 0) {
                throw new IllegalStateException("cannot read the processors of a thread: errno="
                    + state.get(ValueLayout.JAVA_INT, Native.ERRNO));
            }
            return BitSet.valueOf(set.toArray(ValueLayout.JAVA_LONG));
        } catch (final RuntimeException | Error e) {
            throw e;
        } catch (final Throwable e) {
            throw new IllegalStateException("cannot read the processors of a thread", e);
        }
    }

    /** The processor that runs the calling thread. Linux only; fails with {@link IllegalStateException}. */
    static int current() {
        final int processor;
        try {
            processor = (int) Processors.CURRENT.invokeExact();
        } catch (final Throwable e) {
            throw new IllegalStateException("cannot read the processor of a thread", e);
        }
        if (processor < 0) {
            throw new IllegalStateException("cannot read the processor of a thread");
        }
        return processor;
    }

    /**
     * Requests the shortest time slices, if the thread is in the usual class. A thread that wakes up then runs before
     * one with longer slices, instead of waiting for the end of its slice. The thread's share of the processor does not
     * change. Effective from Linux 6.12 on; ignored by earlier versions.
     */
    static void askForShortSlices() {
        if (Native.GET >= 0) {
            change(CALLER, attributes -> {
                if (attributes.get(ValueLayout.JAVA_INT, POLICY) == USUAL) {
                    attributes.set(ValueLayout.JAVA_LONG, SLICE_NS, SHORTEST_SLICE_NS);
                }
            });
        }
    }

    /**
     * Moves all threads of this process, and all threads that they start, to the real-time class: they run before
     * threads without a real-time class, in turn with other threads of this class. This includes the threads of the
     * compiler, because code that waits for compilation is a thousand times slower. Linux reserves a twentieth of each
     * processor for other programs.
     *
     * @return why the kernel refuses, or an empty string.
     */
    public static String enterRealTime() {
        if (Native.GET < 0) {
            return "this system has no known real-time class";
        }
        // The second pass covers threads that were being started by a thread still in the usual class.
        for (int pass = 0; pass < 2; pass++) {
            final int error = Arrays.stream(Objects.requireNonNull(new File("/proc/self/task").list()))
                .mapToInt(thread -> change(Long.parseLong(thread), attributes -> {
                    attributes.set(ValueLayout.JAVA_INT, POLICY, ROUND_ROBIN);
                    attributes.set(ValueLayout.JAVA_INT, PRIORITY_OF, PRIORITY);
                    attributes.set(ValueLayout.JAVA_LONG, SLICE_NS, 0);
                })).filter(result -> result != 0 && result != ENDED).findFirst().orElse(0);
            if (error != 0) {
                return "the kernel does not allow this process a real-time class: errno=" + error;
            }
        }
        REAL_TIME.set(true);
        return "";
    }

    /** Whether this process has entered the real-time class. */
    static boolean isRealTime() {
        return REAL_TIME.get();
    }

    /** Changes the attributes of a thread; returns 0 or an error number. */
    private static int change(final long thread, final Consumer<MemorySegment> change) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attributes = read(arena, thread);
            change.accept(attributes);
            attributes.set(ValueLayout.JAVA_INT, SIZE, ATTRIBUTES_BYTES);
            return call(Native.SET, thread, attributes, 0);
        }
    }

    /** The attributes of a thread. */
    static MemorySegment read(final Arena arena, final long thread) {
        final MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
        call(Native.GET, thread, attributes, ATTRIBUTES_BYTES);
        return attributes;
    }

    /** {@code syscall(number, thread, attributes, third, 0)}; returns 0 or an error number. */
    private static int call(final long number, final long thread, final MemorySegment attributes, final long third) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment state = arena.allocate(Native.STATE);
            final long result = (long) Native.CALL.invokeExact(state, number, thread, attributes, third, 0L);
            return result == 0 ? 0 : state.get(ValueLayout.JAVA_INT, Native.ERRNO);
        } catch (final Throwable e) {
            throw new IllegalStateException("a system call failed: call=" + number, e);
        }
    }

    /** Looked up on first use. */
    private static final class Native {
        static final MemoryLayout STATE = Linker.Option.captureStateLayout();
        static final long ERRNO = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
        /** Numbers of {@code sched_setattr} and {@code sched_getattr}, which some C libraries lack; -1: unknown. */
        static final long SET = number();
        static final long GET = SET + (SET < 0 ? 0 : 1);
        static final MethodHandle CALL = SET < 0 ? null : handle("syscall",
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1), Linker.Option.captureCallState("errno"));

        private Native() {
        }

        private static long number() {
            if (!System.getProperty("os.name").equals("Linux")) {
                return -1;
            }
            return switch (System.getProperty("os.arch")) {
                case "amd64" -> 314;
                case "aarch64", "riscv64" -> 274;
                default -> -1;
            };
        }

        @SuppressWarnings("restricted")
        private static MethodHandle handle(final String function, final FunctionDescriptor type,
            final Linker.Option... options) {
            final Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(function), type, options);
        }
    }

    /** Looked up on first use; Linux only. */
    private static final class Processors {
        static final MethodHandle SET = affinity("sched_setaffinity");
        static final MethodHandle GET = affinity("sched_getaffinity");
        static final MethodHandle CURRENT = Native.handle("sched_getcpu", FunctionDescriptor.of(ValueLayout.JAVA_INT));

        private Processors() {
        }

        /** {@code int function(pid_t, size_t, cpu_set_t *)}; pid 0 is the calling thread. */
        private static MethodHandle affinity(final String function) {
            return Native.handle(function, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG, ValueLayout.ADDRESS), Linker.Option.captureCallState("errno"));
        }
    }
}
