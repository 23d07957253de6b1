package dev.skerry.nic.shoal;

import java.util.Locale;

/** The readings of Shoal's release rule, Eq. 2 (docs/spec/shoal.md §4.3). */
public enum ReleaseRule {
    /**
     * What was reported, less the services that the relay's queue gets between the report and the earliest arrival of
     * the next cell.
     */
    EXACT,
    /** Eq. 2 as it is printed: those services are not counted. */
    PAPER_LITERAL,
    /**
     * Eq. 2 as it is printed, and each queue is told of once: in the turn after a cell has come, to the node it came
     * from (Shoal §3.3.2). Two nodes that send to each other in the same slot wait for that like all others.
     */
    PAPER_ONE_REPORT,
    /** The reports of {@link #PAPER_ONE_REPORT} with the services of {@link #EXACT}: what a second report brings. */
    EXACT_ONE_REPORT,
    /**
     * The basic mechanism of Shoal §3.3.2, with the services of {@link #EXACT}: the cells of all flows that Eq. 2
     * releases join the queue at once, reports tell its length alone (Eq. 1), and Eq. 3 bounds it.
     */
    BASIC,
    /**
     * As the authors' simulator does it: two reports ride with each cell, and a relay that is met in the same slot of
     * the epoch as it meets the destination is thought one service too slow. Plain round robin of one channel, without
     * delay.
     */
    AUTHORS_SIMULATOR;

    /** Whether it goes with faults and traffic classes. */
    public boolean isGuarded() {
        return this == EXACT || this == PAPER_LITERAL;
    }

    /** Whether each queue is told of once, and not again. */
    public boolean isReportedOnce() {
        return this == PAPER_ONE_REPORT || this == EXACT_ONE_REPORT;
    }

    /** Its name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
