package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Limits the size of every file that this process writes until it is closed, to simulate a full disk at a chosen byte.
 */
public final class FileSizeLimit implements AutoCloseable {
    private static final int RLIMIT_FSIZE = 1;
    private static final MethodHandle GET = Libc.ints("getrlimit", JAVA_INT, ADDRESS);
    private static final MethodHandle SET = Libc.ints("setrlimit", JAVA_INT, ADDRESS);

    private final long before;

    /** Limits files to a number of bytes. */
    public FileSizeLimit(final long bytes) {
        before = change(bytes);
    }

    /** Sets the soft limit in bytes and returns the previous one. */
    private static long change(final long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment limits = arena.allocate(JAVA_LONG, 2);
            assertEquals(0, Libc.call(GET, RLIMIT_FSIZE, limits));
            final long soft = limits.get(JAVA_LONG, 0);
            limits.set(JAVA_LONG, 0, bytes);
            assertEquals(0, Libc.call(SET, RLIMIT_FSIZE, limits));
            return soft;
        }
    }

    @Override
    public void close() {
        change(before);
    }
}
