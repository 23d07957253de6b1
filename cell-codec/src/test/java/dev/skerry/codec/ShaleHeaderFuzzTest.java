package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.ToLongBiFunction;

/**
 * Arbitrary bytes at arbitrary offsets. {@code mvn verify} replays the inputs under the test resources;
 * {@code JAZZER_FUZZ=1} in the environment makes the same test search for new ones.
 */
final class ShaleHeaderFuzzTest {
    private static final ShaleHeader[] FABRICS = {
        new ShaleHeader(ShaleLayout.L12, 10_000, 2, false),
        new ShaleHeader(ShaleLayout.L12, 32_768, 4, false),
        new ShaleHeader(ShaleLayout.L12F, 10_000, 3, true),
        new ShaleHeader(ShaleLayout.L12F, 32_768, 4, false),
        new ShaleHeader(ShaleLayout.L16, 50_625, 4, false),
        new ShaleHeader(ShaleLayout.L16, 1_048_575, 8, true)
    };
    private static final int MARGIN = 32;

    /** Input: one byte that picks the fabric, one signed byte of offset, then the segment. */
    @FuzzTest(maxDuration = "60s")
    void shouldRefuseOrDecodeAnyBytes(final byte[] input) {
        if (input.length < 2) {
            return;
        }
        final ShaleHeader header = FABRICS[(input[0] & 0xFF) % FABRICS.length];
        final int offset = input[1];
        final byte[] bytes = Arrays.copyOfRange(input, 2, input.length);
        final int headerBytes = header.layout().headerBytes();
        final HeaderFault fault = header.check(MemorySegment.ofArray(bytes), offset);
        final boolean inside = offset >= 0 && offset + headerBytes <= bytes.length;
        assertEquals(!inside, fault == HeaderFault.WRONG_LENGTH, () -> "offset=" + offset + " fault=" + fault);
        shouldThrowOnlyForWhatLiesOutside(header, bytes, offset, inside);
        if (inside) {
            final byte[] cut = Arrays.copyOfRange(bytes, offset, offset + headerBytes);
            shouldSeeTheHeaderOnly(header, cut, fault);
            shouldEncodeWhatItDecodes(header, cut, fault);
            // Few inputs have a correct CRC: repair it to reach the checks after it.
            HeaderBits.repairCrc(header.layout(), cut);
            final HeaderFault repaired = header.check(MemorySegment.ofArray(cut), 0);
            assertNotEquals(HeaderFault.CRC, repaired);
            shouldEncodeWhatItDecodes(header, cut, repaired);
        }
    }

    private static void shouldThrowOnlyForWhatLiesOutside(final ShaleHeader header, final byte[] bytes,
        final int offset, final boolean inside) {
        final MemorySegment cell = MemorySegment.ofArray(bytes);
        read(header::head, cell, offset, inside);
        read(header::tail, cell, offset, inside);
    }

    private static void read(final ToLongBiFunction<MemorySegment, Long> word, final MemorySegment cell,
        final long offset, final boolean inside) {
        if (inside) {
            word.applyAsLong(cell, offset);
        } else {
            assertThrows(IndexOutOfBoundsException.class, () -> word.applyAsLong(cell, offset));
        }
    }

    private static void shouldSeeTheHeaderOnly(final ShaleHeader header, final byte[] cut, final HeaderFault fault) {
        for (final byte filler : new byte[] {0, -1}) {
            final byte[] framed = HeaderBits.framed(cut, MARGIN, MARGIN, filler);
            assertEquals(fault, header.check(MemorySegment.ofArray(framed), MARGIN));
        }
    }

    private static void shouldEncodeWhatItDecodes(final ShaleHeader header, final byte[] cut, final HeaderFault fault) {
        final MemorySegment cell = MemorySegment.ofArray(cut);
        final long head = header.head(cell, 0);
        final long tail = header.tail(cell, 0);
        final int token1 = header.token1(tail);
        final int token2 = header.token2(tail);
        assertTrue((header.source(head) | header.destination(head) | header.sprays(head) | header.sequence(head, tail)
            | token1 | token2) >= 0);
        if (fault != HeaderFault.NONE || !isSendable(header, token1) || !isSendable(header, token2)) {
            return;
        }
        final byte[] written = HeaderBits.framed(new byte[cut.length], MARGIN, MARGIN, (byte) 0x5A);
        header.encode(MemorySegment.ofArray(written), MARGIN, header.source(head), header.destination(head),
            header.sprays(head), header.sequence(head, tail), token1, token2);
        assertArrayEquals(HeaderBits.framed(cut, MARGIN, MARGIN, (byte) 0x5A), written);
        header.forward(cell, 0, header.sprays(head), token1, token2);
        assertArrayEquals(HeaderBits.framed(cut, MARGIN, MARGIN, (byte) 0x5A), written, "forward changed something");
    }

    /** Only a token may be out of range in a valid header: receivers ignore it, senders never write it. */
    private static boolean isSendable(final ShaleHeader header, final int token) {
        return token == ShaleToken.NONE || header.isBucket(token);
    }
}
