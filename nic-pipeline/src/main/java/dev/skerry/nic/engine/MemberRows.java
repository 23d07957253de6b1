package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.PlaceMessages;
import dev.skerry.nic.fabric.SlotNotes;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Schedule;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The rows of the link that cross between members. What this member's nodes sent to nodes of another is packed and sent
 * to it; what comes from another is put on the link of this process, as if that one's banks were here. One thread.
 */
final class MemberRows implements MemberMail.Rows {
    /** Nodes that are read together. */
    private static final int BLOCK = 256;

    private final MemberMail mail;
    private final int self;
    private final Assembly assembly;
    private final InFlightCells link;
    /** What travels beside the cells; null if nothing. */
    private final PlaceMessages beside;
    /** What all members must know within a slot; null if nothing. Then a batch is of one slot. */
    private final SlotNotes notes;
    private final Schedule schedule;
    private final FlowSet flows;
    private final int nodes;
    private final int channels;
    /** By member: its nodes. */
    private final NodeRange[] ranges;
    /** By node: its member. */
    private final short[] memberOf;
    /** By member, then by row of the link: whether anything of its nodes stands there. */
    private final boolean[][] filled;
    /** The batch that is taken in. */
    private MemorySegment received;
    private final long[] route = new long[BLOCK];
    private final long[] cell = new long[BLOCK];
    private final long[] feedback = new long[BLOCK];

    MemberRows(final RowExchange exchange, final Assembly assembly, final CircuitFabric fabric, final FlowSet flows) {
        this.flows = flows;
        this.mail = new MemberMail(exchange, this);
        this.self = exchange.member();
        this.assembly = assembly;
        this.link = assembly.link();
        this.beside = assembly.maker().messages();
        this.notes = assembly.maker().notes();
        this.schedule = fabric.schedule();
        this.nodes = fabric.nodes();
        this.channels = fabric.channels();
        final int members = exchange.members();
        this.ranges = IntStream.range(0, members).mapToObj(member -> NodeRange.share(nodes, member, members))
            .toArray(NodeRange[]::new);
        this.memberOf = new short[nodes];
        for (int member = 0; member < members; member++) {
            Arrays.fill(memberOf, ranges[member].first(), ranges[member].end(), (short) member);
        }
        this.filled = new boolean[members][link.window()];
    }

    /** What carries them. */
    MemberMail mail() {
        return mail;
    }

    /** The link may hold anything. */
    void begin() {
        for (final boolean[] rows : filled) {
            Arrays.fill(rows, true);
        }
    }

    @Override
    public void pack(final long from, final long end) {
        final NodeRange own = ranges[self];
        for (long slot = from; slot < end; slot++) {
            final int inEpoch = schedule.slotInEpoch(slot);
            final long back = end - slot << RowBatch.BACK_SHIFT;
            for (int channel = 0; channel < channels; channel++) {
                for (int first = own.first(); first < own.end(); first += BLOCK) {
                    pack(slot, inEpoch, back, channel, first, Math.min(BLOCK, own.end() - first));
                }
            }
            if (notes != null) {
                notes.show(slot, this::tell);
            }
        }
    }

    private void tell(final int note) {
        for (int member = 0; member < ranges.length; member++) {
            if (member != self) {
                mail.to(member).tail(note);
            }
        }
    }

    private void pack(final long slot, final int inEpoch, final long back, final int channel, final int first,
        final int count) {
        final int firstPlace = channel * nodes + first;
        final long firstAt = link.offset(slot) + Region.offset(firstPlace, InFlightCells.PLACE_BYTES);
        link.read(firstAt, 0, count, route, cell, feedback);
        for (int i = 0; i < count; i++) {
            final long at = firstAt + Region.offset(i, InFlightCells.PLACE_BYTES);
            final long word = beside == null ? PlaceMessages.NONE : beside.word(at);
            if ((route[i] & feedback[i] & word) == InFlightCells.NO_CELL) {
                continue;
            }
            final int receiver = schedule.peerAt(first + i, channel, inEpoch);
            final RowBatch to = receiver == Schedule.IDLE ? null : mail.to(memberOf[receiver]);
            if (to != null) {
                final MemorySegment message = route[i] == InFlightCells.CONTROL
                    ? assembly.bank(0).message(at) : null;
                to.add(back | (long) receiver << RowBatch.PLACE_BITS | firstPlace + i, route[i], cell[i], feedback[i],
                    message);
                if (word != PlaceMessages.NONE) {
                    to.addBeside(word, beside.cell(at));
                }
            }
        }
    }

    @Override
    public void take(final int member, final MemorySegment bytes, final long from, final long came) {
        received = bytes;
        final NodeRange of = ranges[member];
        // A member that rested has sent nothing in the slots left out.
        for (long slot = Math.max(from, came - link.window()); slot < came; slot++) {
            leaveIdle(member, of, slot);
        }
        final long most = Math.min(came - from, Math.min(link.window(), RowBatch.MOST_SLOTS - 1));
        final long places = RowBatch.number(Region.over(bytes), RowBatch.PLACES);
        long at = RowBatch.HEADER_BYTES;
        for (long place = 0; place < places; place++) {
            at = put(member, at, came, most);
        }
        for (; at < bytes.byteSize(); at += Long.BYTES) {
            final int note = (int) word(at);
            require(notes != null && (note < 0 ? ~note : note) < nodes, "note", note);
            notes.add(came - 1, note);
        }
    }

    /** The word at an offset of the batch received; throws if the batch ends before it. */
    private long word(final long at) {
        return received.get(ValueLayout.JAVA_LONG, at);
    }

    private static void require(final boolean condition, final String what, final long value) {
        if (!condition) {
            throw new IllegalArgumentException(what + "=" + value);
        }
    }

    private void leaveIdle(final int member, final NodeRange of, final long slot) {
        final int row = (int) (slot % link.window());
        if (!filled[member][row]) {
            return;
        }
        filled[member][row] = false;
        for (int channel = 0; channel < channels; channel++) {
            final long at = link.offset(slot)
                + Region.offset(channel * nodes + of.first(), InFlightCells.PLACE_BYTES);
            link.leaveIdle(at, of.size(), InFlightCells.NO_FEEDBACK);
            if (beside != null) {
                beside.clear(at, of.size());
            }
        }
    }

    /**
     * Puts what stands at an offset of a batch on the link. All indices are checked before: another process sent them.
     *
     * @param most slots that the batch may be about.
     * @return the offset behind it.
     */
    private long put(final int member, final long from, final long came, final long most) {
        final long head = word(from);
        final long back = head >>> RowBatch.BACK_SHIFT & RowBatch.BACK_MASK;
        final int place = (int) head & RowBatch.PLACE_MASK;
        final int receiver = (int) (head >>> RowBatch.PLACE_BITS) & RowBatch.RECEIVER_MASK;
        require(back >= 1 && back <= most && place < channels * nodes && memberOf[place % nodes] == member
            && receiver < nodes && memberOf[receiver] == self, "place", head);
        final long slot = came - back;
        final long to = link.offset(slot) + Region.offset(place, InFlightCells.PLACE_BYTES);
        long at = from + Long.BYTES;
        long ofRoute = InFlightCells.NO_CELL;
        long ofCell = InFlightCells.NO_CELL;
        long rides = InFlightCells.NO_FEEDBACK;
        if ((head & RowBatch.HAS_ROUTE) != 0) {
            ofRoute = word(at);
            ofCell = word(at + Long.BYTES);
            at += 2 * Long.BYTES;
            require(InFlightCells.isCell(ofRoute) ? assembly.maker().isRoute(slot, ofRoute) && isCell(ofCell)
                : ofRoute >= InFlightCells.CONTROL, "cell", ofRoute);
        }
        if ((head & RowBatch.HAS_FEEDBACK) != 0) {
            rides = word(at);
            at += Long.BYTES;
            require(rides == InFlightCells.NO_FEEDBACK || assembly.maker().isFeedback(slot, rides), "feedback",
                rides);
        }
        MemorySegment message = null;
        if ((head & RowBatch.HAS_MESSAGE) != 0) {
            message = assembly.bank(0).message(to);
            require(message != null && message.byteSize() <= received.byteSize() - at, "message", head);
            MemorySegment.copy(received, at, message, 0, message.byteSize());
            at += RowBatch.padded(message.byteSize());
        }
        require(ofRoute != InFlightCells.CONTROL || message != null || assembly.bank(0).message(to) == null, "message",
            head);
        link.send(to, ofRoute, ofCell, rides);
        if ((head & RowBatch.HAS_BESIDE) != 0) {
            require(beside != null && beside.isMessage(word(at)) && isCell(word(at + Long.BYTES)), "beside", head);
            beside.send(to, word(at), word(at + Long.BYTES));
            at += 2 * Long.BYTES;
        }
        filled[member][(int) (slot % link.window())] = true;
        assembly.maker().arrived(slot, receiver);
        return at;
    }

    private boolean isCell(final long cell) {
        final int flow = Cell.flow(cell);
        return flow >= 0 && flow < flows.size() && Cell.sequence(cell) >= 0
            && Cell.sequence(cell) < flows.cells(flow);
    }
}
