package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow.CellHandler;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;
import dev.skerry.nic.packet.ReorderWindow.WindowPool;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Streams that lose, double and reorder cells, with outages longer than the window, against a model of maps: every
 * call, every counter and every freed cell is compared. Then the rules of docs/spec/shoal.md §3.3 one by one, and the
 * pool of windows.
 */
final class ReorderWindowModelTest {
    private static final int BOTH = PacketFormat.SOP | PacketFormat.EOP;
    private static final int STREAMS = 5;
    private static final int SLOTS = 12_000;
    private static final int ROUNDS = 20_000;
    private static final long TIMEOUT = 60;

    private final List<String> expectedCalls = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final PacketCounts counts = new PacketCounts();
    @AutoClose
    private final Arena arena = Arena.ofConfined();
    private final Map<PacketCounter, Long> expectedCounts = new EnumMap<>(PacketCounter.class);
    private final TreeMap<Long, List<int[]>> underWay = new TreeMap<>();
    /** Of the pool. */
    private final BitSet used = new BitSet();
    private final List<int[]> held = new ArrayList<>();
    private SplittableRandom random;
    private int cells;
    private int window;
    private long handedOn;

    @ParameterizedTest
    @CsvSource({
        // Sequence bits, W, longest delay, per mille lost, doubled and in an outage, seed.
        "22,  64,  30,  10, 10,  0, 1", "22, 128,  55,  50, 50,  0, 2", "20, 512, 100, 100, 20,  5, 3",
        " 8, 128,  50,  20, 20,  5, 4", " 8,  64,  90,  80, 80, 10, 5", "32, 256,  20, 300, 10,  0, 6",
        "22,   1,  10,  10, 10,  0, 7", "22, 2048, 200, 5, 5,  3, 8", "22, 64, 0, 30, 0, 20, 9"
    })
    void shouldDeliverGiveUpAndDropAsTheModel(final int bits, final int windowCells, final int delay, final int lost,
        final int doubled, final int outage, final long seed) {
        random = new SplittableRandom(seed);
        window = windowCells;
        final WindowConfig config = new WindowConfig(STREAMS, bits, windowCells, 1 << 15, TIMEOUT);
        final Model[] models = new Model[STREAMS];
        final long[] next = new long[STREAMS];
        final int[] outageUntil = new int[STREAMS];
        // The clock starts before slot 2^31, the sequence numbers before their wrap.
        final long firstSlot = (1L << 31) - SLOTS / 2;
        final ReorderWindow windows = new ReorderWindow(arena, config, cell -> calls.add("home " + cell),
            new Calls(calls), counts);
        for (int stream = 0; stream < STREAMS; stream++) {
            models[stream] = new Model(stream);
            next[stream] = (1L << bits) - random.nextInt(1, 60);
            reset(windows, models[stream], next[stream], bits);
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            for (int stream = 0; stream < STREAMS; stream++) {
                outageUntil[stream] = random.nextInt(20_000) < outage ? slot + 3 * window : outageUntil[stream];
                final boolean gone = slot < outageUntil[stream] || random.nextInt(1000) < lost;
                final int copies = gone ? 0 : random.nextInt(1000) < doubled ? 2 : 1;
                for (int copy = 0; copy < copies; copy++) {
                    final long arrival = slot + random.nextInt(delay + 1);
                    underWay.computeIfAbsent(arrival, key -> new ArrayList<>()).add(
                        new int[] {stream, (int) (next[stream] & -1L >>> 64 - bits), cells++, random.nextInt(4)});
                }
                next[stream]++;
            }
            final long now = firstSlot + slot;
            final List<int[]> arriving = underWay.remove((long) slot);
            for (final int[] cell : arriving == null ? List.<int[]>of() : arriving) {
                final boolean taken = windows.accept(cell[0], cell[1], cell[2], cell[3] << 1, now);
                assertEquals(models[cell[0]].accept(cell[1], bits, cell[2], cell[3] << 1, now), taken);
                compare(windows, models[cell[0]], "seed=" + seed + " slot=" + slot);
            }
            windows.sweep(now, 2);
            models[2 * slot % STREAMS].advance(now);
            models[(2 * slot + 1) % STREAMS].advance(now);
            if (random.nextInt(4_000) == 0) {
                final int stream = random.nextInt(STREAMS);
                reset(windows, models[stream], next[stream], bits);
            }
            compare(windows, models[slot % STREAMS], "seed=" + seed + " slot=" + slot);
        }
        assertTrue(count(PacketCounter.CELLS_LOST) > 0, "seed=" + seed);
        assertEquals(windowCells > 1, windows.maxWaiting() > 0, "seed=" + seed);
        settle(windows, models, firstSlot + SLOTS + TIMEOUT + 1);
        compare(windows, models[0], "seed=" + seed + " at the end");
        assertEquals(config.poolCells(), windows.freeCells(), "empty windows hold no memory: seed=" + seed);
    }

    private void settle(final ReorderWindow windows, final Model[] models, final long slot) {
        for (int stream = 0; stream < STREAMS; stream++) {
            windows.expire(stream, slot);
            models[stream].advance(slot);
            assertEquals(0, windows.waiting(stream));
        }
    }

    private void reset(final ReorderWindow windows, final Model model, final long sequence, final int bits) {
        windows.reset(model.stream, (int) (sequence & -1L >>> 64 - bits));
        model.reset(sequence & -1L >>> 64 - bits);
    }

    private void compare(final ReorderWindow windows, final Model model, final String at) {
        assertEquals(expectedCalls, calls, at);
        expectedCalls.clear();
        calls.clear();
        assertEquals(model.expected, windows.expected(model.stream), at);
        assertEquals(model.waiting.size(), windows.waiting(model.stream), at);
        for (final PacketCounter counter : PacketCounter.values()) {
            assertEquals(count(counter), counts.get(counter), at + " " + counter);
        }
        // There is no reassembler: a cell that was handed on counts as delivered.
        final long passed = count(PacketCounter.CELLS_DELIVERED) + handedOn;
        assertEquals(count(PacketCounter.CELLS_RECEIVED), passed + windows.held() + counts.dropped(), at);
    }

    private long count(final PacketCounter counter) {
        return expectedCounts.getOrDefault(counter, 0L);
    }

    private void count(final PacketCounter counter, final long number) {
        expectedCounts.merge(counter, number, Long::sum);
    }

    /** The window as simple rules over maps. */
    private final class Model {
        private final int stream;
        private final TreeMap<Long, String> waiting = new TreeMap<>();
        private final TreeMap<Long, Long> missingSince = new TreeMap<>();
        private long expected;
        private long farCount = -1;
        private long farSlot;

        private Model(final int stream) {
            this.stream = stream;
        }

        private boolean accept(final int sequence, final int bits, final int cell, final int flags, final long slot) {
            count(PacketCounter.CELLS_RECEIVED, 1);
            final long circle = 1L << bits;
            final long forward = Math.floorMod(Integer.toUnsignedLong(sequence) - expected, circle);
            final PacketCounter drop;
            if (forward >= circle / 2) {
                drop = PacketCounter.DROPPED_BEHIND;
            } else if (waiting.containsKey(expected + forward)) {
                drop = PacketCounter.DROPPED_DUPLICATE;
            } else if (forward >= window) {
                drop = PacketCounter.DROPPED_FAR_AHEAD;
                farSlot = farCount < 0 ? slot : farSlot;
                farCount = farCount < 0 ? expected + forward : farCount;
            } else {
                drop = null;
                waiting.put(expected + forward, cell + " " + flags);
                for (long missing = expected; missing < expected + forward; missing++) {
                    missingSince.putIfAbsent(missing, slot);
                }
            }
            if (drop != null) {
                count(drop, 1);
                expectedCalls.add("home " + cell);
            }
            advance(slot);
            return drop == null;
        }

        private void advance(final long slot) {
            final long far = farCount >= 0 && slot - farSlot >= TIMEOUT ? farCount : -1;
            long gap = 0;
            while (true) {
                final String cell = waiting.remove(expected);
                final Long since = missingSince.remove(expected);
                if (cell != null) {
                    gap = gap(gap);
                    expectedCalls.add("cell " + stream + " " + cell);
                    handedOn++;
                } else if (expected <= far || since != null && slot - since >= TIMEOUT) {
                    gap++;
                } else {
                    if (since != null) {
                        missingSince.put(expected, since);
                    }
                    break;
                }
                expected++;
            }
            gap(gap);
            farCount = expected > farCount ? -1 : farCount;
        }

        private long gap(final long cells) {
            if (cells > 0) {
                expectedCalls.add("gap " + stream + " " + cells);
                count(PacketCounter.CELLS_LOST, cells);
                count(PacketCounter.GAPS, 1);
            }
            return 0;
        }

        private void reset(final long sequence) {
            waiting.values().forEach(cell -> expectedCalls.add("home " + cell.split(" ")[0]));
            count(PacketCounter.DROPPED_RESET, waiting.size());
            expectedCalls.add("reset " + stream);
            waiting.clear();
            missingSince.clear();
            expected = sequence;
            farCount = -1;
        }
    }

    /** Records the calls of a window. */
    private record Calls(List<String> log) implements CellHandler {
        @Override
        public void onCell(final int stream, final int cell, final int flags) {
            log.add("cell " + stream + " " + cell + " " + flags);
        }

        @Override
        public void onGap(final int stream, final long cells) {
            log.add("gap " + stream + " " + cells);
        }

        @Override
        public void onReset(final int stream) {
            log.add("reset " + stream);
        }
    }

    private ReorderWindow windows(final int streams, final int bits, final int window, final int pool,
        final long timeout) {
        return windows(new WindowConfig(streams, bits, window, pool, timeout));
    }

    private ReorderWindow windows(final WindowConfig config) {
        return new ReorderWindow(arena, config, cell -> calls.add("home " + cell), new Calls(calls), counts);
    }

    private void expect(final String... expected) {
        assertEquals(List.of(expected), calls);
        calls.clear();
    }

    @Test
    void shouldHandOnAtOnceWhatIsNextAndTakeNoMemoryForIt() {
        final ReorderWindow windows = windows(2, 22, 64, 128, 10);
        for (int i = 0; i < 1_000; i++) {
            assertTrue(windows.accept(1, i, i, BOTH, i));
            expect("cell 1 " + i + " 6");
            assertEquals(128, windows.freeCells());
        }
        assertEquals(1_000, windows.expected(1));
        assertEquals(0, windows.expected(0));
        assertEquals(0, windows.maxWaiting());
    }

    @Test
    void shouldGrowAndGiveBackItsMemory() {
        final ReorderWindow windows = windows(1, 22, 8192, 16_384, 10);
        final int[] ahead = {1, 63, 64, 500, 8191};
        final int[] taken = {64, 64, 128, 512, 8192};
        for (int i = 0; i < ahead.length; i++) {
            assertTrue(windows.accept(0, ahead[i], ahead[i], 0, 0));
            assertEquals(16_384 - taken[i], windows.freeCells(), "ahead=" + ahead[i]);
        }
        windows.expire(0, 10);
        expect("gap 0 1", "cell 0 1 0", "gap 0 61", "cell 0 63 0", "cell 0 64 0", "gap 0 435", "cell 0 500 0",
            "gap 0 7690", "cell 0 8191 0");
        assertEquals(16_384, windows.freeCells());
        assertEquals(4, counts.get(PacketCounter.GAPS));
    }

    @Test
    void shouldDropWhatHasNoMemoryAndStillNotStall() {
        final ReorderWindow windows = windows(3, 22, 32, 64, 10);
        assertTrue(windows.accept(0, 1, 1, 0, 0));
        assertFalse(windows.accept(1, 1, 2, 0, 3), "the pool is the first stream's");
        assertTrue(windows.accept(2, 0, 3, 0, 3), "what is next needs none");
        assertEquals(1, counts.get(PacketCounter.DROPPED_NO_WINDOW));
        calls.clear();
        windows.expire(1, 12);
        expect();
        windows.expire(1, 13);
        expect("gap 1 2");
        assertTrue(windows.accept(1, 2, 4, 0, 13));
        windows.expire(0, 13);
        assertTrue(windows.accept(1, 4, 5, 0, 13));
        expect("cell 1 4 0", "gap 0 1", "cell 0 1 0");
    }

    /** As {@link #shouldDropWhatHasNoMemoryAndStillNotStall}, with memory to come. */
    @Test
    void shouldGrowRatherThanDrop() {
        final ReorderWindow windows = windows(new WindowConfig(3, 22, 32, 64, 256, 10));
        for (int stream = 0; stream < 3; stream++) {
            assertTrue(windows.accept(stream, 1, stream + 1, 0, 0));
        }
        assertEquals(64, windows.freeCells());
        assertEquals(0, counts.get(PacketCounter.DROPPED_NO_WINDOW));
        calls.clear();
        for (int stream = 0; stream < 3; stream++) {
            assertTrue(windows.accept(stream, 0, 10 + stream, 0, 1));
        }
        expect("cell 0 10 0", "cell 0 1 0", "cell 1 11 0", "cell 1 2 0", "cell 2 12 0", "cell 2 3 0");
        assertEquals(256, windows.freeCells());
    }

    @Test
    void shouldNotHoldMemoryForWindowsThatNobodyNeeds() {
        final WindowConfig config = new WindowConfig(512, 22, 8192, 1 << 17, 1 << 19);
        assertTrue(ReorderWindow.bytes(config) < 1_200_000, "bytes=" + ReorderWindow.bytes(config));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 22, 64, 64, 1, streams=0", "1, 1, 1, 64, 1, sequenceBits=1", "1, 33, 64, 64, 1, sequenceBits=33",
        "1, 22, 0, 64, 1, windowCells=0", "1, 22, 65, 128, 1, windowCells=65", "1, 22, -64, 128, 1, windowCells=-64",
        "1, 22, 4194304, 4194304, 1, windowCells=4194304", "1, 20, 1048576, 1048576, 1, windowCells=1048576",
        "1, 22, 8, 32, 1, poolCells=32", "1, 22, 64, 64, 1, poolCells=64", "1, 22, 16, 96, 1, poolCells=96",
        "1, 22, 16, 64, 0, timeoutSlots=0", "1, 22, -2147483648, 64, 1, windowCells=-2147483648",
        "1, 32, 1073741824, 1073741824, 1, poolCells=1073741824"
    })
    void shouldRefuseWhatCannotWork(final int streams, final int bits, final int window, final int pool,
        final long timeout, final String named) {
        Outcomes.refused(named, () -> new WindowConfig(streams, bits, window, pool, timeout));
    }

    @Test
    void shouldTakeTheLargestWindows() {
        assertEquals(1 << 21, new WindowConfig(1, 22, 1 << 21, 1 << 22, 1).windowCells());
        assertEquals(1 << 19, new WindowConfig(1, 20, 1 << 19, 1 << 20, 1).windowCells());
    }

    /** The pool against one bit per unit: blocks never overlap, and every free aligned block can be allocated. */
    @ParameterizedTest
    @CsvSource({"64, 1", "128, 2", "4096, 3", "65536, 4", "65536, 5"})
    void shouldHandOutWhateverIsFree(final int cells, final long seed) {
        random = new SplittableRandom(seed);
        final int units = cells / WindowPool.UNIT_CELLS;
        final int lastOrder = Integer.numberOfTrailingZeros(units);
        final WindowPool pool = new WindowPool(arena, cells, cells);
        for (int round = 0; round < ROUNDS; round++) {
            final String at = "seed=" + seed + " round=" + round;
            // Alternates between nearly empty and nearly full.
            final boolean growing = round / 500 % 2 == 0;
            if (held.isEmpty() || random.nextInt(10) < (growing ? 8 : 3)) {
                final int order = Math.min(lastOrder, random.nextInt(random.nextInt(1, lastOrder + 3)));
                final int unit = pool.alloc(order);
                assertEquals(fits(units, order), unit != WindowPool.NONE, at);
                if (unit != WindowPool.NONE) {
                    assertEquals(0, unit & (1 << order) - 1, at);
                    assertEquals(-1, firstUsed(unit, order), at);
                    used.set(unit, unit + (1 << order));
                    held.add(new int[] {unit, order});
                }
            } else {
                final int[] block = held.remove(random.nextInt(held.size()));
                pool.free(block[0], block[1]);
                used.clear(block[0], block[0] + (1 << block[1]));
            }
            assertEquals((long) (units - used.cardinality()) * WindowPool.UNIT_CELLS, pool.freeCells(), at);
        }
        held.forEach(block -> pool.free(block[0], block[1]));
        assertEquals(0, pool.alloc(lastOrder), "all blocks must become one again: seed=" + seed);
        assertEquals(WindowPool.NONE, pool.alloc(0));
    }

    @Test
    void shouldRoundUpToABlock() {
        for (int cells = 1; cells < 5_000; cells++) {
            final int order = WindowPool.orderFor(cells);
            assertEquals(true, cells <= WindowPool.cells(order), "cells=" + cells);
            assertEquals(true, order == 0 || cells > WindowPool.cells(order - 1), "cells=" + cells);
        }
        assertEquals(15, WindowPool.orderFor(1 << 21));
    }

    @Test
    void shouldRefuseWhatIsLargerThanItself() {
        final WindowPool pool = new WindowPool(arena, 256, 256);
        assertEquals(WindowPool.NONE, pool.alloc(3));
        assertNotEquals(WindowPool.NONE, pool.alloc(2));
    }

    /** What is lent keeps its place and its words; what is free becomes one block again. */
    @Test
    void shouldDoubleUpToItsMost() {
        final WindowPool pool = new WindowPool(arena, 128, 1024);
        final int first = pool.alloc(0);
        pool.words().setLong((long) first * WindowPool.UNIT_CELLS * Long.BYTES, 77);
        final int large = pool.alloc(3);
        assertEquals(8, large);
        assertEquals(1024 - 64 - 512, pool.freeCells());
        assertEquals(77, pool.words().getLong((long) first * WindowPool.UNIT_CELLS * Long.BYTES));
        assertEquals(WindowPool.NONE, pool.alloc(3));
        pool.free(first, 0);
        pool.free(large, 3);
        assertEquals(0, pool.alloc(4));
        assertEquals(WindowPool.NONE, pool.alloc(0));
    }

    private boolean fits(final int units, final int order) {
        for (int unit = 0; unit < units; unit += 1 << order) {
            if (firstUsed(unit, order) < 0) {
                return true;
            }
        }
        return false;
    }

    private int firstUsed(final int unit, final int order) {
        final int first = used.nextSetBit(unit);
        return first >= 0 && first < unit + (1 << order) ? first : -1;
    }
}
