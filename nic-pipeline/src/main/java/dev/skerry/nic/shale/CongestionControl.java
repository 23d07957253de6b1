package dev.skerry.nic.shale;

/** The mechanisms of Shale §3.3 that can run, alone and together (docs/spec/shale.md §7). */
public enum CongestionControl {
    /** Random spraying, first come first served, no limit. */
    NONE("none", false, false),
    /** Hop-by-hop tokens, random spraying. */
    HBH("hbh", true, false),
    /** Spraying by the shortest queue, no limit. */
    SPRAY_SHORT("spray-short", false, true),
    /** Hop-by-hop tokens and spraying by the shortest queue: Shale as its authors propose it. */
    HBH_SPRAY("hbh+spray", true, true);

    private final String label;
    private final boolean hopByHop;
    private final boolean sprayShort;

    CongestionControl(final String label, final boolean hopByHop, final boolean sprayShort) {
        this.label = label;
        this.hopByHop = hopByHop;
        this.sprayShort = sprayShort;
    }

    /** Its name on the command line. */
    public String label() {
        return label;
    }

    /** Whether cells need tokens. */
    public boolean hopByHop() {
        return hopByHop;
    }

    /** Whether a spraying hop takes the shortest queue. */
    public boolean sprayShort() {
        return sprayShort;
    }
}
