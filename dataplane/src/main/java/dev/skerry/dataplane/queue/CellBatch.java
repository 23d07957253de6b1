package dev.skerry.dataplane.queue;

import dev.skerry.schedule.check.Bounds;

/**
 * Cells of a block of nodes that move together, stored as columns. A pipeline step is one loop over the columns that it
 * needs, without calls and without branches that mispredict; rare cases are listed and handled after the loop. Each
 * cell belongs to a different node, and therefore to a different queue. One thread.
 *
 * <pre>
 *   node    node of the bank
 *   hop     position in the epoch of the queue's link
 *   queue   queue of that link at the node
 *   word    first word of the entry, read by the rule of the queue
 *   cell    second word, opaque here
 *   length  of the queue after the cell has joined or left it
 * </pre>
 */
public final class CellBatch {
    /**
     * Maximum number of nodes in a block. In slots in which few nodes are active, steps wait for cache misses; a larger
     * block overlaps more of these waits. With a larger block than this, a full slot becomes slower (bench/results).
     */
    public static final int CELLS = 2048;

    final int[] node;
    final int[] hop;
    final int[] queue;
    final long[] word;
    final long[] cell;
    final int[] length;
    int count;

    /**
     * Creates an empty batch.
     *
     * @param cells capacity, 1 to {@link #CELLS}: nodes of a block.
     */
    public CellBatch(final int cells) {
        Bounds.require("cells", cells, 1, CELLS);
        this.node = new int[cells];
        this.hop = new int[cells];
        this.queue = new int[cells];
        this.word = new long[cells];
        this.cell = new long[cells];
        this.length = new int[cells];
    }

    /** Number of nodes in a block of a bank of {@code nodes}: all of them, but at most {@link #CELLS}. */
    public static int block(final int nodes) {
        return Math.min(nodes, CELLS);
    }

    /** Removes all cells. */
    public void clear() {
        count = 0;
    }

    /** Number of cells; they fill [0, count) of each column. */
    public int count() {
        return count;
    }

    /** Sets the number of cells after the caller has written [0, cells) of the columns. */
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

    /** First words of the entries. */
    public long[] word() {
        return word;
    }

    /** Second words of the entries. */
    public long[] cell() {
        return cell;
    }

    /** Lengths of the queues after the cells have joined or left them. */
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

    /** Adds a cell that will join a queue; its second word is set later. */
    public void add(final int ofNode, final int toHop, final int toQueue, final long withWord) {
        node[count] = ofNode;
        hop[count] = toHop;
        queue[count] = toQueue;
        word[count++] = withWord;
    }
}
