package dev.skerry.tools.cosim;

import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleToken;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Shale's header codec. A header is two words; one of 12 bytes leaves the lower half of the second word 0. Tokens are
 * ints as in {@link ShaleToken}.
 *
 * <pre>
 *   in    op | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *   out   fault | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *     op 2 relay:  header with new sprays and tokens to the header of the next hop
 * </pre>
 */
final class ShaleTwin extends CodecTwin {
    static final int SOURCE = 1;
    static final int DESTINATION = 2;
    static final int SPRAYS = 3;
    static final int SEQUENCE = 4;
    static final int TOKEN1 = 5;
    static final int TOKEN2 = 6;
    private static final int HEADER_WORDS = 2;

    private final ShaleHeader header;

    ShaleTwin(final ShaleHeader header, final Arena arena) {
        super(arena, HEADER_WORDS, header.layout().headerBytes() == HEADER_WORDS * Long.BYTES ? -1
            : -1L << Integer.SIZE, "header", "source", "destination", "sprays", "sequence", "token1", "token2");
        this.header = header;
    }

    ShaleHeader header() {
        return header;
    }

    @Override
    void encode(final MemorySegment in, final long inAt) {
        final int last = header.nodes() - 1;
        header.encode(bytes, 0, Words.intOf(in, inAt, SOURCE, "source", 0, last),
            Words.intOf(in, inAt, DESTINATION, "destination", 0, last), sprays(in, inAt),
            Words.get(in, inAt, SEQUENCE), token(in, inAt, TOKEN1), token(in, inAt, TOKEN2));
    }

    @Override
    void relay(final MemorySegment in, final long inAt) {
        header.forward(bytes, 0, sprays(in, inAt), token(in, inAt, TOKEN1), token(in, inAt, TOKEN2));
    }

    private int sprays(final MemorySegment in, final long inAt) {
        return Words.intOf(in, inAt, SPRAYS, "sprays", 0, header.phases() - 1);
    }

    /** Checks a token before it is encoded, because the header only asserts its bounds. */
    private int token(final MemorySegment in, final long inAt, final int word) {
        final int token = Words.intOf(in, inAt, word, names().inputs()[word], 0, Integer.MAX_VALUE);
        final int kind = ShaleToken.kind(token);
        final int lastKind = header.failureCapable() ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN;
        // Without kinds, all ones encode "none". The bucket with these bits cannot be encoded.
        final boolean none = !header.layout().hasKinds()
            && ShaleToken.destination(token) == header.layout().maxNodes() - 1
            && ShaleToken.index(token) == header.layout().maxPhases() - 1;
        if (token != ShaleToken.NONE
            && (kind < ShaleToken.KIND_TOKEN || kind > lastKind || !header.isBucket(token) || none)) {
            final String name = names().inputs()[word];
            throw new IllegalArgumentException(name + " is none that can be sent: " + name + "=" + token);
        }
        return token;
    }

    @Override
    void decode(final MemorySegment out, final long outAt) {
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
