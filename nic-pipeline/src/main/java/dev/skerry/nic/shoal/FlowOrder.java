package dev.skerry.nic.shoal;

/** Which message of a flow (i, k) sends the next cell (docs/spec/shoal.md §3.3). */
public enum FlowOrder {
    /** All take turns, cell by cell. */
    ROUND_ROBIN("round-robin"),
    /** The shortest goes first until it is sent; of equally short ones the first that came. */
    SHORTEST("shortest");

    private final String label;

    FlowOrder(final String label) {
        this.label = label;
    }

    /** Its name on the command line. */
    public String label() {
        return label;
    }
}
