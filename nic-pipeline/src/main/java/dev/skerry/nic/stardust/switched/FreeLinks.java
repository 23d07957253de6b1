package dev.skerry.nic.stardust.switched;

import dev.skerry.nic.stardust.fabric.LongFifo;
import org.agrona.collections.IntArrayList;

import java.util.Arrays;

/**
 * Links that nobody pauses: when a packet joins a queue, it is known when it arrives behind the link. A switch's port
 * drops what it has no room for. One thread.
 */
final class FreeLinks implements Links {
    static final int FRACTION_BITS = 16;

    private final SwitchRules rules;
    private final Routes routes;
    private final long[] perSlot;
    /** By port: when it has sent all, in 1/65536 bytes; packets with the slots in which they arrive behind its link. */
    private final long[] doneAt;
    private final LongFifo[] queues;
    /** Ports of which the first packet arrives in a slot. */
    private final IntArrayList[] wheel;

    FreeLinks(final SwitchRules rules, final Routes routes) {
        this.rules = rules;
        this.routes = routes;
        this.perSlot = perSlot(routes);
        this.doneAt = new long[routes.ports()];
        this.queues = new LongFifo[routes.ports()];
        Arrays.setAll(queues, port -> new LongFifo());
        this.wheel = wheel(rules, perSlot);
    }

    /** What ports send in a slot, in 1/65536 bytes. */
    static long[] perSlot(final Routes routes) {
        final long[] perSlot = new long[routes.ports()];
        Arrays.setAll(perSlot, port -> Math.round(routes.bytesPerSlot(port) * (1 << FRACTION_BITS)));
        return perSlot;
    }

    /** A list for each slot that a packet may take from the head of its queue to the end of its link. */
    static IntArrayList[] wheel(final SwitchRules rules, final long[] perSlot) {
        final long longest = ((long) rules.packetBytes() << FRACTION_BITS) / Arrays.stream(perSlot).min().orElse(1);
        final IntArrayList[] wheel
            = new IntArrayList[Integer.highestOneBit((int) longest + rules.linkSlots() + 2) << 1];
        Arrays.setAll(wheel, at -> new IntArrayList());
        return wheel;
    }

    @Override
    public void turn(final long slot, final Arrivals arrivals) {
        final IntArrayList due = wheel[(int) slot & wheel.length - 1];
        for (int i = 0; i < due.size(); i++) {
            final int port = due.getInt(i);
            final LongFifo queue = queues[port];
            final long packet = queue.poll();
            if (queue.size() > 0) {
                await(port, queue.first());
            }
            arrivals.arrive(port, packet);
        }
        due.clear();
    }

    @Override
    public boolean add(final long slot, final int from, final int port, final long packet, final int bytes) {
        final long now = slot * perSlot[port];
        final long backlog = Math.max(0, doneAt[port] - now);
        if (!routes.isHost(port) && (backlog >> FRACTION_BITS) + bytes > rules.queueBytes()) {
            return false;
        }
        doneAt[port] = now + backlog + ((long) bytes << FRACTION_BITS);
        final long arrives = Math.ceilDiv(doneAt[port], perSlot[port]) + rules.linkSlots();
        if (queues[port].size() == 0) {
            await(port, arrives);
        }
        queues[port].add(arrives, packet);
        return true;
    }

    private void await(final int port, final long arrives) {
        wheel[(int) arrives & wheel.length - 1].addInt(port);
    }

    @Override
    public long backlog(final long slot, final int port) {
        return Math.max(0, doneAt[port] - slot * perSlot[port]) >> FRACTION_BITS;
    }

    @Override
    public long held() {
        return Arrays.stream(queues).mapToLong(LongFifo::size).sum();
    }

    @Override
    public long pauses() {
        return 0;
    }
}
