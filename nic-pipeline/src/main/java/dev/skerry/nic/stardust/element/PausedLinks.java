package dev.skerry.nic.stardust.element;

import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.reach.ForwardingTable;
import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;

/** Which links out of a bank's devices the other ends have paused, as they know in a slot. One thread. */
public final class PausedLinks implements ForwardingTable.Paused {
    private static final long NEVER = -1;

    private final FoldedClos clos;
    private final Pauses pauses;
    private final int propagation;
    private final int[] neighbours;
    private final int basePort;
    /** By port, the last slot in which its link was paused. */
    private final long[] pausedIn;
    private long now;
    private boolean any;

    /** No link is paused. */
    public PausedLinks(final Stardust fabric, final DeviceRange share, final Pauses pauses) {
        this.clos = fabric.clos();
        this.pauses = pauses;
        this.propagation = fabric.linkSlots();
        this.neighbours = pauses.neighbours(share.bank());
        this.basePort = clos.firstPort(share.base());
        this.pausedIn = new long[clos.firstPort(share.base() + share.span()) - basePort];
        Arrays.fill(pausedIn, NEVER);
    }

    /** Takes in what devices said the delay before a slot; slots come in order. */
    public void turnTo(final long slot) {
        now = slot;
        any = false;
        final long said = slot - propagation;
        for (int i = 0; said >= 0 && i < neighbours.length; i++) {
            final int count = pauses.count(said, neighbours[i]);
            final int[] ports = pauses.list(said, neighbours[i]);
            for (int at = 0; at < count; at++) {
                final int own = clos.peer(ports[at]) - basePort;
                if (own >= 0 && own < pausedIn.length) {
                    pausedIn[own] = slot;
                    any = true;
                }
            }
        }
    }

    @Override
    public boolean any() {
        return any;
    }

    @Override
    public boolean isPaused(final int port) {
        return any && pausedIn[port - basePort] == now;
    }
}
