package dev.skerry.tools.score;

import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;

import java.util.HexFormat;
import java.util.List;

/** What a line of a trace says of its cell, as the bits of the device's own header, in hex. One thread. */
final class HeaderColumn extends CellColumns {
    private final HeaderDescription header;
    private final int column;
    private final int reportField;
    private int report;
    private List<String> faults = List.of();

    HeaderColumn(final TraceLines lines, final HeaderDescription header, final String column) {
        super(lines);
        this.header = header;
        this.column = lines.column(column);
        this.reportField = header.indexOf("feedback");
    }

    /** A field without digits is nothing, too. */
    @Override
    DescribedCell read() {
        final String text = lines.text(column);
        faults = List.of();
        report = 0;
        if (text.isEmpty()) {
            return DescribedCell.NOTHING;
        }
        if (text.length() != 2 * header.bytes()) {
            throw lines.refuse(lines.columns().get(column) + " has " + text.length() + " digits",
                "header " + header.name() + " has " + 2 * header.bytes() + " of them");
        }
        final byte[] bytes;
        try {
            bytes = HexFormat.of().parseHex(text);
        } catch (final IllegalArgumentException e) {
            throw lines.refuse(lines.columns().get(column) + " is no hex number", "write digits 0-9 and a-f");
        }
        final long[] values = header.unpack(bytes);
        final DescribedCell cell = header.cell(values);
        report = reportField < 0 ? 0 : (int) Math.min(values[reportField], MOST_REPORT);
        faults = cell.equals(DescribedCell.NOTHING) ? faults : header.faults(bytes, null);
        return cell;
    }

    @Override
    int report() {
        return report;
    }

    @Override
    List<String> faults() {
        return faults;
    }
}
