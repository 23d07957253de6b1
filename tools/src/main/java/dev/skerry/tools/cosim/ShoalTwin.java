package dev.skerry.tools.cosim;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalHeader;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Shoal's cell codec, one cell per step. A cell is eight words; its first byte is the most significant of the first
 * word.
 *
 * <pre>
 *   in    op | destination | source | class | sequence | feedback | flags | 8 words of the cell
 *   out   fault | destination | source | class | sequence | feedback | flags | 8 words of the cell
 *     op 0 encode: fields and payload, words 1 to 7, to cell; with source as destination it is a dummy,
 *                  or with sop a control cell
 *     op 1 decode: cell to fault, the ordinal of a HeaderFault, and fields
 *     op 2 relay:  cell with the feedback and the lcd of the flags to the cell of the next hop
 *   an op ignores the words it does not use and sets those it does not produce to 0
 * </pre>
 */
final class ShoalTwin implements Twin {
    static final int OP = 0;
    static final int DESTINATION = 1;
    static final int SOURCE = 2;
    static final int CLASS = 3;
    static final int SEQUENCE = 4;
    static final int FEEDBACK = 5;
    static final int FLAGS = 6;
    static final int CELL = 7;
    static final int CELL_WORDS = 8;
    static final int ENCODE = 0;
    static final int DECODE = 1;
    static final int RELAY = 2;

    private static final ValueLayout.OfLong BIG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final String[] INPUTS = {"op", "destination", "source", "class", "sequence", "feedback", "flags",
        "cell0", "cell1", "cell2", "cell3", "cell4", "cell5", "cell6", "cell7"};
    private static final String[] OUTPUTS = {"fault", "destination", "source", "class", "sequence", "feedback", "flags",
        "cell0", "cell1", "cell2", "cell3", "cell4", "cell5", "cell6", "cell7"};

    private final ShoalHeader header;
    private final MemorySegment cell;

    ShoalTwin(final int nodes, final int classes, final Arena arena) {
        header = new ShoalHeader(nodes, classes, CellFormat.SHOAL);
        cell = arena.allocate(ValueLayout.JAVA_LONG, CELL_WORDS);
    }

    ShoalHeader header() {
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
        for (int word = 0; word < CELL_WORDS; word++) {
            cell.setAtIndex(BIG, word, Words.get(in, inAt, CELL + word));
        }
        if (op == ENCODE) {
            encode(in, inAt);
        } else if (op == RELAY) {
            header.rewrite(cell, 0, Words.intOf(in, inAt, FEEDBACK, "feedback", 0, header.maxFeedback()),
                Words.intOf(in, inAt, FLAGS, "flags", 0, ShoalHeader.LCD));
        }
        for (int word = 0; word < OUTPUTS.length; word++) {
            Words.set(out, outAt, word, 0);
        }
        if (op == DECODE) {
            decode(out, outAt);
        } else {
            for (int word = 0; word < CELL_WORDS; word++) {
                Words.set(out, outAt, CELL + word, cell.getAtIndex(BIG, word));
            }
        }
    }

    private void encode(final MemorySegment in, final long inAt) {
        final int last = header.nodes() - 1;
        final int destination = Words.intOf(in, inAt, DESTINATION, "destination", 0, last);
        final int source = Words.intOf(in, inAt, SOURCE, "source", 0, last);
        final int feedback = Words.intOf(in, inAt, FEEDBACK, "feedback", 0, header.maxFeedback());
        final int flags = Words.intOf(in, inAt, FLAGS, "flags", 0, ShoalHeader.SOP | ShoalHeader.EOP | ShoalHeader.LCD);
        if (destination != source) {
            header.encode(cell, 0, source, destination,
                Words.intOf(in, inAt, CLASS, "class", 0, header.classes() - 1), Words.get(in, inAt, SEQUENCE), feedback,
                flags);
        } else if ((flags & ShoalHeader.SOP) == 0) {
            header.encodeDummy(cell, 0, source, feedback, flags & ShoalHeader.LCD);
        } else {
            header.encodeControl(cell, 0, source, feedback, flags & ShoalHeader.LCD);
        }
    }

    private void decode(final MemorySegment out, final long outAt) {
        final HeaderFault fault = header.check(cell, 0);
        final long bits = ShoalHeader.read(cell, 0);
        Words.set(out, outAt, 0, fault.ordinal());
        Words.set(out, outAt, DESTINATION, ShoalHeader.destination(bits));
        Words.set(out, outAt, SOURCE, ShoalHeader.source(bits));
        Words.set(out, outAt, CLASS, header.trafficClass(bits));
        Words.set(out, outAt, SEQUENCE, header.sequence(bits));
        Words.set(out, outAt, FEEDBACK, header.feedback(bits));
        Words.set(out, outAt, FLAGS, ShoalHeader.flags(bits));
    }
}
