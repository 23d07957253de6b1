package dev.skerry.nic.fattree;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.fattree.FatTree.SwitchRules;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.host.SlotWheel;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.schedule.FoldedClos;
import org.agrona.collections.IntArrayList;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * The output queues of a bank's ports (docs/spec/fattree.md §3). A port sends one packet at a time. A packet that joins
 * a queue of a switch may be marked, and is dropped if it does not fit. Queues of hosts are unlimited. The arrival slot
 * of a packet is computed when its port begins to send it.
 *
 * <p>Each port keeps time in units of 1/65536 byte at its rate, so that only arrivals are rounded to slots. One thread.
 */
class PacketQueues {
    private static final int NOTHING = -1;

    final FatTree fabric;
    final SwitchRules rules;
    final BankCounters tally;
    /** By port, null for other banks: queued packets; both are one queue unless control packets have priority. */
    final LongFifo[] segments;
    final LongFifo[] control;
    private final FoldedClos clos;
    private final int hosts;
    private final Links links;
    private final long seed;
    /** By port: its rate per slot, and the time at which the packet being sent is finished. */
    private final long[] perSlot;
    private final long[] doneAt;
    private final long[] waitingBytes;
    private final boolean[] awaited;
    private final boolean[] paused;
    private final int[] longest;
    /** Ports to serve, by slot. */
    private final SlotWheel wheel;
    /** By port: bytes of the segment being sent and, if links are paused, the port by which it arrived. */
    private final int[] sending;
    private final int[] sendingFrom;
    /**
     * By port: bytes of segments that arrived there and are still in the device; and 1 + the slot in which its link was
     * paused, or 0 if it is not paused.
     */
    private final long[] held;
    private final long[] pausedSince;
    /** Number of queued packets. */
    private long waiting;

    /** Receives the packets that ports send. */
    @FunctionalInterface
    interface Links {
        /** Passes on a packet or pause that will arrive at a port in a later slot. */
        void launch(long slot, int port, long first, long second);
    }

    /**
     * Creates empty queues.
     *
     * @param isOwn by device, whether it belongs to the bank.
     */
    PacketQueues(final FatTree fabric, final boolean[] isOwn, final BankCounters tally, final Links links) {
        this.fabric = fabric;
        this.rules = fabric.rules();
        this.tally = tally;
        this.clos = fabric.clos();
        this.hosts = clos.fas();
        this.links = links;
        this.seed = CounterRandom.mix(fabric.seed());
        final int ports = clos.ports();
        this.perSlot = new long[ports];
        Arrays.setAll(perSlot, fabric::perSlot);
        this.doneAt = new long[ports];
        this.waitingBytes = new long[ports];
        this.awaited = new boolean[ports];
        this.paused = new boolean[ports];
        this.longest = new int[ports];
        this.segments = new LongFifo[ports];
        this.control = new LongFifo[ports];
        for (int port = 0; port < ports; port++) {
            if (isOwn[clos.deviceOf(port)] && clos.peer(port) != FoldedClos.NONE) {
                segments[port] = new LongFifo();
                control[port] = fabric.controlFirst() ? new LongFifo() : segments[port];
            }
        }
        this.wheel = new SlotWheel(Integer.highestOneBit(fabric.packetSlots() + 1) << 1);
        final int pausing = rules.pauses() ? ports : 0;
        this.sending = new int[fabric.trims() ? ports : pausing];
        this.sendingFrom = new int[pausing];
        this.held = new long[pausing];
        this.pausedSince = new long[pausing];
    }

    /** Starts the next packet at ports that have finished one. Called for each slot in order. */
    final void turn(final long slot) {
        final IntArrayList due = wheel.due(slot);
        for (int i = 0; i < due.size(); i++) {
            final int port = due.getInt(i);
            awaited[port] = false;
            serve(slot, port);
        }
        due.clear();
    }

    /**
     * Adds a packet to a queue of a switch.
     *
     * @return whether there was room for it.
     */
    boolean join(final long slot, final int port, final long first, final long second) {
        final boolean isSegment = PacketWord.kind(second) == PacketWord.SEGMENT;
        final long backlog = backlog(slot, port);
        if (rules.pauses() ? isSegment && !hold(slot, cameBy(port, second), PacketWord.bytes(second))
            : backlog + PacketWord.bytes(second) > rules.queueBytes()) {
            return false;
        }
        final boolean marks = isSegment && rules.marks().marks() && !TcpPacket.isMarked(first)
            && rules.marks().isMarked(backlog, seed + port, slot, first);
        tally.add(NicCounter.PACKETS_MARKED, marks ? 1 : 0);
        enqueue(slot, port, marks ? TcpPacket.marked(first) : first, second);
        return true;
    }

    /**
     * Adds a packet to the queue of a port, which must have room for it, or sends it immediately if the port is free.
     */
    final void enqueue(final long slot, final int port, final long first, final long second) {
        final long now = now(slot, port);
        final boolean isSegment = PacketWord.kind(second) == PacketWord.SEGMENT;
        if (doneAt[port] <= now && !(paused[port] && isSegment)) {
            doneAt[port] = now;
            longest[port] = Math.max(longest[port], PacketWord.bytes(second));
            transmit(slot, port, first, second);
            if (rules.pauses()) {
                await(slot, port);
            }
            return;
        }
        (isSegment ? segments : control)[port].add(first, second);
        waitingBytes[port] += PacketWord.bytes(second);
        waiting++;
        longest[port] = (int) Math.max(longest[port], backlog(slot, port));
        if (doneAt[port] > now) {
            await(slot, port);
        }
    }

    /** The queue from which a port sends next; null if nothing may be sent. */
    LongFifo next(final int port) {
        return !control[port].isEmpty() ? control[port]
            : segments[port].isEmpty() || paused[port] ? null : segments[port];
    }

    /** Converts a slot to the clock of a port, in 2^-16 bytes at its rate. */
    private long now(final long slot, final int port) {
        return Math.multiplyExact(slot, perSlot[port]);
    }

    /** Starts every packet that a port can have started by this slot. */
    private void serve(final long slot, final int port) {
        final long now = now(slot, port);
        LongFifo queue = null;
        while (doneAt[port] <= now) {
            release(slot, port);
            queue = next(port);
            if (queue == null) {
                return;
            }
            final long first = queue.poll();
            final long second = queue.poll();
            waitingBytes[port] -= PacketWord.bytes(second);
            waiting--;
            transmit(slot, port, first, second);
        }
        if (rules.pauses() || waitingBytes[port] > 0) {
            await(slot, port);
        }
    }

    private void transmit(final long slot, final int port, final long first, final long second) {
        doneAt[port] += (long) PacketWord.bytes(second) << FatTree.FRACTION_BITS;
        final int peer = clos.peer(port);
        tally.add(NicCounter.CONTROL_BYTES, PacketWord.isControl(second) ? PacketWord.bytes(second) : 0);
        if (fabric.trims()) {
            sending[port] = PacketWord.kind(second) == PacketWord.SEGMENT ? PacketWord.bytes(second) : 0;
        } else if (rules.pauses()) {
            final boolean isHeld = port >= hosts && PacketWord.kind(second) == PacketWord.SEGMENT;
            sending[port] = isHeld ? PacketWord.bytes(second) : 0;
            sendingFrom[port] = isHeld ? cameBy(port, second) : NOTHING;
        }
        links.launch(Math.ceilDiv(doneAt[port], perSlot[port]) + fabric.linkSlots(), peer, first,
            PacketWord.cameBy(second, peer - clos.firstPort(clos.deviceOf(peer))));
    }

    private void await(final long slot, final int port) {
        if (!awaited[port]) {
            awaited[port] = true;
            wheel.add(Math.max(slot + 1, Math.ceilDiv(doneAt[port], perSlot[port])), port);
        }
    }

    private int cameBy(final int port, final long second) {
        return clos.firstPort(clos.deviceOf(port)) + PacketWord.port(second);
    }

    /** Admits a segment that arrived at a port, if it fits; pauses the link above the threshold. */
    private boolean hold(final long slot, final int from, final int bytes) {
        if (held[from] + bytes > rules.pauseBytes() + SwitchRules.headroom(rules.packetBytes(), fabric.linkSlots(),
            (double) perSlot[from] / (1 << FatTree.FRACTION_BITS))) {
            return false;
        }
        held[from] += bytes;
        if (held[from] > rules.pauseBytes() && pausedSince[from] == 0) {
            pausedSince[from] = slot + 1;
            signal(slot, from, PacketWord.PAUSE);
        }
        return true;
    }

    /** Frees the buffer of the segment that a port has sent. */
    private void release(final long slot, final int port) {
        if (rules.pauses() && sending[port] > 0) {
            release(slot, sendingFrom[port], sending[port]);
            sending[port] = 0;
        }
    }

    private void release(final long slot, final int from, final int bytes) {
        held[from] -= bytes;
        if (pausedSince[from] > 0 && held[from] <= rules.pauseBytes() - 2L * rules.packetBytes()) {
            tally.add(NicCounter.PAUSES, slot + 1 - pausedSince[from]);
            pausedSince[from] = 0;
            signal(slot, from, PacketWord.RESUME);
        }
    }

    private void signal(final long slot, final int from, final int kind) {
        links.launch(slot + fabric.linkSlots(), clos.peer(from), 0, PacketWord.of(kind, 0, 0, slot));
    }

    /** Called when the other end of a port's link has paused it. */
    final void pause(final int port) {
        paused[port] = true;
    }

    /** Called when the other end has resumed a port. */
    final void resume(final long slot, final int port) {
        paused[port] = false;
        if (doneAt[port] <= now(slot, port)) {
            doneAt[port] = now(slot, port);
            serve(slot, port);
        }
    }

    /** Bytes in the queue of a port, including the rest of the packet being sent. */
    final long backlog(final long slot, final int port) {
        return waitingBytes[port] + (Math.max(0, doneAt[port] - now(slot, port)) >> FatTree.FRACTION_BITS);
    }

    /** Bytes of segments at a trimming port, including all of the segment being sent. */
    final long segmentBytes(final long slot, final int port) {
        return waitingBytes[port] - (long) NdpQueues.CONTROL_BYTES * (control[port].size() / 2)
            + (doneAt[port] > now(slot, port) ? sending[port] : 0);
    }

    /** Removes the second, then the first word of the segment at the tail of a port's queue. */
    final long cutTail(final int port, final boolean isSecond) {
        final long word = segments[port].pollLast();
        if (isSecond) {
            waitingBytes[port] -= PacketWord.bytes(word);
            waiting--;
        }
        return word;
    }

    /** Maximum backlog of a port so far, in bytes. */
    final int longest(final int port) {
        return longest[port];
    }

    /** Removes a queued packet from a port whose link is down; returns its second word, or 0 if there is none. */
    final long lose(final long slot, final int port) {
        final LongFifo queue = control[port].isEmpty() ? segments[port] : control[port];
        if (queue.isEmpty()) {
            return 0;
        }
        queue.poll();
        final long second = queue.poll();
        waitingBytes[port] -= PacketWord.bytes(second);
        waiting--;
        if (rules.pauses() && port >= hosts && PacketWord.kind(second) == PacketWord.SEGMENT) {
            release(slot, cameBy(port, second), PacketWord.bytes(second));
        }
        return second;
    }

    /**
     * Called when the link of a port works again: the port sends, and pauses the other end if its threshold is
     * exceeded.
     */
    final void renew(final long slot, final int port) {
        resume(slot, port);
        if (rules.pauses() && pausedSince[port] > 0) {
            signal(slot, port, PacketWord.PAUSE);
        }
    }

    /** Whether no packet is queued at the ports of the bank. */
    final boolean isEmpty() {
        return waiting == 0;
    }

    /** Sum of a function over the second words of all queued packets of the bank. */
    final long sum(final LongUnaryOperator of) {
        long sum = 0;
        for (int port = 0; port < segments.length; port++) {
            sum += segments[port] == null ? 0 : sum(segments[port], of)
                + (control[port] == segments[port] ? 0 : sum(control[port], of));
        }
        return sum;
    }

    private static long sum(final LongFifo queue, final LongUnaryOperator of) {
        long sum = 0;
        for (int i = 1; i < queue.size(); i += 2) {
            sum += of.applyAsLong(queue.get(i));
        }
        return sum;
    }
}
