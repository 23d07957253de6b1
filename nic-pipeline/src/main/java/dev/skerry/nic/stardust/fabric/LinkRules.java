package dev.skerry.nic.stardust.fabric;

/**
 * What a device does about the queue in front of a link (docs/spec/stardust.md §4).
 *
 * @param fci1       a cell that leaves a queue longer than this is marked with level 1, 0 for never.
 * @param fci2       the same with level 2.
 * @param fci3       the same with level 3.
 * @param limitCells a queue this long stops the links into its device; it holds what is under way by then.
 * @param guaranteed cells of each link's share in the pool of an element, whose links all stop when it is nearly used
 *                   up.
 * @param lossless   whether links are stopped; else a cell that meets a queue of {@code limitCells} is dropped, as in
 *                   the push fabric of docs/spec/stardust.md §7.
 * @param spraying   which of several links a cell takes.
 * @param charge     what a cell takes of a link; null for a slot, whatever its length.
 * @param carriesControl whether control messages take their bytes of links, or travel beside the cells.
 */
public record LinkRules(int fci1, int fci2, int fci3, int limitCells, int guaranteed, boolean lossless,
    Spraying spraying, LinkCharge charge, boolean carriesControl) {
    /** Marks at 20, 40 and 80 cells, 128 cells a link, never more than 256. */
    public static final LinkRules USUAL = new LinkRules(20, 40, 80, 256, 128, true, Spraying.RENEWED);
    /** Queues without a bound that mark nothing. */
    public static final LinkRules UNLIMITED = new LinkRules(0, 0, 0, 1 << 24, 1 << 16, true, Spraying.RENEWED);

    /** Checks every bound. */
    public LinkRules {
        if (fci1 < 0 || fci1 > 0 && (fci2 < fci1 || fci3 < fci2)) {
            throw new IllegalArgumentException("marks must ascend: fci1=" + fci1 + " fci2=" + fci2 + " fci3=" + fci3);
        }
        if (limitCells < 1 || guaranteed < 1) {
            throw new IllegalArgumentException("a queue holds a cell: limitCells=" + limitCells + " guaranteed="
                + guaranteed);
        }
    }

    /** Links that a cell takes for a slot. */
    public LinkRules(final int fci1, final int fci2, final int fci3, final int limitCells, final int guaranteed,
        final boolean lossless, final Spraying spraying) {
        this(fci1, fci2, fci3, limitCells, guaranteed, lossless, spraying, null, false);
    }

    /** The same for links whose cells take their bytes. */
    public LinkRules charging(final LinkCharge byBytes) {
        return new LinkRules(fci1, fci2, fci3, limitCells, guaranteed, lossless, spraying, byBytes, carriesControl);
    }

    /** The same for links that carry control messages too. */
    public LinkRules carryingControl() {
        return new LinkRules(fci1, fci2, fci3, limitCells, guaranteed, lossless, spraying, charge, true);
    }

    /** The same with the first mark elsewhere, the others at twice and four times as much. */
    public LinkRules marking(final int cells) {
        return new LinkRules(cells, 2 * cells, 4 * cells, limitCells, guaranteed, lossless, spraying, charge,
            carriesControl);
    }

    /** The same with another choice of links. */
    public LinkRules spraying(final Spraying other) {
        return new LinkRules(fci1, fci2, fci3, limitCells, guaranteed, lossless, other, charge, carriesControl);
    }

    /** The queues of an ordinary switch: a cell that meets a full one is dropped. */
    public static LinkRules dropping(final int limitCells, final Spraying spraying) {
        return new LinkRules(0, 0, 0, limitCells, 1, false, spraying);
    }

    /** The level of a mark for a queue of some length before the cell leaves. */
    public int level(final int length) {
        if (length <= fci1 || fci1 == 0) {
            return 0;
        }
        return length > fci3 ? 3 : length > fci2 ? 2 : 1;
    }
}
