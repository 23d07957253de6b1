package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** The rules of docs/spec/shoal.md §3.3, one by one. {@link ReorderWindowModelTest} combines them. */
final class ReorderWindowTest {
    private static final int BOTH = PacketFormat.SOP | PacketFormat.EOP;

    private final Arena arena = Arena.ofConfined();
    private final List<String> calls = new ArrayList<>();
    private final PacketCounts counts = new PacketCounts();

    @AfterEach
    void close() {
        arena.close();
    }

    private ReorderWindow windows(final int streams, final int bits, final int window, final int pool,
        final long timeout) {
        return new ReorderWindow(arena, new WindowConfig(streams, bits, window, pool, timeout),
            cell -> calls.add("home " + cell), new ReorderWindowModelTest.Calls(calls), counts);
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

    @ParameterizedTest
    @ValueSource(ints = {20, 22})
    void shouldGoOnOverTheWrapOfTheNumbers(final int bits) {
        final ReorderWindow windows = windows(1, bits, 8, 64, 10);
        final int last = (1 << bits) - 1;
        windows.reset(0, last - 1);
        expect("reset 0");
        windows.accept(0, 0, 102, 0, 5);
        windows.accept(0, last, 101, 0, 5);
        windows.accept(0, 2, 104, 0, 5);
        assertEquals(3, windows.waiting(0));
        expect();
        windows.accept(0, last - 1, 100, 0, 6);
        expect("cell 0 100 0", "cell 0 101 0", "cell 0 102 0");
        windows.accept(0, 1, 103, 0, 7);
        expect("cell 0 103 0", "cell 0 104 0");
        assertEquals((1L << bits) + 3, windows.expected(0));
        windows.accept(0, last, 105, 0, 7);
        expect("home 105");
        assertEquals(1, counts.get(PacketCounter.DROPPED_BEHIND));
        assertEquals(3, windows.maxWaiting());
    }

    @Test
    void shouldDropDuplicatesAndWhatIsTooFarAhead() {
        final ReorderWindow windows = windows(1, 22, 8, 64, 10);
        windows.accept(0, 7, 1, 0, 0);
        assertFalse(windows.accept(0, 7, 2, 0, 0));
        assertFalse(windows.accept(0, 8, 3, 0, 0));
        assertFalse(windows.accept(0, 1 << 21, 4, 0, 0), "half the circle ahead is behind");
        assertFalse(windows.accept(0, (1 << 21) - 1, 5, 0, 0));
        expect("home 2", "home 3", "home 4", "home 5");
        assertEquals(1, counts.get(PacketCounter.DROPPED_DUPLICATE));
        assertEquals(2, counts.get(PacketCounter.DROPPED_FAR_AHEAD));
        assertEquals(1, counts.get(PacketCounter.DROPPED_BEHIND));
        assertEquals(1, windows.held());
    }

    @Test
    void shouldGiveUpEachMissingCellWhenItsOwnTimeIsOver() {
        final ReorderWindow windows = windows(1, 22, 64, 128, 10);
        final long start = 1L << 31;
        windows.accept(0, 1, 1, 0, start);
        windows.accept(0, 4, 4, 0, start + 4);
        windows.expire(0, start + 9);
        expect();
        windows.expire(0, start + 10);
        expect("gap 0 1", "cell 0 1 0");
        assertEquals(2, windows.expected(0), "2 and 3 have missed for 6 slots only");
        windows.accept(0, 3, 3, 0, start + 13);
        expect();
        windows.accept(0, 0, 0, 0, start + 13);
        expect("home 0");
        windows.accept(0, 9, 9, 0, start + 14);
        expect("gap 0 1", "cell 0 3 0", "cell 0 4 0");
        assertEquals(2, counts.get(PacketCounter.CELLS_LOST));
        assertEquals(1, windows.waiting(0));
    }

    @Test
    void shouldNotWaitForWhatComesWithNothingBehindIt() {
        final ReorderWindow windows = windows(1, 22, 64, 128, 10);
        windows.accept(0, 0, 0, 0, 0);
        windows.expire(0, 1_000_000);
        expect("cell 0 0 0");
        windows.accept(0, 1, 1, 0, 1_000_001);
        expect("cell 0 1 0");
        assertEquals(0, counts.get(PacketCounter.CELLS_LOST));
    }

    @Test
    void shouldFollowASenderThatIsFurtherAheadThanTheWindow() {
        final ReorderWindow windows = windows(1, 22, 64, 128, 10);
        windows.accept(0, 2, 2, 0, 0);
        for (int i = 0; i < 4; i++) {
            windows.accept(0, 1_000 + i, 3, 0, 5 + i);
        }
        calls.clear();
        // 0 and 1 are missing since slot 0, 3 to 999 since slot 5.
        windows.expire(0, 14);
        assertEquals(3, windows.expected(0));
        windows.accept(0, 1_010, 10, 0, 15);
        assertEquals(1_001, windows.expected(0));
        windows.accept(0, 1_011, 11, 0, 16);
        windows.expire(0, 26);
        windows.accept(0, 1_012, 12, 0, 26);
        expect("gap 0 2", "cell 0 2 0", "home 10", "gap 0 998", "gap 0 10", "cell 0 11 0", "cell 0 12 0");
        assertEquals(0, windows.held());
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

    @Test
    void shouldLookAtEveryStreamInTurn() {
        final ReorderWindow windows = windows(5, 22, 64, 512, 10);
        for (int stream = 0; stream < 5; stream++) {
            windows.accept(stream, 1, stream, 0, 0);
        }
        windows.sweep(9, 5);
        expect();
        windows.sweep(10, 2);
        windows.sweep(11, 2);
        windows.sweep(12, 2);
        expect("gap 0 1", "cell 0 0 0", "gap 1 1", "cell 1 1 0", "gap 2 1", "cell 2 2 0", "gap 3 1", "cell 3 3 0",
            "gap 4 1", "cell 4 4 0");
    }

    @Test
    void shouldStartAnewWithWhatWaitsDropped() {
        final ReorderWindow windows = windows(2, 22, 64, 128, 10);
        windows.accept(0, 3, 3, 0, 0);
        windows.accept(0, 1, 1, 0, 0);
        windows.accept(0, 100, 9, 0, 0);
        windows.accept(1, 5, 5, 0, 0);
        calls.clear();
        windows.reset(0, 77);
        expect("home 1", "home 3", "reset 0");
        assertEquals(2, counts.get(PacketCounter.DROPPED_RESET));
        assertEquals(1, windows.held());
        windows.expire(0, 100);
        windows.accept(0, 77, 6, 0, 100);
        expect("cell 0 6 0");
    }

    @Test
    void shouldNotHoldMemoryForWindowsThatNobodyNeeds() {
        final WindowConfig config = new WindowConfig(512, 22, 8192, 1 << 17, WindowConfig.timeoutSlots(512, 511, 8));
        assertTrue(ReorderWindow.bytes(config) < 1_200_000, "bytes=" + ReorderWindow.bytes(config));
        assertEquals(2 * 513 * 511 + 8, config.timeoutSlots());
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
        final var refusal = assertThrows(IllegalArgumentException.class,
            () -> new WindowConfig(streams, bits, window, pool, timeout));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }

    @Test
    void shouldTakeTheLargestWindows() {
        assertEquals(1 << 21, new WindowConfig(1, 22, 1 << 21, 1 << 22, 1).windowCells());
        assertEquals(1 << 19, new WindowConfig(1, 20, 1 << 19, 1 << 20, 1).windowCells());
    }
}
