package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.nic.fabric.Intake;
import dev.skerry.nic.packet.PacketCounts;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.packet.PacketSegmenter;

import java.lang.foreign.Arena;

/**
 * The way into the fabric at one port. Packets are taken in bursts, routed by the port's {@link PortForwarding}, cut
 * into cells at once, and wait as cells in one queue per destination until the fabric asks for them. If too few cells
 * are free, the packet waits, and all packets behind it stay in the port. Nothing is dropped for lack of room. One
 * thread.
 *
 * <pre>
 *   one destination   0      4      8
 *                     +------+------+
 *                     | head | tail |    cells, linked in the {@link EdgeMemory}
 *                     +------+------+
 * </pre>
 */
final class PacketIngress {
    /** Most packets of a burst. */
    static final int BURST = 32;
    /** Most bursts per poll. */
    private static final int ROUNDS = 4;

    private static final int HEAD = 0;
    private static final int TAIL = 4;
    private static final int QUEUE_SHIFT = 3;

    private final int port;
    private final PacketEdges plan;
    private final PortGuard guard;
    private final PortForwarding forwarding;
    private final EdgeCounts counts;
    private final EdgeMemory memory;
    private final FreeList free;
    private final PacketSegmenter segmenter;
    private final PacketFormat format;
    /** Number of cells by length of the packet in bytes: avoids a division per packet. */
    private final char[] cellsOf;
    private final Region queues;
    private final PacketBurst burst;
    private int next;
    private long cameNs;
    private int waiting;
    private boolean isWaiting;
    private long cut;

    PacketIngress(final Arena arena, final int port, final PacketEdges plan, final PortGuard guard,
        final EdgeMemory memory,
        final PacketCounts packets) {
        this.port = port;
        this.plan = plan;
        this.guard = guard;
        this.forwarding = plan.port(port).forwarding();
        this.counts = plan.counts(port);
        this.memory = memory;
        this.free = memory.list(port);
        this.format = plan.config().format();
        this.segmenter = new PacketSegmenter(format, memory.slab(), free, packets);
        this.cellsOf = plan.cellsOf();
        this.queues = Region.allocate(arena, (long) plan.ports() << QUEUE_SHIFT);
        queues.fill((byte) EdgeMemory.NONE);
        this.burst = new PacketBurst(arena, BURST, format.mtuBytes());
    }

    /**
     * Takes packets from the port as far as cells are free.
     *
     * @param slot  the next slot to be sent.
     * @param nowNs the current time in ns.
     * @param open  whether the port may be read; packets already taken are always cut.
     */
    void poll(final Intake intake, final long slot, final long nowNs, final boolean open) {
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

    /** Removes the first cell that waits for a destination; returns it. */
    int pop(final int to) {
        final long queue = (long) to << QUEUE_SHIFT;
        final int cell = queues.getInt(queue + HEAD);
        assert cell != EdgeMemory.NONE : "no cell waits: port=" + port + " to=" + to;
        queues.setInt(queue + HEAD, memory.next(cell));
        waiting--;
        return cell;
    }

    /** Cells that wait for the fabric. */
    int waiting() {
        return waiting;
    }

    /** Cells cut so far. */
    long cut() {
        return cut;
    }

    /** Packets taken from the port and not yet cut. */
    int pending() {
        return burst.size() - next;
    }

    /** Counts the cells that wait, one by one. For checks. */
    int count() {
        int cells = 0;
        for (int to = 0; to < plan.ports(); to++) {
            for (int cell = queues.getInt(((long) to << QUEUE_SHIFT) + HEAD); cell != EdgeMemory.NONE;
                cell = memory.next(cell)) {
                cells++;
            }
        }
        return cells;
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

    /** Cuts a packet, or drops and counts it; false if it must wait. */
    private boolean bringIn(final int packet, final Intake intake, final long slot, final long nowNs) {
        final int length = burst.length(packet);
        final int cells = cellsOf[length];
        final int node = forwarding.route(burst.bytes(), burst.offset(packet), length, nowNs);
        if (node >= 0) {
            final int to = plan.between().portAt(node);
            if (to == port || to == PortFlows.NO_PORT) {
                counts.add(to == port ? EdgeCounter.DROPPED_SAME_PORT : EdgeCounter.DROPPED_NOWHERE, 1);
                return true;
            }
            if (!hasRoom(cells) || !intake.hasRoom(plan.between().flow(port, to))) {
                return false;
            }
            cut(packet, to, cells, intake, slot);
            return true;
        }
        return node == PortForwarding.FLOOD ? flood(packet, cells, intake, slot) : drop(node);
    }

    private boolean drop(final int why) {
        counts.add(why == PortForwarding.NO_ADDRESS ? EdgeCounter.DROPPED_NO_ADDRESS : EdgeCounter.DROPPED_NOWHERE, 1);
        return true;
    }

    /** Sends a copy to every other port; false, and no copy is made, if there are not enough cells for all. */
    private boolean flood(final int packet, final int cells, final Intake intake, final long slot) {
        final int others = plan.ports() - 1;
        if (others == 0) {
            return drop(PortForwarding.NOWHERE);
        }
        if (!hasRoom(others * cells)) {
            return false;
        }
        for (int to = 0; to <= others; to++) {
            if (to != port && !intake.hasRoom(plan.between().flow(port, to))) {
                return false;
            }
        }
        for (int to = 0; to <= others; to++) {
            if (to != port) {
                cut(packet, to, cells, intake, slot);
            }
        }
        counts.add(EdgeCounter.FLOODED, 1);
        counts.add(EdgeCounter.COPIES, others - 1L);
        return true;
    }

    private boolean hasRoom(final int cells) {
        if (free.cells() - free.held() < cells) {
            memory.collect(port);
            return free.cells() - free.held() >= cells;
        }
        return true;
    }

    private void cut(final int packet, final int to, final int cells, final Intake intake, final long slot) {
        final int length = burst.length(packet);
        final long queue = (long) to << QUEUE_SHIFT;
        int tail = queues.getInt(queue + TAIL);
        boolean isEmpty = queues.getInt(queue + HEAD) == EdgeMemory.NONE;
        for (int index = 0; index < cells; index++) {
            final int cell = segmenter.cut(burst.bytes(), burst.offset(packet), length, index);
            memory.setLast(cell, format.flags(length, index));
            if (index == 0) {
                final long stamp = burst.stamp(packet);
                memory.setStamp(cell, stamp == PacketBurst.NO_STAMP ? cameNs : stamp);
            }
            if (isEmpty) {
                queues.setInt(queue + HEAD, cell);
                isEmpty = false;
            } else {
                memory.setNext(tail, cell);
            }
            tail = cell;
        }
        queues.setInt(queue + TAIL, tail);
        waiting += cells;
        cut += cells;
        intake.offer(plan.between().flow(port, to), cells, slot);
    }
}
