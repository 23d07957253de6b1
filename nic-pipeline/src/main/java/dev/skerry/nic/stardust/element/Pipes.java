package dev.skerry.nic.stardust.element;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.schedule.FoldedClos;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Cells in flight on the links, for each slot of a window. There is a list for each pair of a sending and a receiving
 * bank, in the order of sending, so links that send nothing cost nothing. The receiver reads a list one propagation
 * delay later.
 *
 * <pre>
 *   row (slot mod window)   | count | port | port | ...  | count | ...      port: where the cell comes out
 *                           '-- to the first bank --'                       a bank's lists begin on a cache line
 *
 *   cells of the row        |       | first, second | first, second | ...   at the same places
 * </pre>
 *
 * <p>A list belongs to the sender until the end of its slot, and then to the receiver, which empties it. A barrier
 * synchronises them.
 */
public final class Pipes {
    /** Value for the links of all banks. */
    public static final int ALL = -1;
    private static final int CELL_SHIFT = 4;
    private static final int LINE_INTS = Region.ALIGNMENT / Integer.BYTES;

    private final FoldedClos clos;
    private final int only;
    private final Region ports;
    private final Region cells;
    private final int window;
    /** Number of places in a row. */
    private final int places;
    /** For each sending port, the offset of its list in a row, and the number of links of the list. */
    private final int[] listOf;
    private final int[] linksOf;
    /** Lists of each receiving bank. */
    private final int[][] listsTo;

    /**
     * Creates pipes without cells in flight.
     *
     * @param shares devices of each bank.
     * @param window number of slots that are kept.
     * @param only   bank to which these links belong, so that cells between other banks have no place; or {@link #ALL}.
     */
    public Pipes(final Arena arena, final FoldedClos clos, final DeviceRange[] shares, final int window,
        final int only) {
        this.only = only;
        this.clos = clos;
        this.window = window;
        this.listOf = new int[clos.ports()];
        this.linksOf = new int[clos.ports()];
        this.listsTo = new int[shares.length][0];
        final int[] bankOf = DeviceRange.bankOf(clos, shares);
        int end = 0;
        for (final DeviceRange share : shares) {
            end = lay(share, bankOf, end + LINE_INTS - 1 & -LINE_INTS);
        }
        this.places = end + LINE_INTS - 1 & -LINE_INTS;
        this.ports = Region.allocate(arena, (long) places * window << 2);
        this.cells = Region.allocate(arena, (long) places * window << CELL_SHIFT);
    }

    /** Lays out the lists of a sending bank, starting at a place in the row; returns their end. */
    private int lay(final DeviceRange share, final int[] bankOf, final int start) {
        final int[] links = new int[listsTo.length];
        share.connectedPorts().forEach(port -> links[bankOf[clos.deviceOf(clos.peer(port))]]++);
        final int[] at = new int[links.length];
        int end = start;
        for (final int to : share.neighbours(bankOf)) {
            if (only == ALL || only == share.bank() || only == to) {
                at[to] = end;
                listsTo[to] = Arrays.copyOf(listsTo[to], listsTo[to].length + 1);
                listsTo[to][listsTo[to].length - 1] = end;
                end += 1 + links[to];
            }
        }
        share.connectedPorts().forEach(port -> {
            final int to = bankOf[clos.deviceOf(clos.peer(port))];
            listOf[port] = at[to];
            linksOf[port] = links[to];
        });
        return end;
    }

    /** Returns the memory in bytes, without the heads of lists. */
    public static long bytes(final int ports, final int window) {
        return (((long) ports << CELL_SHIFT) + ((long) ports << 2)) * window;
    }

    /** Returns the first place of a slot. */
    public int row(final long slot) {
        return (int) (slot % window) * places;
    }

    /** Returns the first word of the cell at a place. */
    long first(final int place) {
        return cells.getLong((long) place << CELL_SHIFT, 0);
    }

    /** Returns the second word of the cell at a place. */
    long second(final int place) {
        return cells.getLong((long) place << CELL_SHIFT, 1);
    }

    /** Tells whether a row has room for a cell sent into a port. A list has a place for each of its links. */
    public boolean hasRoom(final int row, final int port) {
        return count(row + listOf[port]) < linksOf[port];
    }

    /** Sends a cell into a connected port. Call this at most once per port and slot. */
    public void put(final int row, final int port, final long first, final long second) {
        final int list = row + listOf[port];
        final int count = count(list) + 1;
        final int place = list + count;
        ports.setInt((long) list << 2, count);
        ports.setInt((long) place << 2, clos.peer(port));
        cells.setLong((long) place << CELL_SHIFT, 0, first);
        cells.setLong((long) place << CELL_SHIFT, 1, second);
    }

    /**
     * Empties the lists of cells sent to a bank in a slot. The cells themselves remain in place.
     *
     * @param row  row of the slot.
     * @param bank the bank.
     * @param base port with number 0.
     * @param into receives the numbers of the bank's ports at which cells arrive.
     * @param at   receives the places of the cells, by number of the port.
     */
    void take(final int row, final int bank, final int base, final QueueBits into, final int[] at) {
        for (final int start : listsTo[bank]) {
            final int list = row + start;
            final int count = count(list);
            for (int place = list + 1; place <= list + count; place++) {
                final int number = ports.getInt((long) place << 2) - base;
                into.set(number);
                at[number] = place;
            }
            if (count > 0) {
                ports.setInt((long) list << 2, 0);
            }
        }
    }

    /** Receives cells in flight. */
    @FunctionalInterface
    public interface CellSink {
        /**
         * Accepts a cell.
         *
         * @param port port at which it arrives.
         */
        void accept(int port, long first, long second);
    }

    /**
     * Passes the cells that were sent to a bank in a slot, and have not been received, to a sink.
     *
     * @param row   row of the slot.
     * @param empty whether to remove them, as if they were received.
     */
    public void show(final int row, final int bank, final boolean empty, final CellSink sink) {
        for (final int start : listsTo[bank]) {
            final int list = row + start;
            final int end = list + count(list);
            for (int place = list + 1; place <= end; place++) {
                sink.accept(ports.getInt((long) place << 2), first(place), second(place));
            }
            if (empty) {
                ports.setInt((long) list << 2, 0);
            }
        }
    }

    /** Returns the number of cells that were sent in a slot and have not been received. */
    public int cells(final long slot) {
        int sum = 0;
        for (final int[] starts : listsTo) {
            for (final int start : starts) {
                sum += count(row(slot) + start);
            }
        }
        return sum;
    }

    private int count(final int list) {
        return ports.getInt((long) list << 2);
    }
}
