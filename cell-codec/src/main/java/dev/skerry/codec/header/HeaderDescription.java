package dev.skerry.codec.header;

import dev.skerry.codec.ShaleToken;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The header format of a device, read from a short text with one field per line in header order, such as
 * {@code source 9}. Settings may come before or after the fields: {@code bits msb} or {@code lsb}, whether the first
 * field has the most or the least significant bits; {@code bytes big} or {@code little}, which byte of the header comes
 * first; {@code no-token ones} or {@code zero}, the value of an empty token slot; {@code dummy-when}, the condition of
 * a dummy if no field marks it; {@code nothing permitted}, if the device may send neither a cell nor a dummy.
 * docs/rtl.md describes all of them.
 *
 * <p>Values are one {@code long} per field, in the order of the text. Not for hot paths. Immutable; any thread may
 * call.
 */
public final class HeaderDescription {
    /**
     * Names of the built-in descriptions: Skerry's own headers, and the header of one third-party hardware prototype.
     */
    public static final List<String> BUILT_IN = List.of("L12", "L12F", "L16", "shoal", "shoal-classes",
        "shale-prototype");

    private static final int BYTE = 0xFF;

    /** Parser that has read the whole text. */
    private final HeaderParser read;
    private final List<HeaderField> fields;
    /** Number of the first field of each role, by ordinal, or -1. */
    private final int[] places;
    private final int bytes;

    private HeaderDescription(final HeaderParser read) {
        this.read = read;
        this.fields = List.copyOf(read.fields);
        final List<HeaderRole> roles = fields.stream().map(HeaderField::role).toList();
        this.places = Arrays.stream(HeaderRole.values()).mapToInt(roles::indexOf).toArray();
        this.bytes = fields.stream().mapToInt(HeaderField::bits).sum() / Byte.SIZE;
    }

    /**
     * Reads a description.
     *
     * @param file  name of the text, for errors.
     * @param lines the text.
     * @throws HeaderSyntaxException if the text is not a valid description; the message is one line with file, line,
     *                               why and what to do.
     */
    public static HeaderDescription parse(final String file, final List<String> lines) {
        final HeaderParser parser = new HeaderParser(file);
        parser.read(lines);
        return new HeaderDescription(parser);
    }

    /**
     * Returns one of the {@link #BUILT_IN} descriptions.
     *
     * @throws IllegalArgumentException if there is no description of this name.
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

    /** Name of the header: letters, digits and '-'. */
    public String name() {
        return read.name;
    }

    /** Bytes of the header. */
    public int bytes() {
        return bytes;
    }

    /** Whether the device may send neither a cell nor a dummy. */
    public boolean permitsNothing() {
        return read.permitsNothing;
    }

    /** Number of fields, which is also the number of values. */
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

    /** Field numbers from the most to the least significant field. */
    public int[] fromTheTop() {
        return IntStream.range(0, size()).map(i -> read.lowestFirst ? size() - 1 - i : i).toArray();
    }

    /** Fields in the order of the description. */
    List<HeaderField> fields() {
        return fields;
    }

    /** The CRC, or null if there is none. */
    HeaderCrc crc() {
        return read.crc;
    }

    /** Whether the header has a field of this role, named as in descriptions, that is compared. */
    public boolean has(final String role) {
        final int at = indexOf(role);
        return at >= 0 && fields.get(at).mask() != 0;
    }

    /** The number of the field of this name, or -1. */
    public int indexOf(final String field) {
        return indexOf(fields, field);
    }

    private static int indexOf(final List<HeaderField> fields, final String name) {
        return fields.stream().map(HeaderField::name).toList().indexOf(name);
    }

    /**
     * Extracts the values of a header. Masked-out bits are 0.
     *
     * @param header the header's bytes as they are stored.
     * @throws IllegalArgumentException if the length is wrong.
     */
    public long[] unpack(final byte[] header) {
        final byte[] big = ordered(header);
        return fields.stream().mapToLong(field -> field.get(big)).toArray();
    }

    /**
     * Builds a header from values; constants and the CRC are filled in.
     *
     * @param values  a value for each field; high bits that do not fit are cut off.
     * @param payload the bytes after the header, for a CRC that covers them; may be empty.
     */
    public byte[] pack(final long[] values, final byte[] payload) {
        final byte[] big = new byte[bytes];
        for (int i = 0; i < fields.size(); i++) {
            final HeaderField field = fields.get(i);
            field.set(big, field.role() == HeaderRole.CONSTANT ? field.value() : values[i]);
        }
        if (read.crc != null) {
            fields.get(indexOf(HeaderRole.CRC)).set(big, crcOf(big, payload));
        }
        return ordered(big);
    }

    /** Builds a header without a payload, see {@link #values}. */
    public byte[] pack(final DescribedCell cell) {
        return pack(values(cell), new byte[0]);
    }

    private byte[] ordered(final byte[] header) {
        if (header.length != bytes) {
            throw new IllegalArgumentException("a header has " + bytes + " bytes: bytes=" + header.length);
        }
        final byte[] turned = header.clone();
        for (int i = 0; read.littleEndian && i < bytes; i++) {
            turned[i] = header[bytes - 1 - i];
        }
        return turned;
    }

    private long crcOf(final byte[] big, final byte[] payload) {
        final HeaderCrc crc = read.crc;
        long register = crc.init();
        int left = crc.reflect() ? 0 : crc.covers();
        for (int i = 0; crc.reflect() && i < crc.covers() / Byte.SIZE; i++) {
            register = crc.update(register, reversed(big[read.lowestFirst ? bytes - 1 - i : i]), Byte.SIZE);
        }
        for (final HeaderField field : fields) {
            final int count = Math.min(left, field.bits());
            // Masked-out bits are on the wire as well.
            final long word = new HeaderField("", field.role(), field.bits(), field.at(), 0, -1, 0).get(big);
            register = crc.update(register, word >>> field.bits() - count, count);
            left -= count;
        }
        if (crc.payload() && !isDummy(fields.stream().mapToLong(field -> field.get(big)).toArray())) {
            for (final byte each : payload) {
                register = crc.update(register, crc.reflect() ? reversed(each) : each & BYTE, Byte.SIZE);
            }
        }
        return (crc.reflect() ? Long.reverse(register) >>> Long.SIZE - crc.bits() : register) ^ crc.xor();
    }

    private static long reversed(final byte bits) {
        return Integer.reverse(bits) >>> Integer.SIZE - Byte.SIZE;
    }

    /**
     * Lists the fields of a header that no device with this description would write.
     *
     * @param header  the header's bytes as they are stored.
     * @param payload the bytes after the header, for a CRC that covers them; if null, such a CRC is not checked.
     * @return one line per fault; empty if there is none.
     */
    public List<String> faults(final byte[] header, final byte[] payload) {
        final List<String> faults = new ArrayList<>();
        final byte[] big = ordered(header);
        for (final HeaderField field : fields) {
            final long seen = field.get(big);
            if (field.role() == HeaderRole.CONSTANT && seen != (field.value() & field.mask())) {
                faults.add(field.name() + " " + seen + " instead of " + (field.value() & field.mask()));
            } else if (field.role() == HeaderRole.CRC && (payload != null || !read.crc.payload())) {
                final long expected = crcOf(big, payload == null ? new byte[0] : payload) & field.mask();
                if (seen != expected) {
                    faults.add(String.format("crc 0x%x instead of 0x%x", seen, expected));
                }
            }
        }
        return faults;
    }

    /**
     * Compares two headers, ignoring masked-out bits.
     *
     * @param expected values of {@link #unpack}.
     * @param seen     the other values.
     * @return one line per field that differs.
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

    /** The number of the field of this role, or -1. */
    private int indexOf(final HeaderRole role) {
        return places[role.ordinal()];
    }

    /** Width k of the sequence numbers that are compared: cells are identified by their number modulo 2^k. */
    public int sequenceBits() {
        return Long.bitCount(fields.get(indexOf(HeaderRole.SEQUENCE)).mask());
    }

    private boolean isDummy(final long[] values) {
        final int bit = indexOf(HeaderRole.DUMMY);
        return bit >= 0 && values[bit] == 1
            || !dummies().isEmpty() && dummies().stream().allMatch(rule -> rule.holds(values));
    }

    /**
     * Interprets the values of a header.
     *
     * @param values values of {@link #unpack}.
     */
    public DescribedCell cell(final long[] values) {
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
     * A number without its offset, modulo 2^width; {@link DescribedCell#UNKNOWN} if there is no such field or it is not
     * compared.
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
        return values[indexOf(role)] == (read.noTokenIsZero ? 0 : fields.get(indexOf(role)).mask());
    }

    /**
     * Computes the field values for a cell; fields without a role are 0.
     *
     * @throws IllegalArgumentException if a number does not fit its field.
     */
    public long[] values(final DescribedCell cell) {
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
                    values[indexOf(role)] = read.noTokenIsZero ? 0 : HeaderField.ones(fields.get(indexOf(role)).bits());
                }
            }
        } else {
            if (indexOf(destination) < 0 || indexOf(kind) < 0 && ShaleToken.kind(token) != ShaleToken.KIND_TOKEN) {
                throw new IllegalArgumentException("header " + read.name + " has no room for this token: token=0x"
                    + Integer.toHexString(token));
            }
            set(values, kind, ShaleToken.kind(token));
            set(values, destination, ShaleToken.destination(token));
            set(values, index, ShaleToken.index(token));
        }
    }

    /** Sets a number; an unknown number leaves 0. */
    private void set(final long[] values, final HeaderRole role, final long number) {
        final int at = indexOf(role);
        if (at >= 0 && number >= 0) {
            final HeaderField field = fields.get(at);
            if (number > HeaderField.ones(field.bits())) {
                throw new IllegalArgumentException("header " + read.name + " has no room for " + field.name() + "="
                    + number);
            }
            values[at] = number + field.offset() & HeaderField.ones(field.bits());
        }
    }

    /** Conditions that together mark a dummy if no field does. */
    List<DummyRule> dummies() {
        return read.dummies;
    }

    /**
     * A condition of a dummy: two fields are equal, or a field has a value.
     *
     * @param field number of a field.
     * @param other number of another field, -1 if {@code value} is given.
     * @param value value of the field.
     */
    record DummyRule(int field, int other, long value) {
        boolean holds(final long[] values) {
            return values[field] == (other < 0 ? value : values[other]);
        }
    }

    /**
     * A CRC of a described header, most significant bit first. It covers the first bits of the header in the order of
     * the description, then optionally the payload. A reflected CRC, such as Ethernet's CRC-32, takes the lowest bit of
     * each byte first and reverses the bits of the result.
     *
     * @param bits    width, 1 to 32.
     * @param poly    polynomial without its leading term.
     * @param init    register before the first bit.
     * @param xor     exclusive-ored to the register after the last bit.
     * @param covers  bits of the header that it covers.
     * @param payload whether it covers the payload of cells that are not dummies.
     * @param reflect whether it is reflected; it then covers whole bytes.
     */
    record HeaderCrc(int bits, long poly, long init, long xor, int covers, boolean payload, boolean reflect) {
        /** The register after {@code count} more bits, which are the low bits of {@code word}. */
        long update(final long register, final long word, final int count) {
            long crc = register;
            for (int i = count - 1; i >= 0; i--) {
                final long top = crc >>> bits - 1 ^ word >>> i & 1;
                crc = crc << 1 & HeaderField.ones(bits) ^ ((top & 1) == 0 ? 0 : poly);
            }
            return crc;
        }
    }

    /** Parses the text of a {@link HeaderDescription}. One parser per text. */
    private static final class HeaderParser {
        static final int MOST_BITS = 512;
        private static final int MOST_FIELDS = 64;
        private static final int MOST_QUOTED = 40;
        private static final int HEX = 16;
        private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,39}");
        private static final Set<HeaderRole> NEEDED = Set.of(HeaderRole.SOURCE, HeaderRole.DESTINATION,
            HeaderRole.SEQUENCE);

        final List<HeaderField> fields = new ArrayList<>();
        final List<DummyRule> dummies = new ArrayList<>();
        String name = "device";
        boolean lowestFirst;
        boolean littleEndian;
        boolean noTokenIsZero;
        boolean permitsNothing;
        HeaderCrc crc;
        private final String file;
        private final Set<String> names = new HashSet<>();
        private final Set<String> said = new HashSet<>();
        private String[] dummyWords = {};
        private int dummyLine;
        private int line;
        private int total;

        HeaderParser(final String file) {
            this.file = file;
        }

        /** Parses all lines. */
        void read(final List<String> lines) {
            for (final String text : lines) {
                line++;
                final int comment = text.indexOf('#');
                final String stripped = (comment < 0 ? text : text.substring(0, comment)).strip();
                if (!stripped.isEmpty()) {
                    read(stripped.split("\\s+"));
                }
            }
            line = dummyLine;
            for (int i = 1; i < dummyWords.length; i++) {
                dummies.add(rule(dummyWords[i]));
            }
            line = 0;
            check();
            place();
        }

        private void read(final String[] words) {
            final HeaderRole role = HeaderRole.of(words[0]);
            if (role != null) {
                readField(role, words);
            } else if (!said.add(words[0])) {
                throw refuse(words[0] + " is given twice", "leave one out");
            } else {
                readSetting(words);
            }
        }

        private void readSetting(final String[] words) {
            switch (words[0]) {
                case "name" -> name = nameOf(words, 1);
                case "format" -> refuseIf(words.length != 2 || !words[1].equals("1"), "the format is not known",
                    "write format 1, or leave it out");
                case "bits" -> lowestFirst = choice(words, "msb", "lsb");
                case "bytes" -> littleEndian = choice(words, "big", "little");
                case "no-token" -> noTokenIsZero = choice(words, "ones", "zero");
                case "nothing" -> permitsNothing = choice(words, "refused", "permitted");
                case "dummy-when" -> {
                    dummyWords = words;
                    dummyLine = line;
                    refuseIf(words.length < 2, "dummy-when has no condition",
                        "write dummy-when source=destination, or FIELD=VALUE");
                }
                default -> throw refuse("there is no field or setting " + quote(words[0]),
                    "write 'field NAME BITS' for a field that Skerry does not interpret");
            }
        }

        /** Whether the second of two alternatives is given. */
        private boolean choice(final String[] words, final String first, final String second) {
            refuseIf(words.length != 2 || !words[1].equals(first) && !words[1].equals(second),
                words[0] + " is neither " + first + " nor " + second, "write one of them");
            return words[1].equals(second);
        }

        private String nameOf(final String[] words, final int at) {
            refuseIf(words.length <= at || !NAME.matcher(words[at]).matches(), "there is no name after " + words[0],
                "give a name of at most 40 letters, digits and '-' that begins with a letter");
            return words[at];
        }

        private void readField(final HeaderRole role, final String[] words) {
            final boolean isNamed = role == HeaderRole.FIELD;
            final String own = isNamed ? nameOf(words, 1) : role.text();
            final int at = isNamed ? 2 : 1;
            refuseIf(words.length <= at, own + " has no width", "write its bits after it, 1 to " + role.mostBits());
            final int bits = (int) number(own + "'s width", words[at], 1, role.mostBits());
            refuseIf(isNamed && HeaderRole.of(own) != null, "field " + own + " has a reserved name",
                "choose another name");
            final String unique = role.mayRepeat() && !isNamed ? own + fields.size() : own;
            refuseIf(!names.add(unique), own + " is given twice", "leave one out");
            long offset = 0;
            long mask = HeaderField.ones(bits);
            long value = 0;
            if (role == HeaderRole.CRC) {
                mask = readCrc(words, at + 1, bits);
            } else {
                for (int i = at + 1; i < words.length; i++) {
                    final String given = words[i].substring(words[i].indexOf('=') + 1);
                    switch (key(words, i)) {
                        case "mask" -> mask = mask(role, given, bits);
                        case "offset" -> offset = offset(role, given, bits);
                        case "value" -> value = value(role, given, bits);
                        default -> throw unknown(words[i], own);
                    }
                }
            }
            fields.add(new HeaderField(unique, role, bits, total, (int) offset, role == HeaderRole.PADDING ? 0 : mask,
                value));
            total += bits;
            refuseIf(total > MOST_BITS || fields.size() > MOST_FIELDS, "the header is too large",
                "describe at most " + MOST_FIELDS + " fields and " + MOST_BITS + " bits");
        }

        /** Name of a field's setting; each may be given once. */
        private String key(final String[] words, final int at) {
            final String key = words[at].substring(0, Math.max(0, words[at].indexOf('=')));
            for (int i = 1; i < at; i++) {
                refuseIf(!key.isEmpty() && words[i].startsWith(key + "="), key + " is given twice", "leave one out");
            }
            return key;
        }

        private HeaderSyntaxException unknown(final String word, final String own) {
            return refuse(quote(word) + " is not a setting of " + own,
                "use mask=, offset= of a number, value= of a constant, "
                + "poly=, init=, xor=, covers=, payload=yes and reflect=yes of a crc");
        }

        private long mask(final HeaderRole role, final String given, final int bits) {
            final long mask = number("mask", given, 0, HeaderField.ones(bits));
            final boolean isWhole = (mask & mask + 1) == 0;
            refuseIf(role != HeaderRole.FIELD && (!isWhole || mask == 0 && !role.mayBeIgnored()),
                "mask " + quote(given) + " of " + role.text() + " must consist of the lowest bits, and at least one",
                "give the lowest bits, such as 0x" + Long.toHexString(HeaderField.ones(bits)));
            return mask;
        }

        private long offset(final HeaderRole role, final String given, final int bits) {
            refuseIf(role.mayRepeat() || role == HeaderRole.DUMMY || role == HeaderRole.VALID,
                role.text() + " has no offset", "leave it out");
            return number("offset", given, 0, Math.min(HeaderField.ones(bits), Integer.MAX_VALUE));
        }

        private long value(final HeaderRole role, final String given, final int bits) {
            refuseIf(role != HeaderRole.CONSTANT, role.text() + " has no value of its own",
                "use 'constant " + bits + " value=" + quote(given) + "'");
            return number("value", given, 0, HeaderField.ones(bits));
        }

        /** Parses the settings of the CRC; returns its mask. */
        private long readCrc(final String[] words, final int from, final int bits) {
            final long most = HeaderField.ones(bits);
            long poly = -1;
            long init = 0;
            long xor = 0;
            long mask = most;
            int covers = total;
            boolean payload = false;
            boolean reflect = false;
            for (int i = from; i < words.length; i++) {
                final String given = words[i].substring(words[i].indexOf('=') + 1);
                switch (key(words, i)) {
                    case "poly" -> poly = number("poly", given, 1, most);
                    case "init" -> init = number("init", given, 0, most);
                    case "xor" -> xor = number("xor", given, 0, most);
                    case "covers" -> covers = (int) number("covers", given, 1, total);
                    case "mask" -> mask = mask(HeaderRole.CRC, given, bits);
                    case "payload" -> payload = isYes("payload", given);
                    case "reflect" -> reflect = isYes("reflect", given);
                    default -> throw unknown(words[i], "the crc");
                }
            }
            refuseIf(poly < 0, "the crc has no polynomial", "write poly=0x07 or another one, without its leading term");
            refuseIf(covers == 0, "the crc covers nothing", "put it after the fields that it covers");
            refuseIf(reflect && covers % Byte.SIZE != 0, "a reflected crc covers " + covers
                + " bits, which is not a whole number of bytes", "write another covers=");
            crc = new HeaderCrc(bits, poly, init, xor, covers, payload, reflect);
            return mask;
        }

        private boolean isYes(final String key, final String given) {
            refuseIf(!given.equals("yes") && !given.equals("no"), key + " is " + quote(given),
                "write " + key + "=yes or " + key + "=no");
            return given.equals("yes");
        }

        private DummyRule rule(final String word) {
            final int equals = word.indexOf('=');
            final int left = equals < 1 ? -1 : indexOf(fields, word.substring(0, equals));
            refuseIf(left < 0, "condition " + quote(word) + " names no field", "write FIELD=FIELD or FIELD=VALUE");
            final String right = word.substring(equals + 1);
            final int other = indexOf(fields, right);
            refuseIf(!fields.get(left).role().isFree() || other >= 0 && !fields.get(other).role().isFree(),
                "condition " + quote(word) + " refers to the crc or a constant", "name fields that the device sets");
            return new DummyRule(left, other, other >= 0 ? 0
                : number(right.isEmpty() ? "a condition" : "condition " + quote(word), right, 0,
                    HeaderField.ones(fields.get(left).bits())));
        }

        private boolean has(final String own) {
            return indexOf(fields, own) >= 0;
        }

        private void check() {
            for (final HeaderRole role : NEEDED) {
                refuseIf(!has(role.text()), "it has no field " + role.text(),
                    "cells are identified by source, destination and sequence");
            }
            for (int token = 1; token <= 2; token++) {
                final String of = "token" + token;
                final boolean hasDestination = has(of + "-destination");
                refuseIf(hasDestination != has(of + "-index") || !hasDestination && has(of + "-kind"),
                    of + " is incomplete", "give both " + of + "-destination and " + of + "-index");
                refuseIf(hasDestination && noTokenIsZero && !has(of + "-kind")
                    && fields.get(indexOf(fields, of + "-destination")).offset() == 0,
                    "with no-token zero, bucket 0 of " + of + " cannot be distinguished from no token",
                    "add " + of + "-kind, or offset=1 to its destination");
            }
            refuseIf(total % Byte.SIZE != 0, "the fields have " + total + " bits, which is not a whole number of bytes",
                "add padding " + (Byte.SIZE - total % Byte.SIZE));
        }

        /** Assigns bit positions; with the lowest bits first, the first field has the least significant bits. */
        private void place() {
            fields.replaceAll(field -> lowestFirst ? field.atBit(total - field.at() - field.bits()) : field);
        }

        private long number(final String what, final String text, final long least, final long most) {
            try {
                final long number = text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), HEX)
                    : Long.parseLong(text);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException _) {
                // Reported below.
            }
            throw refuse(what + " is " + quote(text), "give a whole number from " + least + " to " + most);
        }

        private static String quote(final String text) {
            return "'" + (text.length() > MOST_QUOTED ? text.substring(0, MOST_QUOTED) + "..." : text)
                .replaceAll("[^ -~]", "?") + "'";
        }

        private void refuseIf(final boolean wrong, final String why, final String advice) {
            if (wrong) {
                throw refuse(why, advice);
            }
        }

        private HeaderSyntaxException refuse(final String why, final String advice) {
            return new HeaderSyntaxException(line == 0 ? file : file + ":" + line, why, advice);
        }
    }
}
