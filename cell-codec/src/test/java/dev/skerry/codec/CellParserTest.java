package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Every way to lose a packet (docs/spec/stardust.md §5.2), cell by cell. */
final class CellParserTest {
    private static final int NO_START = StardustHeader.NO_START;

    private final List<String> calls = new ArrayList<>();
    private final CellParser.Sink sink = new CellParser.Sink() {
        @Override
        public void start(final int bytes) {
            calls.add("start " + bytes);
        }

        @Override
        public void part(final MemorySegment cells, final long offset, final int bytes) {
            calls.add("part " + bytes);
        }

        @Override
        public void end() {
            calls.add("end");
        }

        @Override
        public void abandon() {
            calls.add("abandon");
        }

        @Override
        public void damaged() {
            calls.add("damaged");
        }
    };

    private long accept(final long state, final int firstStart, final boolean endOfCredit, final int... payload) {
        final byte[] bytes = new byte[1 + payload.length];
        for (int i = 0; i < payload.length; i++) {
            bytes[1 + i] = (byte) payload[i];
        }
        calls.clear();
        return CellParser.accept(state, MemorySegment.ofArray(bytes), 1, payload.length, firstStart, endOfCredit, sink);
    }

    @Test
    void shouldResumeAtTheFirstStartThatContradictsABoundary() {
        assertEquals(CellParser.NEW, accept(CellParser.NEW, 2, true, 0, 9, 0, 1, 7));
        assertEquals(List.of("damaged", "start 1", "part 1", "end"), calls);
    }

    @Test
    void shouldAbandonAPacketThatAFirstStartContradicts() {
        final long within = accept(CellParser.NEW, 0, false, 0, 4, 1);
        assertEquals(List.of("start 4", "part 1"), calls);
        assertEquals(CellParser.LOST, accept(within, NO_START, false, 2, 3, 4, 0));
        assertEquals(List.of("damaged", "abandon"), calls);
    }

    @Test
    void shouldAbandonAPacketThatACreditEndsIn() {
        assertEquals(CellParser.NEW, accept(CellParser.NEW, 0, true, 0, 4, 1));
        assertEquals(List.of("start 4", "part 1", "damaged", "abandon"), calls);
        assertEquals(CellParser.NEW, accept(CellParser.NEW, 0, true, 0));
        assertEquals(List.of("damaged"), calls, "no packet started");
        assertEquals(CellParser.NEW, accept(CellParser.LOST, NO_START, true, 0));
        assertEquals(List.of(), calls, "nothing is known of a lost stream");
    }

    @Test
    void shouldAbandonOnlyAPacketThatStarted() {
        final long half = accept(CellParser.NEW, 0, false, 0);
        final long within = accept(half, NO_START, false, 4, 1);
        calls.clear();
        assertEquals(CellParser.LOST, CellParser.gap(CellParser.NEW, sink));
        assertEquals(CellParser.LOST, CellParser.gap(half, sink));
        assertEquals(CellParser.LOST, CellParser.gap(CellParser.LOST, sink));
        assertEquals(List.of(), calls);
        assertEquals(CellParser.LOST, CellParser.gap(within, sink));
        assertEquals(List.of("abandon"), calls);
    }

    @Test
    void shouldRefuseLengthsOfNoPacket() {
        accept(CellParser.NEW, 0, false, 0x24, 0x00, 1);
        assertEquals(List.of("start 9216", "part 1"), calls);
        assertEquals(CellParser.LOST, accept(CellParser.NEW, 0, false, 0x24, 0x01, 1));
        assertEquals(List.of("damaged"), calls);
        assertEquals(CellParser.LOST, accept(CellParser.NEW, 0, false, 0, 0, 1));
        assertEquals(List.of("damaged"), calls);
    }
}
