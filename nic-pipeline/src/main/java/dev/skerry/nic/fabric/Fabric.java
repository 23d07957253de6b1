package dev.skerry.nic.fabric;

import dev.skerry.schedule.Population;
import dev.skerry.schedule.Schedule;

/**
 * A fabric as seen by the engine: the number of nodes, the cells per slot and the propagation delay. Everything else
 * about the path of a cell is decided by the stages of the fabric. Immutable.
 */
public interface Fabric {
    /** Number of nodes of the schedule, including absent nodes. */
    int nodes();

    /** The nodes that are present, and those of them that are endpoints. */
    Population population();

    /** P, in slots: a cell sent in slot s is handled in slot s + P, after the sending of that slot. */
    int propagationSlots();

    /** Maximum transit time of a cell from source to destination in an empty fabric, in slots. */
    default long emptySlots() {
        return propagationSlots();
    }

    /**
     * Slots after which every node is notified that a flow is complete at another node. No engine lets a node run that
     * many slots ahead of another: workers synchronise after P slots, or in every slot if P is 0 or 1.
     */
    default long noticeSlots() {
        return propagationSlots() + 2L;
    }

    /** Number of cells that a node sends and receives in one slot, each on a separate channel. */
    default int channels() {
        return 1;
    }

    /**
     * Share of the capacity of all links that control messages used.
     *
     * @param bytes size of these messages, 0 if cells carry all control information.
     * @param slots slots of the run, 1 or more.
     */
    default double controlShare(final long bytes, final long slots) {
        return 0;
    }

    /** Number of directed links, each of which carries one cell per slot. */
    default long directedLinks() {
        return (long) nodes() * channels();
    }

    /**
     * A fabric of circuits that change from slot to slot according to a schedule. Nodes forward cells; switches make no
     * decisions.
     */
    interface CircuitFabric extends Fabric {
        /** The connections of the nodes. */
        Schedule schedule();

        /** {@inheritDoc} Two hops, each of which starts within an epoch. */
        @Override
        default long emptySlots() {
            return 2L * (schedule().epochSlots() + propagationSlots());
        }

        /** Number of cells on the links in one slot: one per node and channel. */
        default int cellsInSlot() {
            return nodes() * channels();
        }
    }
}
