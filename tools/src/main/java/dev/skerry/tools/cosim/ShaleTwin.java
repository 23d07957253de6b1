package dev.skerry.tools.cosim;

import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleToken;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Shale's header codec, one header per step. A header is two words; its first byte is the most significant of the first
 * word. A header of 12 bytes leaves the lower half of the second word 0. Tokens are ints as in {@link ShaleToken}.
 *
 * <pre>
 *   in    op | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *   out   fault | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *     op 0 encode: fields to header
 *     op 1 decode: header to fault, the ordinal of a HeaderFault, and fields
 *     op 2 relay:  header with new sprays and tokens to the header of the next hop
 *   an op ignores the words it does not use and sets those it does not produce to 0
 * </pre>
 */
final class ShaleTwin implements Twin {
    static final int OP = 0;
    static final int SOURCE = 1;
    static final int DESTINATION = 2;
    static final int SPRAYS = 3;
    static final int SEQUENCE = 4;
    static final int TOKEN1 = 5;
    static final int TOKEN2 = 6;
    static final int HEADER = 7;
    static final int ENCODE = 0;
    static final int DECODE = 1;
    static final int RELAY = 2;

    private static final ValueLayout.OfLong BIG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final String[] INPUTS = {"op", "source", "destination", "sprays", "sequence", "token1", "token2",
        "header0", "header1"};
    private static final String[] OUTPUTS = {"fault", "source", "destination", "sprays", "sequence", "token1", "token2",
        "header0", "header1"};
    private static final int HEADER_WORDS = 2;

    private final ShaleHeader header;
    private final MemorySegment bytes;
    private final long lastWord;

    ShaleTwin(final ShaleHeader header, final Arena arena) {
        this.header = header;
        this.bytes = arena.allocate(ValueLayout.JAVA_LONG, HEADER_WORDS);
        this.lastWord = header.layout().headerBytes() == HEADER_WORDS * Long.BYTES ? -1 : -1L << Integer.SIZE;
    }

    ShaleHeader header() {
        return header;
    }

    @Override
    public String[] inputs() {
        return INPUTS;
    }

    @Override
    public String[] outputs() {
        return OUTPUTS;
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final int op = Words.intOf(in, inAt, OP, "op", ENCODE, RELAY);
        bytes.setAtIndex(BIG, 0, Words.get(in, inAt, HEADER));
        bytes.setAtIndex(BIG, 1, Words.get(in, inAt, HEADER + 1) & lastWord);
        if (op == ENCODE) {
            final int last = header.nodes() - 1;
            header.encode(bytes, 0, Words.intOf(in, inAt, SOURCE, "source", 0, last),
                Words.intOf(in, inAt, DESTINATION, "destination", 0, last), sprays(in, inAt),
                Words.get(in, inAt, SEQUENCE), token(in, inAt, TOKEN1), token(in, inAt, TOKEN2));
        } else if (op == RELAY) {
            header.forward(bytes, 0, sprays(in, inAt), token(in, inAt, TOKEN1), token(in, inAt, TOKEN2));
        }
        for (int word = 0; word < OUTPUTS.length; word++) {
            Words.set(out, outAt, word, 0);
        }
        if (op == DECODE) {
            decode(out, outAt);
        } else {
            Words.set(out, outAt, HEADER, bytes.getAtIndex(BIG, 0));
            Words.set(out, outAt, HEADER + 1, bytes.getAtIndex(BIG, 1) & lastWord);
        }
    }

    private int sprays(final MemorySegment in, final long inAt) {
        return Words.intOf(in, inAt, SPRAYS, "sprays", 0, header.phases() - 1);
    }

    /** Checks a token before it is encoded, because the header only asserts its bounds. */
    private int token(final MemorySegment in, final long inAt, final int word) {
        final int token = Words.intOf(in, inAt, word, INPUTS[word], 0, Integer.MAX_VALUE);
        final int kind = ShaleToken.kind(token);
        final int lastKind = header.failureCapable() ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN;
        // Without kinds, all ones encode "none". The bucket with these bits cannot be encoded.
        final boolean none = !header.layout().hasKinds()
            && ShaleToken.destination(token) == header.layout().maxNodes() - 1
            && ShaleToken.index(token) == header.layout().maxPhases() - 1;
        if (token != ShaleToken.NONE
            && (kind < ShaleToken.KIND_TOKEN || kind > lastKind || !header.isBucket(token) || none)) {
            throw new IllegalArgumentException(
                INPUTS[word] + " is none that can be sent: " + INPUTS[word] + "=" + token);
        }
        return token;
    }

    private void decode(final MemorySegment out, final long outAt) {
        Words.set(out, outAt, 0, header.check(bytes, 0).ordinal());
        final long head = header.head(bytes, 0);
        final long tail = header.tail(bytes, 0);
        Words.set(out, outAt, SOURCE, header.source(head));
        Words.set(out, outAt, DESTINATION, header.destination(head));
        Words.set(out, outAt, SPRAYS, header.sprays(head));
        Words.set(out, outAt, SEQUENCE, header.sequence(head, tail));
        Words.set(out, outAt, TOKEN1, header.token1(tail));
        Words.set(out, outAt, TOKEN2, header.token2(tail));
    }
}
