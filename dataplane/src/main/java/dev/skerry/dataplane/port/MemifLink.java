package dev.skerry.dataplane.port;

import dev.skerry.dataplane.memory.MappedAccess;
import dev.skerry.dataplane.port.MemifFault.MemifVerdict;
import dev.skerry.dataplane.random.CounterRandom;

import java.util.function.IntSupplier;

/**
 * All rings of one connected peer. After the first fault it moves no more packets. One thread.
 *
 * <p>Receive rings are served in round-robin order. With several send rings, the hash of its flow selects the ring of a
 * packet, which preserves the order of each flow.
 */
public final class MemifLink {
    private final MemifReceiver[] receivers;
    private final MemifSender[] senders;
    private final MemifVerdict verdict;
    private int turn;

    /**
     * Creates a link.
     *
     * @param receivers one per receive ring, at least one.
     * @param senders   one per send ring, at least one.
     * @param verdict   shared by all of them.
     */
    public MemifLink(final MemifReceiver[] receivers, final MemifSender[] senders, final MemifVerdict verdict) {
        this.receivers = receivers.clone();
        this.senders = senders.clone();
        this.verdict = verdict;
    }

    /** The state of the link: its first fault, if any. */
    public MemifVerdict verdict() {
        return verdict;
    }

    /**
     * Receives as many packets as have arrived and fit the burst.
     *
     * @param into receives the packets after those that it already holds.
     * @return number of packets added; after a fault, the packets before it.
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
     * Sends as many packets as fit.
     *
     * @param from  the packets.
     * @param first index of the first packet to send, 0 to {@code from.size()}.
     * @return number of packets accepted.
     */
    public int send(final PacketBurst from, final int first) {
        if (verdict.fault() != null || first >= from.size()) {
            return 0;
        }
        try {
            final int sent = senders.length == 1 ? senders[0].send(from, first, from.size()) : spread(from, first);
            MappedAccess.confirm();
            return sent;
        } catch (final InternalError e) {
            lost();
            return 0;
        }
    }

    /** Sends runs of packets of the same ring, up to the first packet whose ring is full. */
    private int spread(final PacketBurst from, final int first) {
        int packet = first;
        int end = first;
        while (packet == end && packet < from.size()) {
            final int ring = ring(from, packet);
            end = packet + 1;
            while (end < from.size() && ring(from, end) == ring) {
                end++;
            }
            packet += senders[ring].send(from, packet, end);
        }
        return packet - first;
    }

    private int ring(final PacketBurst from, final int packet) {
        return CounterRandom.below(FrameHeaders.flowHash(from.bytes(), from.offset(packet), from.length(packet)),
            senders.length);
    }

    /** Number of packets that the peer has sent and that have not been received; 0 after a fault. */
    public int left() {
        return guarded(() -> {
            int left = 0;
            for (int i = 0; i < receivers.length && verdict.fault() == null; i++) {
                left += receivers[i].left();
            }
            return left;
        });
    }

    /** Number of packets sent that the peer has not read; 0 after a fault. */
    public int unread() {
        return guarded(() -> {
            int unread = 0;
            for (final MemifSender sender : senders) {
                unread += sender.unread();
            }
            return unread;
        });
    }

    /**
     * Wakes the peer if it does not poll its rings and has packets to read.
     *
     * @return whether it waits for interrupts for which it gave no descriptor.
     */
    public boolean wakePeer() {
        return guarded(() -> {
            int deaf = 0;
            for (final MemifSender sender : senders) {
                deaf += sender.wakePeer() ? 1 : 0;
            }
            return deaf;
        }) > 0;
    }

    /**
     * Counts the packets that the peer has not read as left instead of sent, unless there was a fault. Called when the
     * link ends.
     */
    public void countUnread() {
        guarded(() -> {
            for (final MemifSender sender : senders) {
                sender.countUnread();
            }
            return 0;
        });
    }

    /** Result of an access to the peer's memory; 0 after a fault. */
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

    /** Lends buffers, see {@link PacketPort#txLend}; null if no buffer is free, or after a fault. */
    public PacketBurst lend(final int packets) {
        return verdict.fault() == null && senders.length == 1 ? senders[0].lend(packets) : null;
    }

    /** Ends any loan before the memory is unmapped. */
    public void takeBack() {
        for (final MemifSender sender : senders) {
            sender.takeBack();
        }
    }

    /** Reports lost memory. Normally the seal on the peer's memory prevents this. */
    private void lost() {
        verdict.raise(MemifFault.MEMORY_LOST, 0, 0);
    }
}
