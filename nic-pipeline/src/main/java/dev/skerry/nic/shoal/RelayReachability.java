package dev.skerry.nic.shoal;

import dev.skerry.codec.ControlFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.check.Laws;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Connections that are up, as each node of a bank knows them: its own, and those that neighbours have reported
 * (docs/spec/shoal.md §5.3). They decide which relay may serve which destination, and which node has failed.
 *
 * <pre>
 *   own      [node]        bit k: the connection with node k is up
 *   reported [link][node]  bit k: the same of the neighbour, as it reported; clear before its first report
 *   head     [link][node]  4 B for each chunk of a message, its change counter; then 4 B, a bit for each chunk reported
 *   of node  [node]        change counter, neighbours up, neighbours up that have not reported all
 *   reached  [node][k]     2 B: neighbours up that have reported that they reach k
 * </pre>
 *
 * <p>One thread.
 */
public final class RelayReachability {
    private static final int CHANGES = 0;
    private static final int LIVE = 4;
    private static final int UNTOLD = 8;
    private static final int NODE_BYTES = 16;

    private final ShoalControl control;
    private final int allNodes;
    private final int nodes;
    private final int chunks;
    private final long rowBytes;
    private final long headBytes;
    private final Region own;
    private final Region reported;
    private final Region head;
    private final Region ofNode;
    private final Region reached;

    /**
     * Creates a state without connections.
     *
     * @param arena owner of the memory.
     * @param nodes nodes of the bank.
     * @param all   nodes of the fabric.
     */
    public RelayReachability(final Arena arena, final int nodes, final int all) {
        this.control = new ShoalControl(all);
        this.allNodes = all;
        this.nodes = nodes;
        this.chunks = control.chunks();
        this.rowBytes = rowBytes(all);
        this.headBytes = (chunks + 1L) * Integer.BYTES;
        final long lines = (all - 1L) * nodes;
        this.own = Region.allocate(arena, nodes * rowBytes);
        this.reported = Region.allocate(arena, lines * rowBytes);
        this.head = Region.allocate(arena, lines * headBytes);
        this.ofNode = Region.allocate(arena, (long) nodes * NODE_BYTES);
        this.reached = Region.allocate(arena, (long) nodes * all * Short.BYTES);
    }

    /** Returns the memory in bytes. */
    public static long bytes(final int nodes, final int all) {
        final long lines = (all - 1L) * nodes;
        return nodes * rowBytes(all) + lines * (rowBytes(all) + (new ShoalControl(all).chunks() + 1L) * Integer.BYTES)
            + (long) nodes * (NODE_BYTES + (long) all * Short.BYTES);
    }

    private static long rowBytes(final int all) {
        return (long) new ShoalControl(all).chunks() * ShoalControl.CHUNK_WORDS * Long.BYTES;
    }

    /** Returns the number of messages that describe all nodes. */
    public int chunks() {
        return chunks;
    }

    /** Tells whether a node's connection with another is up. */
    public boolean isUp(final int node, final int id) {
        return bit(own, node * rowBytes, id);
    }

    /** Tells whether a neighbour has reported that it reaches a node. */
    public boolean reaches(final int link, final int node, final int id) {
        return bit(reported, line(link, node) * rowBytes, id);
    }

    /** Returns the number of neighbours of a node that are up. */
    public int live(final int node) {
        return ofNode.getInt((long) node * NODE_BYTES + LIVE);
    }

    /**
     * Tells whether every neighbour of a node that is up, at least one, has reported that it does not reach another
     * node.
     */
    public boolean isCutOff(final int node, final int id) {
        return !isUp(node, id) && live(node) > 0 && reached.getShort(reachedAt(node, id)) == 0
            && ofNode.getInt((long) node * NODE_BYTES + UNTOLD) == 0;
    }

    /** Sets the connection of a node with a neighbour up; earlier reports of the neighbour count from now on. */
    public void up(final int node, final int link, final int id) {
        flip(node, id, 1);
        count(node, link, 1);
        addUnreported(node, isAllReported(link, node) ? 0 : 1);
    }

    /** Sets the connection of a node with a neighbour down and forgets its reports. */
    public void down(final int node, final int link, final int id) {
        flip(node, id, -1);
        count(node, link, -1);
        addUnreported(node, isAllReported(link, node) ? 0 : -1);
        forget(node, link);
    }

    /** Forgets the reports of a neighbour whose connection is not up. */
    public void forget(final int node, final int link) {
        final long line = line(link, node);
        for (long at = line * rowBytes; at < (line + 1) * rowBytes; at += Long.BYTES) {
            reported.setLong(at, 0);
        }
        for (long at = line * headBytes; at < (line + 1) * headBytes; at += Integer.BYTES) {
            head.setInt(at, 0);
        }
    }

    /** Restarts a node without connections. */
    public void restart(final int node) {
        int known = live(node) + ofNode.getInt((long) node * NODE_BYTES + UNTOLD);
        for (int id = 0; id < allNodes; id++) {
            known |= reached.getShort(reachedAt(node, id));
        }
        Laws.brokenIf(known != 0, "a node restarts and has information about others: node=", node);
        ofNode.setInt((long) node * NODE_BYTES + CHANGES, 0);
    }

    /** Sets the nodes that a neighbour reaches at the start, 64 bits a word. */
    public void report(final int node, final int link, final long[] row) {
        final long line = line(link, node);
        for (int i = 0; i < row.length; i++) {
            reported.setLong(line * rowBytes + (long) i * Long.BYTES, row[i]);
        }
        head.setInt(line * headBytes + (long) chunks * Integer.BYTES, (1 << chunks) - 1);
    }

    /** Writes a message about the nodes that a node reaches. */
    public void write(final int node, final int chunk, final MemorySegment message, final long offset) {
        control.encodeReachability(message, offset, chunk, ofNode.getInt((long) node * NODE_BYTES + CHANGES));
        for (int word = 0; word < ShoalControl.CHUNK_WORDS; word++) {
            control.setReached(message, offset, word, own.getLong(node * rowBytes + wordAt(chunk, word)));
        }
    }

    /**
     * Applies a message of a neighbour that was checked.
     *
     * @param counted whether the connection is up, so that its report counts.
     * @return {@link ControlFault#NONE} if it was new, else the reason why not.
     */
    public ControlFault read(final int node, final int link, final MemorySegment message, final long offset,
        final boolean counted) {
        final int chunk = ShoalControl.chunk(message, offset);
        final long line = line(link, node);
        final long counterAt = line * headBytes + (long) chunk * Integer.BYTES;
        final long knownAt = line * headBytes + (long) chunks * Integer.BYTES;
        final int counter = ShoalControl.counter(message, offset);
        final boolean known = (head.getInt(knownAt) >>> chunk & 1) != 0;
        final ControlFault order = known ? ShoalControl.order(counter, head.getInt(counterAt)) : ControlFault.NONE;
        if (order != ControlFault.NONE) {
            return order;
        }
        head.setInt(counterAt, counter);
        for (int word = 0; word < ShoalControl.CHUNK_WORDS; word++) {
            final long at = line * rowBytes + wordAt(chunk, word);
            final int first = (chunk * ShoalControl.CHUNK_WORDS + word) * Long.SIZE;
            final long bits = ShoalControl.reached(message, offset, word);
            final long before = reported.getLong(at);
            reported.setLong(at, bits);
            if (counted) {
                count(node, first, bits & ~before, 1);
                count(node, first, before & ~bits, -1);
            }
        }
        if (!known) {
            head.setInt(knownAt, head.getInt(knownAt) | 1 << chunk);
            addUnreported(node, counted && isAllReported(link, node) ? -1 : 0);
        }
        return ControlFault.NONE;
    }

    private void flip(final int node, final int id, final int by) {
        final long at = node * rowBytes + (long) (id >>> 6) * Long.BYTES;
        final long bits = own.getLong(at) ^ 1L << id;
        if ((bits >>> id & 1) != (by > 0 ? 1 : 0)) {
            throw new IllegalStateException("a connection goes " + (by > 0 ? "up" : "down") + " twice: node=" + node
                + " neighbour=" + id);
        }
        own.setLong(at, bits);
        final long state = (long) node * NODE_BYTES;
        ofNode.setInt(state + LIVE, ofNode.getInt(state + LIVE) + by);
        ofNode.setInt(state + CHANGES, ofNode.getInt(state + CHANGES) + 1);
    }

    private void addUnreported(final int node, final int by) {
        final long at = (long) node * NODE_BYTES + UNTOLD;
        ofNode.setInt(at, ofNode.getInt(at) + by);
    }

    private boolean isAllReported(final int link, final int node) {
        return head.getInt(line(link, node) * headBytes + (long) chunks * Integer.BYTES) == (1 << chunks) - 1;
    }

    private void count(final int node, final int link, final int by) {
        final long row = line(link, node) * rowBytes;
        for (int word = 0; word * Long.SIZE < allNodes; word++) {
            count(node, word * Long.SIZE, reported.getLong(row + (long) word * Long.BYTES), by);
        }
    }

    private void count(final int node, final int first, final long bits, final int by) {
        for (long left = bits; left != 0; left &= left - 1) {
            final long at = reachedAt(node, first + Long.numberOfTrailingZeros(left));
            reached.setShort(at, reached.getShort(at) + by);
        }
    }

    private static boolean bit(final Region region, final long row, final int id) {
        return (region.getLong(row + (long) (id >>> 6) * Long.BYTES) >>> id & 1) != 0;
    }

    private static long wordAt(final int chunk, final int word) {
        return (long) (chunk * ShoalControl.CHUNK_WORDS + word) * Long.BYTES;
    }

    private long reachedAt(final int node, final int id) {
        return ((long) node * allNodes + id) * Short.BYTES;
    }

    private long line(final int link, final int node) {
        return link * nodes + node;
    }
}
