package dev.skerry.tools.cosim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A codec of cells, one cell per step. The header, of Shoal the whole cell, is words; its first byte is the most
 * significant of the first word.
 *
 * <pre>
 *   in    op | a word for each of six fields | words of the header
 *   out   fault | a word for each of six fields | words of the header
 *     op 0 encode: fields to header
 *     op 1 decode: header to fault, the ordinal of a HeaderFault, and fields
 *     op 2 relay:  the header of the next hop
 *   an op ignores the words it does not use and sets those it does not produce to 0
 * </pre>
 */
abstract sealed class CodecTwin implements Twin permits ShaleTwin, ShoalTwin {
    static final int OP = 0;
    /** First word of the header. */
    static final int HEADER = 7;
    static final int ENCODE = 0;
    static final int DECODE = 1;
    static final int RELAY = 2;
    static final ValueLayout.OfLong BIG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    /** The header that is encoded or decoded. */
    final MemorySegment bytes;
    private final int words;
    private final long lastWord;
    private final Names names;

    /**
     * Creates a codec.
     *
     * @param words    of the header.
     * @param lastWord bits of the last word that belong to it.
     * @param word     name of a word of the header.
     * @param fields   names of the fields.
     */
    CodecTwin(final Arena arena, final int words, final long lastWord, final String word, final String... fields) {
        this.bytes = arena.allocate(ValueLayout.JAVA_LONG, words);
        this.words = words;
        this.lastWord = lastWord;
        final List<String> inputs = new ArrayList<>(List.of("op"));
        inputs.addAll(List.of(fields));
        for (int i = 0; i < words; i++) {
            inputs.add(word + i);
        }
        final List<String> outputs = new ArrayList<>(inputs);
        outputs.set(0, "fault");
        this.names = new Names(inputs, outputs);
    }

    @Override
    public Names names() {
        return names;
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final int op = Words.intOf(in, inAt, OP, "op", ENCODE, RELAY);
        for (int word = 0; word < words; word++) {
            bytes.setAtIndex(BIG, word, Words.get(in, inAt, HEADER + word) & mask(word));
        }
        if (op == ENCODE) {
            encode(in, inAt);
        } else if (op == RELAY) {
            relay(in, inAt);
        }
        for (int word = 0; word < HEADER + words; word++) {
            Words.set(out, outAt, word, 0);
        }
        if (op == DECODE) {
            decode(out, outAt);
            return;
        }
        for (int word = 0; word < words; word++) {
            Words.set(out, outAt, HEADER + word, bytes.getAtIndex(BIG, word) & mask(word));
        }
    }

    private long mask(final int word) {
        return word == words - 1 ? lastWord : -1;
    }

    /** Encodes the fields into the header. */
    abstract void encode(MemorySegment in, long inAt);

    /** Turns the header into that of the next hop. */
    abstract void relay(MemorySegment in, long inAt);

    /** Decodes the header into the fault and the fields. */
    abstract void decode(MemorySegment out, long outAt);
}
