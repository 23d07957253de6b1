package dev.skerry.tools.cosim;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleLayout;
import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.ShoalHeader;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A cell codec, one cell per step. The header (for Shoal, the whole cell) consists of words; its first byte is the most
 * significant byte of the first word.
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
abstract sealed class CodecTwin implements Twin {
    private static final int OP = 0;
    /** Index of the sequence number, the same in both codecs. */
    private static final int SEQUENCE = 4;
    /** First word of the header. */
    private static final int HEADER = 7;
    private static final int ENCODE = 0;
    private static final int DECODE = 1;
    private static final int RELAY = 2;
    private static final ValueLayout.OfLong BIG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    /** The header that is encoded or decoded. */
    final MemorySegment bytes;
    private final int words;
    private final long lastWord;
    private final Names names;

    /**
     * Creates a codec.
     *
     * @param words    number of words of the header.
     * @param lastWord mask of the bits of the last word that belong to the header.
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

    /** Converts the header into that of the next hop. */
    abstract void relay(MemorySegment in, long inAt);

    /** Decodes the header into the fault and the fields. */
    abstract void decode(MemorySegment out, long outAt);

    /**
     * Draws operations on headers: encode, decode, decode of a damaged or foreign header, relay. A foreign header is
     * one that only the largest fabric accepts.
     */
    private abstract static class CodecStimulus extends Stimulus {
        private static final int DAMAGED_BITS = 3;
        private final int sequenceBits;

        CodecStimulus(final int sequenceBits, final Map<String, Integer> weights, final String... cases) {
            super(new Weights("encode=3", "valid=3", "foreign=1", "damaged=2", "noise=1", "relay=2").with(weights),
                cases);
            this.sequenceBits = sequenceBits;
        }

        @Override
        final void draw(final SplittableRandom random, final long[] row) {
            final String choice = weights.draw(random);
            row[OP] = choice.equals("encode") ? ENCODE : choice.equals("relay") ? RELAY : DECODE;
            fields(random, row);
            if (row[OP] != ENCODE && !choice.equals("noise")) {
                write(random, row, choice.equals("foreign"));
            }
            for (int bit = choice.equals("damaged") ? random.nextInt(DAMAGED_BITS) : -1; bit >= 0; bit--) {
                damage(random, row);
            }
        }

        final int sequence(final SplittableRandom random) {
            return random.nextInt(8) == 0 ? (1 << sequenceBits) - 1 : random.nextInt(1 << sequenceBits);
        }

        /** Draws the fields, and words of the header that nothing else writes. */
        abstract void fields(SplittableRandom random, long[] row);

        /** Draws a header to decode or relay. */
        abstract void write(SplittableRandom random, long[] row, boolean foreign);

        /** Changes a bit of the header. */
        abstract void damage(SplittableRandom random, long[] row);

        @Override
        void covered(final long[] row, final long[] answer) {
            final boolean decode = row[OP] == DECODE;
            coverage.count("wrap", row[OP] == ENCODE && row[SEQUENCE] == (1 << sequenceBits) - 1);
            coverage.count("valid", decode && answer[0] == HeaderFault.NONE.ordinal());
            coverage.count("damaged", decode && answer[0] == HeaderFault.CRC.ordinal());
            coverage.count("other fault", decode && answer[0] > HeaderFault.CRC.ordinal());
        }
    }

    /**
     * Shale's header codec. A header is two words; one of 12 bytes leaves the lower half of the second word 0. Tokens
     * are ints as in {@link ShaleToken}.
     *
     * <pre>
     *   in    op | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
     *   out   fault | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
     *     op 2 relay:  header with new sprays and tokens to the header of the next hop
     * </pre>
     */
    static final class ShaleTwin extends CodecTwin {
        private static final int SOURCE = 1;
        private static final int DESTINATION = 2;
        private static final int SPRAYS = 3;
        private static final int TOKEN1 = 5;
        private static final int TOKEN2 = 6;
        private static final int HEADER_WORDS = 2;

        private final ShaleHeader header;

        ShaleTwin(final ShaleHeader header, final Arena arena) {
            super(arena, HEADER_WORDS, header.layout().headerBytes() == HEADER_WORDS * Long.BYTES ? -1
                : -1L << Integer.SIZE, "header", "source", "destination", "sprays", "sequence", "token1", "token2");
            this.header = header;
        }

        @Override
        public Stimulus stimulus(final Map<String, Integer> weights) {
            return new ShaleStimulus(header, weights);
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
            final long head = header.head(bytes, 0);
            final long tail = header.tail(bytes, 0);
            Words.set(out, outAt, 0, header.check(bytes, 0).ordinal(), header.source(head), header.destination(head),
                header.sprays(head), header.sequence(head, tail), header.token1(tail), header.token2(tail));
        }

        /** Draws Shale's headers. */
        private static final class ShaleStimulus extends CodecStimulus {
            private final ShaleHeader header;
            /**
             * Header of the largest fabric of this layout. It encodes values that are invalid in the model's fabric.
             */
            private final ShaleHeader largest;
            private final MemorySegment bytes = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, HEADER_WORDS);

            ShaleStimulus(final ShaleHeader header, final Map<String, Integer> weights) {
                super(header.layout().sequenceBits(), weights, "empty", "full", "wrap", "dummy", "valid", "damaged",
                    "other fault");
                this.header = header;
                final ShaleLayout layout = header.layout();
                this.largest = new ShaleHeader(layout, layout.maxNodes(), layout.maxPhases(), layout.hasKinds());
            }

            @Override
            void fields(final SplittableRandom random, final long[] row) {
                row[SOURCE] = random.nextInt(header.nodes());
                row[DESTINATION] = random.nextInt(3) == 0 ? row[SOURCE] : random.nextInt(header.nodes());
                row[SPRAYS] = random.nextInt(header.phases());
                row[SEQUENCE] = sequence(random);
                row[TOKEN1] = token(random, header);
                row[TOKEN2] = token(random, header);
                row[HEADER] = random.nextLong();
                row[HEADER + 1] = random.nextLong() & (header.layout().headerBytes() < HEADER_WORDS * Long.BYTES
                    ? -1L << Integer.SIZE : -1);
            }

            @Override
            void write(final SplittableRandom random, final long[] row, final boolean foreign) {
                final ShaleHeader writer = foreign ? largest : header;
                writer.encode(bytes, 0, random.nextInt(writer.nodes()), random.nextInt(writer.nodes()),
                    random.nextInt(writer.phases()), random.nextInt(), token(random, writer), token(random, writer));
                row[HEADER] = bytes.getAtIndex(BIG, 0);
                row[HEADER + 1] = bytes.getAtIndex(BIG, 1);
            }

            @Override
            void damage(final SplittableRandom random, final long[] row) {
                final int at = random.nextInt(header.layout().headerBytes() * Byte.SIZE);
                row[HEADER + at / Long.SIZE] ^= 1L << Long.SIZE - 1 - at % Long.SIZE;
            }

            private static int token(final SplittableRandom random, final ShaleHeader of) {
                if (random.nextInt(3) == 0) {
                    return ShaleToken.NONE;
                }
                final int kinds = of.failureCapable() ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN;
                // Excludes the last node. Without kinds, its last bucket has the bits of "none".
                return ShaleToken.of(1 + random.nextInt(kinds), random.nextInt(of.nodes() - 1),
                    random.nextInt(of.phases()));
            }

            @Override
            void covered(final long[] row, final long[] answer) {
                super.covered(row, answer);
                coverage.count("empty", row[TOKEN1] == 0 && row[TOKEN2] == 0);
                coverage.count("full", row[TOKEN1] != 0 && row[TOKEN2] != 0);
                coverage.count("dummy", row[OP] == ENCODE && row[SOURCE] == row[DESTINATION]);
            }
        }
    }

    /**
     * Shoal's cell codec. A cell is eight words.
     *
     * <pre>
     *   in    op | destination | source | class | sequence | feedback | flags | 8 words of the cell
     *   out   fault | destination | source | class | sequence | feedback | flags | 8 words of the cell
     *     op 0 encode: fields and payload, words 1 to 7, to cell; with source as destination it is a dummy,
     *                  or with sop a control cell
     *     op 2 relay:  cell with the feedback and the lcd of the flags to the cell of the next hop
     * </pre>
     */
    static final class ShoalTwin extends CodecTwin {
        private static final int DESTINATION = 1;
        private static final int SOURCE = 2;
        private static final int CLASS = 3;
        private static final int FEEDBACK = 5;
        private static final int FLAGS = 6;
        private static final int CELL_WORDS = 8;

        private final ShoalHeader header;

        ShoalTwin(final int nodes, final int classes, final Arena arena) {
            super(arena, CELL_WORDS, -1, "cell", "destination", "source", "class", "sequence", "feedback", "flags");
            header = new ShoalHeader(nodes, classes, CellFormat.SHOAL);
        }

        @Override
        public Stimulus stimulus(final Map<String, Integer> weights) {
            return new ShoalStimulus(header, weights);
        }

        @Override
        void relay(final MemorySegment in, final long inAt) {
            header.rewrite(bytes, 0, Words.intOf(in, inAt, FEEDBACK, "feedback", 0, header.maxFeedback()),
                Words.intOf(in, inAt, FLAGS, "flags", 0, ShoalHeader.LCD));
        }

        @Override
        void encode(final MemorySegment in, final long inAt) {
            final int last = header.nodes() - 1;
            final int destination = Words.intOf(in, inAt, DESTINATION, "destination", 0, last);
            final int source = Words.intOf(in, inAt, SOURCE, "source", 0, last);
            final int feedback = Words.intOf(in, inAt, FEEDBACK, "feedback", 0, header.maxFeedback());
            final int flags = Words.intOf(in, inAt, FLAGS, "flags", 0,
                ShoalHeader.SOP | ShoalHeader.EOP | ShoalHeader.LCD);
            if (destination != source) {
                header.encode(bytes, 0, source, destination,
                    Words.intOf(in, inAt, CLASS, "class", 0, header.classes() - 1), Words.get(in, inAt, SEQUENCE),
                    feedback, flags);
            } else if ((flags & ShoalHeader.SOP) == 0) {
                header.encodeDummy(bytes, 0, source, feedback, flags & ShoalHeader.LCD);
            } else {
                header.encodeControl(bytes, 0, source, feedback, flags & ShoalHeader.LCD);
            }
        }

        @Override
        void decode(final MemorySegment out, final long outAt) {
            final long bits = ShoalHeader.read(bytes, 0);
            Words.set(out, outAt, 0, header.check(bytes, 0).ordinal(), ShoalHeader.destination(bits),
                ShoalHeader.source(bits), header.trafficClass(bits), header.sequence(bits), header.feedback(bits),
                ShoalHeader.flags(bits));
        }

        /** Draws Shoal's cells. Payloads are empty or random with equal probability. */
        private static final class ShoalStimulus extends CodecStimulus {
            private final ShoalHeader header;
            /** Header of the largest fabric. It encodes values that are invalid in the model's fabric. */
            private final ShoalHeader anyNode;
            private final MemorySegment cell = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, CELL_WORDS);

            ShoalStimulus(final ShoalHeader header, final Map<String, Integer> weights) {
                super(header.sequenceBits(), weights, "empty", "full", "wrap", "dummy", "control", "valid", "damaged",
                    "other fault");
                this.header = header;
                this.anyNode = new ShoalHeader(ShoalHeader.MAX_NODES, ShoalHeader.MAX_CLASSES, CellFormat.SHOAL);
            }

            @Override
            void fields(final SplittableRandom random, final long[] row) {
                final boolean quiet = random.nextInt(4) == 0;
                for (int word = 0; word < CELL_WORDS; word++) {
                    row[HEADER + word] = quiet ? 0 : random.nextInt(8) == 0 ? -1 : random.nextLong();
                }
                row[DESTINATION] = random.nextInt(header.nodes());
                row[SOURCE] = random.nextInt(3) == 0 ? row[DESTINATION] : random.nextInt(header.nodes());
                row[CLASS] = random.nextInt(header.classes());
                row[SEQUENCE] = sequence(random);
                row[FEEDBACK] = random.nextInt(header.maxFeedback() + 1);
                row[FLAGS] = row[OP] == RELAY ? random.nextInt(2) : random.nextInt(8);
            }

            @Override
            void write(final SplittableRandom random, final long[] row, final boolean foreign) {
                final ShoalHeader writer = foreign ? anyNode : header;
                final int destination = random.nextInt(writer.nodes());
                final int source = random.nextInt(4) == 0 ? destination : random.nextInt(writer.nodes());
                final int feedback = random.nextInt(writer.maxFeedback() + 1);
                for (int word = 1; word < CELL_WORDS; word++) {
                    cell.setAtIndex(BIG, word, row[HEADER + word]);
                }
                if (destination != source) {
                    writer.encode(cell, 0, source, destination, random.nextInt(writer.classes()), random.nextInt(),
                        feedback, random.nextInt(8));
                } else if (random.nextBoolean()) {
                    writer.encodeDummy(cell, 0, source, feedback, random.nextInt(2));
                } else {
                    writer.encodeControl(cell, 0, source, feedback, random.nextInt(2));
                }
                row[HEADER] = cell.getAtIndex(BIG, 0);
            }

            @Override
            void damage(final SplittableRandom random, final long[] row) {
                row[HEADER + random.nextInt(CELL_WORDS)] ^= 1L << random.nextInt(Long.SIZE);
            }

            @Override
            void covered(final long[] row, final long[] answer) {
                super.covered(row, answer);
                final boolean ownSource = row[OP] == ENCODE && row[SOURCE] == row[DESTINATION];
                final boolean start = (row[FLAGS] & ShoalHeader.SOP) != 0;
                coverage.count("empty", row[HEADER + 1] == 0 && row[HEADER + CELL_WORDS - 1] == 0);
                coverage.count("full", row[HEADER + 1] == -1 || row[HEADER + CELL_WORDS - 1] == -1);
                coverage.count("dummy", ownSource && !start);
                coverage.count("control", ownSource && start);
            }
        }
    }
}
