package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.PortSide.PortPackets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The packets of every queue, in the order in which they join it. The sender can compute them and, as a stream arrives
 * in order, so can the receiver. A packet is one word: the number of its flow and, in the low half, its own number
 * within the flow.
 */
public sealed interface Packets permits Packets.FlowPackets, SentPackets, PortSide.PortPackets {
    /** Stands for a flow. */
    int NONE = -1;

    /** Creates the packets of a run's flows. */
    static Packets of(final Arena arena, final Stardust fabric, final FlowSet flows) {
        final int[] streams = new int[flows.size()];
        Arrays.setAll(streams, flow -> fabric.stream(flows.source(flow), flows.destination(flow), flows.id(flow),
            flows.trafficClass(flow)));
        final int count = fabric.clos().fas() * fabric.clos().fas() * fabric.hosts().queues();
        return flows.isOnDemand() ? new PortPackets(arena, streams, count, PortPackets.MOST_PACKETS)
            : fabric.hosts().model() instanceof final Reno reno ? new SentPackets(arena, fabric, flows, reno)
            : new FlowPackets(flows, streams, count, fabric.cut().packetBytes());
    }

    /** Returns the first flow of a stream, or {@link #NONE}. */
    int first(int stream);

    /** Returns the bytes of a packet; 0 if its flow ends before it. */
    int length(long packet);

    /** Tells whether a packet is the last of its flow. */
    default boolean isLast(final long packet) {
        return false;
    }

    /**
     * Returns the packet after another one in its queue, with flow {@link #NONE} if there is none. If flows wait for
     * others and the next one of the queue has not started, it is the packet beyond the end of its flow, of no bytes,
     * until the next flow has {@link #begun}.
     */
    default long after(final long packet) {
        return word(flow(packet), after(number(packet)));
    }

    /** Returns the packet itself, or the first one of the flow that has started after its flow ended. */
    default long begun(final long packet) {
        return packet;
    }

    /** Starts a flow; called by the thread of its source. */
    default void start(final int flow) {
    }

    /** Returns the number of the next packet of a flow; numbers wrap at 2^31. */
    static int after(final int number) {
        return number + 1 & Integer.MAX_VALUE;
    }

    /** Returns a packet of a flow by its number. */
    static long word(final int flow, final int number) {
        return (long) flow << Integer.SIZE | number;
    }

    /** Returns the flow of a packet. */
    static int flow(final long packet) {
        return (int) (packet >> Integer.SIZE);
    }

    /** Returns the number of a packet in its flow. */
    static int number(final long packet) {
        return (int) packet;
    }

    /**
     * Packets computed from flows: a flow is cut into packets of equal length and a shorter last one, and the flows of
     * a queue follow one another in order of their start. So the head of a queue is a flow and a number, and an adapter
     * that gets a stream in order knows its packets. Immutable, unless flows wait for others: then the thread of the
     * source appends each flow to its queue when it starts, before its first cell leaves. Before its first flow, a
     * queue is at the end of a flow without packets, whose number comes after those of all flows.
     */
    final class FlowPackets implements Packets {
        private final FlowSet flows;
        private final int packetBytes;
        private final int[] next;
        private final int[] firstOf;
        /**
         * If flows wait for others, the queue of each flow, and the flow of each queue that started last; else null.
         */
        private final int[] queueOf;
        private final int[] last;
        /** Notified of flows that start, to forward them to other processes, or null. */
        private IntConsumer starts;

        /**
         * Sorts the flows into their queues.
         *
         * @param queueOf     the queue of each flow.
         * @param queues      number of queues.
         * @param packetBytes length of the longest packet.
         */
        public FlowPackets(final FlowSet flows, final int[] queueOf, final int queues, final int packetBytes) {
            this.flows = flows;
            this.packetBytes = packetBytes;
            final boolean waits = flows.waits() != null;
            this.next = new int[flows.size() + (waits ? queues : 0)];
            this.firstOf = new int[queues];
            this.queueOf = waits ? queueOf : null;
            this.last = waits ? IntStream.range(flows.size(), next.length).toArray() : null;
            Arrays.fill(firstOf, NONE);
            for (int flow = flows.size() - 1; flow >= 0; flow--) {
                next[flow] = firstOf[queueOf[flow]];
                firstOf[queueOf[flow]] = flow;
            }
            if (waits) {
                Arrays.fill(next, NONE);
                Arrays.setAll(firstOf, queue -> firstOf[queue] == NONE ? NONE : last[queue]);
            }
        }

        @Override
        public void start(final int flow) {
            if (last != null) {
                came(flow);
            }
            if (starts != null) {
                starts.accept(flow);
            }
        }

        /** Starts a flow of another process. */
        public void came(final int flow) {
            next[last[queueOf[flow]]] = flow;
            last[queueOf[flow]] = flow;
        }

        /** Sets a consumer of starts of flows, which forwards them to other processes. */
        public void connect(final IntConsumer toldOfStarts) {
            this.starts = toldOfStarts;
        }

        @Override
        public long begun(final long packet) {
            final int following = last == null || length(packet) > 0 ? NONE : next[Packets.flow(packet)];
            return following == NONE ? packet : Packets.word(following, 0);
        }

        @Override
        public int first(final int queue) {
            return firstOf[queue];
        }

        @Override
        public int length(final long packet) {
            if (Packets.flow(packet) >= flows.size()) {
                return 0;
            }
            final long before = (long) Packets.number(packet) * packetBytes;
            return (int) Math.max(0, Math.min(packetBytes, flows.bytes(Packets.flow(packet)) - before));
        }

        @Override
        public boolean isLast(final long packet) {
            return (Packets.number(packet) + 1L) * packetBytes >= flows.bytes(Packets.flow(packet));
        }

        @Override
        public long after(final long packet) {
            final int following = isLast(packet) ? next[Packets.flow(packet)] : NONE;
            return following != NONE || last == null && isLast(packet) ? Packets.word(following, 0)
                : Packets.super.after(packet);
        }
    }

    /** Provides the bytes of packets, if cells carry their bytes. Called by the threads of both ends. */
    @FunctionalInterface
    interface PacketBytes {
        /** Bytes for packets of flows, which are only lengths: every byte depends on its packet and place. */
        PacketBytes MADE_UP = (packet, offset, to, at, bytes) -> {
            final long key = CounterRandom.mix(packet);
            for (int i = 0; i < bytes; i++) {
                final int place = offset + i;
                to.set(ValueLayout.JAVA_BYTE, at + i,
                    (byte) (CounterRandom.mix(key + (place >>> 3)) >>> 8 * (place & 7)));
            }
        };

        /**
         * Copies a part of a packet.
         *
         * @param offset offset of the part in the packet.
         * @param to     memory that gets it, from {@code at} on.
         * @param bytes  bytes of the part.
         */
        void copy(long packet, int offset, MemorySegment to, long at, int bytes);
    }
}
