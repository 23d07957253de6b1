package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.schedule.check.Bounds;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Bounds are asserted; tests run with assertions on. */
final class RegionTest {
    private static final int BYTES = 4_096;
    private static final int STEPS = 5_000;
    private static final long SEED = 42;

    private final Arena arena = Arena.ofAuto();

    @Test
    void shouldStartAlignedAndZeroed() {
        for (int bytes = 8; bytes < 300; bytes += 8) {
            final Region region = Region.allocate(arena, bytes);
            assertEquals(bytes, region.bytes());
            assertEquals(0, region.at(0, Long.BYTES) % Region.ALIGNMENT);
            for (int at = 0; at < bytes; at += 8) {
                assertEquals(0, region.getLong(at));
            }
        }
    }

    @Test
    void shouldKeepWhatIsWritten() {
        final Region region = Region.allocate(arena, 64);
        region.setLong(56, 0x0123_4567_89AB_CDEFL);
        region.setInt(0, Integer.MIN_VALUE);
        region.setInt(4, 5);
        assertArrayEquals(new long[] {0x0123_4567_89AB_CDEFL, Integer.MIN_VALUE, 5, 0},
            new long[] {region.getLong(56), region.getInt(0), region.getInt(4), region.getLong(8)});
        region.fill((byte) -1);
        assertEquals(-1, region.getLong(56));
        assertEquals(-1, region.getInt(0));
    }

    @Test
    void shouldKeepBytesApart() {
        final Region region = Region.allocate(arena, 64);
        region.setByte(3, 0x1FF);
        region.setByte(4, 7);
        assertArrayEquals(new int[] {0, 255, 7}, new int[] {region.getByte(2), region.getByte(3), region.getByte(4)});
        region.setByte(3, 1);
        assertEquals(1, region.getByte(3));
        assertEquals(7, region.getByte(4));
        assertThrows(IndexOutOfBoundsException.class, () -> region.getByte(64));
    }

    @Test
    void shouldCopyLongs() {
        final Region region = Region.allocate(arena, 64);
        final long[] longs = {1L << 40, 2L << 40, 3L << 40, 4L << 40};
        region.setLongs(8, longs, 1, 3);
        assertArrayEquals(new long[] {0, 2L << 40, 4L << 40, 0},
            new long[] {region.getLong(0), region.getLong(8), region.getLong(24), region.getLong(32)});
        final long[] into = new long[4];
        region.getLongs(16, into, 2, 2);
        assertArrayEquals(new long[] {0, 0, 3L << 40, 4L << 40}, into);
        region.getLongs(64, into, 4, 0);
        assertThrows(IndexOutOfBoundsException.class, () -> region.getLongs(48, into, 0, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> region.setLongs(4, longs, 0, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> region.setLongs(0, longs, 3, 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 8, 15, 16})
    void shouldCatchALongOutsideItsRecord(final int n) {
        final Region region = Region.allocate(arena, 256);
        assertThrows(AssertionError.class, () -> region.getLong(64, n));
        assertThrows(AssertionError.class, () -> region.setLong(64, n, 1));
    }

    @Test
    void shouldLieOverMemoryOfAnotherMaker() {
        final MemorySegment memory = arena.allocate(128, Region.ALIGNMENT);
        final Region region = Region.over(memory);
        assertEquals(128, region.bytes());
        region.setLong(64, 1, 7);
        assertEquals(7, memory.get(ValueLayout.JAVA_LONG, 72));
        assertThrows(IndexOutOfBoundsException.class, () -> region.getLong(128));
        for (final MemorySegment wrong : List.of(memory.asSlice(8), memory.asReadOnly(),
            MemorySegment.ofArray(new long[8]))) {
            assertThrows(IllegalArgumentException.class, () -> Region.over(wrong));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, -1, 1, 4, 12, 60, 64, 72, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldCatchALongOutsideOrOffItsBoundary(final long offset) {
        final Region region = Region.allocate(arena, 64);
        assertThrows(IndexOutOfBoundsException.class, () -> region.getLong(offset));
        assertThrows(IndexOutOfBoundsException.class, () -> region.setLong(offset, 1));
    }

    @ParameterizedTest
    @ValueSource(longs = {-4, -1, 1, 2, 62, 64, 68, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldCatchAnIntOutsideOrOffItsBoundary(final long offset) {
        final Region region = Region.allocate(arena, 64);
        assertThrows(IndexOutOfBoundsException.class, () -> region.getInt(offset));
        assertThrows(IndexOutOfBoundsException.class, () -> region.setInt(offset, 1));
    }

    @Test
    void shouldCatchUseAfterItsArenaClosed() {
        final Region region;
        try (Arena arena = Arena.ofConfined()) {
            region = Region.allocate(arena, 64);
        }
        assertThrows(AssertionError.class, () -> region.getLong(0));
        assertThrows(AssertionError.class, () -> region.setInt(0, 1));
    }

    @Test
    void shouldReadAndWriteTheFieldsOfARecord() {
        final Region region = Region.allocate(arena, 128);
        for (int n = 0; n < 8; n++) {
            region.setLong(64, n, 1000 + n);
            assertEquals(1000 + n, region.getLong(64 + n * 8));
            assertEquals(1000 + n, region.getLong(64, n));
        }
        for (int n = 0; n < 16; n++) {
            region.setInt(64, n, n - 8);
            assertEquals(n - 8, region.getInt(64 + n * 4));
            assertEquals(n - 8, region.getInt(64, n));
        }
        assertEquals(0, region.getLong(56), "the record before is untouched");
    }

    @Test
    void shouldCatchAFieldOutsideTheRegion() {
        final Region region = Region.allocate(arena, 96);
        assertThrows(IndexOutOfBoundsException.class, () -> region.getLong(64, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> region.setInt(64, 8, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> region.getInt(-64, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> region.getLong(4, 1));
    }

    /**
     * Memory reads the same in a JVM that opens nothing, as where models are embedded, and in one with the usual flags.
     */
    @Test
    void shouldReadTheSameWhereNothingIsOpen() throws IOException, InterruptedException {
        final String classPath = Stream.of(Region.class, Bounds.class, UnsafeApi.class, RegionTest.class)
            .map(type -> Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath()).toString())
            .collect(Collectors.joining(File.pathSeparator));
        final Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-ea", "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp", classPath,
            RegionTest.class.getName()).redirectErrorStream(true).start();
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

    private static long hash() {
        final Random random = new Random(SEED);
        long hash = 0;
        final Arena arena = Arena.ofAuto();
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
        return hash;
    }

    private Pieo pieo(final int capacity) {
        final PieoLayout layout = new PieoLayout(capacity);
        return new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
    }

    private StateImage image(final Object root) {
        return new StateImage(root, arena, value -> false);
    }

    @Test
    void shouldSavePieo() {
        final Pieo pieo = pieo(64);
        final Pieo other = pieo(64);
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 2000; i++) {
            if (i % 7 == 0) {
                image(other).restore(image(pieo).save());
            }
            final int id = random.nextInt(64);
            final int number = random.nextInt(200);
            if (random.nextInt(9) < 5) {
                assertEquals(pieo.enqueue(id, number, number), other.enqueue(id, number, number));
            } else {
                assertEquals(pieo.dequeue(number), other.dequeue(number));
            }
            assertEquals(pieo.id(), other.id(), "seed=" + SEED + " operation=" + i);
            assertEquals(pieo.movedId(), other.movedId());
        }
        assertArrayEquals(image(pieo).save(), image(other).save());
        pieo.reset();
        other.reset();
        pieo.enqueue(1, 2, 3);
        other.enqueue(1, 2, 4);
        // Behind the 16 bytes of held and used, sublist, count and rank: the send time of the first pointer entry.
        assertEquals(List.of("model.memory.state[7]: 4, not 3"),
            StateImage.differences(image(other).save(), image(pieo).save()).stream()
                .map(StateImage.Difference::toString).toList());
    }

    /** Queues that spill into the pool, which takes memory later; restored into a pool that has taken none. */
    @Test
    void shouldTakeTheMemoryThatAStructureHasTaken() {
        final SpillPool pool = new SpillPool(arena, 1 << 20);
        final EligibilityQueues queues = new EligibilityQueues(arena, 2, pool);
        final byte[] empty = image(queues).save();
        for (int i = 0; i < 30_000; i++) {
            queues.enqueue(i & 1, i, i);
        }
        final byte[] full = image(queues).save();
        final EligibilityQueues other = new EligibilityQueues(arena, 2, new SpillPool(arena, 1 << 20));
        image(other).restore(full);
        for (int i = 0; i < 30_000; i++) {
            other.dequeue(i & 1, (queue, entry) -> true);
            assertEquals(i, other.entry());
        }
        image(other).restore(empty);
        assertArrayEquals(empty, image(other).save());
        assertEquals(0, other.length(0));
        other.enqueue(0, 1, 1);
        assertEquals(1, other.length(0));
    }

    @Test
    void shouldRefuseTheStateOfAnother() {
        final byte[] state = image(pieo(64)).save();
        assertThrows(IllegalArgumentException.class, () -> image(pieo(16)).restore(state));
        assertThrows(IllegalArgumentException.class, () -> image(new SpillPool(arena, 8)).restore(state));
        for (int at = 0; at < state.length; at += 97) {
            final byte[] damaged = state.clone();
            damaged[at] ^= 4;
            assertThrows(IllegalArgumentException.class, () -> image(pieo(64)).restore(damaged), "byte " + at);
        }
    }
}
