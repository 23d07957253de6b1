package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.PayloadStore;

import java.lang.foreign.Arena;

/**
 * The messages of a bank's nodes: first messages in order of arrival; behind them cells given back to be sent
 * another way, each a message of one cell.
 *
 * <pre>
 *   0      4      8       12         16
 *   +------+------+-------+----------+
 *   | next | sent | cells | flow set |    next: in the list of its flow, or of free places; NONE: the last
 *   +------+------+-------+----------+
 * </pre>
 *
 * Places for cells given back are taken from the arena when needed. One thread.
 */
final class ShoalMessages {
    /** No message. */
    static final int NONE = -1;
    /** Bytes of a message. */
    static final int BYTES = 16;

    /** Ints of a message. */
    private static final int NEXT = 0;
    private static final int SENT = 1;
    private static final int CELLS = 2;
    private static final int INDEX = 3;

    private final Arena arena;
    private final int arriving;
    private Region region;
    private int used;
    private int free = NONE;
    private int open;

    /** Messages to come. */
    ShoalMessages(final Arena arena, final int arriving) {
        this.arena = arena;
        this.arriving = arriving;
        this.used = arriving;
        this.open = arriving;
        this.region = Region.allocate(arena, (long) arriving * BYTES);
    }

    /** A message arrives: one of a number of cells of a flow of the {@code FlowSet}. */
    void arrive(final int message, final int cells, final int index) {
        write(message, 0, cells, index);
    }

    /** More cells of a message have come; returns whether it had none to send. */
    boolean extend(final int message, final int more, final int index) {
        final int until = cells(message);
        final boolean over = until == sent(message);
        region.setInt(Region.offset(message, BYTES), CELLS, until + more);
        if (over) {
            region.setInt(Region.offset(message, BYTES), INDEX, index);
            setNext(message, NONE);
            open++;
        }
        return over;
    }

    /** A cell comes back; returns its message. */
    int back(final int index, final int sequence) {
        int message = free;
        if (message == NONE) {
            message = used++;
            if ((long) used * BYTES > region.bytes()) {
                grow();
            }
        } else {
            free = next(message);
        }
        write(message, sequence, sequence + 1, index);
        open++;
        return message;
    }

    /** Whether a message is a cell that came back. */
    boolean isBack(final int message) {
        return message >= arriving;
    }

    private void write(final int message, final int sent, final int cells, final int index) {
        final long at = Region.offset(message, BYTES);
        region.setInt(at, NEXT, NONE);
        region.setInt(at, SENT, sent);
        region.setInt(at, CELLS, cells);
        region.setInt(at, INDEX, index);
    }

    private void grow() {
        final Region larger = Region.allocate(arena, 2L * used * BYTES);
        for (long at = 0; at < (used - 1L) * BYTES; at += Long.BYTES) {
            larger.setLong(at, region.getLong(at));
        }
        region = larger;
    }

    /**
     * Gives up a message on demand: its cells that were not sent are lost, and it is over until more come. A cell that
     * came back is left to its destination, as a copy of it may be under way. Returns the cells that are lost.
     */
    int lose(final int message, final PayloadStore store) {
        final int end = cells(message);
        final int first = isBack(message) ? end : sent(message);
        for (int at = first; at < end; at++) {
            store.discard(store.inject(Cell.of(index(message), at)));
        }
        setSent(message, end);
        close(message);
        return end - first;
    }

    /** A message is over. */
    void close(final int message) {
        open--;
        if (isBack(message)) {
            setNext(message, free);
            free = message;
        }
    }

    /** The message after this one. */
    int next(final int message) {
        return region.getInt(Region.offset(message, BYTES), NEXT);
    }

    /** Links a message to the one after it. */
    void setNext(final int message, final int next) {
        region.setInt(Region.offset(message, BYTES), NEXT, next);
    }

    /** The sequence number of its next cell. */
    int sent(final int message) {
        return region.getInt(Region.offset(message, BYTES), SENT);
    }

    /** Writes it. */
    void setSent(final int message, final int sequence) {
        region.setInt(Region.offset(message, BYTES), SENT, sequence);
    }

    /** The sequence number at which it is over. */
    int cells(final int message) {
        return region.getInt(Region.offset(message, BYTES), CELLS);
    }

    /** The flow, an index of the {@code FlowSet}. */
    int index(final int message) {
        return region.getInt(Region.offset(message, BYTES), INDEX);
    }

    /** Messages that are not over, those to come included. */
    int open() {
        return open;
    }
}
