package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Arbitrary bytes as cells and as control messages, then through the parser. {@code mvn verify} replays the inputs
 * under the test resources; {@code JAZZER_FUZZ=1} in the environment makes the same test search for new ones.
 */
final class StardustFuzzTest {
    private static final StardustHeader[] FABRICS = {
        new StardustHeader(256, 40, 8, 256), new StardustHeader(65_535, 4_096, 16, 512),
        new StardustHeader(1, 1, 1, 1)};
    private static final int MARGIN = 64;

    /** Input: one byte that selects the fabric, then the frame. */
    @FuzzTest(maxDuration = "60s")
    void shouldRefuseOrDecodeAnyBytes(final byte[] input) {
        if (input.length < 1) {
            return;
        }
        final StardustHeader header = FABRICS[(input[0] & 0xFF) % FABRICS.length];
        final byte[] frame = Arrays.copyOfRange(input, 1, input.length);
        shouldBeTheSameAnywhere(header, frame);
        if (frame.length > 4) {
            // Few inputs have a correct CRC: repair it to reach the checks after it.
            StardustBits.repairCrc(frame);
            assertNotEquals(HeaderFault.CRC, header.check(MemorySegment.ofArray(frame), 0, frame.length));
            shouldBeTheSameAnywhere(header, frame);
        }
    }

    private static void shouldBeTheSameAnywhere(final StardustHeader header, final byte[] frame) {
        final StardustControl control = new StardustControl(header.adapters(), header.ports(), header.classes());
        final MemorySegment alone = MemorySegment.ofArray(frame);
        final HeaderFault fault = header.check(alone, 0, frame.length);
        final ControlFault controlFault = control.check(alone, 0, frame.length);
        assertTrue(fault != HeaderFault.NONE || controlFault != ControlFault.NONE, "no frame is both");
        for (final byte filler : new byte[] {0, -1}) {
            final MemorySegment framed = MemorySegment.ofArray(HeaderBits.framed(frame, MARGIN, MARGIN, filler));
            assertEquals(fault, header.check(framed, MARGIN, frame.length));
            assertEquals(controlFault, control.check(framed, MARGIN, frame.length));
        }
        if (fault == HeaderFault.NONE) {
            shouldEncodeWhatItDecodes(header, frame);
        }
    }

    private static void shouldEncodeWhatItDecodes(final StardustHeader header, final byte[] frame) {
        final MemorySegment cell = MemorySegment.ofArray(frame.clone());
        final long head = StardustHeader.readHead(cell, 0);
        final long tail = StardustHeader.readTail(cell, 0);
        if (header.checkAtAdapter(head, StardustHeader.destination(head)) == HeaderFault.NONE) {
            final byte[] again = frame.clone();
            Arrays.fill(again, 0, 16, (byte) 0x5A);
            StardustHeader.write(MemorySegment.ofArray(again), 0, header.head(StardustHeader.type(head),
                StardustHeader.priority(head), StardustHeader.epoch(head), StardustHeader.destination(head),
                StardustHeader.source(head), StardustHeader.port(head), StardustHeader.trafficClass(head))
                | head & StardustHeader.EOC, header.tail(StardustHeader.sequence(tail), StardustHeader.length(tail),
                StardustHeader.firstStart(tail)));
            StardustHeader.mark(MemorySegment.ofArray(again), 0, StardustHeader.fci(head));
            assertArrayEquals(frame, again);
        }
        StardustHeader.mark(cell, 0, 3);
        assertEquals(HeaderFault.NONE, header.check(cell, 0, frame.length));
        shouldParse(cell, tail, StardustHeader.isEndOfCredit(head));
    }

    /** Parses the cell twice from every state: no byte outside the payload is read, all packets are whole. */
    private static void shouldParse(final MemorySegment cell, final long tail, final boolean endOfCredit) {
        for (final long state : new long[] {CellParser.NEW, CellParser.LOST, 1L << 48 | 3L << 32, 2L << 48 | 5}) {
            final PartsCheck sink = new PartsCheck(16, StardustHeader.length(tail), state);
            long now = state;
            for (int twice = 0; twice < 2; twice++) {
                now = CellParser.accept(now, cell, 16, StardustHeader.length(tail), StardustHeader.firstStart(tail),
                    endOfCredit, sink);
                assertTrue(!endOfCredit || now == CellParser.NEW);
            }
            sink.finish(CellParser.gap(now, sink));
        }
    }

    private static final class PartsCheck implements CellParser.Sink {
        private final long from;
        private final long to;
        private int missing;
        private boolean open;

        PartsCheck(final long from, final int length, final long state) {
            this.from = from;
            this.to = from + length;
            this.open = state >>> 48 == 2;
            this.missing = open ? (int) state : 0;
        }

        @Override
        public void start(final int bytes) {
            assertTrue(!open && bytes >= 1 && bytes <= CellPacker.MAX_PACKET_BYTES);
            open = true;
            missing = bytes;
        }

        @Override
        public void part(final MemorySegment cells, final long offset, final int bytes) {
            assertTrue(open && bytes >= 1 && offset >= from && offset + bytes <= to);
            missing -= bytes;
        }

        @Override
        public void end() {
            assertTrue(open);
            assertEquals(0, missing);
            open = false;
        }

        @Override
        public void abandon() {
            assertTrue(open);
            open = false;
        }

        @Override
        public void damaged() {
            // The calls that follow are checked.
        }

        private void finish(final long state) {
            assertEquals(CellParser.LOST, state);
            assertTrue(!open);
        }
    }
}
