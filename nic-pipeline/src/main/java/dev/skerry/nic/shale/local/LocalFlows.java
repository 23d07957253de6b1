package dev.skerry.nic.shale.local;

/** The local flows of a node that have not been asked yet in a slot, in the order they became active. One thread. */
public interface LocalFlows {
    int count();

    /** Index of a flow in the {@code FlowSet}. */
    int flow(int i);

    /** Destination node of a flow. */
    int destination(int i);
}
