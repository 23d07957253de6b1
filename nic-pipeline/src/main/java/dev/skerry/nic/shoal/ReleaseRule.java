package dev.skerry.nic.shoal;

import java.util.Locale;

/** The readings of Shoal's release rule, Eq. 2 (docs/spec/shoal.md §4.3). */
public enum ReleaseRule {
    /**
     * The reported value less the services that the relay's queue gets between the report and the earliest arrival of
     * the next cell.
     */
    EXACT,
    /** Eq. 2 as printed: those services are not counted. */
    PAPER_LITERAL,
    /**
     * Eq. 2 as printed, and each queue is reported once: in the turn after a cell has come, to the node from which it
     * came (Shoal §3.3.2). Two nodes that send to each other in the same slot wait for that report like all others.
     */
    PAPER_ONE_REPORT,
    /**
     * The reports of {@link #PAPER_ONE_REPORT} with the services of {@link #EXACT}; the difference to {@link #EXACT} is
     * the effect of a second report.
     */
    EXACT_ONE_REPORT,
    /**
     * The basic mechanism of Shoal §3.3.2 with the services of {@link #EXACT}: the cells of all flows that Eq. 2
     * releases join the queue at once, reports contain only its length (Eq. 1), and Eq. 3 bounds it.
     */
    BASIC,
    /**
     * The rule of the authors' simulator: two reports go with each cell, and a relay that is met in the same slot of
     * the epoch in which it meets the destination is assumed one service too slow. Only with the plain round robin of
     * one channel, without delay.
     */
    AUTHORS_SIMULATOR;

    /** Tells whether the rule supports faults and traffic classes. */
    public boolean isGuarded() {
        return this == EXACT || this == PAPER_LITERAL;
    }

    /** Tells whether each queue is reported only once. */
    public boolean isReportedOnce() {
        return this == PAPER_ONE_REPORT || this == EXACT_ONE_REPORT;
    }

    /** Returns the name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
