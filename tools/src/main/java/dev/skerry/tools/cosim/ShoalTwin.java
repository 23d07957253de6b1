package dev.skerry.tools.cosim;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalHeader;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

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
final class ShoalTwin extends CodecTwin {
    static final int DESTINATION = 1;
    static final int SOURCE = 2;
    static final int CLASS = 3;
    static final int SEQUENCE = 4;
    static final int FEEDBACK = 5;
    static final int FLAGS = 6;
    static final int CELL_WORDS = 8;

    private final ShoalHeader header;

    ShoalTwin(final int nodes, final int classes, final Arena arena) {
        super(arena, CELL_WORDS, -1, "cell", "destination", "source", "class", "sequence", "feedback", "flags");
        header = new ShoalHeader(nodes, classes, CellFormat.SHOAL);
    }

    ShoalHeader header() {
        return header;
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
        final int flags = Words.intOf(in, inAt, FLAGS, "flags", 0, ShoalHeader.SOP | ShoalHeader.EOP | ShoalHeader.LCD);
        if (destination != source) {
            header.encode(bytes, 0, source, destination,
                Words.intOf(in, inAt, CLASS, "class", 0, header.classes() - 1), Words.get(in, inAt, SEQUENCE), feedback,
                flags);
        } else if ((flags & ShoalHeader.SOP) == 0) {
            header.encodeDummy(bytes, 0, source, feedback, flags & ShoalHeader.LCD);
        } else {
            header.encodeControl(bytes, 0, source, feedback, flags & ShoalHeader.LCD);
        }
    }

    @Override
    void decode(final MemorySegment out, final long outAt) {
        final HeaderFault fault = header.check(bytes, 0);
        final long bits = ShoalHeader.read(bytes, 0);
        Words.set(out, outAt, 0, fault.ordinal());
        Words.set(out, outAt, DESTINATION, ShoalHeader.destination(bits));
        Words.set(out, outAt, SOURCE, ShoalHeader.source(bits));
        Words.set(out, outAt, CLASS, header.trafficClass(bits));
        Words.set(out, outAt, SEQUENCE, header.sequence(bits));
        Words.set(out, outAt, FEEDBACK, header.feedback(bits));
        Words.set(out, outAt, FLAGS, ShoalHeader.flags(bits));
    }
}
