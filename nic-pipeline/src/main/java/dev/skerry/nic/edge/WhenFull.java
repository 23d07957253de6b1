package dev.skerry.nic.edge;

/** What happens to a packet whose destination has its share of the cells of the source port (docs/spec/edge.md). */
public enum WhenFull {
    /** It waits at its source, and the port is asked for no more packets of this destination: nothing is lost. */
    WAIT,
    /** It is dropped and counted at its source, by destination. */
    DROP
}
