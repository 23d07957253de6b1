package dev.skerry.nic.shoal;

/**
 * Rules of a Shoal node for failures, damage and full queues (docs/spec/shoal.md §5, §6). Immutable.
 *
 * @param missedEpochs   M: epochs of silence after which a neighbour is taken for down, at least 1.
 * @param probeEpochs    epochs between two probes of a neighbour that is down, at least 2.
 * @param noticeEpochs   epochs in which a neighbour is told of a change of reachability, at least 1.
 * @param maxResends     reports of damage in a row that a neighbour may send before it is taken for down, at least 1.
 * @param lowerClassCells cells that a queue of any class but the highest has room for; 0: as many as there are nodes.
 */
public record Resilience(
    int missedEpochs,
    int probeEpochs,
    int noticeEpochs,
    int maxResends,
    int lowerClassCells) {

    /** The values of docs/spec/shoal.md. */
    public static final Resilience DEFAULT = new Resilience(1, 16, 3, 8, 0);

    /** The largest value of each. */
    public static final int MOST = 1 << 20;

    /** Checks the bounds. */
    public Resilience {
        require("missedEpochs", missedEpochs, 1);
        require("probeEpochs", probeEpochs, 2);
        require("noticeEpochs", noticeEpochs, 1);
        require("maxResends", maxResends, 1);
        require("lowerClassCells", lowerClassCells, 0);
    }

    private static void require(final String name, final int value, final int least) {
        if (value < least || value > MOST) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + MOST + ": " + name + "=" + value);
        }
    }
}
