package dev.skerry.nic.stardust.adapter;

import dev.skerry.codec.StardustControl;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.stardust.credit.Control;
import dev.skerry.nic.stardust.credit.EgressScheduler;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.reach.StardustReach;
import dev.skerry.schedule.FoldedClos;

/**
 * Takes in the {@link Control} messages that come to the adapters of a bank: credits go to their queues, requests to
 * the schedulers. What was sent by an adapter l tiers away comes 2 l propagation delays later; those of one slot come
 * from near to far, and as near in the order of the banks that sent them. One thread, that of the bank.
 */
public final class ControlIntake {
    /** Of a request on a link, and of a credit. */
    private static final int FRAME_BYTES = StardustControl.frameBytes(StardustControl.REQUEST);

    private final FoldedClos clos;
    private final int levels;
    private final int propagation;
    private final int first;
    private final int end;
    /** Of each bank that has adapters. */
    private final Control[] controls;
    private final AdapterIngress ingress;
    private final EgressScheduler scheduler;
    private final BankCounters tally;
    /** Null where nothing ever fails, as the one after it. */
    private final FaultState faults;
    private final StardustReach reach;

    public ControlIntake(final Stardust fabric, final DeviceRange share, final Control[] controls,
        final AdapterIngress ingress,
        final EgressScheduler scheduler, final BankCounters tally, final FaultState faults, final StardustReach reach) {
        this.clos = fabric.clos();
        this.levels = clos.tiers();
        this.propagation = fabric.linkSlots();
        this.first = share.first(0);
        this.end = share.end(0);
        this.controls = controls;
        this.ingress = ingress;
        this.scheduler = scheduler;
        this.tally = tally;
        this.faults = faults;
        this.reach = reach;
    }

    /** Messages that come in this slot, from near to far, each bank's in the order they were sent. */
    public void hear(final long slot) {
        for (int level = 1; level <= levels; level++) {
            final long sent = slot - 2L * level * propagation;
            for (int bank = 0; sent >= 0 && bank < controls.length; bank++) {
                hear(slot, sent, level, controls[bank]);
            }
        }
    }

    private void hear(final long slot, final long sent, final int level, final Control from) {
        final long[] messages = from.list(sent);
        final int count = from.count(sent);
        for (int i = 0; i < count; i++) {
            final int target = Control.target(messages[i]);
            final int issuer = Control.issuer(messages[i]);
            if (target >= first && target < end && meetAt(clos, target, issuer) == level
                && (faults == null || !faults.isDown(target) && reach.reaches(target, issuer))) {
                tally.add(NicCounter.CONTROL_BYTES, 2L * level * FRAME_BYTES);
                for (int copies = faults == null ? 1 : copies(sent, messages[i]); copies > 0; copies--) {
                    take(slot, target, issuer, messages[i]);
                }
            }
        }
    }

    private void take(final long slot, final int target, final int issuer, final long message) {
        if (Control.kind(message) == Control.CREDIT) {
            ingress.credit(slot, target, issuer, message);
        } else {
            scheduler.request(target, issuer, Control.queue(message), Control.kind(message),
                Control.asked(message));
        }
    }

    /** How often a message comes that was sent in a slot. */
    private int copies(final long sent, final long message) {
        final int copies = faults.copies(sent, message);
        tally.add(NicCounter.CONTROL_LOST, copies == 0 ? 1 : 0);
        return copies;
    }

    /** The tier up to which a shortest way between two adapters goes, at least 1. */
    public static int meetAt(final FoldedClos clos, final int one, final int other) {
        int level = 1;
        while (level < clos.tiers() && clos.subTreeOf(one, level) != clos.subTreeOf(other, level)) {
            level++;
        }
        return level;
    }
}
