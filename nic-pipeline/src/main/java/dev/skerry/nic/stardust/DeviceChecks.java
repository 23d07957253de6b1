package dev.skerry.nic.stardust;

import dev.skerry.nic.stardust.adapter.ControlIntake;
import dev.skerry.nic.stardust.credit.Control;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.FoldedClos;

/**
 * Refuses what no neighbour of a device could have sent, before it indexes tables that do not check. Immutable.
 *
 * @param fabric  the fabric.
 * @param device  the device that receives.
 * @param reports whether the fabric has reachability messages.
 */
record DeviceChecks(Stardust fabric, int device, boolean reports) {
    /**
     * Checks what comes in a slot.
     *
     * @throws IllegalArgumentException for the first word that cannot come.
     */
    void check(final long slot, final DeviceSignals received) {
        final FoldedClos clos = fabric.clos();
        if (received.links() != clos.ports(device)) {
            throw new IllegalArgumentException("links must be " + clos.ports(device) + ": links=" + received.links());
        }
        for (int link = 0; link < received.links(); link++) {
            final boolean any = received.first(link) != 0 || received.pause(link) || received.report(link);
            if (any && (slot < fabric.linkSlots() || clos.peer(clos.firstPort(device) + link) == FoldedClos.NONE)) {
                throw new IllegalArgumentException("nothing can have come by this link: link=" + link + " slot="
                    + slot + " linkSlots=" + fabric.linkSlots());
            }
            if (received.report(link) && !reports) {
                throw new IllegalArgumentException("a fabric where all is known and nothing fails has no reachability "
                    + "messages: link=" + link);
            }
            if (received.first(link) != 0) {
                cell(link, received.first(link), received.second(link));
            }
        }
        for (int i = 0; i < received.messages(); i++) {
            message(slot, received.message(i));
        }
    }

    private void cell(final int link, final long first, final long second) {
        final int fas = fabric.clos().fas();
        if (!StardustCell.isCell(first) || StardustCell.to(first) >= fas || StardustCell.from(first) >= fas
            || StardustCell.queue(second) >= fabric.hosts().queues() || StardustCell.bytes(first)
            > fabric.cut().cellBytes() || device < fas && StardustCell.to(first) != device) {
            throw new IllegalArgumentException("not a cell that this fabric sends here: link=" + link + " first=0x"
                + Long.toHexString(first) + " second=0x" + Long.toHexString(second));
        }
    }

    private void message(final long slot, final long message) {
        final int fas = fabric.clos().fas();
        final int issuer = Control.issuer(message);
        if (device >= fas || Control.target(message) != device || issuer >= fas || issuer == device
            || Control.queue(message) >= fabric.hosts().queues()
            || slot < 2L * ControlIntake.meetAt(fabric.clos(), device, issuer) * fabric.linkSlots()) {
            throw new IllegalArgumentException("not a message that can come here now: slot=" + slot + " message=0x"
                + Long.toHexString(message));
        }
    }
}
