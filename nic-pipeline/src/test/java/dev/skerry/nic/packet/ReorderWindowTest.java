package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
