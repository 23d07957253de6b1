package dev.skerry.tools.cosim;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.tools.input.HeaderFile;
import dev.skerry.tools.input.InputException;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A header with a description ({@link HeaderDescription}), one header per step. The header consists of words; its first
 * byte is the most significant byte of the first word, and unused bytes of the last word are 0.
 *
 * <pre>
 *   in    header_op | words of the header | a word for each field | words of the payload
 *   out   faults | state | words of the header | a word for each field
 *     op 0 encode:   fields and payload to header; constants and the CRC are filled in
 *     op 1 decode:   header and payload to fields, the number of faults, and what the slot holds (0 cell, 1 dummy, 2
 *                    nothing); the report names the faults
 *     op 3 describe: faults is then the bytes of the header, state the bytes of the payload, fields their widths
 *   without a payload the CRC of a header that covers it is not checked
 * </pre>
 */
final class HeaderTwin implements Twin {
    static final int ENCODE = 0;
    static final int DECODE = 1;
    static final int DESCRIBE = 3;
    /** Words of an output row before the header. */
    private static final int BEFORE = 2;
    private static final int MOST_PAYLOAD = 1 << 14;

    private final HeaderDescription header;
    private final int headerWords;
    private final byte[] payload;
    private List<String> faults = List.of();
    private long reports;

    /**
     * Reads a description.
     *
     * @param file         file of the description, or the name of a built-in one.
     * @param payloadBytes bytes of the payload, for a CRC that covers it.
     * @throws IllegalArgumentException if there is no such description.
     */
    HeaderTwin(final String file, final int payloadBytes) {
        if (payloadBytes < 0 || payloadBytes > MOST_PAYLOAD) {
            throw new IllegalArgumentException("payload must be 0 to " + MOST_PAYLOAD + ": payload=" + payloadBytes);
        }
        try {
            this.header = HeaderFile.read(file);
        } catch (final InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        this.headerWords = Math.ceilDiv(header.bytes(), Long.BYTES);
        this.payload = new byte[payloadBytes];
    }

    @Override
    public Names names() {
        final List<String> in = new ArrayList<>(List.of("header_op"));
        final List<String> out = new ArrayList<>(List.of("faults", "state"));
        for (int word = 0; word < headerWords; word++) {
            in.add("header" + word);
            out.add("header" + word);
        }
        for (int field = 0; field < header.size(); field++) {
            in.add(header.fieldName(field));
            out.add(header.fieldName(field));
        }
        for (int word = 0; word < Math.ceilDiv(payload.length, Long.BYTES); word++) {
            in.add("payload" + word);
        }
        return new Names(in, out);
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> weights) {
        throw new IllegalArgumentException("headers that a text describes are not drawn");
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final int op = Words.intOf(in, inAt, 0, "header_op", ENCODE, DESCRIBE);
        final byte[] bytes = new byte[header.bytes()];
        final long[] values = new long[header.size()];
        read(in, inAt + Long.BYTES, bytes);
        for (int field = 0; field < values.length; field++) {
            values[field] = Words.get(in, inAt, 1 + headerWords + field);
        }
        read(in, inAt + (long) (1 + headerWords + values.length) * Long.BYTES, payload);
        switch (op) {
            case ENCODE -> answer(out, outAt, 0, 0, header.pack(checked(values), payload), values);
            case DECODE -> decode(bytes, out, outAt);
            case DESCRIBE -> {
                for (int field = 0; field < values.length; field++) {
                    values[field] = header.fieldBits(field);
                }
                answer(out, outAt, header.bytes(), payload.length, new byte[header.bytes()], values);
            }
            default -> throw new IllegalArgumentException("header_op must be 0, 1 or 3: header_op=" + op);
        }
    }

    /** Checks that values fit their fields. */
    private long[] checked(final long[] values) {
        for (int field = 0; field < values.length; field++) {
            if (values[field] < 0 || values[field] >>> header.fieldBits(field) != 0) {
                throw new IllegalArgumentException(header.fieldName(field) + " has " + header.fieldBits(field)
                    + " bits: " + header.fieldName(field) + "=" + values[field]);
            }
        }
        return values;
    }

    private void decode(final byte[] bytes, final MemorySegment out, final long outAt) {
        final long[] values = header.unpack(bytes);
        final List<String> found = header.faults(bytes, payload.length == 0 ? null : payload);
        reports += found.equals(faults) ? 0 : 1;
        faults = found;
        answer(out, outAt, found.size(), header.cell(values).state().ordinal(), bytes, values);
    }

    private void answer(final MemorySegment out, final long outAt, final int first, final int second,
        final byte[] bytes, final long[] values) {
        Words.set(out, outAt, 0, first, second);
        Words.set(out, outAt, BEFORE, new long[headerWords]);
        for (int i = 0; i < bytes.length; i++) {
            out.set(ValueLayout.JAVA_BYTE, outAt + BEFORE * Long.BYTES + turned(i), bytes[i]);
        }
        Words.set(out, outAt, BEFORE + headerWords, values);
    }

    private static void read(final MemorySegment in, final long at, final byte[] into) {
        for (int i = 0; i < into.length; i++) {
            into[i] = in.get(ValueLayout.JAVA_BYTE, at + turned(i));
        }
    }

    /** Returns the offset of a byte in the words of a little-endian machine. */
    private static int turned(final int at) {
        return at ^ Long.BYTES - 1;
    }

    @Override
    public String report() {
        return String.join("\n", faults);
    }

    @Override
    public long reported() {
        return reports;
    }
}
