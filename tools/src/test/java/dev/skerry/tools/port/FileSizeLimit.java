package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Limits the size of every file that this process writes until it is closed, to simulate a full disk at a chosen byte.
 */
public final class FileSizeLimit implements AutoCloseable {
    private static final int RLIMIT_FSIZE = 1;
    private static final MethodHandle GET = handle("getrlimit");
    private static final MethodHandle SET = handle("setrlimit");

    private final long before;

    /** Limits files to a number of bytes. */
    public FileSizeLimit(final long bytes) {
        before = change(bytes);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle handle(final String name) {
        final Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
            linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    }

    /** Sets the soft limit in bytes and returns the previous one. */
    private static long change(final long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment limits = arena.allocate(JAVA_LONG, 2);
            assertEquals(0, (int) GET.invokeExact(RLIMIT_FSIZE, limits));
            final long soft = limits.get(JAVA_LONG, 0);
            limits.set(JAVA_LONG, 0, bytes);
            assertEquals(0, (int) SET.invokeExact(RLIMIT_FSIZE, limits));
            return soft;
        } catch (final RuntimeException | Error e) {
            throw e;
        } catch (final Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        change(before);
    }
}
