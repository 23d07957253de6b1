package dev.skerry.tools.run.shoal;

import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.spi.LinkWords;

import java.util.List;
import java.util.Set;

/** Layout of the words of Shoal: the channel, and the report of a cell (docs/spec/shoal.md §3.1). */
public record ShoalWords() implements LinkWords {
    private static final int PAYLOAD_BYTES = 56;
    private static final List<Field> FIELDS = List.of(new Field("route", "sent_slot", 32, 32),
        new Field("route", "traffic_class", 26, 2), new Field("route", "source", 16, 10),
        new Field("route", "destination", 0, 16), new Field("cell", "flow", 32, 32),
        new Field("cell", "sequence", 0, 32), new Field("feedback", "dropped", 11, 1),
        new Field("feedback", "report", 0, 11));

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    @Override
    public String columns() {
        return "channel,dst_mac,src,dst,seq,report,dummy";
    }

    @Override
    public String line(final NodeCells cells, final int channel, final int receiver, final String ends) {
        return channel + "," + receiver + "," + ends + "," + report(cells.feedback(channel)) + ","
            + (cells.isCell(channel) ? 0 : 1);
    }

    private static long report(final long feedback) {
        return feedback == InFlightCells.NO_FEEDBACK ? 0 : feedback;
    }

    @Override
    public Set<String> readColumns() {
        return Set.of("report");
    }

    @Override
    public long route(final DescribedCell cell) {
        return ShoalCell.of(cell.source(), cell.destination());
    }

    @Override
    public long feedback(final DescribedCell cell, final int report) {
        return report;
    }

    @Override
    public int payloadBytes() {
        return PAYLOAD_BYTES;
    }

    @Override
    public void complete(final HeaderDescription header, final long[] values, final long route, final long feedback) {
        final long word = report(feedback);
        set(header, values, "feedback", ReportWord.feedback(word));
        set(header, values, "lcd", ReportWord.isDropped(word) ? 1 : 0);
        set(header, values, "sop", route == InFlightCells.CONTROL ? 1 : 0);
        set(header, values, "class", InFlightCells.isCell(route) ? ClassedCell.trafficClass(route) : 0);
    }

    private static void set(final HeaderDescription header, final long[] values, final String field,
        final long value) {
        final int at = header.indexOf(field);
        if (at >= 0) {
            values[at] = value;
        }
    }
}
