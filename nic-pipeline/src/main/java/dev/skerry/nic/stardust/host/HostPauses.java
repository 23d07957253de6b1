package dev.skerry.nic.stardust.host;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.HostSide;

/**
 * Which adapters of a bank pause their hosts (docs/spec/stardust.md §3.1): from where they hold more than a mark until
 * they hold less than half of it. A paused host sends no packet of any kind and still hears. One thread.
 */
public final class HostPauses {
    private final long high;
    private final int ports;
    private final BankCounters tally;
    private final boolean[] paused;

    /** Nobody is paused. */
    public HostPauses(final HostSide side, final BankCounters tally, final int adapters) {
        this.high = side.signals().pauseBytes();
        this.ports = side.ports();
        this.tally = tally;
        this.paused = new boolean[adapters];
    }

    /** An adapter holds some bytes at the start of a slot. */
    public void turn(final int adapter, final long held) {
        final boolean before = paused[adapter];
        paused[adapter] = before ? held >= high / 2 : held > high;
        if (paused[adapter]) {
            tally.increment(NicCounter.HOST_PAUSE_SLOTS);
            if (!before) {
                tally.increment(NicCounter.HOST_PAUSES);
            }
        }
    }

    /** Whether a host of the bank may not send in this slot. */
    boolean isPaused(final int host) {
        return paused[host / ports];
    }
}
