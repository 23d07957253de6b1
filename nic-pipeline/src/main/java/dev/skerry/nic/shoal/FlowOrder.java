package dev.skerry.nic.shoal;

import java.util.Locale;

/** Determines which message of a flow (i, k) sends the next cell (docs/spec/shoal.md §3.3). */
public enum FlowOrder {
    /** All messages take turns, cell by cell. */
    ROUND_ROBIN,
    /** The shortest message goes first until it is sent; of equally short ones, the first that came. */
    SHORTEST;

    /** Returns the name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
