package dev.skerry.nic.shoal;

import dev.skerry.schedule.check.Bounds;

/**
 * Rules of a Shoal node for its start, failures, damage and full queues (docs/spec/shoal.md §5, §6, §7). Immutable.
 *
 * @param missedEpochs   M: epochs of silence after which a neighbour counts as down, at least 1.
 * @param probeEpochs    epochs between two probes of a neighbour that is down, at least 2.
 * @param noticeEpochs   epochs in which a change of reachability is reported to a neighbour, at least 1.
 * @param maxResends     reports of damage in a row after which a neighbour counts as down, at least 1.
 * @param lowerClassCells cells for which a queue of any class but the highest has room; 0: as many as there are nodes.
 * @param holdEpochs     epochs at the start in which switches hold the circuits of the first slot and nodes send
 *                       nothing.
 */
public record Resilience(
    int missedEpochs,
    int probeEpochs,
    int noticeEpochs,
    int maxResends,
    int lowerClassCells,
    int holdEpochs) {

    /** The values of docs/spec/shoal.md. */
    public static final Resilience DEFAULT = new Resilience(1, 16, 3, 8, 0, 0);

    /** Largest value of each rule. */
    public static final int MOST = 1 << 20;

    /** Checks the bounds. */
    public Resilience {
        Bounds.require("missedEpochs", missedEpochs, 1, MOST);
        Bounds.require("probeEpochs", probeEpochs, 2, MOST);
        Bounds.require("noticeEpochs", noticeEpochs, 1, MOST);
        Bounds.require("maxResends", maxResends, 1, MOST);
        Bounds.require("lowerClassCells", lowerClassCells, 0, MOST);
        Bounds.require("holdEpochs", holdEpochs, 0, MOST);
    }

    /** Creates the rules of a fabric that runs from slot 0 on. */
    public Resilience(final int missedEpochs, final int probeEpochs, final int noticeEpochs, final int maxResends,
        final int lowerClassCells) {
        this(missedEpochs, probeEpochs, noticeEpochs, maxResends, lowerClassCells, 0);
    }

    /** Returns the same rules after a start that takes some epochs. */
    public Resilience after(final int epochs) {
        return new Resilience(missedEpochs, probeEpochs, noticeEpochs, maxResends, lowerClassCells, epochs);
    }
}
