package dev.skerry.tools.score;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.InputException;

import java.io.Closeable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The cells of a recorded fabric, one per line, slot by slot. Lines of a slot may be mixed with those of the next one.
 * The last slot is omitted, because the recording may end within it. Not thread-safe.
 */
final class CellTrace implements Closeable {
    private static final String WHAT = "trace";
    /** Maximum number of slots by which a line may precede lines of earlier slots. */
    private static final int SKEW = 2;
    private static final int MOST_SILENCE = 1 << 20;

    private final TraceLines lines;
    private final LinkWords words;
    private final int nodes;
    private final int channels;
    private final int kind;
    private final int slot;
    private final int node;
    /** Optional columns, -1 if absent. */
    private final int channel;
    private final int payload;
    private final CellColumns columns;
    /** Slots for which lines were read, by number; slots between them are empty. */
    private final Map<Long, TraceSlot> pending = new HashMap<>();
    private long turn;
    private long newest;
    private boolean ended;

    /**
     * Creates a trace before its first slot.
     *
     * @param words  fields of the words on the fabric's links.
     * @param header header that contains the cells, in the named column; null if each number of a cell has its own
     *               column.
     */
    CellTrace(final TraceLines lines, final LinkWords words, final int nodes, final int channels,
        final HeaderDescription header, final String column) {
        this.lines = lines;
        this.words = words;
        this.nodes = nodes;
        this.channels = channels;
        this.kind = lines.column("kind");
        this.slot = lines.column("slot");
        this.node = lines.column("node");
        this.channel = channels == 1 ? lines.columns().indexOf("channel") : lines.column("channel");
        this.payload = lines.columns().indexOf("payload");
        this.columns = header == null ? new CellColumns(lines, words.readColumns())
            : new CellColumns.HeaderColumn(lines, header, column);
    }

    /** Returns the next slot, null at the end. */
    TraceSlot next() {
        while (!ended && newest - turn < SKEW) {
            ended = !lines.next();
            if (!ended) {
                read();
            }
        }
        if (newest <= turn) {
            return null;
        }
        final TraceSlot next = pending.remove(turn);
        turn++;
        return next == null ? new TraceSlot(turn - 1, nodes, channels) : next;
    }

    private void read() {
        final int at = lines.number(slot, 0, Integer.MAX_VALUE);
        if (at < turn || at > turn + MOST_SILENCE) {
            throw lines.refuse("slot " + at + " comes after slot " + newest,
                "give the lines in the order of their slots, from slot 0 on");
        }
        newest = Math.max(newest, at);
        final TraceSlot of = pending.computeIfAbsent((long) at, number -> new TraceSlot(number, nodes, channels));
        final int id = lines.number(node, 0, nodes - 1);
        final int by = channel < 0 ? 0 : lines.number(channel, 0, channels - 1);
        switch (lines.text(kind)) {
            case "T" -> readSent(of, id, by);
            case "R" -> {
                put(columns.read(), of.received[id], by);
                of.payloadReceived[of.at(id, by)] = payload();
                of.faults(of.at(id, by), "received", columns.faults());
            }
            default -> throw lines.refuse("kind is not T or R", "write T for a cell sent, R for one received");
        }
    }

    private void readSent(final TraceSlot of, final int id, final int by) {
        final DescribedCell cell = columns.read();
        if (cell.state() == SlotState.NOTHING) {
            return;
        }
        final int at = of.at(id, by);
        if (of.sent[id].state(by) != SlotState.NOTHING) {
            of.second[at] = "a second cell in the slot";
            return;
        }
        of.load[at] = put(cell, of.sent[id], by);
        of.said[at] = cell;
        of.payloadSent[at] = payload();
        of.faults(at, "sent", columns.faults());
        if (cell.sourceMac() != DescribedCell.UNKNOWN && cell.sourceMac() != id) {
            of.faults(at, "sent", List.of("source-mac " + cell.sourceMac() + " instead of " + id));
        }
    }

    /** Returns the payload of the line, or a digest of it; null if it is unknown. */
    private Long payload() {
        final String text = payload < 0 ? "" : lines.text(payload);
        try {
            return text.isEmpty() ? null : Long.valueOf(Long.parseUnsignedLong(text, 16));
        } catch (NumberFormatException _) {
            throw lines.refuse("payload is " + InputException.quoted(text), "give up to 16 hex digits or nothing");
        }
    }

    /**
     * Writes the words of the cell or dummy that was read last to an empty channel.
     *
     * @return unexpected content of a dummy; null if there is none.
     */
    private String put(final DescribedCell cell, final NodeCells into, final int by) {
        if (cell.state() == SlotState.NOTHING) {
            return null;
        }
        final int source = cell.source();
        final int destination = cell.destination();
        final long feedback = words.feedback(cell, columns.report());
        if (cell.state() == SlotState.DUMMY) {
            into.set(by, columns.isMessage() ? InFlightCells.CONTROL : InFlightCells.NO_CELL, 0, feedback);
            return source == destination && cell.sequence() == 0 ? null
                : "one with cell " + source + ">" + destination + " seq " + cell.sequence();
        }
        final int flow = source < nodes && destination < nodes ? source * nodes + destination : -1;
        into.set(by, words.route(cell), Cell.of(flow, cell.sequence()), feedback);
        return null;
    }

    @Override
    public void close() {
        lines.close();
    }

    /** Reads the cell of a line, with a column for each number. Not thread-safe. */
    static class CellColumns {
        static final int MOST_ID = (1 << 20) - 1;
        static final int MOST_SPRAYS = 7;
        /** Largest report of Shoal, which has 11 bits, and one more bit that reveals a device with larger counts. */
        static final int MOST_REPORT = (1 << 12) - 1;
        private static final int DUMMY = 1;
        private static final int NOTHING = 2;
        private static final int MESSAGE = 3;

        final TraceLines lines;
        /** Columns of source, destination and sequence number. */
        private final int[] cell;
        /** Columns of destination and sprays of two tokens; empty if there are no tokens. */
        private final int[] token;
        private final int sprays;
        private final int dummy;
        /** Optional columns, -1 if absent. */
        private final int report;
        private final int[] kind;
        private final int peer;
        private final int phase;

        /** @param more names of further required columns; null if a subclass reads the cell from one column. */
        CellColumns(final TraceLines lines, final Set<String> more) {
            final Set<String> there = more == null ? Set.of() : more;
            this.lines = lines;
            this.cell = more == null ? new int[0] : columns("src", "dst", "seq");
            this.token = there.contains("tok1_dst") ? columns("tok1_dst", "tok1_n", "tok2_dst", "tok2_n") : new int[0];
            this.sprays = there.contains("sprays") ? lines.column("sprays") : -1;
            this.dummy = more == null ? -1 : lines.column("dummy");
            this.report = there.contains("report") ? lines.column("report") : -1;
            this.kind = new int[] {lines.columns().indexOf("tok1_kind"), lines.columns().indexOf("tok2_kind")};
            this.peer = lines.columns().indexOf("dst_mac");
            this.phase = lines.columns().indexOf("phase");
        }

        private int[] columns(final String... names) {
            return Arrays.stream(names).mapToInt(lines::column).toArray();
        }

        /** Reads the cell of the current line. */
        DescribedCell read() {
            final int state = lines.number(dummy, 0, MESSAGE);
            return state == NOTHING ? DescribedCell.NOTHING : new DescribedCell(
                state == DUMMY || state == MESSAGE ? SlotState.DUMMY : SlotState.CELL,
                lines.number(cell[0], 0, MOST_ID), lines.number(cell[1], 0, MOST_ID),
                lines.number(cell[2], 0, Integer.MAX_VALUE),
                sprays < 0 ? DescribedCell.UNKNOWN : lines.number(sprays, 0, MOST_SPRAYS),
                phase < 0 ? DescribedCell.UNKNOWN : lines.number(phase, 0, MOST_SPRAYS), DescribedCell.UNKNOWN,
                peer < 0 ? DescribedCell.UNKNOWN : lines.number(peer, 0, MOST_ID), token(0), token(2));
        }

        /** Whether the dummy that {@link #read} read last is a message between nodes that handle failures. */
        boolean isMessage() {
            return dummy >= 0 && lines.number(dummy, 0, MESSAGE) == MESSAGE;
        }

        /** Returns the report of Shoal in the line read last; 0 if there is none. */
        int report() {
            return report < 0 ? 0 : lines.number(report, 0, MOST_REPORT);
        }

        private int token(final int first) {
            if (token.length == 0) {
                return ShaleToken.NONE;
            }
            final int destination = lines.number(token[first], -1, MOST_ID);
            final int sprays = lines.number(token[first + 1], -1, MOST_SPRAYS);
            final int of = kind[first / 2];
            return destination < 0 || sprays < 0 ? ShaleToken.NONE : ShaleToken.of(of < 0 ? ShaleToken.KIND_TOKEN
                : lines.number(of, ShaleToken.KIND_TOKEN, ShaleToken.KIND_REVALIDATION), destination, sprays);
        }

        /** Returns what else is wrong with the line that {@link #read} read last; empty if nothing is. */
        List<String> faults() {
            return List.of();
        }

        /** Reads the cell of a line from the bits of the device's own header, in hex. Not thread-safe. */
        static final class HeaderColumn extends CellColumns {
            private final HeaderDescription header;
            private final int column;
            private final int reportField;
            private int report;
            private List<String> faults = List.of();

            HeaderColumn(final TraceLines lines, final HeaderDescription header, final String column) {
                super(lines, null);
                this.header = header;
                this.column = lines.column(column);
                this.reportField = header.indexOf("feedback");
            }

            /** Reads the cell; a value without digits means that nothing was sent. */
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
                    throw lines.refuse(lines.columns().get(column) + " is not a hex number", "write digits 0-9 and "
                        + "a-f");
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
    }

    /** What all nodes sent and received in a slot. Not thread-safe. */
    static final class TraceSlot {
        final long slot;
        final NodeCells[] sent;
        final NodeCells[] received;
        /** Content of the headers sent, by node and then channel ({@link #at}). */
        final DescribedCell[] said;
        /** By node and channel: unexpected content of a dummy, and a second cell in the slot; null if there is none. */
        final String[] load;
        final String[] second;
        /** By node and channel: other faults of headers; null if there are none. */
        final String[] faults;
        /** By node and channel: payload of the cell, or a digest of it; null if it is unknown. */
        final Long[] payloadSent;
        final Long[] payloadReceived;
        private final int channels;

        /** Creates a slot in which nothing is sent. */
        TraceSlot(final long slot, final int nodes, final int channels) {
            this.slot = slot;
            this.channels = channels;
            this.sent = new NodeCells[nodes];
            this.received = new NodeCells[nodes];
            this.said = new DescribedCell[nodes * channels];
            this.load = new String[nodes * channels];
            this.second = new String[nodes * channels];
            this.faults = new String[nodes * channels];
            this.payloadSent = new Long[nodes * channels];
            this.payloadReceived = new Long[nodes * channels];
            Arrays.fill(said, DescribedCell.NOTHING);
            for (int node = 0; node < nodes; node++) {
                sent[node] = new NodeCells(channels);
                received[node] = new NodeCells(channels);
                for (int channel = 0; channel < channels; channel++) {
                    sent[node].setNothing(channel);
                    received[node].setNothing(channel);
                }
            }
        }

        /** Returns the index of a channel of a node. */
        int at(final int node, final int channel) {
            return node * channels + channel;
        }

        /** Adds faults of a header that was sent or received, at index {@link #at}. */
        void faults(final int at, final String how, final List<String> found) {
            if (!found.isEmpty()) {
                faults[at] = (faults[at] == null ? "" : faults[at] + "; ") + how + ": " + String.join(", ", found);
            }
        }

        /** Reports to a follower what is wrong on a channel of a node and not visible in the words. */
        void refuse(final int node, final int channel, final Follower to) {
            final int at = at(node, channel);
            if (second[at] != null) {
                to.refuse(channel, Law.SCHEDULE, "one cell or dummy", second[at]);
            }
            if (faults[at] != null) {
                to.refuse(channel, Law.PAYLOAD, "an intact header", faults[at]);
            }
            if (load[at] != null) {
                to.refuse(channel, Law.PAYLOAD, "a dummy without a cell", load[at]);
            }
        }
    }
}
