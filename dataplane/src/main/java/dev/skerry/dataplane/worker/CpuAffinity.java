package dev.skerry.dataplane.worker;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Pins the calling thread to one processor. Linux only: {@code sched_setaffinity(2)}. */
final class CpuAffinity {
    /** Processors of the kernel's default {@code cpu_set_t}, one bit each. */
    static final int MAX_CPUS = 1024;

    private CpuAffinity() {
    }

    /**
     * Checks, before any thread starts, that {@link #pin} can work.
     *
     * @param cpus   processors as the kernel numbers them, from 0.
     * @param system the value of {@code os.name}.
     * @throws UnsupportedOperationException if the system is not Linux.
     * @throws IllegalArgumentException      if a number is out of range.
     */
    static void check(final int[] cpus, final String system) {
        if (cpus.length > 0 && !system.equals("Linux")) {
            throw new UnsupportedOperationException(
                "threads can be pinned to processors on Linux only: os.name=" + system);
        }
        for (final int cpu : cpus) {
            if (cpu < 0 || cpu >= MAX_CPUS) {
                throw new IllegalArgumentException("cpu must be from 0 to " + (MAX_CPUS - 1) + ": cpu=" + cpu);
            }
        }
    }

    /**
     * Lets the calling thread run on one processor only.
     *
     * @param cpu a processor that this process may use.
     * @throws IllegalStateException if the kernel refuses; the message holds its error number.
     */
    static void pin(final int cpu) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment set = arena.allocate(MAX_CPUS / Byte.SIZE, Long.BYTES);
            final long word = (long) cpu / Long.SIZE;
            set.setAtIndex(ValueLayout.JAVA_LONG, word, 1L << cpu);
            final MemorySegment state = arena.allocate(Native.STATE);
            final int result = (int) Native.SET_AFFINITY.invokeExact(state, 0, set.byteSize(), set);
            if (result != 0) {
                throw new IllegalStateException("cannot pin a thread, processor absent or not allowed: cpu=" + cpu
                    + " errno=" + state.get(ValueLayout.JAVA_INT, Native.ERRNO));
            }
        } catch (final RuntimeException | Error e) {
            throw e;
        } catch (final Throwable e) {
            throw new IllegalStateException("cannot pin a thread: cpu=" + cpu, e);
        }
    }

    /** Looked up on first use, so never on other systems. */
    private static final class Native {
        static final MemoryLayout STATE = Linker.Option.captureStateLayout();
        static final long ERRNO = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
        static final MethodHandle SET_AFFINITY = setAffinity();

        private Native() {
        }

        /** {@code int sched_setaffinity(pid_t, size_t, const cpu_set_t *)}; pid 0 is the calling thread. */
        @SuppressWarnings("restricted")
        private static MethodHandle setAffinity() {
            final Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("sched_setaffinity"),
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                Linker.Option.captureCallState("errno"));
        }
    }
}
