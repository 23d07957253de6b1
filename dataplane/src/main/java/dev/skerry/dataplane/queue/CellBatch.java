package dev.skerry.dataplane.queue;

/**
 * Cells of a block of nodes that change place together, as columns. A step of a pipeline is one loop over the columns
 * it needs, with nothing in it that calls or that has a coin to mispredict; what is rare is listed and done after the
 * loop. Each cell is of another node, so of another queue. One thread.
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
    /**
     * Most nodes of a block. The loops of a step cost the same few dozen cycles for any number of nodes; with more of
     * them than this, what a step needs leaves the nearest cache (bench/results).
     */
    public static final int CELLS = 512;

    final int[] node;
    final int[] hop;
    final int[] queue;
    final long[] word;
    final long[] cell;
    final int[] length;
    int count;

    /**
     * No cells.
     *
     * @param cells room for so many, 1 to {@link #CELLS}: nodes of a block.
     */
    public CellBatch(final int cells) {
        if (cells < 1 || cells > CELLS) {
            throw new IllegalArgumentException("cells must be 1 to " + CELLS + ": cells=" + cells);
        }
        this.node = new int[cells];
        this.hop = new int[cells];
        this.queue = new int[cells];
        this.word = new long[cells];
        this.cell = new long[cells];
        this.length = new int[cells];
    }

    /** Nodes of a block, where there are so many: all of them, or as many as a batch holds. */
    public static int block(final int nodes) {
        return Math.min(nodes, CELLS);
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
