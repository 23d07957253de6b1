package dev.skerry.nic.stardust.element;

import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.IndexSet;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;

/**
 * The cells that come to the ports of a bank's devices in a slot, in the order of the ports. One thread, that of the
 * bank.
 */
public final class PortArrivals {
    private final Pipes pipes;
    private final int bank;
    private final int base;
    private final int propagation;
    private final IndexSet ports;
    /** By port, where its cell is. */
    private final int[] places;

    /** Nothing comes. */
    public PortArrivals(final Stardust fabric, final DeviceRange share, final Pipes pipes) {
        final FoldedClos clos = fabric.clos();
        this.pipes = pipes;
        this.bank = share.bank();
        this.base = clos.firstPort(share.base());
        this.propagation = fabric.linkSlots();
        this.places = new int[clos.firstPort(share.base() + share.span()) - base];
        this.ports = new IndexSet(places.length);
    }

    /** Finds what comes in a slot. What came in the slot before has been taken. */
    public void turnTo(final long slot) {
        if (slot >= propagation) {
            pipes.take(pipes.row(slot - propagation), bank, base, ports, places);
        }
    }

    /** Takes the next port from one on that a cell comes to; {@code end} if there is none below it. */
    public int take(final int port, final int end) {
        return ports.take(port - base, end - base) + base;
    }

    /** Whether a cell comes to a port; it is taken. */
    boolean takes(final int port) {
        return take(port, port + 1) == port;
    }

    /** The next port from one on that a cell comes to; {@code end} if there is none below it. */
    int next(final int port, final int end) {
        return ports.next(port - base, end - base) + base;
    }

    /** The first word of the cell that comes to a port. */
    public long first(final int port) {
        return pipes.first(places[port - base]);
    }

    /** The second word of the cell. */
    public long second(final int port) {
        return pipes.second(places[port - base]);
    }
}
