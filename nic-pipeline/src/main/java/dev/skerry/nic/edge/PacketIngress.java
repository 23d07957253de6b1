package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.nic.edge.EdgeConfig.WhenFull;
import dev.skerry.nic.edge.EdgeCounter.EdgeCounts;
import dev.skerry.nic.edge.EdgeMemory.CellQueue;
import dev.skerry.nic.edge.EdgeMemory.CellShares;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.nic.edge.EdgePort.PortGuard;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.packet.PacketSegmenter;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Ingress to the fabric at one port. Packets are received in bursts, routed by the port's {@link PortForwarding}, cut
 * into cells immediately, and wait as cells in one queue per destination and traffic class until the fabric requests
 * them. Packets to another port of the same node do not cross the fabric.
 *
 * <p>A packet whose destination has used its share of the cells ({@link CellShares}) does not block those after it.
 * With {@link WhenFull#WAIT} it is deferred, as are later packets to the same destination, and the port is requested to
 * hold them back; packets stay in the port only when all places for deferred packets are taken. With
 * {@link WhenFull#DROP} it is dropped and counted by destination. One thread.
 */
final class PacketIngress {
    /** Maximum number of packets in a burst. */
    static final int BURST = 32;
    /** Maximum number of bursts per poll. */
    private static final int ROUNDS = 4;

    private final int port;
    private final PacketEdges plan;
    private final PortGuard guard;
    private final PortForwarding forwarding;
    private final EdgeCounts counts;
    private final EdgeMemory memory;
    private final PortFlows between;
    private final PacketClasses classes;
    private final Local local;
    private final CellShares shares;
    private final PacketSegmenter segmenter;
    private final PacketFormat format;
    /** Queues from which the fabric takes cell by cell: one for each destination and traffic class. */
    private final CellQueue[] queues;
    /** Number of cells that wait for the fabric, and of all cells cut. */
    int waiting;
    long cut;
    private final DeferredPackets aside;
    private final boolean isDropping;
    /** Queues without room, in the first {@code fulls} entries, and a flag for each queue. */
    private final int[] full;
    private final boolean[] isFull;
    /** Number of cells by packet length in bytes: avoids a division per packet. */
    private final char[] cellsOf;
    private final PacketBurst burst;
    private int fulls;
    private int next;
    /** The next port to receive a copy of the packet that is being flooded; 0 if there is none. */
    private int copyTo;
    private long cameNs;
    private boolean isWaiting;

    /** Receives packets to other ports of the same node. */
    @FunctionalInterface
    interface Local {
        /**
         * Passes on the cells of a packet, which are the last ones in the queue of a flow that does not cross the
         * fabric.
         */
        void cross(int flow, int cells);
    }

    PacketIngress(final Arena arena, final int port, final PacketEdges plan, final PortGuard guard,
        final EdgeMemory memory, final Local local, final PacketCounts packets) {
        this.port = port;
        this.plan = plan;
        this.guard = guard;
        this.forwarding = plan.port(port).forwarding();
        this.counts = plan.counts(port);
        this.memory = memory;
        this.between = plan.between;
        this.classes = plan.config.classes();
        this.local = local;
        this.shares = memory.shares[port];
        this.format = plan.config.format();
        this.segmenter = new PacketSegmenter(format, memory.slab, memory.lists[port], packets);
        this.queues = new CellQueue[between.queues()];
        Arrays.setAll(queues, to -> new CellQueue(memory));
        this.cellsOf = plan.cellsOf;
        this.burst = new PacketBurst(arena, BURST, format.mtuBytes());
        this.isDropping = plan.config.whenFull() == WhenFull.DROP;
        this.aside = isDropping ? null : new DeferredPackets(arena, between.queues(), format.mtuBytes());
        this.full = new int[between.queues()];
        this.isFull = new boolean[between.queues()];
    }

    /**
     * Receives packets from the port while there is room.
     *
     * @param slot  the next slot to be sent.
     * @param nowNs the current time in ns.
     * @param open  whether the port may be read; packets already received are always cut.
     */
    void poll(final Intake intake, final long slot, final long nowNs, final boolean open) {
        shares.target.pass(slot);
        if (fulls > 0) {
            retry(intake, slot);
        }
        for (int round = 0; round < ROUNDS; round++) {
            if (next == burst.size()) {
                if (!open || !take(nowNs)) {
                    return;
                }
            }
            while (next < burst.size()) {
                if (!bringIn(next, intake, slot, nowNs)) {
                    if (!isWaiting) {
                        isWaiting = true;
                        counts.add(EdgeCounter.WAITS, 1);
                    }
                    return;
                }
                isWaiting = false;
                next++;
            }
            if (burst.size() < BURST) {
                return;
            }
        }
    }

    /** Removes the first cell of a queue; returns it. */
    int pop(final int to) {
        final int cell = queues[to].poll();
        assert cell != EdgeMemory.NONE : "no cell waits: to=" + to;
        waiting--;
        return cell;
    }

    /** Number of packets received from the port and not yet cut. */
    int pending() {
        return burst.size() - next + (isDropping ? 0 : aside.size);
    }

    /** Counts the waiting cells individually. For checks. */
    int count() {
        return Arrays.stream(queues).mapToInt(CellQueue::count).sum();
    }

    private boolean take(final long nowNs) {
        burst.clear();
        next = 0;
        if (guard.rxBurst(burst) == 0) {
            return false;
        }
        cameNs = nowNs;
        counts.add(EdgeCounter.RX_PACKETS, burst.size());
        for (int packet = 0; packet < burst.size(); packet++) {
            counts.add(EdgeCounter.RX_BYTES, burst.length(packet));
        }
        return true;
    }

    /** Cuts a packet, defers it, or drops and counts it; false if it must wait in the burst. */
    private boolean bringIn(final int packet, final Intake intake, final long slot, final long nowNs) {
        final int length = burst.length(packet);
        if (copyTo > 0) {
            return flood(packet, length, intake, slot);
        }
        final int to = forwarding.route(burst.bytes(), burst.offset(packet), length, nowNs);
        if (to >= 0) {
            if (to == port || to >= plan.ports() || !plan.guard(to).isServed()) {
                counts.add(to == port ? EdgeCounter.DROPPED_SAME_PORT : EdgeCounter.DROPPED_NOWHERE, 1);
                return true;
            }
            return send(packet, length, to, intake, slot);
        }
        if (to == PortForwarding.FLOOD) {
            return flood(packet, length, intake, slot);
        }
        counts.add(to == PortForwarding.NO_ADDRESS ? EdgeCounter.DROPPED_NO_ADDRESS : EdgeCounter.DROPPED_NOWHERE,
            1);
        return true;
    }

    /**
     * Sends a separate copy to every other port that is served; false if a copy has to wait, in which case the next
     * call continues with it. The packet itself is the last copy.
     */
    private boolean flood(final int packet, final int length, final Intake intake, final long slot) {
        copyTo = servedFrom(copyTo);
        if (copyTo == plan.ports()) {
            copyTo = 0;
            counts.add(EdgeCounter.DROPPED_NOWHERE, 1);
            return true;
        }
        while (copyTo < plan.ports()) {
            if (!send(packet, length, copyTo, intake, slot)) {
                return false;
            }
            copyTo = servedFrom(copyTo + 1);
            counts.add(EdgeCounter.COPIES, copyTo < plan.ports() ? 1 : 0);
        }
        copyTo = 0;
        counts.add(EdgeCounter.FLOODED, 1);
        return true;
    }

    /** The first other served port at or after {@code first}, or the number of ports. */
    private int servedFrom(final int first) {
        int to = first;
        while (to < plan.ports() && (to == port || !plan.guard(to).isServed())) {
            to++;
        }
        return to;
    }

    /** Cuts a packet for one destination, defers it, or drops it; false if it must wait in the burst. */
    private boolean send(final int packet, final int length, final int port, final Intake intake, final long slot) {
        final int to = between.queue(port, classes.of(burst.bytes(), burst.offset(packet), length));
        if (!isFull[to] || isDropping) {
            if (hasRoom(to, cellsOf[length], intake)) {
                cut(burst.bytes(), burst.offset(packet), length, arrivalNs(packet), to, intake, slot);
                return true;
            }
            if (isDropping) {
                counts.dropFor(between.port(to));
                return true;
            }
            isFull[to] = true;
            full[fulls++] = to;
            holdBack(to);
        }
        if (!aside.add(to, burst.bytes(), burst.offset(packet), length, arrivalNs(packet))) {
            return false;
        }
        counts.add(EdgeCounter.SET_ASIDE, 1);
        return true;
    }

    /** Start of a packet's waiting time: its port's time stamp, or else the time of reception. */
    private long arrivalNs(final int packet) {
        final long stamp = burst.stamp(packet);
        return stamp == PacketBurst.NO_STAMP ? cameNs : stamp;
    }

    /** Cuts deferred packets, in order by destination, and lets the port resume destinations that have room. */
    private void retry(final Intake intake, final long slot) {
        for (int i = fulls - 1; i >= 0; i--) {
            final int to = full[i];
            while (!aside.isEmpty(to) && hasRoom(to, cellsOf[aside.length(to)], intake)) {
                cut(aside.bytes, aside.offset(to), aside.length(to), aside.cameNs(to), to, intake, slot);
                aside.remove(to);
            }
            if (aside.isEmpty(to) && shares.hasPlenty(to)) {
                full[i] = full[--fulls];
                isFull[to] = false;
                holdBack(to);
            }
        }
    }

    /** Notifies the port whether to hold back packets to a queue's port; the port cannot distinguish classes. */
    private void holdBack(final int queue) {
        final int to = between.port(queue);
        boolean isHeld = false;
        for (int of = 0; of < classes.count(); of++) {
            isHeld |= isFull[between.queue(to, of)];
        }
        guard.holdBack(plan.port(to).node(), plan.port(to).number(), isHeld);
    }

    private boolean hasRoom(final int to, final int cells, final Intake intake) {
        if (!shares.hasRoom(to, cells)) {
            memory.collect(port);
            if (!shares.hasRoom(to, cells)) {
                return false;
            }
        }
        final int flow = between.flow(port, to);
        return between.isLocal(flow) || intake.hasRoom(flow);
    }

    /** Cuts a packet into the queue of its destination. {@link CellShares} must have room for its cells. */
    private void cut(final MemorySegment bytes, final long offset, final int length, final long came, final int to,
        final Intake intake, final long slot) {
        final int cells = cellsOf[length];
        for (int index = 0; index < cells; index++) {
            final int cell = segmenter.cut(bytes, offset, length, index);
            shares.cut(cell, to);
            queues[to].add(cell, format.flags(length, index));
            if (index == 0) {
                memory.setStamp(cell, came);
            }
        }
        waiting += cells;
        cut += cells;
        final int flow = between.flow(port, to);
        if (between.isLocal(flow)) {
            local.cross(flow, cells);
        } else {
            intake.offer(flow, cells, slot);
        }
    }

    /**
     * Packets that were received from a port and wait outside it until their destination has room, so that packets
     * after them can proceed: a first-in, first-out list per destination over a fixed number of places. One thread.
     */
    static final class DeferredPackets {
        /** Number of places. A port may still deliver a burst after it was requested to hold packets back. */
        static final int PLACES = 2 * PacketIngress.BURST;
        private static final int NONE = -1;

        private final MemorySegment bytes;
        private final long stride;
        /** By place: the next place of its list, or of the free list; size of the packet; time of arrival in ns. */
        private final int[] next = new int[PLACES];
        private final int[] length = new int[PLACES];
        private final long[] cameNs = new long[PLACES];
        /** First and last place of each destination. */
        private final int[] head;
        private final int[] tail;
        private int free;
        /** Number of packets to all destinations. */
        private int size;

        DeferredPackets(final Arena arena, final int queues, final int mtuBytes) {
            // The memory layout of a burst fits: one place after another.
            this.bytes = new PacketBurst(arena, PLACES, mtuBytes).bytes();
            this.stride = bytes.byteSize() / PLACES;
            this.head = new int[queues];
            this.tail = new int[queues];
            Arrays.fill(head, NONE);
            for (int place = 0; place < PLACES; place++) {
                next[place] = place + 1 == PLACES ? NONE : place + 1;
            }
        }

        /** Adds a packet; false, without changes, if all places are taken. */
        boolean add(final int to, final MemorySegment from, final long offset, final int packetBytes,
            final long nowNs) {
            final int place = free;
            if (place == NONE) {
                return false;
            }
            free = next[place];
            MemorySegment.copy(from, offset, bytes, place * stride, packetBytes);
            length[place] = packetBytes;
            cameNs[place] = nowNs;
            next[place] = NONE;
            if (head[to] == NONE) {
                head[to] = place;
            } else {
                next[tail[to]] = place;
            }
            tail[to] = place;
            size++;
            return true;
        }

        boolean isEmpty(final int to) {
            return head[to] == NONE;
        }

        /** Offset of the first packet of a destination in {@code bytes}. */
        long offset(final int to) {
            return head[to] * stride;
        }

        int length(final int to) {
            return length[head[to]];
        }

        long cameNs(final int to) {
            return cameNs[head[to]];
        }

        /** Removes the first packet of a destination. */
        void remove(final int to) {
            final int place = head[to];
            head[to] = next[place];
            next[place] = free;
            free = place;
            size--;
        }
    }
}
