package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.FrameHeaders;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.nic.count.NanoHistogram;
import dev.skerry.nic.edge.EdgeCounter.EdgeCounts;
import dev.skerry.nic.edge.EdgeMemory.CellQueue;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.nic.edge.EdgePort.PortGuard;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.packet.PacketReassembler;
import dev.skerry.nic.packet.PacketReassembler.PacketHandler;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * Egress from the fabric at one port. Cells arrive in the order of their streams, wait as cells, and become packets
 * when the port has room. A slow port therefore retains the cells of its senders, which run out of cells and leave
 * further packets in their ports: end-to-end back-pressure without loss. Packets for a port that refuses everything for
 * longer than {@link EdgeConfig#stallNs} are dropped until it accepts one again; otherwise such a port would stop all
 * senders. One thread.
 */
final class PacketEgress implements PacketHandler {
    private final PacketEdges plan;
    private final PortGuard guard;
    private final PortForwarding forwarding;
    private final EdgeCounts counts;
    private final EdgeMemory memory;
    private final PacketReassembler reassembler;
    private final PacketBurst burst;
    private final Patience patience;
    /** Latencies of packets delivered to the port, in ns, see {@link PacketEdges#latencyNs}. */
    final NanoHistogram latency = new NanoHistogram();
    /** By stream: arrival time of the open packet, and whether cells were lost since the last packet. */
    private final long[] cameNs;
    private final boolean[] gap;
    private final CellQueue cells;
    private int first;
    /** Number of cells removed from the queue so far. */
    long taken;
    private long nowNs;
    /** Latency in ns above which packets are marked. */
    long markNs = Long.MAX_VALUE;

    PacketEgress(final Arena arena, final int port, final PacketEdges plan, final PortGuard guard,
        final EdgeMemory memory,
        final IntConsumer freeCell, final PacketCounts packets) {
        this.plan = plan;
        this.guard = guard;
        this.forwarding = plan.port(port).forwarding();
        this.counts = plan.counts(port);
        this.memory = memory;
        this.cells = new CellQueue(memory);
        this.cameNs = new long[plan.between.queues()];
        this.gap = new boolean[cameNs.length];
        this.burst = new PacketBurst(arena, PacketIngress.BURST, plan.config.format().mtuBytes());
        this.patience = new Patience(plan.config.stallNs());
        this.reassembler = new PacketReassembler(arena, gap.length, gap.length, plan.config.format(),
            memory.slab, freeCell, this, packets);
    }

    /** Appends the next cell of a stream. */
    void join(final int stream, final int cell, final int flags) {
        cells.add(cell, gap[stream] ? flags | EdgeMemory.GAP : flags);
        gap[stream] = false;
    }

    /** Notes that cells of a stream were declared lost. */
    void onGap(final int stream) {
        gap[stream] = true;
    }

    /** Delivers as many packets as the port accepts. */
    void poll(final long now) {
        nowNs = now;
        if (cells.isEmpty() && burst.size() == 0) {
            patience.restart(now);
            return;
        }
        patience.offer(now);
        boolean goOn = flush();
        while (goOn && !cells.isEmpty()) {
            while (!cells.isEmpty() && burst.room() > 0) {
                reassemble();
            }
            goOn = flush();
        }
    }

    int queued() {
        return cells.size();
    }

    /** Counts the waiting cells individually. For checks. */
    int count() {
        return cells.count();
    }

    /** Number of packets reassembled and not yet delivered to the port. */
    int pending() {
        return burst.size() - first;
    }

    @Override
    public void onPacket(final int stream, final MemorySegment segment, final long offset, final int length) {
        forwarding.learn(plan.between.port(stream), segment, offset, length, nowNs);
        latency.record(Math.max(0, nowNs - cameNs[stream]));
        burst.append(segment, offset, length);
        if (nowNs - cameNs[stream] > markNs
            && EcnMark.mark(burst.bytes(), burst.offset(burst.size() - 1), length)) {
            counts.add(EdgeCounter.ECN_MARKED, 1);
        }
    }

    @Override
    public void onLoss(final int stream, final PacketCounter why) {
        // The reassembler has counted it.
        assert why != null;
    }

    private void reassemble() {
        final int cell = cells.poll();
        final int flags = memory.flags(cell);
        final int stream = plan.between.streamOf(memory.identity(cell));
        taken++;
        if ((flags & EdgeMemory.GAP) != 0) {
            reassembler.onGap(stream, 1);
        }
        if ((flags & PacketFormat.SOP) != 0) {
            cameNs[stream] = memory.stamp(cell);
        }
        if ((flags & EdgeMemory.LOST) != 0) {
            reassembler.onLost(stream, cell, flags);
        } else {
            reassembler.onCell(stream, cell, flags & ~EdgeMemory.GAP);
        }
    }

    /** Offers the finished packets to the port; returns whether there is room for more. */
    private boolean flush() {
        if (first < burst.size()) {
            final int took = guard.txBurst(burst, first);
            counts.add(EdgeCounter.TX_PACKETS, took);
            for (int packet = first; packet < first + took; packet++) {
                counts.add(EdgeCounter.TX_BYTES, burst.length(packet));
            }
            first += took;
            if (took > 0) {
                patience.accepted();
            } else if (guard.dead || !guard.isUp()) {
                drop(guard.dead ? EdgeCounter.DROPPED_PORT_DEAD : EdgeCounter.DROPPED_PORT_DOWN);
            } else if (patience.isOver()) {
                drop(EdgeCounter.DROPPED_PORT_STALLED);
            }
        }
        if (first == burst.size()) {
            burst.clear();
            first = 0;
        }
        return burst.room() > 0 && first == 0;
    }

    private void drop(final EdgeCounter why) {
        counts.add(why, burst.size() - first);
        first = burst.size();
    }

    /**
     * Marks packets whose hosts support it (RFC 3168): in an IPv4 or IPv6 packet in an Ethernet frame, after up to two
     * VLAN tags, the ECN field ECT(0) or ECT(1) becomes CE. IPv4's checksum is updated as in RFC 1624, so a wrong
     * checksum stays wrong. Stateless; any thread may call.
     */
    static final class EcnMark {
        private static final int CHECKSUM_AT = 10;
        private static final int WORD = 0xFFFF;
        /** The ECN field in the first two bytes of a header. */
        private static final int CE_V4 = 3;
        private static final int CE_V6 = 3 << 4;

        private EcnMark() {
        }

        /**
         * Marks a packet.
         *
         * @param bytes  contains the packet.
         * @param offset offset of its first byte.
         * @param length length in bytes.
         * @return whether it was marked; false if it may not be marked, or already is.
         */
        static boolean mark(final MemorySegment bytes, final long offset, final int length) {
            final int at = FrameHeaders.ipAt(bytes, offset, length);
            if (at == FrameHeaders.NO_IP) {
                return false;
            }
            final int before = FrameHeaders.word(bytes, offset + at);
            final boolean isV4 = FrameHeaders.isV4(before);
            final int field = isV4 ? CE_V4 : CE_V6;
            if ((before & field) == 0 || (before & field) == field) {
                return false;
            }
            FrameHeaders.setWord(bytes, offset + at, before | field);
            if (isV4) {
                final int old = FrameHeaders.word(bytes, offset + at + CHECKSUM_AT);
                FrameHeaders.setWord(bytes, offset + at + CHECKSUM_AT, updated(old, before, before | field));
            }
            return true;
        }

        /** HC' = ~(~HC + ~m + m'), in ones' complement (RFC 1624, equation 3). */
        private static int updated(final int checksum, final int before, final int now) {
            int sum = (~checksum & WORD) + (~before & WORD) + now;
            sum = (sum & WORD) + (sum >>> 16);
            sum = (sum & WORD) + (sum >>> 16);
            return ~sum & WORD;
        }
    }

    /**
     * Measures how long a port that is up has refused every packet. Only time between two offers counts, at most
     * {@link #MOST_STEP_NS} each: while the thread is descheduled, nothing is offered and the port is not responsible.
     * One thread.
     */
    static final class Patience {
        /** Longer than an idle thread sleeps between two offers. */
        static final long MOST_STEP_NS = 10_000_000;

        private final long stallNs;
        private long nowNs;
        private long waitedNs;
        private boolean over;

        /**
         * Creates the measure for a port that has refused nothing.
         *
         * @param stallNs time for which it may refuse packets, in ns.
         */
        Patience(final long stallNs) {
            this.stallNs = stallNs;
        }

        /** Restarts the measure because nothing waits for the port. */
        void restart(final long now) {
            nowNs = now;
            waitedNs = 0;
        }

        /** Accounts for the time before another offer. */
        void offer(final long now) {
            waitedNs += Math.min(now - nowNs, MOST_STEP_NS);
            nowNs = now;
        }

        /** Restarts the measure because the port accepted a packet. */
        void accepted() {
            waitedNs = 0;
            over = false;
        }

        /** Called if the port accepted no packet. Returns whether it is stalled; it stays so until it accepts one. */
        boolean isOver() {
            over |= waitedNs > stallNs;
            return over;
        }
    }
}
