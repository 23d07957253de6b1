package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.fabric.PlaceMessages;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The control messages beside the cells in flight: one message of two words for each place of {@link InFlightCells},
 * at the same offsets, so that whatever leads a receiver to a cell leads it to the message too. Sender and receiver are
 * ordered by what orders the cells.
 */
final class MessagesInFlight implements PlaceMessages {
    private final Shale shale;
    private final int nodes;
    private final int window;
    private final int lastKind;
    private final Region words;
    private final Region cells;
    /** As many empty places as are cleared at once. */
    private final long[] empty;

    /** No messages, none of which is of a later kind than {@code lastKind}; for nodes and slots as of the cells. */
    MessagesInFlight(final Arena arena, final Shale shale, final int window, final int lastKind) {
        this.shale = shale;
        this.nodes = shale.nodes();
        this.window = window;
        this.lastKind = lastKind;
        this.words = Region.allocate(arena, (long) InFlightCells.PLACE_BYTES * nodes * window);
        this.cells = Region.allocate(arena, (long) InFlightCells.PLACE_BYTES * nodes * window);
        words.fill((byte) NONE);
        this.empty = new long[nodes];
        Arrays.fill(empty, NONE);
    }

    /** Memory in bytes. */
    static long bytes(final int nodes, final int window) {
        return 2L * InFlightCells.PLACE_BYTES * nodes * window;
    }

    /** The place of a node in a slot. */
    long place(final long slot, final int node) {
        return (slot % window * nodes + node) * InFlightCells.PLACE_BYTES;
    }

    @Override
    public boolean isMessage(final long word) {
        final int kind = ControlMessage.kind(word);
        return kind >= ControlMessage.PULL && kind <= lastKind
            && word == ControlMessage.of(kind, Route.destination(word), Route.sprays(word))
            && shale.isBucket(Route.bucket(word));
    }

    @Override
    public void clear(final long at, final int count) {
        words.setLongs(at, empty, 0, count);
    }

    @Override
    public void send(final long at, final long word, final long cell) {
        words.setLong(at, word);
        cells.setLong(at, cell);
    }

    @Override
    public long word(final long at) {
        return words.getLong(at);
    }

    @Override
    public long cell(final long at) {
        return cells.getLong(at);
    }
}
