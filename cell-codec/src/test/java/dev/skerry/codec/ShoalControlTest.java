package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** Bytes by hand from docs/spec/shoal.md §5.3 and §5.4, random bitmaps, and every refusal of §10 there. */
final class ShoalControlTest {
    private static final long SEED = 0xC047_401L;

    private final SplittableRandom random = new SplittableRandom(SEED);

    private static ControlFault checkOf(final int nodes, final String hexHead, final int bit) {
        final byte[] bytes = new byte[56];
        System.arraycopy(HexFormat.of().parseHex(hexHead), 0, bytes, 0, 8);
        if (bit >= 0) {
            HeaderBits.flip(bytes, 64 + bit);
        }
        return new ShoalControl(nodes).check(MemorySegment.ofArray(bytes), 0, 56);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "384, 1", "385, 2", "512, 2", "768, 2", "769, 3", "1024, 3"})
    void shouldTakeAsManyChunksAsTheNodesNeed(final int nodes, final int chunks) {
        assertEquals(chunks, new ShoalControl(nodes).chunks());
    }

    @Test
    void shouldWriteTheBytesOfTheSpecification() {
        final ShoalControl control = new ShoalControl(512);
        final byte[] bytes = HeaderBits.framed(new byte[56], 3, 2, (byte) 0x5A);
        final MemorySegment message = MemorySegment.ofArray(bytes);
        control.encodeReachability(message, 3, 1, 0x89ABCDEF);
        control.setReached(message, 3, 0, 1L << 0 | 1L << 9);
        control.setReached(message, 3, 1, 1L << 63);
        assertEquals("5a5a5a" + "0101000189abcdef" + "8040000000000000" + "0000000000000001" + "00".repeat(32) + "5a5a",
            HexFormat.of().formatHex(bytes));
        control.encodeProbe(message, 3, true, 0x01020304);
        assertEquals("5a5a5a" + "0201000101020304" + "00".repeat(48) + "5a5a", HexFormat.of().formatHex(bytes));
        control.encodeProbe(message, 3, false, -1);
        assertEquals("5a5a5a" + "02010000ffffffff" + "00".repeat(48) + "5a5a", HexFormat.of().formatHex(bytes));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 64, 65, 383, 384, 385, 512, 1000, 1024})
    void shouldCarryTheBitsOfEveryNode(final int nodes) {
        final ShoalControl control = new ShoalControl(nodes);
        final MemorySegment message = MemorySegment.ofArray(new byte[64]);
        for (int round = 0; round < 200; round++) {
            final BitSet sent = new BitSet();
            for (int node = 0; node < nodes; node++) {
                sent.set(node, random.nextInt(4) != 0);
            }
            final long[] words = new long[18];
            System.arraycopy(sent.toLongArray(), 0, words, 0, sent.toLongArray().length);
            final long[] received = new long[18];
            final int counter = random.nextInt();
            for (int chunk = 0; chunk < control.chunks(); chunk++) {
                control.encodeReachability(message, 8, chunk, counter);
                for (int word = 0; word < ShoalControl.CHUNK_WORDS; word++) {
                    control.setReached(message, 8, word, words[chunk * ShoalControl.CHUNK_WORDS + word]);
                }
                final String at = "seed=" + SEED + " round=" + round + " chunk=" + chunk;
                assertEquals(ControlFault.NONE, control.check(message, 8, 56), at);
                assertEquals(ShoalControl.REACHABILITY, ShoalControl.type(message, 8), at);
                assertEquals(chunk, ShoalControl.chunk(message, 8), at);
                assertEquals(counter, ShoalControl.counter(message, 8), at);
                for (int word = 0; word < ShoalControl.CHUNK_WORDS; word++) {
                    received[chunk * ShoalControl.CHUNK_WORDS + word] = ShoalControl.reached(message, 8, word);
                }
            }
            assertEquals(sent, BitSet.valueOf(received), "seed=" + SEED + " round=" + round);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 0", "false, -1", "true, 2147483647", "false, -2147483648"})
    void shouldCarryAProbeInACell(final boolean hears, final int incarnation) {
        final ShoalHeader header = new ShoalHeader(1024, 1, CellFormat.SHOAL);
        final ShoalControl control = new ShoalControl(1024);
        final MemorySegment cell = MemorySegment.ofArray(new byte[64]);
        control.encodeProbe(cell, ShoalHeader.BYTES, hears, incarnation);
        header.encodeControl(cell, 0, 700, 0, 0);
        assertEquals(HeaderFault.NONE, header.check(cell, 0));
        assertFalse(ShoalHeader.isData(ShoalHeader.read(cell, 0)));
        assertFalse(ShoalHeader.isDummy(ShoalHeader.read(cell, 0)));
        assertEquals(ControlFault.NONE, control.check(cell, ShoalHeader.BYTES, header.format().payloadBytes()));
        assertEquals(ShoalControl.PROBE, ShoalControl.type(cell, ShoalHeader.BYTES));
        assertEquals(hears, ShoalControl.hears(cell, ShoalHeader.BYTES));
        assertEquals(incarnation, ShoalControl.incarnation(cell, ShoalHeader.BYTES));
    }

    @ParameterizedTest
    @CsvSource({
        "512, 0101000000000000, -1, NONE", "512, 0101000100000000, 127, NONE", "512, 0201000100000000, -1, NONE",
        "512, 0201000000000007, 3, NONE",
        "512, 0001000000000000, -1, UNKNOWN_TYPE", "512, 0301000000000000, -1, UNKNOWN_TYPE",
        "512, ff01000000000000, -1, UNKNOWN_TYPE", "512, 0300000000000000, -1, UNKNOWN_TYPE",
        "512, 0100000000000000, -1, UNKNOWN_VERSION", "512, 0202000000000000, -1, UNKNOWN_VERSION",
        "512, 01ff000200000000, -1, UNKNOWN_VERSION",
        "512, 0101000200000000, -1, CHUNK_OUT_OF_RANGE", "384, 0101000100000000, -1, CHUNK_OUT_OF_RANGE",
        "1024, 0101ffff00000000, -1, CHUNK_OUT_OF_RANGE", "1024, 0101000200000000, 255, NONE",
        "1024, 0101000200000000, 256, NODE_OUT_OF_RANGE", "512, 0101000100000000, 128, NODE_OUT_OF_RANGE",
        "8, 0101000000000000, 383, NODE_OUT_OF_RANGE", "8, 0101000000000000, 8, NODE_OUT_OF_RANGE",
        "8, 0101000000000000, 7, NONE",
        "8, 0201000200000000, -1, RESERVED_BITS", "8, 0201800100000000, -1, RESERVED_BITS"
    })
    void shouldNameWhatItRefuses(final int nodes, final String hexHead, final int bit, final ControlFault expected) {
        assertEquals(expected, checkOf(nodes, hexHead, bit));
    }

    @Test
    void shouldRefuseWhatIsTruncated() {
        final ShoalControl control = new ShoalControl(8);
        final byte[] bytes = new byte[60];
        final MemorySegment message = MemorySegment.ofArray(bytes);
        control.encodeProbe(message, 4, true, 1);
        assertEquals(ControlFault.NONE, control.check(message, 4, 56));
        for (final long length : new long[] {Long.MIN_VALUE, -1, 0, 8, 55}) {
            assertEquals(ControlFault.TRUNCATED, control.check(message, 4, length), "length=" + length);
        }
        for (final long offset : new long[] {Long.MIN_VALUE, -1, 5, 60, Long.MAX_VALUE}) {
            assertEquals(ControlFault.TRUNCATED, control.check(message, offset, 56), "offset=" + offset);
            final byte[] before = bytes.clone();
            assertThrows(IndexOutOfBoundsException.class, () -> control.encodeProbe(message, offset, true, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> control.encodeReachability(message, offset, 0, 2));
            assertArrayEquals(before, bytes, "a refused write must leave nothing behind");
        }
    }

    @Test
    void shouldLetTheNewerCounterWinAcrossTheWrap() {
        for (int round = 0; round < 10_000; round++) {
            final int latest = round == 0 ? -1 : random.nextInt();
            final int ahead = random.nextInt(1, Integer.MAX_VALUE);
            assertEquals(ControlFault.NONE, ShoalControl.order(latest + ahead, latest), "seed=" + SEED);
            assertEquals(ControlFault.OLDER, ShoalControl.order(latest, latest + ahead), "seed=" + SEED);
            assertEquals(ControlFault.REPEATED, ShoalControl.order(latest, latest));
        }
        assertFalse(ShoalControl.isNewer(7, 7), "the same");
        assertTrue(ShoalControl.isNewer(Integer.MIN_VALUE, Integer.MAX_VALUE), "one further, over the wrap");
        assertFalse(ShoalControl.isNewer(7 + Integer.MIN_VALUE, 7));
        assertFalse(ShoalControl.isNewer(7, 7 + Integer.MIN_VALUE));
    }

    @Test
    void shouldAssertWhatItWrites() {
        final ShoalControl control = new ShoalControl(500);
        final MemorySegment message = MemorySegment.ofArray(new byte[56]);
        assertThrows(AssertionError.class, () -> control.encodeReachability(message, 0, 2, 0));
        control.encodeReachability(message, 0, 1, 0);
        control.setReached(message, 0, 1, 1L << 51);
        assertThrows(AssertionError.class, () -> control.setReached(message, 0, 1, 1L << 52));
        assertThrows(AssertionError.class, () -> control.setReached(message, 0, 2, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> control.setReached(message, 0, 6, 0));
        assertThrows(IllegalArgumentException.class, () -> new ShoalControl(1));
        assertThrows(IllegalArgumentException.class, () -> new ShoalControl(1025));
    }
}
