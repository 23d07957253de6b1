package dev.skerry.nic.stardust.fabric;

import dev.skerry.schedule.check.Bounds;

/**
 * Rules of a device for the queue in front of a link (docs/spec/stardust.md §4). FCI is the paper's fabric congestion
 * indication, a mark in a cell's header.
 *
 * @param fci1       a cell that leaves a queue longer than this is marked with level 1, 0 for never.
 * @param fci2       the same with level 2.
 * @param fci3       the same with level 3.
 * @param limitCells length of a queue that stops the links into its device; it also has room for what is then in
 *                   flight.
 * @param guaranteed cells of each link's share in the pool of an element, whose links all stop when it is nearly used
 *                   up.
 * @param lossless   whether links are stopped; else a cell that meets a queue of {@code limitCells} is dropped, as in
 *                   the push fabric of docs/spec/stardust.md §7.
 * @param spraying   which of several links a cell takes.
 * @param charge     cost of a cell on a link; null for a slot, regardless of its length.
 * @param carriesControl whether control messages cost their bytes on links, or are sent separately from the cells.
 */
public record LinkRules(int fci1, int fci2, int fci3, int limitCells, int guaranteed, boolean lossless,
    Spraying spraying, LinkCharge charge, boolean carriesControl) {
    /** Marks at 20, 40 and 80 cells, 128 cells a link, never more than 256. */
    public static final LinkRules USUAL = new LinkRules(20, 40, 80, 256, 128, true, Spraying.RENEWED);
    /** Queues without a bound and without marks. */
    public static final LinkRules UNLIMITED = new LinkRules(0, 0, 0, 1 << 24, 1 << 16, true, Spraying.RENEWED);

    /** Checks every bound. */
    public LinkRules {
        Bounds.refuseIf(fci1 < 0 || fci1 > 0 && (fci2 < fci1 || fci3 < fci2), "marks must ascend: fci1=", fci1,
            " fci2=", fci2, " fci3=", fci3);
        Bounds.refuseIf(limitCells < 1 || guaranteed < 1, "a queue must hold a cell: limitCells=", limitCells,
            " guaranteed=", guaranteed);
    }

    /** Creates rules for links on which a cell takes a slot. */
    public LinkRules(final int fci1, final int fci2, final int fci3, final int limitCells, final int guaranteed,
        final boolean lossless, final Spraying spraying) {
        this(fci1, fci2, fci3, limitCells, guaranteed, lossless, spraying, null, false);
    }

    /** Returns the same rules for links on which cells cost their bytes. */
    public LinkRules charging(final LinkCharge byBytes) {
        return new LinkRules(fci1, fci2, fci3, limitCells, guaranteed, lossless, spraying, byBytes, carriesControl);
    }

    /** Returns the same rules for links that carry control messages too. */
    public LinkRules carryingControl() {
        return new LinkRules(fci1, fci2, fci3, limitCells, guaranteed, lossless, spraying, charge, true);
    }

    /** Returns the same rules with another first mark, and the others at twice and four times as much. */
    public LinkRules marking(final int cells) {
        return new LinkRules(cells, 2 * cells, 4 * cells, limitCells, guaranteed, lossless, spraying, charge,
            carriesControl);
    }

    /** Returns the same rules with another choice of links. */
    public LinkRules spraying(final Spraying other) {
        return new LinkRules(fci1, fci2, fci3, limitCells, guaranteed, lossless, other, charge, carriesControl);
    }

    /** Returns the rules of an ordinary switch, where a cell that meets a full queue is dropped. */
    public static LinkRules dropping(final int limitCells, final Spraying spraying) {
        return new LinkRules(0, 0, 0, limitCells, 1, false, spraying);
    }

    /** Returns the level of the mark for a queue of some length before the cell leaves. */
    public int level(final int length) {
        if (length <= fci1 || fci1 == 0) {
            return 0;
        }
        return length > fci3 ? 3 : length > fci2 ? 2 : 1;
    }

    /** Determines which of the links that lead to an adapter a cell takes (docs/spec/stardust.md §3.6). */
    public enum Spraying {
        /** In turn by a random order that is renewed every four rounds, one for all adapters with the same links. */
        RENEWED,
        /** The same with one order forever, to measure the effect of renewals. */
        FIXED_ORDER,
        /** The same with a separate order for each adapter. */
        PER_DESTINATION,
        /** All cells of a stream take the same links, by a hash, as switches do with flows. */
        HASHED
    }

    /**
     * The cost of a cell on a link in bytes, where a short one costs less than a whole slot (docs/spec/stardust.md §3.4
     * and §10, row 6). A slot is then shorter than the longest cell; a link sends a cell in the slot by whose end all
     * its bytes have gone out.
     *
     * @param bytesPerSlot bytes that a link sends in a slot, above 0; no more than the cost of the shortest cell of
     *                     interest, as a link sends at most one cell a slot.
     * @param cellBytes    cost of a cell beyond its payload, 0 to 1024.
     * @param packetBytes  additional cost of the last cell of a packet, 0 to 1024, for packets that do not share cells.
     */
    public record LinkCharge(double bytesPerSlot, int cellBytes, int packetBytes) {
        private static final int FRACTION_BITS = 16;
        private static final int MOST = 1024;

        /** Checks every bound. */
        public LinkCharge {
            Bounds.refuseIf(!(bytesPerSlot > 0 && bytesPerSlot <= MOST),
                "a link sends up to 1024 bytes a slot: bytesPerSlot=", bytesPerSlot);
            Bounds.refuseIf(cellBytes < 0 || cellBytes > MOST || packetBytes < 0 || packetBytes > MOST,
                "the overhead of a cell must be 0 to 1024 bytes: cellBytes=", cellBytes, " packetBytes=", packetBytes);
        }

        /** Returns the bytes of a slot in units of 1/65536 byte. */
        public long perSlot() {
            return Math.round(bytesPerSlot * (1 << FRACTION_BITS));
        }

        /** Returns the cost of a cell in units of 1/65536 byte. */
        public long of(final long first) {
            return (long) (StardustCell.bytes(first) + cellBytes + (StardustCell.isEnd(first) ? packetBytes : 0))
                << FRACTION_BITS;
        }
    }
}
