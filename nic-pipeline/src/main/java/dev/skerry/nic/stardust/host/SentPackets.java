package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.nic.stardust.fabric.Stardust;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Packets of hosts that decide during the run what to send: each stream in use has a log of its last packets. The bank
 * of the source writes it and both banks read it; it represents the headers that real packets carry. The log of a
 * stream takes the place of its only flow.
 *
 * <pre>
 *   one log      | packet 0 | packet 1 | .. modulo its length, a {@link TcpPacket} each |
 *   taken off    packets that the destination's bank has taken off, reported once a period and received later than any
 *                cell takes, so that the result does not depend on the banks: | period even | odd |, by log
 * </pre>
 *
 * <p>A packet is written before its first cell is sent and read after one of its cells has come. Its place is free
 * again when the source has received the report that the packet was taken off.
 */
public final class SentPackets implements Packets {
    private static final int LEAST_PERIOD = 64;

    private final FlowSet flows;
    private final Stardust fabric;
    private final Connections connections;
    private final int ackBytes;
    private final int[] logOf;
    private final Region entries;
    private final int size;
    private final int[] written;
    private final int[][] takenOff;
    private final int delay;
    private final int period;
    /** Null if this process has all banks. */
    private Crossing crossing;

    /** Notified of what one bank reports to another, which may be in another process. */
    public interface Crossing {
        /** Called when a packet has joined a log. */
        void joined(int log, long packet);

        /**
         * Called when the number of packets taken off a log is reported, in a period whose number has the given parity.
         */
        void taken(int parity, int log, int taken);
    }

    /** Creates empty logs for all flows and their acknowledgements. */
    SentPackets(final Arena arena, final Stardust fabric, final FlowSet flows, final Reno rules) {
        this.flows = flows;
        this.fabric = fabric;
        this.connections = Connections.of(flows, fabric.cut().packetBytes(), rules);
        this.ackBytes = rules.ackBytes();
        this.logOf = new int[fabric.clos().fas() * fabric.clos().fas() * fabric.hosts().queues()];
        Arrays.fill(logOf, NONE);
        int logs = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            logs = use(stream(TcpPacket.segment(connections.first(flow), 0)), logs);
            logs = use(stream(TcpPacket.ack(connections.first(flow), 0)), logs);
        }
        this.size = size(rules);
        this.entries = Region.allocate(arena, Math.max(1L, logs) * size << 3);
        this.written = new int[logs];
        this.takenOff = new int[2][logs];
        this.delay = fabric.propagationSlots();
        this.period = Math.max(LEAST_PERIOD, 2 * delay);
    }

    /** Returns the largest memory in bytes. */
    public static long bytes(final Reno rules, final int flows) {
        return 2L * flows * size(rules) << 3;
    }

    /** Returns the packets of a log: a full queue, and at least as many in flight. */
    private static int size(final Reno rules) {
        return Integer.highestOneBit(2 * rules.queuePackets() + LEAST_PERIOD - 1) << 1;
    }

    private int use(final int stream, final int logs) {
        if (logOf[stream] != NONE) {
            return logs;
        }
        logOf[stream] = logs;
        return logs + 1;
    }

    /** Returns the stream of a packet, by destination, source and number of the queue. */
    public int stream(final long packet) {
        final int flow = connections.flow(TcpPacket.flow(packet));
        final int source = flows.source(flow);
        final int destination = flows.destination(flow);
        final boolean back = TcpPacket.isAck(packet);
        return fabric.stream(back ? destination : source, back ? source : destination, flows.id(flow),
            flows.trafficClass(flow));
    }

    /** Returns the connections of all flows. */
    Connections connections() {
        return connections;
    }

    /** Returns the bytes of a packet. */
    public int bytes(final long packet) {
        return TcpPacket.isAck(packet) ? ackBytes
            : connections.bytes(TcpPacket.flow(packet), TcpPacket.number(packet));
    }

    /**
     * Tells whether a packet's connection and number exist; an acknowledgement may name the number after the last one.
     */
    public boolean has(final long packet) {
        final int connection = TcpPacket.flow(packet);
        return connection >= 0 && connection < connections.count() && TcpPacket.number(packet) >= 0
            && TcpPacket.number(packet) < connections.segments(connections.flow(connection))
            + (TcpPacket.isAck(packet) ? 1 : 0);
    }

    /** Sets the listener for reports of banks of this process to others. */
    public void connect(final Crossing hears) {
        this.crossing = hears;
    }

    /** Returns the number of streams in use. */
    public int logs() {
        return written.length;
    }

    /** Returns the number of packets that joined a stream's queue, modulo 2^31. */
    public int written(final int log) {
        return written[log];
    }

    /** Tells whether a stream's log has room, as far as its source knows in a slot. */
    public boolean hasRoom(final long slot, final int log) {
        final long heard = (slot - delay) / period;
        final int taken = slot < delay ? 0 : takenOff[(int) heard & 1][log];
        return (written[log] - taken & Integer.MAX_VALUE) < size;
    }

    /** Adds a packet to a stream's queue. */
    public void add(final int log, final long packet) {
        put(log, packet);
        if (crossing != null) {
            crossing.joined(log, packet);
        }
    }

    /** Adds a packet reported by a bank of another process. */
    public void put(final int log, final long packet) {
        entries.setLong(((long) log * size + (written[log] & size - 1)) << 3, packet);
        written[log] = Packets.after(written[log]);
    }

    /** Returns a packet of a log. */
    public long packet(final long packet) {
        return entries.getLong(((long) Packets.flow(packet) * size + (Packets.number(packet) & size - 1)) << 3);
    }

    /** Tells whether destinations report in a slot how many packets they have taken off. */
    public boolean isReported(final long slot) {
        return slot % period == 0;
    }

    /** Reports how many packets of a stream were taken off before a slot with reports. */
    public void report(final long slot, final int log, final int taken) {
        final int parity = (int) (slot / period) & 1;
        hear(parity, log, taken);
        if (crossing != null) {
            crossing.taken(parity, log, taken);
        }
    }

    /** Applies a report of a bank of another process, in a period whose number has the given parity. */
    public void hear(final int parity, final int log, final int taken) {
        takenOff[parity][log] = taken;
    }

    @Override
    public int first(final int stream) {
        return logOf[stream];
    }

    @Override
    public int length(final long packet) {
        return bytes(packet(packet));
    }
}
