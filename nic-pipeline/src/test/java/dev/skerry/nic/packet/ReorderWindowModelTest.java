package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow.CellHandler;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Streams that lose, double and reorder cells, with outages longer than the window, against a model of maps: every
 * call, every counter and every freed cell is compared. Then the rules of docs/spec/shoal.md §3.3 one by one, and the
 * memory of windows.
 */
final class ReorderWindowModelTest {
    private static final int BOTH = PacketFormat.SOP | PacketFormat.EOP;
    private static final int STREAMS = 5;
    private static final int SLOTS = 12_000;
    private static final long TIMEOUT = 60;

    private final List<String> expectedCalls = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final PacketCounts counts = new PacketCounts();
    @AutoClose
    private final CountedArena arena = new CountedArena();
    private final Map<PacketCounter, Long> expectedCounts = new EnumMap<>(PacketCounter.class);
    private final TreeMap<Long, List<int[]>> underWay = new TreeMap<>();
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
        final WindowConfig config = new WindowConfig(STREAMS, bits, windowCells, TIMEOUT);
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
            windows.giveUp(stream, next[stream], firstSlot);
            models[stream].begin(next[stream]);
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
            compare(windows, models[slot % STREAMS], "seed=" + seed + " slot=" + slot);
        }
        assertTrue(count(PacketCounter.CELLS_LOST) > 0, "seed=" + seed);
        assertEquals(windowCells > 1, windows.maxWaiting() > 0, "seed=" + seed);
        settle(windows, models, firstSlot + SLOTS + TIMEOUT + 1);
        compare(windows, models[0], "seed=" + seed + " at the end");
    }

    private void settle(final ReorderWindow windows, final Model[] models, final long slot) {
        for (int stream = 0; stream < STREAMS; stream++) {
            windows.expire(stream, slot);
            models[stream].advance(slot);
            assertEquals(0, windows.waiting(stream));
        }
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

        /** The cells before a number are given up: counts begin shortly before numbers wrap. */
        private void begin(final long sequence) {
            gap(sequence);
            expected = sequence;
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
    }

    private ReorderWindow windows(final int streams, final int window) {
        return new ReorderWindow(arena, new WindowConfig(streams, 22, window, 10), cell -> calls.add("home " + cell),
            new Calls(calls), counts);
    }

    private void expect(final String... expected) {
        assertEquals(List.of(expected), calls);
        calls.clear();
    }

    @Test
    void shouldHandOnAtOnceWhatIsNextAndTakeNoMemoryForIt() {
        final ReorderWindow windows = windows(2, 64);
        final long bytes = arena.bytes();
        for (int i = 0; i < 1_000; i++) {
            assertTrue(windows.accept(1, i, i, BOTH, i));
            expect("cell 1 " + i + " 6");
            assertEquals(bytes, arena.bytes());
        }
        assertEquals(1_000, windows.expected(1));
        assertEquals(0, windows.expected(0));
        assertEquals(0, windows.maxWaiting());
    }

    @Test
    void shouldGrowAndGiveBackItsMemory() {
        final ReorderWindow windows = windows(2, 8192);
        final int[] ahead = {1, 63, 64, 500, 8191};
        final int[] taken = {64, 64, 64 + 128, 64 + 128 + 512, 64 + 128 + 512 + 8192};
        final long bytes = arena.bytes();
        for (int i = 0; i < ahead.length; i++) {
            assertTrue(windows.accept(0, ahead[i], ahead[i], 0, 0));
            assertEquals(bytes + taken[i] * Long.BYTES, arena.bytes(), "ahead=" + ahead[i]);
        }
        windows.expire(0, 10);
        expect("gap 0 1", "cell 0 1 0", "gap 0 61", "cell 0 63 0", "cell 0 64 0", "gap 0 435", "cell 0 500 0",
            "gap 0 7690", "cell 0 8191 0");
        assertEquals(4, counts.get(PacketCounter.GAPS));
        for (final int cell : ahead) {
            assertTrue(windows.accept(1, cell, cell, 0, 11));
        }
        assertEquals(bytes + taken[4] * Long.BYTES, arena.bytes(), "another stream takes the rings");
    }

    @Test
    void shouldShareRingsAmongStreams() {
        final ReorderWindow windows = windows(4, 32);
        final long bytes = arena.bytes();
        for (int round = 0; round < 4; round++) {
            for (int stream = 0; stream < 4; stream++) {
                assertTrue(windows.accept(stream, 2 * round + 1, 0, 0, round));
                assertTrue(windows.accept(stream, 2 * round, 0, 0, round));
            }
        }
        assertEquals(bytes + 64 * Long.BYTES, arena.bytes());
    }

    @Test
    void shouldNotHoldMemoryForWindowsThatNobodyNeeds() {
        windows(512, 8192);
        assertEquals(ReorderWindow.bytes(512), arena.bytes());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 22, 64, 1, streams=0", "1, 1, 1, 1, sequenceBits=1", "1, 33, 64, 1, sequenceBits=33",
        "1, 22, 0, 1, windowCells=0", "1, 22, 65, 1, windowCells=65", "1, 22, -64, 1, windowCells=-64",
        "1, 22, 4194304, 1, windowCells=4194304", "1, 20, 1048576, 1, windowCells=1048576",
        "1, 22, 16, 0, timeoutSlots=0", "1, 22, -2147483648, 1, windowCells=-2147483648"
    })
    void shouldRefuseWhatCannotWork(final int streams, final int bits, final int window, final long timeout,
        final String named) {
        Outcomes.refused(named, () -> new WindowConfig(streams, bits, window, timeout));
    }

    @Test
    void shouldTakeTheLargestWindows() {
        assertEquals(1 << 21, new WindowConfig(1, 22, 1 << 21, 1).windowCells());
        assertEquals(1 << 19, new WindowConfig(1, 20, 1 << 19, 1).windowCells());
    }
}
