package dev.skerry.nic.shale;

import dev.skerry.schedule.Phased;

/**
 * Conversions between the phases, links, positions in the epoch and queues of a bank.
 *
 * <pre>
 *   position = phase * linksPerPhase + link       slot in the epoch in which the link sends
 *   queue    = position * nodes + node            one for each link of each node
 *   column   = phase * nodes + node               one for each phase of each node
 * </pre>
 *
 * The queues of all nodes in one slot are therefore consecutive. Immutable; loops over many nodes keep the terms that
 * do not change in locals.
 */
public final class SlotMath {
    private final int phases;
    private final int linksPerPhase;
    private final int nodes;
    /** Phase and link of each position. */
    private final int[] phaseOf;
    private final int[] linkOf;

    /**
     * Creates the conversions of a bank.
     *
     * @param schedule phases and links.
     * @param nodes    number of nodes of the bank.
     */
    public SlotMath(final Phased schedule, final int nodes) {
        this.phases = schedule.phases();
        this.linksPerPhase = schedule.linksPerPhase();
        this.nodes = nodes;
        this.phaseOf = new int[phases * linksPerPhase];
        this.linkOf = new int[phases * linksPerPhase];
        for (int position = 0; position < phaseOf.length; position++) {
            phaseOf[position] = position / linksPerPhase;
            linkOf[position] = position % linksPerPhase;
        }
    }

    /** Number of queues of the bank. */
    public int queues() {
        return phases * linksPerPhase * nodes;
    }

    /** Number of columns: phases of all nodes of the bank. */
    int columns() {
        return phases * nodes;
    }

    /** The phase of a position. */
    public int phase(final int position) {
        return phaseOf[position];
    }

    /** The link of a position, numbered within its phase. */
    public int link(final int position) {
        return linkOf[position];
    }

    /** The position of a link of a phase. */
    public int position(final int phase, final int link) {
        return phase * linksPerPhase + link;
    }

    /** The position of a queue. */
    public int positionOf(final int queue) {
        return queue / nodes;
    }

    /** The node of a queue. */
    public int nodeOf(final int queue) {
        return queue % nodes;
    }

    /** The phase of a queue. */
    int phaseOf(final int queue) {
        return phase(positionOf(queue));
    }

    /** The link of a queue, numbered within its phase. */
    int linkOf(final int queue) {
        return link(positionOf(queue));
    }

    /** The queue of a node at a position. */
    public int queue(final int position, final int node) {
        return position * nodes + node;
    }

    /** The queue of a node on a link of a phase. */
    public int queue(final int phase, final int link, final int node) {
        return position(phase, link) * nodes + node;
    }

    /** The column of a node in a phase. */
    int column(final int phase, final int node) {
        return phase * nodes + node;
    }

    /** Number of queues of one position: the distance from one queue of a node to its next. */
    int step() {
        return nodes;
    }
}
