package dev.skerry.nic;

/** Everything that is counted on the path of a cell; the law of conservation is over these names. */
public enum NicCounter {
    /** Cells taken from the flows of their source. */
    CELLS_INJECTED("cells that left their source's flow"),
    /** Cells taken off the fabric at their destination. */
    CELLS_DELIVERED("cells that reached their destination"),
    /** Cells sent on by a node between source and destination. */
    CELLS_FORWARDED("cells sent on by an intermediate node"),
    /** Flows whose start came. */
    FLOWS_STARTED("flows that became active"),
    /** Flows whose last cell reached its destination. */
    FLOWS_COMPLETED("flows whose last cell arrived"),
    /** Drop: no link of the spraying phase leads on to the destination. */
    DROPPED_NO_LINK("cells dropped because every usable link led to an absent node");

    private final String sentence;

    NicCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** What it counts, in words. */
    public String sentence() {
        return sentence;
    }
}
