package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.stardust.fabric.HostSide;

/**
 * The hosts of a bank's adapters, which send at the rate of their ports: a packet of each queue for which they have
 * something, in turn, as soon as the rate allows. Bytes are counted in units of 1/65536 byte. One thread.
 */
public final class PacedHosts {
    private static final int FRACTION_BITS = 16;

    private final Packets packets;
    private final long perSlot;
    private final LongFifo[] turns;
    /** Ports with something to send. */
    private final QueueBits sending;
    private final long[] pots;
    /** Flows of each queue that have started and are not fully sent, and the packet to send next. */
    private final int[] waiting;
    private final long[] packet;

    /** Takes the packets that hosts send. */
    @FunctionalInterface
    public interface Taker {
        /** Takes some bytes for a queue, or of a flow, that come to an adapter of the bank. */
        void take(long slot, int of, int bytes);
    }

    /** Creates hosts before any flow has started. */
    public PacedHosts(final HostSide side, final Packets packets, final int ports, final int queues) {
        this.packets = packets;
        this.perSlot = Math.round(side.bytesPerSlot() * (1 << FRACTION_BITS));
        this.turns = LongFifo.of(ports);
        this.sending = new QueueBits(ports);
        this.pots = new long[ports];
        this.waiting = new int[queues];
        this.packet = new long[queues];
    }

    /** Starts a flow of a port; flows of a queue start in the order in which they follow one another. */
    public void start(final int port, final int queue, final int starting) {
        if (waiting[queue]++ == 0) {
            packet[queue] = Packets.word(starting, 0);
            turns[port].add(queue);
            sending.set(port);
        }
    }

    /**
     * Sends the packets of a slot.
     *
     * @param pauses tells which hosts may not send; null if all may.
     */
    public void send(final long slot, final Taker taker, final HostPauses pauses) {
        final int end = turns.length;
        for (int port = sending.next(0, end); port < end; port = sending.next(port + 1, end)) {
            if (pauses != null && pauses.isPaused(port)) {
                continue;
            }
            final LongFifo turn = turns[port];
            long pot = pots[port] + perSlot;
            while (!turn.isEmpty()) {
                final int queue = (int) turn.first();
                final int bytes = packets.length(packet[queue]);
                if (pot < (long) bytes << FRACTION_BITS) {
                    break;
                }
                pot -= (long) bytes << FRACTION_BITS;
                taker.take(slot, queue, bytes);
                waiting[queue] -= packets.isLast(packet[queue]) ? 1 : 0;
                packet[queue] = packets.after(packet[queue]);
                turn.poll();
                if (waiting[queue] > 0) {
                    turn.add(queue);
                }
            }
            pots[port] = pot;
            if (turn.isEmpty()) {
                pots[port] = 0;
                sending.clear(port);
            }
        }
    }

    /**
     * Determines which adapters of a bank pause their hosts (docs/spec/stardust.md §3.1): from the time they hold more
     * than a mark until they hold less than half of it. A paused host sends no packet of any kind but still receives.
     * One thread.
     */
    public static final class HostPauses {
        private final long high;
        private final int ports;
        private final BankCounters tally;
        private final boolean[] paused;

        /** Creates the state without paused hosts. */
        public HostPauses(final HostSide side, final BankCounters tally, final int adapters) {
            this.high = side.signals().pauseBytes();
            this.ports = side.ports();
            this.tally = tally;
            this.paused = new boolean[adapters];
        }

        /** Updates an adapter by the bytes that it holds at the start of a slot. */
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

        /** Tells whether a host of the bank may not send in this slot. */
        boolean isPaused(final int host) {
            return paused[host / ports];
        }
    }
}
