package dev.skerry.nic.stardust.host;

import dev.skerry.nic.flow.FlowSet;

import java.util.Arrays;

/**
 * Packets by arithmetic: a flow is cut into packets of equal length and a shorter last one, and the flows of a queue
 * follow one another in order of their start. So the head of a queue is a flow and a number, and an adapter that gets a
 * stream in order knows its packets. Immutable.
 */
public final class FlowPackets implements Packets {
    private final FlowSet flows;
    private final int packetBytes;
    private final int[] next;
    private final int[] firstOf;

    /**
     * Sorts the flows into their queues.
     *
     * @param queueOf     the queue of each flow.
     * @param queues      how many queues there are.
     * @param packetBytes longest packet.
     */
    public FlowPackets(final FlowSet flows, final int[] queueOf, final int queues, final int packetBytes) {
        this.flows = flows;
        this.packetBytes = packetBytes;
        this.next = new int[flows.size()];
        this.firstOf = new int[queues];
        Arrays.fill(firstOf, NONE);
        for (int flow = flows.size() - 1; flow >= 0; flow--) {
            next[flow] = firstOf[queueOf[flow]];
            firstOf[queueOf[flow]] = flow;
        }
    }

    @Override
    public int first(final int queue) {
        return firstOf[queue];
    }

    @Override
    public int next(final int flow) {
        return next[flow];
    }

    @Override
    public int length(final int flow, final int packet) {
        final long before = (long) packet * packetBytes;
        return (int) Math.max(0, Math.min(packetBytes, flows.bytes(flow) - before));
    }

    @Override
    public boolean isLast(final int flow, final int packet) {
        return (packet + 1L) * packetBytes >= flows.bytes(flow);
    }
}
