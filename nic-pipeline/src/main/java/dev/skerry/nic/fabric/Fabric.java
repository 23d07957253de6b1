package dev.skerry.nic.fabric;

import dev.skerry.schedule.Population;
import dev.skerry.schedule.Schedule;

/**
 * A fabric as the engine sees it: the number of nodes, the cells per slot and the propagation delay. The stages of the
 * fabric decide everything else about the path of a cell. Immutable.
 */
public interface Fabric {
    /** Number of nodes of the schedule, absent nodes included. */
    int nodes();

    /** The nodes that are present, and which of them are endpoints. */
    Population population();

    /** P, in slots: a cell sent in slot s is handled in slot s + P, after the sending of that slot. */
    int propagationSlots();

    /** Slots that a cell takes at most from source to destination where there are no others. */
    default long emptySlots() {
        return propagationSlots();
    }

    /**
     * Slots after which every node knows that a flow is complete at another one. No engine lets a node
     * run that many slots ahead of another: workers synchronise after P slots, or in every slot where P is 0 or 1.
     */
    default long noticeSlots() {
        return propagationSlots() + 2L;
    }

    /** Cells that a node sends and receives in one slot, each on a channel of its own. */
    default int channels() {
        return 1;
    }

    /**
     * Share of all links that control messages took.
     *
     * @param bytes of these messages, 0 where cells carry all control.
     * @param slots of the run, 1 or more.
     */
    default double controlShare(final long bytes, final long slots) {
        return 0;
    }

    /** Directed links, each of which carries one cell per slot. */
    default long directedLinks() {
        return (long) nodes() * channels();
    }

    /**
     * A fabric of circuits that a schedule changes from slot to slot. Nodes forward cells; switches take no decisions.
     */
    interface CircuitFabric extends Fabric {
        /** Which node is connected to which. */
        Schedule schedule();

        /** Two hops, and an epoch until each begins. */
        @Override
        default long emptySlots() {
            return 2L * (schedule().epochSlots() + propagationSlots());
        }

        /** Cells on the links in one slot: one per node and channel. */
        default int cellsInSlot() {
            return nodes() * channels();
        }
    }
}
