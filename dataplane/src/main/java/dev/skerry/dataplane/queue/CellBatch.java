package dev.skerry.dataplane.queue;

/**
 * Cells of up to 64 nodes that change place together, as columns. A step of a pipeline is one loop over the columns it
 * needs, with nothing in it that calls or that has a coin to mispredict; what is rare is noted as a bit and done after
 * the loop. Each cell is of another node, so of another queue. One thread.
 *
 * <pre>
 *   node    of the bank
 *   hop     position in the epoch of the link whose queue it is
 *   queue   that link's queue at the node
 *   word    what the rule of the queue looks at
 *   cell    carried along
 *   length  of the queue once the cell has joined or left it
 * </pre>
 */
public final class CellBatch {
    /** Most cells of a batch: as many as a long has bits. */
    public static final int CELLS = Long.SIZE;

    final int[] node = new int[CELLS];
    final int[] hop = new int[CELLS];
    final int[] queue = new int[CELLS];
    final long[] word = new long[CELLS];
    final long[] cell = new long[CELLS];
    final int[] length = new int[CELLS];
    int count;

    /** No cells. */
    public CellBatch() {
    }

    /** Forgets all cells. */
    public void clear() {
        count = 0;
    }

    /** Cells of the batch: the first ones of each column. */
    public int count() {
        return count;
    }

    /** Takes the first cells of the columns as the batch, after they were written. */
    public void count(final int cells) {
        count = cells;
    }

    /** Nodes of the bank. */
    public int[] node() {
        return node;
    }

    /** Positions in the epoch of the links. */
    public int[] hop() {
        return hop;
    }

    /** Queues. */
    public int[] queue() {
        return queue;
    }

    /** What the rule of the queue looks at. */
    public long[] word() {
        return word;
    }

    /** What is carried along. */
    public long[] cell() {
        return cell;
    }

    /** Lengths of the queues once the cells have joined or left them. */
    public int[] length() {
        return length;
    }

    /** Adds a cell that left a queue, which now has {@code left} cells. */
    public void add(final int ofNode, final int ofQueue, final int left, final long withWord, final long ofCell) {
        node[count] = ofNode;
        queue[count] = ofQueue;
        length[count] = left;
        word[count] = withWord;
        cell[count++] = ofCell;
    }

    /** Adds a cell that is to join a queue; what it carries along is set later. */
    public void add(final int ofNode, final int toHop, final int toQueue, final long withWord) {
        node[count] = ofNode;
        hop[count] = toHop;
        queue[count] = toQueue;
        word[count++] = withWord;
    }
}
