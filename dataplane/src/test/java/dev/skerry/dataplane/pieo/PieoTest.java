package dev.skerry.dataplane.pieo;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;

/** {@link Pieo} by hand, and against its definition {@link PieoList} in random operations. */
final class PieoTest {
    private static final int NO_SUBLIST = 15;
    private static final int NO_ID = 31;

    private final PieoLayout layout = new PieoLayout(16);
    private final MemorySegment segment = Arena.ofAuto().allocate(layout.byteSize(), PieoLayout.ALIGNMENT);
    private final Pieo pieo = new Pieo(layout, segment);
    private final PieoTournament fast = new PieoTournament(Arena.ofAuto(), new PieoLayout(64));

    private static Pieo pieo(final PieoLayout dimensions) {
        return new Pieo(dimensions, Arena.ofAuto().allocate(dimensions.byteSize(), PieoLayout.ALIGNMENT));
    }

    /** Ranks 10, 20, ... to ids 1, 2, ..., all eligible at once. */
    private void fill(final int elements) {
        for (int i = 1; i <= elements; i++) {
            assertEquals(Pieo.DONE, pieo.enqueue(i, 10L * i, 0));
        }
    }

    @Test
    void shouldHaveTheDimensionsOfTheRtl() {
        final PieoLayout rtl = new PieoLayout(64);
        assertArrayEquals(new long[] {8, 16, 6, 63, 127, 31, 65_535, 65_535, 17, 17}, new long[] {rtl.sublistLength(),
            rtl.sublists(), rtl.idBits(), rtl.nullId(), rtl.noId(), rtl.noSublist(), rtl.noRank(), rtl.noTime(),
            rtl.resetClocks(), pieo(rtl).clocks()});
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "4, 2", "5, 3", "9, 3", "10, 4", "100, 10", "101, 11", "65025, 255", "65026, 256",
        "65536, 256"})
    void shouldRoundTheSublistLengthUp(final int capacity, final int length) {
        assertEquals(length, new PieoLayout(capacity).sublistLength());
    }

    @Test
    void shouldAnswerNullWhenNothingIsEligible() {
        pieo.enqueue(3, 1, 9);
        assertEquals(Pieo.NOTHING, pieo.dequeue(8));
        assertArrayEquals(new long[] {15, 65_535, 65_535, NO_SUBLIST, 2}, new long[] {pieo.id(), pieo.rank(),
            pieo.sendTime(), pieo.enqueuedInSublist(), pieo.clocks()});
        assertEquals(Pieo.DONE, pieo.dequeue(9));
    }

    @Test
    void shouldTellTheSublistOfAnId() {
        fill(5);
        assertArrayEquals(new int[] {0, 1, NO_SUBLIST},
            new int[] {pieo.sublistOf(4), pieo.sublistOf(5), pieo.sublistOf(6)});
        assertEquals(Pieo.DONE, pieo.dequeueF(5, 1));
        assertEquals(5, pieo.id());
    }

    private void assertRefused(final int code, final IntSupplier operation) {
        final byte[] before = segment.toArray(JAVA_BYTE);
        assertEquals(code, operation.getAsInt());
        assertArrayEquals(before, segment.toArray(JAVA_BYTE));
        assertArrayEquals(new int[] {0, 15, NO_ID, NO_SUBLIST},
            new int[] {pieo.clocks(), pieo.id(), pieo.movedId(), pieo.enqueuedInSublist()});
        assertFalse(Pieo.meaning(code).isEmpty());
    }

    @Test
    void shouldRefuseWhatTheHardwareGetsWrongAndTouchNothing() {
        fill(5);
        pieo.dequeueF(2);
        assertRefused(Pieo.BAD_ID, () -> pieo.enqueue(-1, 1, 1));
        assertRefused(Pieo.BAD_ID, () -> pieo.enqueue(16, 1, 1));
        assertRefused(Pieo.BAD_RANK, () -> pieo.enqueue(9, -1, 1));
        assertRefused(Pieo.BAD_RANK, () -> pieo.enqueue(9, 65_535, 1));
        assertRefused(Pieo.BAD_RANK, () -> pieo.enqueue(9, 65_536, 1));
        assertRefused(Pieo.BAD_TIME, () -> pieo.enqueue(9, 1, -1));
        assertRefused(Pieo.BAD_TIME, () -> pieo.enqueue(9, 1, 65_535));
        assertRefused(Pieo.BAD_TIME, () -> pieo.enqueue(9, 1, 1L << 32));
        assertRefused(Pieo.BAD_TIME, () -> pieo.dequeue(65_535));
        assertRefused(Pieo.BAD_TIME, () -> pieo.dequeue(-1));
        assertRefused(Pieo.BAD_ID, () -> pieo.dequeueF(-1));
        assertRefused(Pieo.BAD_ID, () -> pieo.dequeueF(16));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(2));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(0));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(5, 1));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(5, 7));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(5, -1));
        assertThrows(IllegalArgumentException.class, () -> Pieo.meaning(2));
    }

    @Test
    void shouldRefuseWhenFull() {
        fill(15);
        pieo.enqueue(0, 5, 5);
        assertRefused(Pieo.FULL, () -> pieo.enqueue(3, 1, 1));
        assertEquals(Pieo.DONE, pieo.dequeue(0));
        assertEquals(Pieo.DONE, pieo.enqueue(1, 1, 1));
        assertEquals(16, pieo.size());
    }

    @Test
    void shouldCompareWideFieldsAsUnsigned() {
        final Pieo wide = pieo(new PieoLayout(16, 30, 32, 32));
        assertEquals(Pieo.DONE, wide.enqueue((1 << 30) - 1, 0xFFFF_FFFEL, 0));
        assertEquals(Pieo.DONE, wide.enqueue(1, 0x7FFF_FFFFL, 0xFFFF_FFFEL));
        assertEquals(Pieo.BAD_RANK, wide.enqueue(2, 0xFFFF_FFFFL, 0));
        assertEquals(Pieo.DONE, wide.dequeue(0x8000_0000L));
        assertEquals((1 << 30) - 1, wide.id());
        assertEquals(0xFFFF_FFFEL, wide.rank());
        assertEquals(Pieo.DONE, wide.dequeue(0xFFFF_FFFEL));
        assertEquals(1, wide.id());
        assertEquals(0xFFFF_FFFEL, wide.sendTime());
    }

    @Test
    void shouldStartAgainAfterReset() {
        final byte[] fresh = segment.toArray(JAVA_BYTE);
        fill(9);
        pieo.dequeueF(3);
        assertNotEquals(-1, MemorySegment.ofArray(fresh).mismatch(segment));
        pieo.reset();
        assertEquals(-1, MemorySegment.ofArray(fresh).mismatch(segment));
        assertEquals(9, pieo.clocks());
    }

    @Test
    void shouldRefuseBadDimensionsAndSegments() {
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(0));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(65_537));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(16, 0, 16, 16));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(16, 31, 16, 16));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(16, 4, 33, 16));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(16, 4, 16, 1));
        assertThrows(IllegalArgumentException.class,
            () -> new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize() - 1, PieoLayout.ALIGNMENT)));
        assertThrows(IllegalArgumentException.class,
            () -> new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize() + 8, 8).asSlice(1)));
        assertThrows(IllegalArgumentException.class,
            () -> new Pieo(layout, MemorySegment.ofArray(new byte[(int) layout.byteSize()])));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 5000", "2, 2, 5000", "4, 3, 20000", "16, 4, 40000", "64, 5, 60000", "100, 6, 60000", "1024, 7, 40000"})
    void shouldEqualTheList(final int size, final long seed, final int operations) {
        final PieoSideBySide wide = new PieoSideBySide(size, seed);
        wide.run(operations, 0, 65_534, false);
        assertTrue(wide.fullSeen > 0 && wide.emptySeen > 0, "both ends must be reached: " + wide.name);
        new PieoSideBySide(size, seed + 100).run(operations, 0, 7, false);
        new PieoSideBySide(size, seed + 200).run(operations, 65_529, 65_534, false);
    }

    @ParameterizedTest
    @CsvSource({"1, 11, 500", "3, 12, 2000", "16, 13, 20000", "64, 14, 20000", "100, 15, 10000", "130, 16, 10000"})
    void shouldKeepTheStructureOfTheMemories(final int size, final long seed, final int operations) {
        new PieoSideBySide(size, seed).run(operations, 0, 65_534, true);
        new PieoSideBySide(size, seed + 100).run(operations, 0, 3, true);
    }

    @Test
    void shouldHaveAListThatIsTheDefinition() {
        final PieoList three = new PieoList();
        three.enqueue(new PieoList.Element(1, 5, 9));
        three.enqueue(new PieoList.Element(2, 5, 3));
        three.enqueue(new PieoList.Element(3, 4, 4));
        assertEquals(2, three.dequeue(3).id());
        assertEquals(3, three.dequeue(9).id());
        assertNull(three.dequeueF(2));
        assertNull(three.dequeue(8));
        assertEquals(1, three.dequeueF(1).id());
    }

    /** An operation of the reference, and the same of the fast one beside it. */
    private String answer(final Pieo reference, final String[] field) {
        final int argument = Integer.parseInt(field[1]);
        final int code;
        final int ofFast;
        switch (field[0]) {
            case "E" -> {
                code = reference.enqueue(argument, Integer.parseInt(field[2]), Integer.parseInt(field[3]));
                ofFast = fast.enqueue(argument, Integer.parseInt(field[2]), Integer.parseInt(field[3]));
            }
            case "D" -> {
                code = reference.dequeue(argument);
                ofFast = fast.dequeue(argument);
            }
            default -> {
                code = reference.dequeueF(argument);
                ofFast = fast.dequeueF(argument);
            }
        }
        assertEquals(code, ofFast);
        final String extracted = reference.id() + " " + reference.rank() + " " + reference.sendTime();
        assertEquals(extracted, fast.id() + " " + fast.rank() + " " + fast.sendTime());
        final String done = code == Pieo.DONE ? "1" : "0";
        return field[0].equals("E") ? String.join(" ", "E", field[1], field[2], field[3], done)
            : field[0] + " " + argument + " " + (code == Pieo.DONE ? done + " " + extracted : done);
    }

    /** {@code E id rank time | F flow sublist 0 | D now 0 0}, then the ports, clocks and free_list_head. */
    private static String ports(final Pieo pieo, final String[] field) {
        final int argument = Integer.parseInt(field[1]);
        switch (field[0]) {
            case "E" -> pieo.enqueue(argument, Integer.parseInt(field[2]), Integer.parseInt(field[3]));
            case "F" -> pieo.dequeueF(argument, Integer.parseInt(field[2]));
            default -> pieo.dequeue(argument);
        }
        return String.join(" ", field[0], field[1], field[2], field[3]) + " " + pieo.enqueuedInSublist() + " "
            + pieo.id() + " " + pieo.rank() + " " + pieo.sendTime() + " " + pieo.movedId() + " "
            + pieo.movedToSublist() + " " + pieo.clocks() + " " + pieo.memory().used();
    }

    private static int replay(final String file, final BiFunction<Pieo, String[], String> answer) throws IOException {
        final PieoLayout layout = new PieoLayout(64);
        final Pieo pieo = new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
        int lines = 0;
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(PieoTest.class.getResourceAsStream("/pieo/" + file)),
            StandardCharsets.US_ASCII))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines++;
                assertEquals(line, answer.apply(pieo, line.split(" ")), file + ":" + lines);
                PieoInvariants.check(pieo, file + ":" + lines);
            }
        }
        return lines;
    }

    /**
     * Operation by operation against the authors' RTL of 64 elements with 16-bit ranks and times: {@code rtl-*} is its
     * simulation; {@code ports-*} adds every output port and comes from a transcription of its register transfers.
     */
    @ParameterizedTest
    @ValueSource(strings = {"rtl-101.txt.gz", "rtl-102.txt.gz", "rtl-103-ties.txt.gz"})
    void shouldAnswerEveryOperationAsTheRtl(final String file) throws IOException {
        assertEquals(20_000, replay(file, this::answer));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ports-64-21.txt.gz", "ports-64-22.txt.gz"})
    void shouldDriveEveryPortAsTheRtl(final String file) throws IOException {
        assertEquals(4_000, replay(file, PieoTest::ports));
    }

    /** The invariants of a PIEO's memories between operations. */
    private static final class PieoInvariants {
        private PieoInvariants() {
        }

        static void check(final Pieo pieo, final String where) {
            final PieoMemory memory = pieo.memory();
            final PieoLayout layout = pieo.layout();
            final int sublists = layout.sublists();
            assertTrue(memory.used() < sublists, where);
            assertArrayEquals(IntStream.range(0, sublists).toArray(),
                IntStream.range(0, sublists).map(memory::sublist).sorted().toArray(), where);
            int held = 0;
            long lastRank = 0;
            for (int position = 0; position < sublists; position++) {
                final int count = memory.count(position);
                assertEquals(position < memory.used(), count > 0, where);
                assertEquals(count == layout.sublistLength(), memory.full(position), where);
                assertEquals(memory.rank(memory.sublist(position), 0), memory.smallestRank(position), where);
                assertEquals(memory.sortedSendTime(memory.sublist(position), 0), memory.smallestSendTime(position),
                    where);
                assertTrue(position + 1 >= memory.used() || memory.full(position) || memory.full(position + 1), where);
                lastRank = checkSublist(memory, layout, position, lastRank, where);
                held += count;
            }
            assertEquals(held, memory.held(), where);
        }

        private static long checkSublist(final PieoMemory memory, final PieoLayout layout, final int position,
            final long firstRank, final String where) {
            final int sublist = memory.sublist(position);
            final long[] times = new long[layout.sublistLength()];
            final long[] sorted = new long[layout.sublistLength()];
            long rank = firstRank;
            for (int slot = 0; slot < times.length; slot++) {
                times[slot] = memory.sendTime(sublist, slot);
                sorted[slot] = memory.sortedSendTime(sublist, slot);
                if (slot < memory.count(position)) {
                    assertTrue(memory.rank(sublist, slot) >= rank, where);
                    assertTrue(memory.rank(sublist, slot) < layout.noRank() && times[slot] < layout.noTime(), where);
                    rank = memory.rank(sublist, slot);
                } else {
                    assertArrayEquals(new long[] {0, layout.noRank(), layout.noTime()},
                        new long[] {memory.id(sublist, slot), memory.rank(sublist, slot), times[slot]}, where);
                }
            }
            Arrays.sort(times);
            assertArrayEquals(times, sorted, where);
            return rank;
        }
    }

    /**
     * Random operations on {@link Pieo} and on {@link PieoList} side by side. The test is also the hardware's caller:
     * it keeps the sublist of every id from the ports alone, and the model must agree.
     */
    private static final class PieoSideBySide {
        private final SplittableRandom random;
        final String name;
        private final PieoLayout layout;
        private final Pieo pieo;
        private final PieoList list = new PieoList();
        private final int[] sublistOf;
        int fullSeen;
        int emptySeen;

        PieoSideBySide(final int size, final long seed) {
            random = new SplittableRandom(seed);
            name = "size=" + size + " seed=" + seed;
            layout = new PieoLayout(size);
            pieo = new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
            sublistOf = new int[1 << layout.idBits()];
            Arrays.fill(sublistOf, layout.noSublist());
        }

        void run(final int operations, final int least, final int most, final boolean invariants) {
            boolean growing = true;
            for (int i = 0; i < operations; i++) {
                final String where = name + " operation=" + i;
                final int kind = random.nextInt(10);
                if (kind < (growing ? 6 : 3)) {
                    enqueue(least + random.nextInt(most - least + 1), least + random.nextInt(most - least + 1), where);
                } else if (kind < 9) {
                    final int earliest = Math.max(0, least - 1);
                    dequeue(earliest + random.nextInt(most - earliest + 1), where);
                } else {
                    dequeueF(where);
                }
                assertEquals(list.size(), pieo.size(), where);
                if (invariants) {
                    PieoInvariants.check(pieo, where);
                }
                growing = growing ? list.size() < layout.capacity() : list.size() == 0;
                emptySeen += list.size() == 0 ? 1 : 0;
            }
            while (list.size() > 0) {
                dequeue(layout.noTime() - 1, name + " draining");
            }
            assertEquals(0, pieo.memory().used(), name);
        }

        private void enqueue(final long rank, final long sendTime, final String where) {
            int id = random.nextInt(sublistOf.length);
            if (list.size() >= layout.capacity()) {
                fullSeen++;
                assertEquals(Pieo.FULL, pieo.enqueue(id, rank, sendTime), where);
                return;
            }
            while (sublistOf[id] != layout.noSublist()) {
                id = (id + 1) % sublistOf.length;
            }
            list.enqueue(new PieoList.Element(id, rank, sendTime));
            assertEquals(Pieo.DONE, pieo.enqueue(id, rank, sendTime), where);
            sublistOf[id] = pieo.enqueuedInSublist();
            followMove(where);
            assertEquals(pieo.sublistOf(id), sublistOf[id], where);
        }

        private void dequeue(final long now, final String where) {
            final PieoList.Element expected = list.dequeue(now);
            final int code = pieo.dequeue(now);
            assertEquals(expected == null ? Pieo.NOTHING : Pieo.DONE, code, where);
            assertExtracted(expected, where);
        }

        private void dequeueF(final String where) {
            final int id = random.nextBoolean() && list.size() > 0
                ? list.get(random.nextInt(list.size())).id() : random.nextInt(sublistOf.length);
            assertEquals(sublistOf[id], pieo.sublistOf(id), where);
            final PieoList.Element expected = list.dequeueF(id);
            final int code = random.nextBoolean() ? pieo.dequeueF(id) : pieo.dequeueF(id, sublistOf[id]);
            assertEquals(expected == null ? Pieo.ABSENT : Pieo.DONE, code, where);
            assertExtracted(expected, where);
        }

        private void assertExtracted(final PieoList.Element expected, final String where) {
            if (expected == null) {
                assertEquals(layout.noRank(), pieo.rank(), where);
                return;
            }
            assertEquals(expected, new PieoList.Element(pieo.id(), pieo.rank(), pieo.sendTime()), where);
            sublistOf[expected.id()] = layout.noSublist();
            followMove(where);
        }

        private void followMove(final String where) {
            if (pieo.movedId() != layout.noId()) {
                sublistOf[pieo.movedId()] = pieo.movedToSublist();
                assertEquals(pieo.movedToSublist(), pieo.sublistOf(pieo.movedId()), where);
            } else {
                assertEquals(layout.noSublist(), pieo.movedToSublist(), where);
            }
        }
    }
}
