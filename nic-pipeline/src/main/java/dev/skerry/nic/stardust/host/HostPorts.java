package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.stardust.fabric.HostSide;

import java.util.Arrays;

/**
 * The ports of a bank's adapters towards their hosts. The backlog of a port is the time at which it would be sent, in
 * bytes of the port's rate. So a queue of packets costs one number, and nothing in a slot without a new packet. Bytes
 * are counted in units of 1/65536 byte. One thread.
 */
public final class HostPorts {
    /** Stands for a slot: the port has no room. */
    public static final long DROPPED = -1;

    private static final int FRACTION_BITS = 16;

    private final long perSlot;
    private final long high;
    private final long low;
    private final long room;
    private final int packetBytes;
    private final long[] doneAt;
    private final boolean[] withheld;
    private final long[] held;
    private final long[] taken;
    private final boolean watched;
    private final int portsPerAdapter;
    /** Adapters of which a port got something; null if no credits are granted. */
    private QueueBits woken;
    /** Slots for which each port took nothing, and the slot since when it does not; null if all ports always take. */
    private long[] lag;
    private long[] stoppedAt;
    /** Null unless real ports send, the first of them at this endpoint. */
    private PortSide side;
    private int firstEndpoint;

    /**
     * Creates empty ports.
     *
     * @param packetBytes length of the longest packet.
     * @param queues      number of queues that may send to a port.
     * @param waitSlots   slots for which a stream may wait for a cell, after which all its cells come at once.
     */
    public HostPorts(final HostSide side, final int ports, final int packetBytes, final int queues,
        final int waitSlots) {
        this.perSlot = Math.round(side.bytesPerSlot() * (1 << FRACTION_BITS));
        this.watched = side.highBytes() != Long.MAX_VALUE;
        this.portsPerAdapter = side.ports();
        this.high = side.highBytes();
        this.low = side.lowBytes();
        this.packetBytes = packetBytes;
        this.room = 2 * high + (long) queues * packetBytes + (long) (side.bytesPerSlot() * waitSlots);
        this.doneAt = new long[ports];
        this.held = new long[ports];
        this.taken = new long[ports];
        this.withheld = new boolean[ports];
    }

    /** Connects real ports: what they hold is what they have not taken, and nothing is dropped for lack of room. */
    public void connect(final PortSide real, final int endpoint) {
        this.side = real;
        this.firstEndpoint = endpoint;
    }

    /** Sets the adapters to mark when a watched port of them gets something, for the scheduler of the credits. */
    public void wake(final QueueBits adapters) {
        this.woken = adapters;
    }

    /** Tells whether {@link #mayGive} stays true while no queue asks and nothing comes. */
    public boolean isDry(final long slot, final int port) {
        return !watched || !withheld[port] && backlog(slot, port) == 0;
    }

    /**
     * Adds a packet to a port's queue in a slot.
     *
     * @return the slot in which its last byte leaves, or {@link #DROPPED}.
     */
    public long send(final long slot, final int port, final int bytes) {
        final long now = clock(slot, port) * perSlot;
        if (watched && side == null && backlog(slot, port) > room) {
            return DROPPED;
        }
        if (watched && woken != null) {
            woken.set(port / portsPerAdapter);
        }
        taken[port] += bytes;
        doneAt[port] = Math.max(doneAt[port], now) + ((long) bytes << FRACTION_BITS);
        held[port] = Math.max(held[port], doneAt[port] - now >> FRACTION_BITS);
        return (doneAt[port] - 1) / perSlot + (slot - clock(slot, port));
    }

    /**
     * Stops or restarts a host: while it is stopped, the time of its port stands still. A packet that comes then is
     * assumed to leave as if the host restarted at once.
     */
    public void stop(final long slot, final int port, final boolean isStopped) {
        if (lag == null) {
            lag = new long[doneAt.length];
            stoppedAt = new long[doneAt.length];
            Arrays.fill(stoppedAt, Long.MAX_VALUE);
        }
        if (!isStopped && stoppedAt[port] != Long.MAX_VALUE) {
            lag[port] += slot - stoppedAt[port];
        }
        stoppedAt[port] = isStopped ? Math.min(stoppedAt[port], slot) : Long.MAX_VALUE;
    }

    /** Returns the slots in which a port took what there was. */
    private long clock(final long slot, final int port) {
        return lag == null ? slot : Math.min(slot, stoppedAt[port]) - lag[port];
    }

    /** Returns the bytes that a port holds. */
    public long backlog(final long slot, final int port) {
        if (side != null) {
            return side.waitingAt(firstEndpoint + port);
        }
        return Math.max(0, doneAt[port] - clock(slot, port) * perSlot) >> FRACTION_BITS;
    }

    /** Returns the bytes that a port accepted for sending. */
    public long taken(final int port) {
        return taken[port];
    }

    /** Returns the largest number of bytes that a port ever held. */
    public long maxHeld(final int port) {
        return held[port];
    }

    /**
     * Tells whether credits may be given for a port: not from the high mark down to the low one. Each queue that asks
     * may have sent up to a packet more than its credits, and will send nothing for the next ones: both marks are that
     * much higher, or the port would run empty.
     *
     * @param askers number of queues that ask.
     */
    public boolean mayGive(final long slot, final int port, final int askers) {
        if (!watched) {
            return true;
        }
        final long bytes = backlog(slot, port) - (long) askers * packetBytes;
        withheld[port] = withheld[port] ? bytes >= low : bytes > high;
        return !withheld[port];
    }
}
