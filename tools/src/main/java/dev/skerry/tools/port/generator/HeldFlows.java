package dev.skerry.tools.port.generator;

/**
 * The flows of a generator that are held back, and the turns that they let pass meanwhile. The destination of a flow is
 * the port whose address its packets go to ({@link FlowHeaders#macOf}); flows to other addresses are never held back.
 * One thread.
 */
final class HeldFlows {
    /** Instead of a flow. */
    static final int NONE = -1;

    private final FlowHeaders headers;
    private final boolean[] held;
    /** By flow: turns that passed and are to be made up for. */
    private final long[] owed;
    private long sum;
    private int asked;

    HeldFlows(final FlowHeaders headers) {
        this.headers = headers;
        this.held = new boolean[headers.flows()];
        this.owed = new long[headers.flows()];
    }

    /** Holds back the flows to a port of a node, or lets them go on. */
    void hold(final int node, final int number, final boolean isHeld) {
        final long mac = FlowHeaders.macOf(node, number);
        for (int flow = 0; flow < held.length; flow++) {
            if (headers.destinationMac().at(flow) == mac) {
                held[flow] = isHeld;
            }
        }
    }

    boolean isHeld(final int flow) {
        return held[flow];
    }

    /** A flow that is held back lets its turn pass; counts it if it is to be made up for. */
    void owe(final int flow, final boolean isCounted) {
        if (isCounted) {
            owed[flow]++;
            sum++;
        }
    }

    /** Turns to be made up for, of flows held back or not. */
    long owed() {
        return sum;
    }

    /** A flow that may make up for a turn now, one after the other; {@link #NONE} if there is none. */
    int next() {
        for (int looked = 0; looked < held.length && sum > 0; looked++) {
            asked = asked + 1 == held.length ? 0 : asked + 1;
            if (owed[asked] > 0 && !held[asked]) {
                owed[asked]--;
                sum--;
                return asked;
            }
        }
        return NONE;
    }
}
