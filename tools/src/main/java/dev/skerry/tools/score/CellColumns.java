package dev.skerry.tools.score;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.SlotState;
import dev.skerry.nic.shale.Route;

import java.util.List;

/** What a line of a trace says of its cell, a column for each number. One thread. */
class CellColumns {
    static final int MOST_ID = (1 << 20) - 1;
    /** A report of Shoal has 11 bits; one more shows a device that counts beyond. */
    static final int MOST_REPORT = (1 << 12) - 1;
    private static final int DUMMY = 1;
    private static final int NOTHING = 2;
    private static final int MESSAGE = 3;

    final TraceLines lines;
    /** Source, destination, sequence number; and sprays, of Shale. */
    private final int[] cell;
    /** Of Shale, none otherwise. */
    private final int[] token;
    private final int dummy;
    /** Columns that need not be there, -1 if they are not. */
    private final int report;
    private final int[] kind;
    private final int peer;
    private final int phase;

    /** The cell stands in a column that a subclass reads. */
    CellColumns(final TraceLines lines) {
        this(lines, new int[0], new int[0], -1, -1);
    }

    private CellColumns(final TraceLines lines, final int[] cell, final int[] token, final int dummy,
        final int report) {
        this.lines = lines;
        this.cell = cell;
        this.token = token;
        this.dummy = dummy;
        this.report = report;
        this.kind = new int[] {lines.columns().indexOf("tok1_kind"), lines.columns().indexOf("tok2_kind")};
        this.peer = lines.columns().indexOf("dst_mac");
        this.phase = lines.columns().indexOf("phase");
    }

    /** Columns of a cell of Shale, which must all be there. */
    static CellColumns ofShale(final TraceLines lines) {
        return new CellColumns(lines, columns(lines, "src", "dst", "seq", "sprays"),
            columns(lines, "tok1_dst", "tok1_n", "tok2_dst", "tok2_n"), lines.column("dummy"), -1);
    }

    /** Columns of a cell of Shoal, which must all be there. */
    static CellColumns ofShoal(final TraceLines lines) {
        return new CellColumns(lines, columns(lines, "src", "dst", "seq"), new int[0], lines.column("dummy"),
            lines.column("report"));
    }

    private static int[] columns(final TraceLines lines, final String... names) {
        final int[] columns = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            columns[i] = lines.column(names[i]);
        }
        return columns;
    }

    /** Reads the line. */
    DescribedCell read() {
        final int state = lines.number(dummy, 0, MESSAGE);
        return state == NOTHING ? DescribedCell.NOTHING : new DescribedCell(
            state == DUMMY || state == MESSAGE ? SlotState.DUMMY : SlotState.CELL,
            lines.number(cell[0], 0, MOST_ID), lines.number(cell[1], 0, MOST_ID),
            lines.number(cell[2], 0, Integer.MAX_VALUE),
            cell.length < 4 ? DescribedCell.UNKNOWN : lines.number(cell[3], 0, Route.MAX_SPRAYS),
            phase < 0 ? DescribedCell.UNKNOWN : lines.number(phase, 0, Route.MAX_SPRAYS), DescribedCell.UNKNOWN,
            peer < 0 ? DescribedCell.UNKNOWN : lines.number(peer, 0, MOST_ID), token(0), token(2));
    }

    /** Whether the dummy that {@link #read} read last is a message between nodes that tell each other of failures. */
    boolean isMessage() {
        return dummy >= 0 && lines.number(dummy, 0, MESSAGE) == MESSAGE;
    }

    /** The report of Shoal in the line read last; 0 if it has none. */
    int report() {
        return report < 0 ? 0 : lines.number(report, 0, MOST_REPORT);
    }

    private int token(final int first) {
        if (token.length == 0) {
            return ShaleToken.NONE;
        }
        final int destination = lines.number(token[first], -1, MOST_ID);
        final int sprays = lines.number(token[first + 1], -1, Route.MAX_SPRAYS);
        final int of = kind[first / 2];
        return destination < 0 || sprays < 0 ? ShaleToken.NONE : ShaleToken.of(of < 0 ? ShaleToken.KIND_TOKEN
            : lines.number(of, ShaleToken.KIND_TOKEN, ShaleToken.KIND_REVALIDATION), destination, sprays);
    }

    /** What is wrong with the line that {@link #read} read last, beside what it says; none if all is well. */
    List<String> faults() {
        return List.of();
    }
}
