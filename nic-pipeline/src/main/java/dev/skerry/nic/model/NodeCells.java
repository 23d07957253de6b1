package dev.skerry.nic.model;

import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The cells that one node sends or receives in one slot, one per channel. Each cell has the three words of {@link
 * InFlightCells}: route, cell (flow and sequence number, see {@code Cell}) and feedback ({@link
 * InFlightCells#NO_FEEDBACK} for none).
 *
 * <p>The route word gives the state of a slot, one of three: a cell ({@code Route} word of Shale, {@code ShoalCell}
 * word of Shoal), a dummy ({@link InFlightCells#NO_CELL}), which carries feedback only, or nothing ({@link
 * InFlightCells#SILENCE}), without feedback. The cell word of the last two has no meaning and is kept as 0.
 *
 * <p>If nodes handle failures, a dummy may carry a message ({@link InFlightCells#CONTROL}). With Shale a message is a
 * probe, in the cell word; with Shoal it has {@link #message separate words}. A cell that arrives damaged ({@link
 * InFlightCells#DAMAGED}) has only feedback, which may be wrong; with Shale it counts as nothing. Not thread-safe.
 */
public final class NodeCells {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final long[] route;
    private final long[] cell;
    private final long[] feedback;
    /** Words of the message by channel; null if there is none. */
    private final long[][] message;

    /**
     * Creates dummies without feedback.
     *
     * @param channels cells per slot, at least 1.
     */
    public NodeCells(final int channels) {
        Bounds.atLeast("channels", channels, 1);
        this.route = new long[channels];
        this.cell = new long[channels];
        this.feedback = new long[channels];
        this.message = new long[channels][];
        clear();
    }

    /** Cells per slot. */
    public int channels() {
        return route.length;
    }

    /** Makes all slots dummies without feedback. */
    public void clear() {
        Arrays.fill(route, InFlightCells.NO_CELL);
        Arrays.fill(cell, 0);
        Arrays.fill(feedback, InFlightCells.NO_FEEDBACK);
        Arrays.fill(message, null);
    }

    /** Sets the words of a channel and removes its message. Words that do not apply to this state are ignored. */
    public void set(final int channel, final long routeWord, final long cellWord, final long feedbackWord) {
        route[channel] = routeWord;
        cell[channel] = InFlightCells.isCell(routeWord) || routeWord == InFlightCells.CONTROL ? cellWord : 0;
        message[channel] = null;
        feedback[channel] = routeWord == InFlightCells.SILENCE ? InFlightCells.NO_FEEDBACK : feedbackWord;
    }

    /**
     * Sets a dummy with a message of Shoal.
     *
     * @param words bytes of the message, in big-endian order; stored unchanged.
     */
    public void setMessage(final int channel, final long feedbackWord, final long... words) {
        set(channel, InFlightCells.CONTROL, 0, feedbackWord);
        message[channel] = words.clone();
    }

    /** Makes a slot empty: neither a cell nor a dummy. */
    public void setNothing(final int channel) {
        set(channel, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
    }

    /** Returns the state of the slot of a channel. */
    public SlotState state(final int channel) {
        return InFlightCells.isCell(route[channel]) ? SlotState.CELL
            : route[channel] == InFlightCells.SILENCE ? SlotState.NOTHING : SlotState.DUMMY;
    }

    /** Whether a channel holds a cell of a flow. */
    public boolean isCell(final int channel) {
        return InFlightCells.isCell(route[channel]);
    }

    /** Copies all cells of another object with the same number of channels. */
    public void set(final NodeCells other) {
        for (int channel = 0; channel < route.length; channel++) {
            copy(channel, other, channel);
        }
    }

    /** Copies a channel of another object. */
    void copy(final int to, final NodeCells other, final int channel) {
        set(to, other.route[channel], other.cell[channel], other.feedback[channel]);
        message[to] = other.message[channel];
    }

    /** Returns the route word, {@link InFlightCells#NO_CELL} or {@link InFlightCells#SILENCE}. */
    public long route(final int channel) {
        return route[channel];
    }

    /** Returns the cell word, 0 if there is no cell. */
    public long cell(final int channel) {
        return cell[channel];
    }

    /** Returns the feedback word, or {@link InFlightCells#NO_FEEDBACK}. */
    public long feedback(final int channel) {
        return feedback[channel];
    }

    /** Returns the words of a message of Shoal, null if there is none. */
    public long[] message(final int channel) {
        return message[channel] == null ? null : message[channel].clone();
    }

    /** Copies the words at an offset of a link and the message there, which is null if the cell word holds messages. */
    void read(final int channel, final InFlightCells link, final long at, final MemorySegment of) {
        set(channel, link.route(at), link.cell(at), link.feedback(at));
        if (of != null && link.route(at) == InFlightCells.CONTROL) {
            cell[channel] = 0;
            message[channel] = of.toArray(WORD);
        }
    }

    /**
     * Writes a channel to an offset of a link, and its message to a segment, which is null if the cell word holds
     * messages.
     */
    void write(final int channel, final InFlightCells link, final long at, final MemorySegment to) {
        link.send(at, route[channel], cell[channel], feedback[channel]);
        if (to != null && route[channel] == InFlightCells.CONTROL) {
            final long[] words = message[channel] == null ? new long[0] : message[channel];
            to.fill((byte) 0);
            MemorySegment.copy(words, 0, to, WORD, 0, (int) Math.min(words.length, to.byteSize() / Long.BYTES));
        }
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof final NodeCells cells && Arrays.equals(route, cells.route)
            && Arrays.equals(cell, cells.cell) && Arrays.equals(feedback, cells.feedback)
            && Arrays.deepEquals(message, cells.message);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(route) + 31 * (Arrays.hashCode(cell) + 31 * Arrays.hashCode(feedback));
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        for (int channel = 0; channel < route.length; channel++) {
            text.append(channel == 0 ? "" : " ").append(String.format("%016x:%016x:%016x", route[channel],
                cell[channel], feedback[channel]));
            if (message[channel] != null) {
                text.append(':');
                Arrays.stream(message[channel]).forEach(word -> text.append(String.format("%016x", word)));
            }
        }
        return text.toString();
    }
}
