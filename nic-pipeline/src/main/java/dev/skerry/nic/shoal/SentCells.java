package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * What each node sent on each link in the last epochs, so that a report is matched with the cell it is about by
 * position alone (docs/spec/shoal.md §4.5).
 *
 * <pre>
 *   [epoch mod kept][link][node], 4 bytes: NONE for a dummy or a cell sent on for another, or of a local cell
 *   bit 31   30        12   11      0
 *       +---+------------+----------+
 *       | 0 |  services  |   flow   |     services: what Turns.services says of the cell
 *       +---+------------+----------+
 * </pre>
 *
 * One thread.
 */
public final class SentCells {
    /** Nothing of its own. */
    public static final int NONE = -1;
    /** A cell that joins a queue, but whose report no flow awaits: one sent once more to be on the safe side. */
    public static final int UNAWAITED = Integer.MIN_VALUE;

    private static final int FLOW_BITS = 12;
    private static final int FLOW_MASK = (1 << FLOW_BITS) - 1;

    private final Region region;
    private final int nodes;
    private final int links;
    private final int kept;
    /** The flow whose cell each node sent in this slot, NONE if none; kept where two send to each other at once. */
    private final int[] justSent;
    private final int[] none;

    /**
     * Nothing sent yet.
     *
     * @param nodes nodes of the bank.
     * @param links links of a node.
     * @param kept  epochs to keep, see {@link ShoalSlotPlan#sentEpochs}.
     */
    public SentCells(final Arena arena, final int nodes, final int links, final int kept) {
        this.region = Region.allocate(arena, bytes(nodes, links, kept));
        this.nodes = nodes;
        this.links = links;
        this.kept = kept;
        this.justSent = new int[nodes];
        Arrays.fill(justSent, NONE);
        this.none = justSent.clone();
        region.fill((byte) NONE);
    }

    /** Memory in bytes. */
    public static long bytes(final int nodes, final int links, final int kept) {
        return (long) kept * links * nodes * Integer.BYTES;
    }

    /** Where the entries of the nodes for a link and an epoch begin, before the first epoch too; 4 bytes each. */
    public long offset(final int epoch, final int link) {
        return ((long) Math.floorMod(epoch, kept) * links + link) * nodes * Integer.BYTES;
    }

    /** Where the entry of a node for a link and an epoch lies. */
    public long offset(final int epoch, final int link, final int node) {
        return offset(epoch, link) + (long) node * Integer.BYTES;
    }

    /** The entry of a local cell. */
    public static int entry(final int flow, final int services) {
        return services << FLOW_BITS | flow;
    }

    /** Whether the cell of an entry, or of none, joins a queue: not at its destination, and not if of another node. */
    public static boolean joins(final int entry) {
        // Of NONE, the bits of the services are those of a direct cell; of UNAWAITED, of none that is.
        return (services(entry) & ShoalSlotPlan.MAX_SERVICES) != ShoalSlotPlan.MAX_SERVICES;
    }

    /** All ones if {@link #joins}, else 0. */
    static int joinsMask(final int entry) {
        return (entry >>> FLOW_BITS & ShoalSlotPlan.MAX_SERVICES) - ShoalSlotPlan.MAX_SERVICES >> Integer.SIZE - 1;
    }

    /** Nodes of the bank. */
    int nodes() {
        return nodes;
    }

    /** The entries of nodes that follow each other, for a link and an epoch. */
    void get(final int epoch, final int link, final int firstNode, final int count, final int[] into) {
        region.getInts(offset(epoch, link, firstNode), into, 0, count);
    }

    /** The flow of an entry. */
    public static int flow(final int entry) {
        return entry & FLOW_MASK;
    }

    /** The services of an entry. */
    public static int services(final int entry) {
        return entry >>> FLOW_BITS;
    }

    /** The entry at an offset. */
    public int get(final long at) {
        return region.getInt(at);
    }

    /** Writes the entry at an offset. */
    public void set(final long at, final int entry) {
        region.setInt(at, entry);
    }

    /** Writes {@link #NONE} for nodes that follow each other, from an offset on. */
    public void clear(final long at, final int count) {
        region.setInts(at, none, 0, count);
    }

    /** The flow whose cell a node sent in this slot. */
    public int justSent(final int node) {
        return justSent[node];
    }

    /** No node sends a cell of its own in this slot, as far as is known. */
    public void clearJustSent() {
        Arrays.fill(justSent, NONE);
    }

    /** Notes the flow whose cell a node sends in this slot, or {@link #NONE}. */
    public void setJustSent(final int node, final int flow) {
        justSent[node] = flow;
    }
}
