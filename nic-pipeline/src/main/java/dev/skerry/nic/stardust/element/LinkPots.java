package dev.skerry.nic.stardust.element;

import dev.skerry.nic.stardust.fabric.LinkCharge;
import dev.skerry.nic.stardust.fabric.Stardust;

/**
 * What a bank's links have saved for cells that cost bytes, and what control messages have taken of links meanwhile
 * (docs/spec/stardust.md §4). A message goes before the cells: where a cell takes a slot, a link whose messages come
 * to the bytes of a full cell sends none in a slot. A link without cells carries messages for nothing. One thread.
 */
final class LinkPots {
    private static final int FRACTION_BITS = 16;

    /** Cost of a cell on a link, and by port the bytes saved for the next cell; null where a cell takes a slot. */
    private final LinkCharge charge;
    private final long[] pots;
    /** By port, bytes of messages since it was idle, and when it last had a cell; null where messages take nothing. */
    private final int[] owed;
    private final long[] usedIn;
    private final int slotBytes;
    private long now;

    /** Nothing saved, nothing owed. */
    LinkPots(final Stardust fabric, final int ports) {
        this.charge = fabric.links().charge();
        this.pots = charge == null ? null : new long[ports];
        this.owed = fabric.links().carriesControl() ? new int[ports] : null;
        this.usedIn = owed == null ? null : new long[ports];
        this.slotBytes = (int) fabric.linkBytesPerSlot();
    }

    /** Links send the cells of a slot next. */
    void turnTo(final long slot) {
        now = slot;
    }

    /** Whether links may always send. */
    boolean areFree() {
        return charge == null && owed == null;
    }

    /** Whether cells cost bytes. */
    boolean charge() {
        return charge != null;
    }

    /** A port where cells cost bytes has none: it saves nothing up. */
    void clear(final int at) {
        if (charge != null) {
            pots[at] = 0;
        }
    }

    /** A message goes over the link of a port, if the bank has it: for nothing unless it had a cell a slot before. */
    void carry(final int at, final int bytes) {
        if (at >= 0 && at < owed.length && usedIn[at] >= now) {
            owed[at] += bytes;
        }
    }

    /** Whether a port with a cell may send it in this slot; then it is paid for. */
    boolean pay(final int at, final long first) {
        if (owed != null) {
            if (usedIn[at] < now - 1) {
                owed[at] = 0;
            }
            usedIn[at] = now;
        }
        if (charge == null) {
            if (owed == null || owed[at] < slotBytes) {
                return true;
            }
            owed[at] -= slotBytes;
            return false;
        }
        final long cost = charge.of(first);
        long pot = pots[at] + charge.perSlot();
        if (owed != null) {
            pot -= (long) owed[at] << FRACTION_BITS;
            owed[at] = 0;
        }
        pots[at] = pot < cost ? pot : Math.min(pot - cost, charge.perSlot());
        return pot >= cost;
    }
}
