package dev.skerry.nic.stardust.fabric;

import dev.skerry.schedule.check.Bounds;

/**
 * What a device does about the queue in front of a link (docs/spec/stardust.md §4). FCI is the paper's fabric
 * congestion indication, a mark in a cell's header.
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
        Bounds.refuseIf(fci1 < 0 || fci1 > 0 && (fci2 < fci1 || fci3 < fci2), "marks must ascend: fci1=", fci1,
            " fci2=", fci2, " fci3=", fci3);
        Bounds.refuseIf(limitCells < 1 || guaranteed < 1, "a queue holds a cell: limitCells=", limitCells,
            " guaranteed=", guaranteed);
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

    /** Which of the links that lead to an adapter a cell takes (docs/spec/stardust.md §3.6). */
    public enum Spraying {
        /** In turn by a random order that is renewed every four rounds, one for all adapters with the same links. */
        RENEWED,
        /** The same with one order for ever: what renewing it is good for. */
        FIXED_ORDER,
        /** The same with an order of its own for each adapter. */
        PER_DESTINATION,
        /** All cells of a stream take the same links, by a hash: what switches do with flows. */
        HASHED
    }

    /**
     * What a cell takes of a link: its bytes, where a short one is worth less than a whole slot (docs/spec/stardust.md
     * §3.4 and §10, row 6). A slot is then shorter than the longest cell; a link sends a cell in the slot by whose end
     * all its bytes have gone out.
     *
     * @param bytesPerSlot bytes that a link sends in a slot, no more than the shortest cell of interest takes: a link
     *                     sends one cell a slot at most; over 0.
     * @param cellBytes    what a cell takes beyond its payload, 0 to 1024.
     * @param packetBytes  what the last cell of a packet takes beyond that, 0 to 1024, for packets that do not share
     *                     cells.
     */
    public record LinkCharge(double bytesPerSlot, int cellBytes, int packetBytes) {
        private static final int FRACTION_BITS = 16;
        private static final int MOST = 1024;

        /** Checks every bound. */
        public LinkCharge {
            Bounds.refuseIf(!(bytesPerSlot > 0 && bytesPerSlot <= MOST),
                "a link sends up to 1024 bytes a slot: bytesPerSlot=", bytesPerSlot);
            Bounds.refuseIf(cellBytes < 0 || cellBytes > MOST || packetBytes < 0 || packetBytes > MOST,
                "what a cell takes more is 0 to 1024 bytes: cellBytes=", cellBytes, " packetBytes=", packetBytes);
        }

        /** Bytes of a slot in 1/65536. */
        public long perSlot() {
            return Math.round(bytesPerSlot * (1 << FRACTION_BITS));
        }

        /** What a cell takes in 1/65536 bytes. */
        public long of(final long first) {
            return (long) (StardustCell.bytes(first) + cellBytes + (StardustCell.isEnd(first) ? packetBytes : 0))
                << FRACTION_BITS;
        }
    }
}
