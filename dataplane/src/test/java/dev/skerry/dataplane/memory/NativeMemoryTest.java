package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Memory reads the same in a JVM that opens nothing, as where models are embedded, and in one with the usual flags. */
final class NativeMemoryTest {
    private static final int BYTES = 4_096;
    private static final int STEPS = 5_000;
    private static final long SEED = 42;

    @Test
    void shouldReadTheSameWhereNothingIsOpen() throws IOException, InterruptedException {
        final String classPath = Stream.of(Region.class, UnsafeApi.class, NativeMemoryTest.class)
            .map(type -> Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath()).toString())
            .collect(Collectors.joining(File.pathSeparator));
        final Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-ea", "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp", classPath,
            NativeMemoryTest.class.getName()).redirectErrorStream(true).start();
        final String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        assertTrue(isOpen(), "tests run with the usual flags");
        assertEquals("false " + hash(), said.trim(), "seed=" + SEED);
    }

    /** Prints whether the package is open, and the hash. */
    public static void main(final String[] arguments) {
        System.out.println(isOpen() + " " + hash());
    }

    private static boolean isOpen() {
        return Object.class.getModule().isOpen("jdk.internal.misc", UnsafeApi.class.getModule());
    }

    /** Values of every width, written and read at random places. */
    private static long hash() {
        final Random random = new Random(SEED);
        long hash = 0;
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, BYTES);
            for (int step = 0; step < STEPS; step++) {
                final long at = random.nextInt(BYTES);
                switch (random.nextInt(4)) {
                    case 0 -> region.setByte(at, random.nextInt());
                    case 1 -> region.setShort(at & -Short.BYTES, random.nextInt());
                    case 2 -> region.setInt(at & -Integer.BYTES, random.nextInt());
                    default -> region.setLong(at & -Long.BYTES, random.nextLong());
                }
                final long from = random.nextInt(BYTES);
                hash = 31 * hash + region.getByte(from) + region.getShort(from & -Short.BYTES)
                    + region.getInt(from & -Integer.BYTES) + region.getLong(from & -Long.BYTES);
            }
        }
        return hash;
    }
}
