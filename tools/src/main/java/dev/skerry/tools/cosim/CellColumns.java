package dev.skerry.tools.cosim;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.SlotState;
import dev.skerry.nic.shale.Route;

import java.util.List;

/** What a line of a trace says of its cell, a column for each number. One thread. */
class CellColumns {
    static final int MOST_ID = (1 << 20) - 1;
    private static final int DUMMY = 1;
    private static final int NOTHING = 2;

    final TraceLines lines;
    private final int[] cell;
    private final int[] token;
    private final int dummy;
    /** Columns that need not be there, -1 if they are not. */
    private final int peer;
    private final int phase;

    /** Columns of the first line, which must all be there unless the cell stands in one that a subclass reads. */
    CellColumns(final TraceLines lines, final boolean apart) {
        this.lines = lines;
        this.cell = apart ? columns("src", "dst", "seq", "sprays") : null;
        this.token = apart ? columns("tok1_dst", "tok1_n", "tok2_dst", "tok2_n") : null;
        this.dummy = apart ? lines.column("dummy") : -1;
        this.peer = lines.columns().indexOf("dst_mac");
        this.phase = lines.columns().indexOf("phase");
    }

    private int[] columns(final String... names) {
        final int[] columns = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            columns[i] = lines.column(names[i]);
        }
        return columns;
    }

    /** Reads the line. */
    DescribedCell read() {
        final int state = lines.number(dummy, 0, NOTHING);
        return state == NOTHING ? DescribedCell.NOTHING : new DescribedCell(
            state == DUMMY ? SlotState.DUMMY : SlotState.CELL,
            lines.number(cell[0], 0, MOST_ID), lines.number(cell[1], 0, MOST_ID),
            lines.number(cell[2], 0, Integer.MAX_VALUE), lines.number(cell[3], 0, Route.MAX_SPRAYS),
            phase < 0 ? DescribedCell.UNKNOWN : lines.number(phase, 0, Route.MAX_SPRAYS), DescribedCell.UNKNOWN,
            peer < 0 ? DescribedCell.UNKNOWN : lines.number(peer, 0, MOST_ID), token(0), token(2));
    }

    private int token(final int first) {
        final int destination = lines.number(token[first], -1, MOST_ID);
        final int sprays = lines.number(token[first + 1], -1, Route.MAX_SPRAYS);
        return destination < 0 || sprays < 0 ? ShaleToken.NONE : ShaleToken.of(destination, sprays);
    }

    /** What is wrong with the line that {@link #read} read last, beside what it says; none if all is well. */
    List<String> faults() {
        return List.of();
    }
}
