package dev.skerry.nic.model;

import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.check.Bounds;
import dev.skerry.dataplane.circuit.InFlightCells;

import java.util.Arrays;

/**
 * The cells that one node sends or receives in one slot, one per channel. Each cell has the three words of
 * {@link InFlightCells}: route, cell (flow and sequence number, see {@code Cell}) and feedback
 * ({@link InFlightCells#NO_FEEDBACK} for none).
 *
 * <p>A slot has one of three states, which its route says: a cell ({@code Route} word of Shale, {@code ShoalCell} word
 * of Shoal), a dummy ({@link InFlightCells#NO_CELL}), which carries feedback only, or nothing ({@link
 * InFlightCells#SILENCE}), without feedback. The cell word of the last two has no meaning and is kept as 0. One thread.
 */
public final class NodeCells {
    private final long[] route;
    private final long[] cell;
    private final long[] feedback;

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
    }

    /** Sets the words of a channel; what a word cannot have in this state is dropped. */
    public void set(final int channel, final long routeWord, final long cellWord, final long feedbackWord) {
        route[channel] = routeWord;
        cell[channel] = InFlightCells.isCell(routeWord) ? cellWord : 0;
        feedback[channel] = routeWord == InFlightCells.SILENCE ? InFlightCells.NO_FEEDBACK : feedbackWord;
    }

    /** Makes a slot empty: neither a cell nor a dummy. */
    public void setNothing(final int channel) {
        set(channel, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
    }

    /** What the slot of a channel holds. */
    public SlotState state(final int channel) {
        return InFlightCells.isCell(route[channel]) ? SlotState.CELL
            : route[channel] == InFlightCells.SILENCE ? SlotState.NOTHING : SlotState.DUMMY;
    }

    /** Copies all cells of another object with the same number of channels. */
    public void set(final NodeCells other) {
        for (int channel = 0; channel < route.length; channel++) {
            set(channel, other.route[channel], other.cell[channel], other.feedback[channel]);
        }
    }

    /** The route word, {@link InFlightCells#NO_CELL} or {@link InFlightCells#SILENCE}. */
    public long route(final int channel) {
        return route[channel];
    }

    /** The cell word, 0 if there is no cell. */
    public long cell(final int channel) {
        return cell[channel];
    }

    /** The feedback word, or {@link InFlightCells#NO_FEEDBACK}. */
    public long feedback(final int channel) {
        return feedback[channel];
    }

    /** Copies the words at an offset of a link. */
    void read(final int channel, final InFlightCells link, final long at) {
        set(channel, link.route(at), link.cell(at), link.feedback(at));
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof final NodeCells cells && Arrays.equals(route, cells.route)
            && Arrays.equals(cell, cells.cell) && Arrays.equals(feedback, cells.feedback);
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
        }
        return text.toString();
    }
}
