package dev.skerry.nic.shoal;

/** The readings of Shoal's release rule, Eq. 2 (docs/spec/shoal.md §4.3, §11 item 5). */
public enum ReleaseRule {
    /**
     * What was reported, less the services that the relay's queue gets between the report and the earliest arrival of
     * the next cell.
     */
    EXACT("exact"),
    /** Eq. 2 as it is printed: those services are not counted. */
    PAPER_LITERAL("paper-literal"),
    /**
     * As the authors' simulator does it: two reports ride with each cell, and a relay that is met in the same slot of
     * the epoch as it meets the destination is thought one service too slow. Plain round robin of one channel, without
     * delay.
     */
    AUTHORS_SIMULATOR("authors-simulator");

    private final String label;

    ReleaseRule(final String label) {
        this.label = label;
    }

    /** Its name on the command line. */
    public String label() {
        return label;
    }
}
