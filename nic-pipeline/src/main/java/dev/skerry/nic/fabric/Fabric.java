package dev.skerry.nic.fabric;

import dev.skerry.schedule.Population;

/**
 * A fabric as the engine sees it: how many nodes there are, what they put on their links in a slot, and when it is
 * seen. Everything else that decides how cells travel is the business of its own stages. Immutable.
 */
public interface Fabric {
    /** Number of nodes of the schedule, absent ones included. */
    int nodes();

    /** Which nodes are there, and which of them are endpoints. */
    Population population();

    /** P: a cell sent in slot s is handled in slot s + P, after that slot's own sending. */
    int propagationSlots();

    /** Cells that a node sends and receives in a slot, each on a link of its own. */
    default int channels() {
        return 1;
    }

    /** Directions of links, on each of which a cell goes in a slot. */
    default long directedLinks() {
        return (long) nodes() * channels();
    }
}
