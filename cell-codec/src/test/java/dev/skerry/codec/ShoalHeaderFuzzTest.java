package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Arbitrary bytes at arbitrary offsets, as cells and as the control messages in them. {@code mvn verify} replays the
 * inputs under the test resources; {@code JAZZER_FUZZ=1} in the environment makes the same test search for new ones.
 */
final class ShoalHeaderFuzzTest {
    private static final ShoalHeader[] FABRICS = {
        new ShoalHeader(512, 1, CellFormat.SHOAL),
        new ShoalHeader(1024, 1, CellFormat.SHOAL),
        new ShoalHeader(8, 4, CellFormat.SHOAL),
        new ShoalHeader(600, 3, new CellFormat(128, 8))
    };
    private static final int MARGIN = 64;

    /** Input: one byte that selects the fabric, one signed byte of offset, then the segment. */
    @FuzzTest(maxDuration = "60s")
    void shouldRefuseOrDecodeAnyBytes(final byte[] input) {
        if (input.length < 2) {
            return;
        }
        final ShoalHeader header = FABRICS[(input[0] & 0xFF) % FABRICS.length];
        final ShoalControl control = new ShoalControl(header.nodes());
        final int offset = input[1];
        final byte[] bytes = Arrays.copyOfRange(input, 2, input.length);
        final int cellBytes = header.format().cellBytes();
        final MemorySegment segment = MemorySegment.ofArray(bytes);
        final HeaderFault fault = header.check(segment, offset);
        final boolean inside = offset >= 0 && offset + cellBytes <= bytes.length;
        assertEquals(!inside, fault == HeaderFault.WRONG_LENGTH, () -> "offset=" + offset + " fault=" + fault);
        assertEquals(offset < 0 || offset + ShoalControl.BYTES > bytes.length,
            control.check(segment, offset, bytes.length) == ControlFault.TRUNCATED && bytes.length >= ShoalControl.BYTES
                || bytes.length < ShoalControl.BYTES);
        if (inside) {
            final byte[] cut = Arrays.copyOfRange(bytes, offset, offset + cellBytes);
            shouldSeeTheCellOnly(header, cut, fault);
            shouldEncodeWhatItDecodes(header, control, cut, fault);
            // Few inputs have a correct CRC: repair it to reach the checks after it.
            ShoalBits.repairCrc(cut);
            final HeaderFault repaired = header.check(MemorySegment.ofArray(cut), 0);
            assertNotEquals(HeaderFault.CRC, repaired);
            shouldSeeTheCellOnly(header, cut, repaired);
            shouldEncodeWhatItDecodes(header, control, cut, repaired);
        }
    }

    private static void shouldSeeTheCellOnly(final ShoalHeader header, final byte[] cut, final HeaderFault fault) {
        for (final byte filler : new byte[] {0, -1}) {
            final byte[] framed = HeaderBits.framed(cut, MARGIN, MARGIN, filler);
            assertEquals(fault, header.check(MemorySegment.ofArray(framed), MARGIN));
        }
    }

    private static void shouldEncodeWhatItDecodes(final ShoalHeader header, final ShoalControl control,
        final byte[] cut, final HeaderFault fault) {
        final long read = ShoalHeader.read(MemorySegment.ofArray(cut), 0);
        // Used even if the header is damaged (docs/spec/shoal.md §6.2).
        assertTrue(header.feedback(read) >= 0 && header.feedback(read) <= header.maxFeedback());
        if (fault != HeaderFault.NONE || ShoalHeader.rawFeedback(read) > header.maxFeedback()) {
            return;
        }
        final byte[] written = HeaderBits.framed(cut, MARGIN, MARGIN, (byte) 0x5A);
        Arrays.fill(written, MARGIN, MARGIN + ShoalHeader.BYTES, (byte) 0xA5);
        final MemorySegment cell = MemorySegment.ofArray(written);
        final int source = ShoalHeader.source(read);
        final int flags = ShoalHeader.flags(read);
        if (ShoalHeader.isData(read)) {
            header.encode(cell, MARGIN, source, ShoalHeader.destination(read), header.trafficClass(read),
                header.sequence(read), header.feedback(read), flags);
        } else if (ShoalHeader.isDummy(read)) {
            header.encodeDummy(cell, MARGIN, source, header.feedback(read), flags);
        } else {
            header.encodeControl(cell, MARGIN, source, header.feedback(read), flags & ShoalHeader.LCD);
            shouldSendWhatItReceives(control, Arrays.copyOfRange(cut, ShoalHeader.BYTES, cut.length));
        }
        assertArrayEquals(HeaderBits.framed(cut, MARGIN, MARGIN, (byte) 0x5A), written);
        header.rewrite(cell, MARGIN, header.feedback(read), flags & ShoalHeader.LCD);
        assertArrayEquals(HeaderBits.framed(cut, MARGIN, MARGIN, (byte) 0x5A), written, "rewriting changed something");
        header.rewrite(cell, MARGIN, header.maxFeedback() - header.feedback(read), ~flags & ShoalHeader.LCD);
        assertEquals(HeaderFault.NONE, header.check(cell, MARGIN));
    }

    private static void shouldSendWhatItReceives(final ShoalControl control, final byte[] payload) {
        final MemorySegment message = MemorySegment.ofArray(payload);
        final byte[] framed = HeaderBits.framed(payload, MARGIN, MARGIN, (byte) -1);
        final ControlFault fault = control.check(message, 0, payload.length);
        assertEquals(fault, control.check(MemorySegment.ofArray(framed), MARGIN, payload.length));
        if (fault != ControlFault.NONE) {
            return;
        }
        final byte[] again = payload.clone();
        final MemorySegment written = MemorySegment.ofArray(again);
        if (ShoalControl.type(message, 0) == ShoalControl.PROBE) {
            control.encodeProbe(written, 0, ShoalControl.hears(message, 0), ShoalControl.incarnation(message, 0));
            assertArrayEquals(Arrays.copyOf(payload, 8), Arrays.copyOf(again, 8));
        } else {
            control.encodeReachability(written, 0, ShoalControl.chunk(message, 0), ShoalControl.counter(message, 0));
            for (int word = 0; word < ShoalControl.CHUNK_WORDS; word++) {
                control.setReached(written, 0, word, ShoalControl.reached(message, 0, word));
            }
            assertArrayEquals(payload, again);
        }
    }
}
