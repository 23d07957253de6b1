package dev.skerry.dataplane.port;

import dev.skerry.dataplane.memory.MappedAccess;
import dev.skerry.dataplane.port.MemifFault.MemifVerdict;

import java.util.function.IntSupplier;

/**
 * All rings of one connected peer. After the first fault it moves no packet. One thread.
 *
 * <p>Receive rings are served in turn. All packets are sent on the first ring, which keeps their order.
 */
public final class MemifLink {
    private final MemifReceiver[] receivers;
    private final MemifSender sender;
    private final MemifVerdict verdict;
    private int turn;

    /**
     * A link.
     *
     * @param receivers one for each receive ring, at least one.
     * @param sender    of the send ring.
     * @param verdict   shared by all of them.
     */
    public MemifLink(final MemifReceiver[] receivers, final MemifSender sender, final MemifVerdict verdict) {
        this.receivers = receivers.clone();
        this.sender = sender;
        this.verdict = verdict;
    }

    /** The state of the link: its first fault, if any. */
    public MemifVerdict verdict() {
        return verdict;
    }

    /**
     * Takes packets, as many as have come and fit the burst.
     *
     * @param into receives them behind those it holds.
     * @return packets added; after a fault, the packets before it.
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
            MappedAccess.confirm();
        } catch (final InternalError e) {
            lost();
        }
        return into.size() - before;
    }

    /**
     * Sends packets, as many as fit.
     *
     * @param from  the packets.
     * @param first index of the first to send, 0 to {@code from.size()}.
     * @return packets taken.
     */
    public int send(final PacketBurst from, final int first) {
        if (verdict.fault() != null || first >= from.size()) {
            return 0;
        }
        try {
            final int sent = sender.send(from, first);
            MappedAccess.confirm();
            return sent;
        } catch (final InternalError e) {
            lost();
            return 0;
        }
    }

    /** Packets that the peer has sent and that were not taken; 0 after a fault. */
    public int left() {
        return guarded(() -> {
            int left = 0;
            for (int i = 0; i < receivers.length && verdict.fault() == null; i++) {
                left += receivers[i].left();
            }
            return left;
        });
    }

    /** Packets sent that the peer has not read; 0 after a fault. */
    public int unread() {
        return guarded(sender::unread);
    }

    /** Whether the peer polls for packets. One that does not waits for interrupts, which are not sent. */
    public boolean isPolled() {
        return guarded(() -> sender.isPolled() ? 0 : 1) == 0;
    }

    /** Counts what the peer has not read as left and not as sent, unless there was a fault. The link ends. */
    public void countUnread() {
        guarded(() -> {
            sender.countUnread();
            return 0;
        });
    }

    /** What a look at the peer's memory returns; 0 after a fault. */
    private int guarded(final IntSupplier look) {
        int seen = 0;
        try {
            seen = verdict.fault() == null ? look.getAsInt() : 0;
            MappedAccess.confirm();
        } catch (final InternalError e) {
            lost();
        }
        return seen;
    }

    /** Lends buffers, see {@link PacketPort#txLend}; null if there are none or after a fault. */
    public PacketBurst lend(final int packets) {
        return verdict.fault() == null ? sender.lend(packets) : null;
    }

    /** Ends any loan before the memory is unmapped. */
    public void takeBack() {
        sender.takeBack();
    }

    /** The seal on the peer's memory prevents it in the first place. */
    private void lost() {
        verdict.raise(MemifFault.MEMORY_LOST, 0, 0);
    }
}
