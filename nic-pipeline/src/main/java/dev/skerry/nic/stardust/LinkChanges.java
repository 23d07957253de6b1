package dev.skerry.nic.stardust;

import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.stardust.adapter.AdapterIngress;
import dev.skerry.nic.stardust.credit.EgressScheduler;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.reach.StardustReach;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Tells the parts of a bank's adapters what a change of links means to them (docs/spec/stardust.md §6): schedulers and
 * what cuts cells how many links are left, schedulers whose requests to forget, and queues when to ask again. One
 * thread, that of the bank.
 */
final class LinkChanges {
    private static final long NEVER = Long.MAX_VALUE;

    private final AdapterIngress ingress;
    private final EgressScheduler scheduler;
    private final StardustReach reach;
    private final FaultState faults;
    private final int refreshSlots;
    private final int first;
    private final int fas;
    /** By adapter and other, whether the one reached the other when it was last looked at. */
    private final BitSet reached;
    /** By adapter, the slot in which its queues ask again; and the least of them. */
    private final long[] asksIn;
    private long nextAsk = NEVER;

    /**
     * All is known as it stands before slot 0.
     *
     * @param share        the bank, which has adapters.
     * @param fas          adapters of the fabric.
     * @param refreshSlots after this long queues ask again in any case.
     */
    LinkChanges(final AdapterIngress ingress, final EgressScheduler scheduler, final StardustReach reach,
        final FaultState faults, final DeviceRange share, final int fas, final int refreshSlots) {
        this.ingress = ingress;
        this.scheduler = scheduler;
        this.reach = reach;
        this.faults = faults;
        this.refreshSlots = refreshSlots;
        this.first = share.first(0);
        this.fas = fas;
        final int adapters = share.end(0) - first;
        this.reached = new BitSet(adapters * fas);
        this.asksIn = new long[adapters];
        Arrays.fill(asksIn, NEVER);
        for (int local = 0; local < adapters; local++) {
            scheduler.setLinks(local, reach.usable(first + local));
            for (int other = 0; other < fas; other++) {
                reached.set(local * fas + other, reach.reaches(first + local, other));
            }
        }
    }

    /** An adapter reaches others than before, or over other links. */
    void onChange(final long slot, final int adapter) {
        final int local = adapter - first;
        scheduler.setLinks(local, reach.usable(adapter));
        for (int other = 0; other < fas; other++) {
            final boolean reaches = reach.reaches(adapter, other);
            if (!reaches) {
                scheduler.forget(local, other);
            } else if (!reached.get(local * fas + other)) {
                asksIn[local] = slot + reach.settleSlots();
                nextAsk = Math.min(nextAsk, asksIn[local]);
            }
            reached.set(local * fas + other, reaches);
        }
    }

    /**
     * Queues ask again: those of adapters that reach others again once both ends know of it, and all in turn from time
     * to time, as a message may be lost.
     */
    void turnTo(final long slot) {
        for (int local = turn(slot, first, refreshSlots); local < asksIn.length; local += refreshSlots) {
            ask(slot, local);
        }
        if (slot >= nextAsk) {
            nextAsk = NEVER;
            for (int local = 0; local < asksIn.length; local++) {
                if (asksIn[local] <= slot) {
                    asksIn[local] = NEVER;
                    ask(slot, local);
                }
                nextAsk = Math.min(nextAsk, asksIn[local]);
            }
        }
    }

    private void ask(final long slot, final int local) {
        if (!faults.isDown(first + local)) {
            ingress.refresh(slot, local);
        }
    }

    /** Checks that schedulers count the links that reachability tables let their adapters use. */
    void agree() {
        for (int local = 0; local < asksIn.length; local++) {
            if (scheduler.links(local) != reach.usable(first + local)) {
                throw new IllegalStateException("adapter " + (first + local) + " may use " + reach.usable(first + local)
                    + " links and its scheduler counts " + scheduler.links(local));
            }
        }
    }

    /**
     * The first adapter of a bank whose turn it is, once in each period. Its slot depends on the adapter alone, as
     * results must not depend on the banks.
     */
    static int turn(final long slot, final int first, final int period) {
        return (int) Math.floorMod(-slot - first, (long) period);
    }
}
