package dev.skerry.codec.header;

import dev.skerry.codec.ShaleToken;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The header of a device as a small text says it, a line a field, in their order: {@code source 9}. Settings before or
 * after them: {@code bits msb} or {@code lsb}, whether the first field has the most or the least significant bits;
 * {@code bytes big} or {@code little}, which byte of the header comes first; {@code no-token ones} or {@code zero},
 * what stands where no token rides; {@code dummy-when}, what makes a dummy, where no field says it; {@code nothing
 * permitted}, if the device may be silent. docs/rtl.md has all of them.
 *
 * <p>Values are a {@code long} for each field, in the order of the text. Nothing here is for hot paths. Immutable; any
 * thread may call.
 */
public final class HeaderDescription {
    /** Names of the descriptions that are built in: Skerry's own headers, and one of hardware that others designed. */
    public static final List<String> BUILT_IN = List.of("L12", "L12F", "L16", "shoal", "shoal-classes",
        "shale-prototype");

    private static final int BYTE = 0xFF;

    private final String name;
    private final List<HeaderField> fields;
    private final HeaderCrc crc;
    private final boolean lowestFirst;
    private final boolean littleEndian;
    private final boolean permitsNothing;
    private final int bytes;
    private final HeaderMeaning meaning;

    private HeaderDescription(final HeaderParser read) {
        this.name = read.name;
        this.fields = List.copyOf(read.fields);
        this.crc = read.crc;
        this.lowestFirst = read.lowestFirst;
        this.littleEndian = read.littleEndian;
        this.permitsNothing = read.permitsNothing;
        this.bytes = fields.stream().mapToInt(HeaderField::bits).sum() / Byte.SIZE;
        this.meaning = new HeaderMeaning(name, fields, List.copyOf(read.dummies), read.noTokenIsZero);
    }

    /**
     * Reads a description.
     *
     * @param file  name of the text, for errors.
     * @param lines the text.
     * @throws HeaderSyntaxException if it is none; the message is one line with file, line, why and what to do.
     */
    public static HeaderDescription parse(final String file, final List<String> lines) {
        final HeaderParser parser = new HeaderParser(file);
        parser.read(lines);
        return new HeaderDescription(parser);
    }

    /**
     * A description of {@link #BUILT_IN}.
     *
     * @throws IllegalArgumentException if there is none of this name.
     */
    public static HeaderDescription builtIn(final String name) {
        if (!BUILT_IN.contains(name)) {
            throw new IllegalArgumentException("no such header is built in: name=" + name + " headers=" + BUILT_IN);
        }
        try (InputStream text = HeaderDescription.class.getResourceAsStream(name + ".txt")) {
            return parse(name, new String(text.readAllBytes(), StandardCharsets.US_ASCII).lines().toList());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its name: letters, digits and '-'. */
    public String name() {
        return name;
    }

    /** Bytes of the header. */
    public int bytes() {
        return bytes;
    }

    /** Whether the first byte is the least significant one. */
    public boolean littleEndian() {
        return littleEndian;
    }

    /** Whether the device may send neither a cell nor a dummy. */
    public boolean permitsNothing() {
        return permitsNothing;
    }

    /** Width k of sequence numbers that are compared: a cell is told by its number modulo 2^k. */
    public int sequenceBits() {
        return meaning.sequenceBits();
    }

    /** Number of fields, and of values. */
    public int size() {
        return fields.size();
    }

    /** Name of a field. */
    public String fieldName(final int field) {
        return fields.get(field).name();
    }

    /** Width of a field in bits, 1 to 63. */
    public int fieldBits(final int field) {
        return fields.get(field).bits();
    }

    /** Fields from the most to the least significant one, by their numbers. */
    public int[] fromTheTop() {
        final int[] numbersOf = new int[fields.size()];
        for (int i = 0; i < numbersOf.length; i++) {
            numbersOf[i] = lowestFirst ? numbersOf.length - 1 - i : i;
        }
        return numbersOf;
    }

    /** Fields in their order. */
    List<HeaderField> fields() {
        return fields;
    }

    /** The CRC, null for none. */
    HeaderCrc crc() {
        return crc;
    }

    /** What makes a dummy where no field says it; all of it must hold. */
    List<DummyRule> dummies() {
        return meaning.dummies();
    }

    /** Whether a field has this meaning, by its name in descriptions, and is compared. */
    public boolean has(final String role) {
        final int at = indexOf(role);
        return at >= 0 && fields.get(at).mask() != 0;
    }

    /** The number of a field of this name, -1 for none. */
    public int indexOf(final String field) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(field)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * The values of a header. Bits left out by masks are 0.
     *
     * @param header its bytes as they are stored.
     * @throws IllegalArgumentException if it has another length.
     */
    public long[] unpack(final byte[] header) {
        final byte[] big = ordered(header);
        return fields.stream().mapToLong(field -> field.get(big)).toArray();
    }

    /**
     * A header of values; constants and the CRC are filled in.
     *
     * @param values  a value for each field; what does not fit is cut off.
     * @param payload what follows the header, for a CRC that covers it; may be empty.
     */
    public byte[] pack(final long[] values, final byte[] payload) {
        final byte[] big = new byte[bytes];
        for (int i = 0; i < fields.size(); i++) {
            final HeaderField field = fields.get(i);
            field.set(big, field.role() == HeaderRole.CONSTANT ? field.value() : values[i]);
        }
        if (crc != null) {
            fields.get(meaning.indexOf(HeaderRole.CRC)).set(big, crcOf(big, payload));
        }
        return ordered(big);
    }

    /** A header without a payload, see {@link #values}. */
    public byte[] pack(final DescribedCell cell) {
        return pack(values(cell), new byte[0]);
    }

    private byte[] ordered(final byte[] header) {
        if (header.length != bytes) {
            throw new IllegalArgumentException("a header has " + bytes + " bytes: bytes=" + header.length);
        }
        final byte[] turned = header.clone();
        for (int i = 0; littleEndian && i < bytes; i++) {
            turned[i] = header[bytes - 1 - i];
        }
        return turned;
    }

    private long crcOf(final byte[] big, final byte[] payload) {
        long register = crc.init();
        int left = crc.covers();
        for (final HeaderField field : fields) {
            final int count = Math.min(left, field.bits());
            // Bits left out by a mask are on the wire all the same.
            final long word = new HeaderField("", field.role(), field.bits(), field.at(), 0, -1, 0).get(big);
            register = crc.update(register, word >>> field.bits() - count, count);
            left -= count;
        }
        if (crc.payload() && !meaning.isDummy(fields.stream().mapToLong(field -> field.get(big)).toArray())) {
            for (final byte each : payload) {
                register = crc.update(register, each & BYTE, Byte.SIZE);
            }
        }
        return register ^ crc.xor();
    }

    /**
     * What is wrong with a header that no device of this description writes.
     *
     * @param header  its bytes as they are stored.
     * @param payload what follows it, for a CRC that covers it; null if it is not known, the CRC is then not checked.
     * @return a line each; none if all is well.
     */
    public List<String> faults(final byte[] header, final byte[] payload) {
        final List<String> faults = new ArrayList<>();
        final byte[] big = ordered(header);
        for (final HeaderField field : fields) {
            final long seen = field.get(big);
            if (field.role() == HeaderRole.CONSTANT && seen != (field.value() & field.mask())) {
                faults.add(field.name() + " " + seen + " instead of " + (field.value() & field.mask()));
            } else if (field.role() == HeaderRole.CRC && (payload != null || !crc.payload())) {
                final long expected = crcOf(big, payload == null ? new byte[0] : payload) & field.mask();
                if (seen != expected) {
                    faults.add(String.format("crc 0x%x instead of 0x%x", seen, expected));
                }
            }
        }
        return faults;
    }

    /**
     * What a header says.
     *
     * @param values of {@link #unpack}.
     */
    public DescribedCell cell(final long[] values) {
        return meaning.cell(values);
    }

    /**
     * The values that say what a cell is; fields without a meaning are 0.
     *
     * @throws IllegalArgumentException if a number does not fit its field.
     */
    public long[] values(final DescribedCell cell) {
        return meaning.values(cell);
    }

    /** What tells a cell from others: source, destination, and its number modulo 2 to the header's width. */
    public CellIdentity identity(final DescribedCell cell) {
        return new CellIdentity(cell.source(), cell.destination(),
            (int) (cell.sequence() & HeaderField.ones(sequenceBits())));
    }

    /**
     * Compares two headers by the bits that count.
     *
     * @param expected values of {@link #unpack}.
     * @param seen     the other values.
     * @return a line for each field that differs.
     */
    public List<String> differences(final long[] expected, final long[] seen) {
        final List<String> differences = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            final HeaderField field = fields.get(i);
            if (((expected[i] ^ seen[i]) & field.mask()) != 0) {
                differences.add(field.name() + ": expected " + (expected[i] & field.mask()) + ", seen "
                    + (seen[i] & field.mask()));
            }
        }
        return differences;
    }

    /**
     * What the values of a described header mean, and the other way round.
     *
     * @param name          of the header.
     * @param fields        in their order.
     * @param dummies       conditions of a dummy, which must all hold; none if a field says it.
     * @param noTokenIsZero whether a place without a token is zero, else all ones.
     */
    private record HeaderMeaning(String name, List<HeaderField> fields, List<DummyRule> dummies,
        boolean noTokenIsZero) {
        /** The number of a field with this meaning, -1 for none. */
        int indexOf(final HeaderRole role) {
            for (int i = 0; i < fields.size(); i++) {
                if (fields.get(i).role() == role) {
                    return i;
                }
            }
            return -1;
        }

        int sequenceBits() {
            return Long.bitCount(fields.get(indexOf(HeaderRole.SEQUENCE)).mask());
        }

        boolean isDummy(final long[] values) {
            final int bit = indexOf(HeaderRole.DUMMY);
            return bit >= 0 && values[bit] == 1
                || !dummies.isEmpty() && dummies.stream().allMatch(rule -> rule.holds(values));
        }

        DescribedCell cell(final long[] values) {
            final int valid = indexOf(HeaderRole.VALID);
            if (valid >= 0 && values[valid] == 0) {
                return DescribedCell.NOTHING;
            }
            return new DescribedCell(isDummy(values) ? SlotState.DUMMY : SlotState.CELL,
                number(values, HeaderRole.SOURCE), number(values, HeaderRole.DESTINATION),
                number(values, HeaderRole.SEQUENCE), number(values, HeaderRole.SPRAYS),
                number(values, HeaderRole.PHASE),
                number(values, HeaderRole.SOURCE_MAC), number(values, HeaderRole.DESTINATION_MAC),
                token(values, HeaderRole.TOKEN1_KIND, HeaderRole.TOKEN1_DESTINATION, HeaderRole.TOKEN1_INDEX),
                token(values, HeaderRole.TOKEN2_KIND, HeaderRole.TOKEN2_DESTINATION, HeaderRole.TOKEN2_INDEX));
        }

        /**
         * A number without its offset, modulo 2 to its width; unknown if there is no such field or it is not compared.
         */
        private int number(final long[] values, final HeaderRole role) {
            final int at = indexOf(role);
            return at < 0 || fields.get(at).mask() == 0 ? DescribedCell.UNKNOWN
                : (int) (values[at] - fields.get(at).offset() & fields.get(at).mask());
        }

        private int token(final long[] values, final HeaderRole kind, final HeaderRole destination,
            final HeaderRole index) {
            if (indexOf(destination) < 0) {
                return ShaleToken.NONE;
            }
            final boolean hasKind = indexOf(kind) >= 0;
            final int ofKind = hasKind ? (int) values[indexOf(kind)] : ShaleToken.KIND_TOKEN;
            final boolean isEmpty = isEmpty(values, destination) && isEmpty(values, index)
                && (!hasKind || isEmpty(values, kind));
            return isEmpty || ofKind == ShaleToken.KIND_NONE ? ShaleToken.NONE
                : ShaleToken.of(ofKind, number(values, destination), number(values, index));
        }

        private boolean isEmpty(final long[] values, final HeaderRole role) {
            return values[indexOf(role)] == (noTokenIsZero ? 0 : fields.get(indexOf(role)).mask());
        }

        long[] values(final DescribedCell cell) {
            final long[] values = new long[fields.size()];
            set(values, HeaderRole.VALID, cell.state() == SlotState.NOTHING ? 0 : 1);
            set(values, HeaderRole.DUMMY, cell.state() == SlotState.DUMMY ? 1 : 0);
            set(values, HeaderRole.SOURCE, cell.source());
            set(values, HeaderRole.DESTINATION, cell.destination());
            set(values, HeaderRole.SPRAYS, cell.sprays());
            set(values, HeaderRole.PHASE, cell.phase());
            set(values, HeaderRole.SOURCE_MAC, cell.sourceMac());
            set(values, HeaderRole.DESTINATION_MAC, cell.destinationMac());
            set(values, HeaderRole.SEQUENCE, cell.sequence() < 0 ? cell.sequence()
                : cell.sequence() & HeaderField.ones(sequenceBits()));
            setToken(values, cell.token1(), HeaderRole.TOKEN1_KIND, HeaderRole.TOKEN1_DESTINATION,
                HeaderRole.TOKEN1_INDEX);
            setToken(values, cell.token2(), HeaderRole.TOKEN2_KIND, HeaderRole.TOKEN2_DESTINATION,
                HeaderRole.TOKEN2_INDEX);
            return values;
        }

        private void setToken(final long[] values, final int token, final HeaderRole kind, final HeaderRole destination,
            final HeaderRole index) {
            if (token == ShaleToken.NONE) {
                for (final HeaderRole role : new HeaderRole[] {kind, destination, index}) {
                    if (indexOf(role) >= 0) {
                        values[indexOf(role)] = noTokenIsZero ? 0 : HeaderField.ones(fields.get(indexOf(role)).bits());
                    }
                }
            } else {
                if (indexOf(destination) < 0 || indexOf(kind) < 0 && ShaleToken.kind(token) != ShaleToken.KIND_TOKEN) {
                    throw new IllegalArgumentException("header " + name + " has no room for this token: token=0x"
                        + Integer.toHexString(token));
                }
                set(values, kind, ShaleToken.kind(token));
                set(values, destination, ShaleToken.destination(token));
                set(values, index, ShaleToken.index(token));
            }
        }

        /** Sets a number; one that is not known is 0. */
        private void set(final long[] values, final HeaderRole role, final long number) {
            final int at = indexOf(role);
            if (at >= 0 && number >= 0) {
                final HeaderField field = fields.get(at);
                if (number > HeaderField.ones(field.bits())) {
                    throw new IllegalArgumentException("header " + name + " has no room for " + field.name() + "="
                        + number);
                }
                values[at] = number + field.offset() & HeaderField.ones(field.bits());
            }
        }
    }
}
