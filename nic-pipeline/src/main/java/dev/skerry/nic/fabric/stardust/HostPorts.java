package dev.skerry.nic.fabric.stardust;

/**
 * The ports of a bank's adapters towards their hosts: how much each still has to send, as the time at which it would be
 * done, in bytes of its own rate. So a queue of packets costs one number, and nothing at all in a slot in which none
 * comes. Bytes are counted in 1/65536; one thread.
 */
final class HostPorts {
    /** Instead of a slot: the port has no room. */
    static final long DROPPED = -1;

    private static final int FRACTION_BITS = 16;

    private final long perSlot;
    private final long high;
    private final long low;
    private final long room;
    private final int packetBytes;
    private final long[] doneAt;
    private final boolean[] stopped;
    private final long[] held;
    private final long[] taken;
    private final boolean watched;

    /**
     * Empty ports.
     *
     * @param packetBytes the longest packet.
     * @param queues      queues that may send to a port.
     * @param waitSlots   slots for which a stream may wait for a cell, and then come all at once.
     */
    HostPorts(final HostSide side, final int ports, final int packetBytes, final int queues,
        final int waitSlots) {
        this.perSlot = Math.round(side.bytesPerSlot() * (1 << FRACTION_BITS));
        this.watched = side.highBytes() != Long.MAX_VALUE;
        this.high = side.highBytes();
        this.low = side.lowBytes();
        this.packetBytes = packetBytes;
        this.room = 2 * high + (long) queues * packetBytes + (long) (side.bytesPerSlot() * waitSlots);
        this.doneAt = new long[ports];
        this.held = new long[ports];
        this.taken = new long[ports];
        this.stopped = new boolean[ports];
    }

    /**
     * A packet joins a port's queue in a slot.
     *
     * @return the slot in which its last byte leaves, or {@link #DROPPED}.
     */
    long send(final long slot, final int port, final int bytes) {
        final long now = slot * perSlot;
        if (watched && backlog(slot, port) > room) {
            return DROPPED;
        }
        taken[port] += bytes;
        doneAt[port] = Math.max(doneAt[port], now) + ((long) bytes << FRACTION_BITS);
        held[port] = Math.max(held[port], doneAt[port] - now >> FRACTION_BITS);
        return (doneAt[port] - 1) / perSlot;
    }

    /** Bytes that a port holds. */
    long backlog(final long slot, final int port) {
        return Math.max(0, doneAt[port] - slot * perSlot) >> FRACTION_BITS;
    }

    /** Bytes that a port took in to send. */
    long taken(final int port) {
        return taken[port];
    }

    /** Most bytes that a port ever held. */
    long maxHeld(final int port) {
        return held[port];
    }

    /**
     * Whether credits may be handed out for a port: not from the high mark down to the low one. Each queue that asks
     * may have sent up to a packet more than it had credits for, and will send nothing for the next ones: both marks
     * are that much higher, or the port would run dry meanwhile.
     *
     * @param askers queues that ask.
     */
    boolean mayHandOut(final long slot, final int port, final int askers) {
        if (!watched) {
            return true;
        }
        final long bytes = backlog(slot, port) - (long) askers * packetBytes;
        stopped[port] = stopped[port] ? bytes >= low : bytes > high;
        return !stopped[port];
    }
}
