package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.Packets.PacketBytes;
import dev.skerry.schedule.check.Bounds;
import org.agrona.collections.IntArrayQueue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;

/**
 * The side on which packets of real ports enter the queues of a bank's adapters, and leave them: packets that its
 * {@link PacketEdge} offers between two slots join the queues in the next slot, and packets that arrive whole and in
 * order go back to it. One thread, that of the bank.
 */
public final class PortSide implements Intake, PacketBytes {
    private final PacketEdge edge;
    private final PortPackets packets;
    private final LongSupplier busy;
    private final LongSupplier sent;
    /** The number of the next cell that the edge hands over, by flow. */
    private final int[] sequence;
    private final IntArrayQueue arrived = new IntArrayQueue();
    /** Packets of each flow that have come from the port. */
    private final int[] numbers;
    private final Room room;
    private long offered;
    private long closed;

    /** Decides whether the queues have room. */
    @FunctionalInterface
    public interface Room {
        /**
         * Returns the reason why one more packet of a flow is dropped, as the counter that counted it; null if it joins
         * its queue in the next slot.
         */
        NicCounter refuses(long slot, int flow, int bytes);
    }

    /**
     * Creates a side with nothing offered.
     *
     * @param flows number of flows.
     * @param busy  what the bank, and those that it watches, hold: 0 if nothing.
     * @param sent  a number that grows with what they send.
     * @param room  decides for which packets there is room.
     */
    public PortSide(final PacketEdge edge, final PortPackets packets, final int flows, final LongSupplier busy,
        final LongSupplier sent, final Room room) {
        this.edge = edge;
        this.packets = packets;
        this.busy = busy;
        this.sent = sent;
        this.room = room;
        this.sequence = new int[flows];
        this.numbers = new int[flows];
        edge.join(this);
    }

    /**
     * Checks that packets of ports can cross a fabric, or that there are none.
     *
     * @return the fabric.
     * @throws IllegalArgumentException if there are such packets and they cannot cross it.
     */
    public static Stardust require(final Stardust fabric, final FlowSet flows, final Edges edges) {
        Bounds.refuseIf(flows.isOnDemand() != (edges != null),
            "flows on demand and edges require each other: onDemand=", flows.isOnDemand());
        final Credits credits = fabric.credits();
        Bounds.refuseIf(edges != null
            && (fabric.hosts().model() != HostModel.IDEAL || !fabric.pull() || credits.voqs().givesUp()
                || fabric.hosts().queuesPerPort() % fabric.hosts().ports() != 0),
            "packets of ports require credits, and separate queues for each pair of ports: pull=", fabric.pull(), " ",
            fabric.hosts(), " ", credits);
        return fabric;
    }

    @Override
    public void offer(final int flow, final int cells, final long slot) {
        final long packet = edge.inject(Cell.of(flow, sequence[flow]), cells);
        sequence[flow] += cells;
        final NicCounter reason = room.refuses(slot, flow, PacketEdge.bytes(packet));
        if (reason == NicCounter.PACKETS_POLICED) {
            edge.police(packet);
        } else if (reason != null) {
            edge.refuse(packet);
        } else {
            packets.add(flow, packet);
            offered += cells;
            arrived.addInt(flow);
        }
    }

    @Override
    public boolean hasRoom(final int flow) {
        return packets.hasRoom(flow);
    }

    @Override
    public long held() {
        return arrived.size() + busy.getAsLong();
    }

    @Override
    public long sent() {
        return sent.getAsLong();
    }

    @Override
    public void copy(final long packet, final int offset, final MemorySegment to, final long at, final int bytes) {
        edge.copy(packets.handle(packet), offset, to, at, bytes);
    }

    /** Adds what was offered to its queues; the taker gets flows. */
    public void arrive(final long slot, final PacedHosts.Taker taker) {
        while (!arrived.isEmpty()) {
            final int flow = arrived.pollInt();
            taker.take(slot, flow, packets.length(Packets.word(flow, numbers[flow]++)));
        }
    }

    /** Delivers the next packet of a flow. */
    public void deliver(final int flow) {
        closed += edge.deliver(packets.take(flow));
    }

    /** Records that the next packet of a flow is lost. */
    public void lose(final int flow) {
        closed += edge.discard(packets.take(flow));
    }

    /** Returns the bytes that arrived for an endpoint of the bank and that its port has not taken yet. */
    long waitingAt(final int endpoint) {
        return edge.waitingAt(endpoint);
    }

    /** Returns the cells of the edge that entered here, less the cells that left here. */
    public long carried() {
        return offered - closed;
    }

    /**
     * The packets of real ports in flight, by flow, from which cells are cut and reassembled. Their bytes are where the
     * {@link PacketEdge} of the source put them; the place of a cell in the stream determines which bytes it carries.
     *
     * <pre>
     *   one flow      0                   8                        8 * capacity
     *                 +-------------------+-------------------+---+
     *                 | packet n          | packet n + 1      | ..|    as handed over by the edge, at n modulo capacity
     *                 +-------------------+-------------------+---+
     *                       taken: next to leave      added: next to come
     * </pre>
     *
     * <p>The thread of its source adds a flow's packets, and the thread of its destination takes them. The entries need
     * no ordering between the two, as a packet is added before its first cell leaves; their reuse does, see R1.
     */
    public static final class PortPackets implements Packets {
        /** Largest number of packets of a flow in flight. */
        static final int MOST_PACKETS = 1 << 10;

        private final int[] flowOf;
        private final Region entries;
        private final int shift;
        private final int[] added;
        private final int[] takenSeen;
        private final AtomicIntegerArray taken;

        /**
         * Creates the store without packets.
         *
         * @param streamOf the stream of each flow, which no other flow shares.
         * @param streams  number of streams.
         * @param most     largest number of packets of a flow in flight, a power of two.
         */
        PortPackets(final Arena arena, final int[] streamOf, final int streams, final int most) {
            assert Integer.bitCount(most) == 1 : "most=" + most;
            this.flowOf = new int[streams];
            Arrays.fill(flowOf, NONE);
            for (int flow = 0; flow < streamOf.length; flow++) {
                flowOf[streamOf[flow]] = flow;
            }
            this.entries = Region.allocate(arena, (long) streamOf.length * most * Long.BYTES);
            this.shift = Integer.numberOfTrailingZeros(most);
            this.added = new int[streamOf.length];
            this.takenSeen = new int[streamOf.length];
            this.taken = new AtomicIntegerArray(streamOf.length);
        }

        @Override
        public int first(final int stream) {
            return flowOf[stream];
        }

        /** Tells whether a flow may have one more packet; called by the thread of its source. */
        boolean hasRoom(final int flow) {
            if (added[flow] - takenSeen[flow] < 1 << shift) {
                return true;
            }
            takenSeen[flow] = taken.getAcquire(flow); // A1: the entry was read before; pairs with R1 in take()
            return added[flow] - takenSeen[flow] < 1 << shift;
        }

        /** Adds a packet as the edge handed it over; there is room. Called by the thread of the source. */
        void add(final int flow, final long packet) {
            assert hasRoom(flow) : "flow=" + flow;
            entries.setLong(at(flow, added[flow]), packet);
            added[flow]++;
        }

        /** Returns the bytes of a packet that was added and not taken yet. */
        @Override
        public int length(final long packet) {
            return PacketEdge.bytes(handle(packet));
        }

        /** Returns the packet of a flow as the edge handed it over, which was added and not taken yet. */
        long handle(final long packet) {
            return entries.getLong(at(Packets.flow(packet), Packets.number(packet)));
        }

        /** Takes the oldest packet; called by the thread of the destination when the packet has come or is lost. */
        long take(final int flow) {
            final int number = taken.getPlain(flow);
            final long packet = entries.getLong(at(flow, number));
            taken.setRelease(flow, number + 1); // R1: the entry may be written again; pairs with A1 in hasRoom()
            return packet;
        }

        private long at(final int flow, final int number) {
            return ((long) flow << shift | number & (1 << shift) - 1) * Long.BYTES;
        }
    }
}
