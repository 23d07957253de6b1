package dev.skerry.codec.header;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the text of a {@link HeaderDescription}. One text, one parser. */
final class HeaderParser {
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

    /** Reads all lines. */
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
            throw refuse(words[0] + " stands twice", "leave one out");
        } else {
            readSetting(words);
        }
    }

    private void readSetting(final String[] words) {
        switch (words[0]) {
            case "name" -> name = nameOf(words, 1);
            case "bits" -> lowestFirst = choice(words, "msb", "lsb");
            case "bytes" -> littleEndian = choice(words, "big", "little");
            case "no-token" -> noTokenIsZero = choice(words, "ones", "zero");
            case "nothing" -> permitsNothing = choice(words, "refused", "permitted");
            case "dummy-when" -> {
                dummyWords = words;
                dummyLine = line;
                if (words.length < 2) {
                    throw refuse("dummy-when has no condition", "write dummy-when source=destination, or FIELD=VALUE");
                }
            }
            default -> throw refuse("there is no field or setting " + quote(words[0]),
                "write 'field NAME BITS' for a field without a meaning here");
        }
    }

    /** Whether the second of two choices is taken. */
    private boolean choice(final String[] words, final String first, final String second) {
        if (words.length != 2 || !words[1].equals(first) && !words[1].equals(second)) {
            throw refuse(words[0] + " is neither " + first + " nor " + second, "write one of them");
        }
        return words[1].equals(second);
    }

    private String nameOf(final String[] words, final int at) {
        if (words.length <= at || !NAME.matcher(words[at]).matches()) {
            throw refuse("no name stands after " + words[0],
                "give one of letters, digits and '-' that begins with a letter, at most 40");
        }
        return words[at];
    }

    private void readField(final HeaderRole role, final String[] words) {
        final boolean isNamed = role == HeaderRole.FIELD;
        final String own = isNamed ? nameOf(words, 1) : role.text();
        final int at = isNamed ? 2 : 1;
        if (words.length <= at) {
            throw refuse(own + " has no width", "write its bits after it, 1 to " + role.mostBits());
        }
        final int bits = (int) number(own + "'s width", words[at], 1, role.mostBits());
        if (isNamed && HeaderRole.of(own) != null) {
            throw refuse("field " + own + " has the name of a meaning", "choose another name");
        }
        final String unique = role.mayRepeat() && !isNamed ? own + fields.size() : own;
        if (!names.add(unique)) {
            throw refuse(own + " stands twice", "leave one out");
        }
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
        if (total > MOST_BITS || fields.size() > MOST_FIELDS) {
            throw refuse("the header is too large", "describe at most " + MOST_FIELDS + " fields and " + MOST_BITS
                + " bits");
        }
    }

    /** Name of a setting of a field; each stands once. */
    private String key(final String[] words, final int at) {
        final String key = words[at].substring(0, Math.max(0, words[at].indexOf('=')));
        for (int i = 1; i < at; i++) {
            if (!key.isEmpty() && words[i].startsWith(key + "=")) {
                throw refuse(key + " stands twice", "leave one out");
            }
        }
        return key;
    }

    private HeaderSyntaxException unknown(final String word, final String own) {
        return refuse(quote(word) + " is no setting of " + own, "use mask=, offset= of a number, value= of a constant, "
            + "poly=, init=, xor=, covers= and payload=yes of a crc");
    }

    private long mask(final HeaderRole role, final String given, final int bits) {
        final long mask = number("mask", given, 0, HeaderField.ones(bits));
        final boolean isWhole = (mask & mask + 1) == 0;
        if (role != HeaderRole.FIELD && (!isWhole || mask == 0 && !role.mayBeIgnored())) {
            throw refuse("mask " + quote(given) + " of " + role.text() + " leaves out a bit below others, or all bits",
                "give the lowest bits, such as 0x" + Long.toHexString(HeaderField.ones(bits)));
        }
        return mask;
    }

    private long offset(final HeaderRole role, final String given, final int bits) {
        if (role.mayRepeat() || role == HeaderRole.DUMMY || role == HeaderRole.VALID) {
            throw refuse(role.text() + " has no offset", "leave it out");
        }
        return number("offset", given, 0, Math.min(HeaderField.ones(bits), Integer.MAX_VALUE));
    }

    private long value(final HeaderRole role, final String given, final int bits) {
        if (role != HeaderRole.CONSTANT) {
            throw refuse(role.text() + " has no value of its own", "use 'constant " + bits + " value=" + quote(given)
                + "'");
        }
        return number("value", given, 0, HeaderField.ones(bits));
    }

    /** Reads the settings of the CRC; returns its mask. */
    private long readCrc(final String[] words, final int from, final int bits) {
        final long most = HeaderField.ones(bits);
        long poly = -1;
        long init = 0;
        long xor = 0;
        long mask = most;
        int covers = total;
        boolean payload = false;
        for (int i = from; i < words.length; i++) {
            final String given = words[i].substring(words[i].indexOf('=') + 1);
            switch (key(words, i)) {
                case "poly" -> poly = number("poly", given, 1, most);
                case "init" -> init = number("init", given, 0, most);
                case "xor" -> xor = number("xor", given, 0, most);
                case "covers" -> covers = (int) number("covers", given, 1, total);
                case "mask" -> mask = mask(HeaderRole.CRC, given, bits);
                case "payload" -> {
                    if (!given.equals("yes") && !given.equals("no")) {
                        throw refuse("payload is " + quote(given), "write payload=yes or payload=no");
                    }
                    payload = given.equals("yes");
                }
                default -> throw unknown(words[i], "the crc");
            }
        }
        if (poly < 0) {
            throw refuse("the crc has no polynomial", "write poly=0x07 or another one, without its leading term");
        }
        if (covers == 0) {
            throw refuse("the crc covers nothing", "put it after what it covers");
        }
        crc = new HeaderCrc(bits, poly, init, xor, covers, payload);
        return mask;
    }

    private DummyRule rule(final String word) {
        final int equals = word.indexOf('=');
        final int left = equals < 1 ? -1 : indexOf(word.substring(0, equals));
        if (left < 0) {
            throw refuse("condition " + quote(word) + " names no field", "write FIELD=FIELD or FIELD=VALUE");
        }
        final String right = word.substring(equals + 1);
        final int other = indexOf(right);
        if (!fields.get(left).role().isFree() || other >= 0 && !fields.get(other).role().isFree()) {
            throw refuse("condition " + quote(word) + " looks at the crc or a constant",
                "name fields that the device sets");
        }
        return new DummyRule(left, other, other >= 0 ? 0
            : number(right.isEmpty() ? "a condition" : "condition " + quote(word), right, 0,
                HeaderField.ones(fields.get(left).bits())));
    }

    private int indexOf(final String own) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(own)) {
                return i;
            }
        }
        return -1;
    }

    private void check() {
        for (final HeaderRole role : NEEDED) {
            if (indexOf(role.text()) < 0) {
                throw refuse("it has no field " + role.text(), "a cell is told by source, destination and sequence");
            }
        }
        for (int token = 1; token <= 2; token++) {
            final String of = "token" + token;
            final boolean hasDestination = indexOf(of + "-destination") >= 0;
            if (hasDestination != indexOf(of + "-index") >= 0 || !hasDestination && indexOf(of + "-kind") >= 0) {
                throw refuse(of + " is described in part", "give both " + of + "-destination and " + of + "-index");
            }
            if (hasDestination && noTokenIsZero && indexOf(of + "-kind") < 0
                && fields.get(indexOf(of + "-destination")).offset() == 0) {
                throw refuse("with no-token zero bucket 0 of " + of + " looks like no token", "add " + of
                    + "-kind, or offset=1 to its destination");
            }
        }
        if (total % Byte.SIZE != 0) {
            throw refuse("the fields have " + total + " bits, which are no whole bytes",
                "add padding " + (Byte.SIZE - total % Byte.SIZE));
        }
    }

    /** With the lowest bits first, the first field has the least significant ones. */
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
            // Said below.
        }
        throw refuse(what + " is " + quote(text), "give a whole number from " + least + " to " + most);
    }

    private static String quote(final String text) {
        return "'" + (text.length() > MOST_QUOTED ? text.substring(0, MOST_QUOTED) + "..." : text)
            .replaceAll("[^ -~]", "?") + "'";
    }

    private HeaderSyntaxException refuse(final String why, final String advice) {
        return new HeaderSyntaxException(line == 0 ? file : file + ":" + line, why, advice);
    }
}
