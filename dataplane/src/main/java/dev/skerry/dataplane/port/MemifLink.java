package dev.skerry.dataplane.port;

/**
 * All rings of one connected peer: what a memif port sends and receives on while it is up. After the first fault it
 * moves nothing any more. One thread.
 *
 * <p>Packets of several receive rings come in turn. All packets are sent on the first ring, so their order is kept.
 */
public final class MemifLink {
    private final MemifReceiver[] receivers;
    private final MemifSender sender;
    private final MemifVerdict verdict;
    private int turn;

    /**
     * A link.
     *
     * @param receivers one for each ring to receive on, at least one.
     * @param sender    of the ring to send on.
     * @param verdict   theirs.
     */
    public MemifLink(final MemifReceiver[] receivers, final MemifSender sender, final MemifVerdict verdict) {
        this.receivers = receivers.clone();
        this.sender = sender;
        this.verdict = verdict;
    }

    /** What is wrong with it. */
    public MemifVerdict verdict() {
        return verdict;
    }

    /**
     * Takes packets, as many as there are and the burst has room for.
     *
     * @param into where they go.
     * @return how many were added; after a fault, those before it.
     */
    public int receive(final PacketBurst into) {
        if (verdict.fault() != null) {
            return 0;
        }
        final int before = into.size();
        try {
            final MemifReceiver[] rings = receivers;
            for (int i = 0; i < rings.length && into.room() > 0 && verdict.fault() == null; i++) {
                rings[turn].receive(into);
                turn = turn + 1 == rings.length ? 0 : turn + 1;
            }
        } catch (final InternalError e) {
            lost();
        }
        return into.size() - before;
    }

    /**
     * Sends packets, as many as there is room for.
     *
     * @param from  the packets.
     * @param first index of the first to send.
     * @return how many were taken.
     */
    public int send(final PacketBurst from, final int first) {
        if (verdict.fault() != null || first >= from.size()) {
            return 0;
        }
        try {
            return sender.send(from, first);
        } catch (final InternalError e) {
            lost();
            return 0;
        }
    }

    /** Lends buffers to write packets into, see {@link PacketPort#txLend}; null if there are none. */
    public PacketBurst lend(final int packets) {
        return verdict.fault() == null ? sender.lend(packets) : null;
    }

    /** Takes back what is lent, before the memory goes: nothing more can be written into it. */
    public void takeBack() {
        sender.takeBack();
    }

    /**
     * HotSpot turns a SIGBUS in mapped memory into an InternalError, thrown at the access or at the next safepoint poll
     * after it. The seal on the peer's memory is what keeps it from happening at all.
     */
    private void lost() {
        verdict.raise(MemifFault.MEMORY_LOST, 0, 0);
    }
}
