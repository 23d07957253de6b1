package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * The state of the connection of each node with each neighbour: whether it is up, what came last, and what is still to
 * be reported or sent again (docs/spec/shoal.md §5, §6.2).
 *
 * <pre>
 *   one link of one node, one cache line, in ints
 *   0       1        2         3        4             5        6        7
 *   +-------+--------+---------+--------+-------------+--------+--------+------+
 *   | state | missed | resends | armed  | incarnation | heard  | fresh  | mark |
 *   |       | epochs | in row  |        |             | epoch  | from   |      |
 *   +-------+--------+---------+--------+-------------+--------+--------+------+
 *   8        9        10      11        12      13                             16
 *   +--------+--------+-------+---------+-------+------------------------------+
 *   | resend | resend | to    | notices | ready | pad                          |
 *   | head   | tail   | resend|         |       |                              |
 *   +--------+--------+-------+---------+-------+------------------------------+
 *   fresh:  cells that the neighbour sent from this epoch on reflect what it heard since this end went down
 *   mark:   what became of the last cell, for the report on it
 *   resend: list of cells to be sent again, in the SpillPool
 *   ready:  the neighbour hears this end too; up from the next epoch on
 * </pre>
 *
 * <p>Lines lie {@code [link][node]}. One more link, on which nothing ever waits, denotes no link. Callers pass the
 * offset of a line. One thread.
 */
public final class NeighbourTable {
    /** Both ends send and receive. */
    public static final int UP = 0;
    /** Only probes are sent, at intervals. */
    public static final int DOWN = 1;
    /** A probe of the neighbour was received; a probe in every epoch confirms it. */
    public static final int HEARD = 2;

    /** The last cell was accepted, or there was none. */
    public static final int TAKEN = 0;
    /** The last cell arrived damaged. */
    public static final int DAMAGED = 1;
    /** The last cell found its queue full. */
    public static final int NO_ROOM = 2;
    /** The last cell's destination cannot be reached from this node. */
    public static final int NO_WAY = 3;

    private static final int LINE_BYTES = 64;
    private static final int STATE = 0;
    private static final int MISSED = 1;
    private static final int RESENDS = 2;
    private static final int ARMED = 3;
    private static final int INCARNATION = 4;
    private static final int HEARD_EPOCH = 5;
    private static final int FRESH = 6;
    private static final int MARK = 7;
    private static final int TO_RESEND = 10;
    private static final int NOTICES = 11;
    private static final int READY = 12;
    /** Offset of the head and tail of the resend list in a line, in bytes. */
    private static final int RESENDS_AT = 8 * Integer.BYTES;

    private final Region region;
    private final SpillPool pool;
    private final int nodes;
    private long word;
    private long cell;
    private int waiting;

    /**
     * Creates a table with all connections up, each with a valid cell received.
     *
     * @param arena owner of the memory.
     * @param nodes nodes of the bank.
     * @param links links of a node; the number itself denotes no link.
     * @param pool  memory of the cells to be sent again; of the same thread.
     */
    public NeighbourTable(final Arena arena, final int nodes, final int links, final SpillPool pool) {
        this.region = Region.allocate(arena, bytes(nodes, links));
        this.pool = pool;
        this.nodes = nodes;
        for (int link = 0; link <= links; link++) {
            for (int node = 0; node < nodes; node++) {
                reset(line(link, node), link < links ? UP : DOWN);
                region.setInt(line(link, node), ARMED, 1);
            }
        }
    }

    /** Returns the memory in bytes, without the pool. */
    public static long bytes(final int nodes, final int links) {
        return (links + 1L) * nodes * LINE_BYTES;
    }

    /** Returns the line of a link of a node. */
    public long line(final int link, final int node) {
        return (link * nodes + (long) node) * LINE_BYTES;
    }

    /** Begins a state: nothing is known, waits or has to be reported. The incarnation and the fresh epoch are kept. */
    public void reset(final long line, final int state) {
        region.setInt(line, STATE, state);
        region.setInt(line, MISSED, 0);
        region.setInt(line, RESENDS, 0);
        region.setInt(line, ARMED, 0);
        region.setInt(line, HEARD_EPOCH, 0);
        region.setInt(line, MARK, TAKEN);
        region.setInt(line, TO_RESEND, 0);
        region.setInt(line, NOTICES, 0);
        region.setInt(line, READY, 0);
    }

    /** Sets the epoch from which the neighbour sends with the knowledge that this end was down. */
    public void setFresh(final long line, final int epoch) {
        region.setInt(line, FRESH, epoch);
    }

    /** Tells whether the neighbour knew, when it sent in an epoch, that this end had been down. */
    public boolean isFresh(final long line, final int epoch) {
        return epoch >= region.getInt(line, FRESH);
    }

    /** Returns the state. */
    public int state(final long line) {
        return region.getInt(line, STATE);
    }

    /** Sets the connection with a neighbour that was heard up. */
    public void setUp(final long line) {
        region.setInt(line, STATE, UP);
        region.setInt(line, READY, 0);
    }

    /** Tells whether a neighbour that was heard hears this end too. */
    public boolean isReady(final long line) {
        return region.getInt(line, READY) != 0;
    }

    /** Records that a neighbour that was heard hears this end too. */
    public void setReady(final long line) {
        region.setInt(line, READY, 1);
    }

    /**
     * Records that nothing came in an epoch. Returns the epochs of silence in a row, 0 if nothing valid has come since
     * the state began.
     */
    public int miss(final long line) {
        final int missed = region.getInt(line, MISSED) + region.getInt(line, ARMED);
        region.setInt(line, MISSED, missed);
        return missed;
    }

    /** Records that something came in an epoch. */
    public void hear(final long line, final int epoch, final boolean valid) {
        region.setInt(line, MISSED, 0);
        if (valid) {
            region.setInt(line, ARMED, 1);
            region.setInt(line, HEARD_EPOCH, epoch);
        }
    }

    /** Returns the last epoch in which something valid came. */
    public int heardEpoch(final long line) {
        return region.getInt(line, HEARD_EPOCH);
    }

    /** Returns the number of starts of the neighbour, from its last probe. */
    public int incarnation(final long line) {
        return region.getInt(line, INCARNATION);
    }

    /** Sets the number of starts of the neighbour. */
    public void setIncarnation(final long line, final int number) {
        region.setInt(line, INCARNATION, number);
    }

    /** Records a report of damage; returns the number of such reports in a row. */
    public int countResend(final long line) {
        final int resends = region.getInt(line, RESENDS) + 1;
        region.setInt(line, RESENDS, resends);
        return resends;
    }

    /** Ends the row of reports of damage. */
    public void endResends(final long line) {
        region.setInt(line, RESENDS, 0);
    }

    /** Returns what became of the last cell. */
    public int mark(final long line) {
        return region.getInt(line, MARK);
    }

    /** Sets what became of the last cell. */
    public void setMark(final long line, final int mark) {
        region.setInt(line, MARK, mark);
    }

    /** Tells whether the last cell was refused: its queue was full or its destination unreachable. */
    public boolean isRefused(final long line) {
        final int mark = mark(line);
        return mark == NO_ROOM || mark == NO_WAY;
    }

    /** Returns the number of reachability messages still to be sent to the neighbour. */
    public int notices(final long line) {
        return region.getInt(line, NOTICES);
    }

    /** Returns the number of messages and cells that go to the neighbour before any cell of a queue. */
    public int ahead(final long line) {
        return region.getInt(line, NOTICES) + region.getInt(line, TO_RESEND);
    }

    /** Sets the number of reachability messages to be sent. */
    public void setNotices(final long line, final int count) {
        region.setInt(line, NOTICES, count);
    }

    /** Appends a cell to be sent again. */
    public void addResend(final long line, final long waitingWord, final long cellWord) {
        final int before = region.getInt(line, TO_RESEND);
        pool.append(region, line + RESENDS_AT, before == 0, waitingWord, cellWord);
        region.setInt(line, TO_RESEND, before + 1);
        waiting++;
    }

    /** Takes the first cell to be sent again, for {@link #word()} and {@link #cell()}; false if there is none. */
    public boolean takeResend(final long line) {
        if (region.getInt(line, TO_RESEND) == 0) {
            return false;
        }
        final int record = pool.poll(region, line + RESENDS_AT);
        word = pool.first(record);
        cell = pool.second(record);
        region.setInt(line, TO_RESEND, region.getInt(line, TO_RESEND) - 1);
        waiting--;
        return true;
    }

    /** Removes the cells to be sent again. */
    public void dropResends(final long line) {
        for (int left = region.getInt(line, TO_RESEND); left > 0; left--) {
            takeResend(line);
        }
    }

    /** Returns the waiting word of the cell taken last. */
    public long word() {
        return word;
    }

    /** Returns the cell word of the cell taken last. */
    public long cell() {
        return cell;
    }

    /** Returns the number of cells to be sent again, on all links of all nodes. */
    public int waiting() {
        return waiting;
    }
}
