package dev.skerry.codec.header;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.ShaleToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Bit order, byte order, offsets, masks, constants and the three states of a slot; one-line errors. */
final class HeaderDescriptionTest {
    private static final String LEAST = "source 8;destination 8;sequence 8";

    private static HeaderDescription of(final String lines) {
        return HeaderDescription.parse("nic.txt", lines.lines().flatMap(line -> List.of(line.split(";")).stream())
            .toList());
    }

    private static DescribedCell cell(final SlotState state, final int source, final int destination,
        final int sequence) {
        return new DescribedCell(state, source, destination, sequence, -1, -1, -1, -1, ShaleToken.NONE,
            ShaleToken.NONE);
    }

    private static String hex(final byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** The check values of "123456789": in the header, half of it in the payload, and with the lowest bits first. */
    @ParameterizedTest
    @CsvSource({"32 poly=0x04c11db7 init=0xffffffff xor=0xffffffff reflect=yes, cbf43926",
        "32 poly=0x04c11db7 init=0xffffffff xor=0xffffffff, fc891918", "8 poly=7, f4", "8 poly=0x31 reflect=yes, a1",
        "8 poly=7 init=0xff reflect=yes, d0", "16 poly=0x8005 reflect=yes, bb3d"})
    void shouldHaveTheCheckValueOfACrc(final String settings, final String check) {
        final long rest = 0x34_35_36_37_38_39L;
        final String all = LEAST + ";field rest 48;crc " + settings;
        final long[] values = {'1', '2', '3', rest, 0};
        assertTrue(hex(of(all).pack(values, new byte[0])).endsWith(check));
        assertTrue(hex(of(LEAST + ";crc " + settings + " payload=yes").pack(new long[] {'1', '2', '3', 0},
            "456789".getBytes(StandardCharsets.US_ASCII))).endsWith(check));
        values[3] = Long.reverseBytes(rest) >>> 16;
        assertEquals(settings.contains("reflect"),
            hex(of("bits lsb;" + all).pack(values, new byte[0])).startsWith(check));
    }

    @ParameterizedTest
    @CsvSource({"msb, big, 12456f", "lsb, big, 5634f2", "msb, little, 6f4512", "lsb, little, f23456"})
    void shouldKeepBitOrderAndByteOrder(final String bits, final String bytes, final String expected) {
        final HeaderDescription header = of("bits " + bits + ";bytes " + bytes
            + (bits.equals("msb") ? ";source 8;destination 4;sequence 8;constant 4 value=15"
            : ";constant 4 value=2;padding 4;source 8;destination 4;sequence 4"));
        final byte[] packed = bits.equals("msb") ? header.pack(cell(SlotState.CELL, 0x12, 4, 0x56))
            : header.pack(new long[] {0, 0, 0x34, 6, 5}, new byte[0]);
        // Padding is written as 0; the four bits of it are set by hand to show that nothing reads them.
        if (bits.equals("lsb")) {
            packed[bytes.equals("big") ? 2 : 0] |= (byte) 0xF0;
        }
        assertEquals(expected, hex(packed));
        assertEquals(List.of(), header.faults(packed, null));
        final DescribedCell read = header.cell(header.unpack(packed));
        assertEquals(bits.equals("msb") ? cell(SlotState.CELL, 0x12, 4, 0x56) : cell(SlotState.CELL, 0x34, 6, 5), read);
    }

    @Test
    void shouldTellCellDummyAndNothing() {
        final HeaderDescription header = of("valid 1;dummy 1;source 2;destination 2;sequence 2");
        assertEquals("d9", hex(header.pack(cell(SlotState.DUMMY, 1, 2, 1))));
        assertEquals("99", hex(header.pack(cell(SlotState.CELL, 1, 2, 1))));
        assertEquals(SlotState.DUMMY, header.cell(header.unpack(new byte[] {(byte) 0xD9})).state());
        assertEquals(SlotState.CELL, header.cell(header.unpack(new byte[] {(byte) 0x99})).state());
        assertEquals(DescribedCell.NOTHING, header.cell(header.unpack(new byte[] {0x59})));
        assertEquals(0, header.pack(DescribedCell.NOTHING)[0]);
    }

    @Test
    void shouldCompareTheBitsOfMasksOnly() {
        final HeaderDescription header = of(
            "source 4;destination 4;sequence 8 mask=0x3f;destination-mac 8 mask=0;field queue 8 mask=0x0f");
        assertEquals(6, header.sequenceBits());
        final long[] some = header.unpack(new byte[] {0x12, (byte) 0xC5, 7, (byte) 0xA3});
        final long[] same = header.unpack(new byte[] {0x12, 5, 9, 0x53});
        assertEquals(List.of(), header.differences(some, same));
        assertEquals(header.cell(some), header.cell(same));
        assertEquals(DescribedCell.UNKNOWN, header.cell(some).destinationMac());
        assertEquals(List.of("sequence: expected 5, seen 37", "queue: expected 3, seen 2"),
            header.differences(some, header.unpack(new byte[] {0x12, 0x25, 9, 0x52})));
        assertEquals(5, header.cell(header.unpack(header.pack(cell(SlotState.CELL, 1, 2, 64 + 5)))).sequence());
    }

    @Test
    void shouldAddOffsets() {
        final HeaderDescription header = of(
            "no-token zero;source 4 offset=1;destination 4 offset=1;sequence 8;token1-destination 5 offset=1;"
                + "token1-index 3");
        final DescribedCell cell = new DescribedCell(SlotState.CELL, 0, 14, 3, -1, -1, -1, -1,
            ShaleToken.of(0, 0), ShaleToken.NONE);
        assertEquals("1f0308", hex(header.pack(cell)));
        assertEquals(cell, header.cell(header.unpack(header.pack(cell))));
        assertEquals(ShaleToken.NONE, header.cell(header.unpack(new byte[] {0x1F, 3, 0})).token1());
    }

    @Test
    void shouldNameWhatIsWrongInAHeader() {
        final HeaderDescription header = of(LEAST + ";constant 8 value=0xa5;crc 8 poly=0x07 init=0xff");
        final byte[] good = header.pack(cell(SlotState.CELL, 1, 2, 3));
        assertEquals(List.of(), header.faults(good, null));
        final int crc = good[4] & 0xFF;
        good[4] ^= 1;
        assertEquals(List.of(String.format("crc 0x%x instead of 0x%x", crc ^ 1, crc)), header.faults(good, null));
        good[3] = 0;
        assertEquals("constant3 0 instead of 165", header.faults(good, null).getFirst());
        assertThrows(IllegalArgumentException.class, () -> header.unpack(new byte[4]));
        final IllegalArgumentException large = assertThrows(IllegalArgumentException.class,
            () -> header.pack(cell(SlotState.CELL, 256, 2, 3)));
        assertEquals("header device has no room for source=256", large.getMessage());
    }

    /** The bit, or all conditions together; the payload of a dummy is not covered. */
    @Test
    void shouldTellADummyByItsBitOrByAllConditions() {
        final HeaderDescription header = of("source 7;destination 8;sequence 8;dummy 1;crc 8 poly=7 xor=1 payload=yes;"
            + "dummy-when source=destination sequence=0;nothing permitted");
        assertTrue(header.permitsNothing());
        final byte[][] bytes = {{6, 6, 0, 0}, {2, 6, 1, 0}, {2, 6, 0, 0}, {6, 6, 2, 0}};
        for (int i = 0; i < bytes.length; i++) {
            final long[] values = header.unpack(bytes[i]);
            assertEquals(i < 2 ? SlotState.DUMMY : SlotState.CELL, header.cell(values).state(), "i=" + i);
            assertEquals(i < 2, Arrays.equals(header.pack(values, new byte[0]), header.pack(values, new byte[] {1})));
        }
    }

    /** All ones, or a kind of 0, is no token; a header without tokens or kinds has no room for theirs. */
    @Test
    void shouldTellTokensByTheirKind() {
        final HeaderDescription header = of(LEAST + ";token1-kind 2;token1-destination 3;token1-index 3");
        final int[] tokens = {ShaleToken.NONE, ShaleToken.NONE, ShaleToken.of(1, 7, 7), ShaleToken.of(3, 7, 6),
            ShaleToken.of(3, 6, 7)};
        final int[] bytes = {0x3F, 0xFF, 0x7F, 0xFE, 0xF7};
        for (int i = 0; i < bytes.length; i++) {
            final long[] values = header.unpack(new byte[] {1, 2, 3, (byte) bytes[i]});
            assertEquals(tokens[i], header.cell(values).token1(), "i=" + i);
        }
        final HeaderDescription withoutKinds = of(LEAST + ";token1-destination 5;token1-index 3");
        final DescribedCell invalidation = new DescribedCell(SlotState.CELL, 1, 2, 3, -1, -1, -1, -1,
            ShaleToken.of(ShaleToken.KIND_INVALIDATION, 0, 1), ShaleToken.NONE);
        for (final HeaderDescription narrow : List.of(of(LEAST), withoutKinds)) {
            final String refusal = assertThrows(IllegalArgumentException.class, () -> narrow.pack(invalidation))
                .getMessage();
            assertTrue(refusal.contains("has no room for this token"), refusal);
        }
    }

    @Test
    void shouldDescribeTheHeaderOfShalesAuthors() {
        final HeaderDescription header = HeaderDescription.builtIn("shale-prototype");
        final byte[] bytes = HexFormat.of().parseHex("038140e0820013069fff00");
        final DescribedCell cell = new DescribedCell(SlotState.CELL, 7, 8, 2, 3, 1, 7, 5, ShaleToken.of(13, 1),
            ShaleToken.NONE);
        assertEquals(cell, header.cell(header.unpack(bytes)));
        assertArrayEquals(bytes, header.pack(cell));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "source|nic.txt:1: source has no width, write its bits after it, 1 to 20",
        "source 21|nic.txt:1: source's width is '21', give a whole number from 1 to 20",
        "source 8;source 9|nic.txt:2: source is given twice, leave one out",
        "sorce 8|nic.txt:1: there is no field or setting 'sorce', write 'field NAME BITS' for a field that Skerry "
            + "does not interpret",
        "source 8 max=3|nic.txt:1: 'max=3' is not a setting of source, use mask=, offset= of a number, value= of a "
            + "constant, poly=, init=, xor=, covers=, payload=yes and reflect=yes of a crc",
        "source 8;destination 8|nic.txt: it has no field sequence, cells are identified by source, destination and "
            + "sequence",
        "sequence 8 mask=5|nic.txt:1: mask '5' of sequence must consist of the lowest bits, and at least one, give "
            + "the lowest "
            + "bits, such as 0xff",
        "bits up|nic.txt:1: bits is neither msb nor lsb, write one of them",
        "crc 8|nic.txt:1: the crc has no polynomial, write poly=0x07 or another one, without its leading term",
        "crc 8 poly=7|nic.txt:1: the crc covers nothing, put it after the fields that it covers",
        "source 8 value=3|nic.txt:1: source has no value of its own, use 'constant 8 value='3''",
        "dummy-when source|nic.txt:1: condition 'source' names no field, write FIELD=FIELD or FIELD=VALUE",
        "source 8;crc 8 poly=7;dummy-when source=crc|nic.txt:3: condition 'source=crc' refers to the crc or a "
            + "constant, "
            + "name fields that the device sets",
        "source 8;crc 8 poly=7;dummy-when crc=0|nic.txt:3: condition 'crc=0' refers to the crc or a constant, name "
            + "fields that the device sets",
        "source 8;constant 8 value=3;dummy-when source=constant1|nic.txt:3: condition 'source=constant1' refers to "
            + "the crc or a constant, name fields that the device sets",
        "field 9 9|nic.txt:1: there is no name after field, give a name of at most 40 letters, digits and '-' that "
            + "begins with a letter",
        "field source 9|nic.txt:1: field source has a reserved name, choose another name",
        "bits|nic.txt:1: bits is neither msb nor lsb, write one of them",
        "bytes big;bytes big|nic.txt:2: bytes is given twice, leave one out",
        "dummy-when|nic.txt:1: dummy-when has no condition, write dummy-when source=destination, or FIELD=VALUE",
        "name|nic.txt:1: there is no name after name, give a name of at most 40 letters, digits and '-' that begins "
            + "with a letter",
        "field x|nic.txt:1: x has no width, write its bits after it, 1 to 63",
        "source 8 offset=1 offset=2|nic.txt:1: offset is given twice, leave one out",
        "constant 8 offset=1|nic.txt:1: constant has no offset, leave it out",
        "dummy 1 offset=1|nic.txt:1: dummy has no offset, leave it out",
        "valid 1 offset=1|nic.txt:1: valid has no offset, leave it out",
        "source 8 mask=0|nic.txt:1: mask '0' of source must consist of the lowest bits, and at least one, give the "
            + "lowest "
            + "bits, such as 0xff",
        "source 8 mask=x|nic.txt:1: mask is 'x', give a whole number from 0 to 255",
        "source 8;crc 8 poly=7 payload=maybe|nic.txt:2: payload is 'maybe', write payload=yes or payload=no",
        "source 8;crc 8 poly=0|nic.txt:2: poly is '0', give a whole number from 1 to 255",
        "source 8;crc 8 poly=7 covers=9|nic.txt:2: covers is '9', give a whole number from 1 to 8",
        "source 8;dummy-when =3|nic.txt:2: condition '=3' names no field, write FIELD=FIELD or FIELD=VALUE",
        "source 8;dummy-when source=|nic.txt:2: a condition is '', give a whole number from 0 to 255",
        "source 8;dummy-when source=256|nic.txt:2: condition 'source=256' is '256', give a whole number from 0 to 255"})
    void shouldRefuseInOneLine(final String lines, final String expected) {
        final HeaderSyntaxException refusal = assertThrows(HeaderSyntaxException.class, () -> of(lines));
        assertEquals(expected, refusal.getMessage());
        assertEquals(expected, refusal.where() + ": " + refusal.why() + ", " + refusal.advice());
    }

    @Test
    void shouldRefuseWhatIsNoWholeHeader() {
        assertRefused(LEAST + ";phase 3", "the fields have 27 bits, which is not a whole number of bytes, add "
            + "padding 5");
        assertRefused(LEAST + ";token1-destination 8", "token1 is incomplete");
        assertRefused(LEAST + ";token1-index 3;padding 5", "token1 is incomplete");
        assertRefused(LEAST + ";token2-kind 2;padding 6", "token2 is incomplete");
        assertRefused("source 8;crc 8 poly=7 width=8", "'width=8' is not a setting of the crc");
        assertRefused("padding 1;".repeat(65), "the header is too large");
        assertRefused("source " + "9".repeat(41), "'" + "9".repeat(40) + "...'");
        assertRefused("no-token zero;" + LEAST + ";token1-destination 5;token1-index 3", "cannot be distinguished "
            + "from no token");
        assertRefused((LEAST + ";").repeat(1) + "padding 63;".repeat(9), "the header is too large");
        assertTrue(HeaderDescription.BUILT_IN.stream().allMatch(name -> HeaderDescription.builtIn(name).bytes() > 0));
        assertThrows(IllegalArgumentException.class, () -> HeaderDescription.builtIn("L13"));
    }

    private static void assertRefused(final String lines, final String part) {
        final String message = assertThrows(HeaderSyntaxException.class, () -> of(lines)).getMessage();
        assertTrue(message.contains(part), message);
    }
}
