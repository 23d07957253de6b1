package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;

/**
 * Counters of the points where packets enter and leave a fabric, per port. Invariant over all ports of a fabric, where
 * {@code lost} are the packets that {@link dev.skerry.nic.packet.PacketCounter} counts as lost:
 * {@code RX_PACKETS + COPIES = TX_PACKETS + held + drops + lost}.
 */
public enum EdgeCounter {
    /** Packets received from the port. */
    RX_PACKETS("packets taken from the port"),
    /** Bytes of these packets. */
    RX_BYTES("bytes taken from the port"),
    /** Packets sent to every other port because their destination is unknown. */
    FLOODED("packets sent to every other port"),
    /** Copies of flooded packets beyond the first. */
    COPIES("additional copies of packets sent to every other port"),
    /** Back-pressure: number of times that packets stayed in the port because no cells were free. */
    WAITS("times packets waited in the port because the fabric was full"),
    /** Back-pressure: packets that waited outside their port while others overtook them. */
    SET_ASIDE("packets deferred because their destination was full"),
    /**
     * Packets that left the port according to its own counters; packets that it accepted and lost are among its drops.
     */
    TX_PACKETS("packets sent by the port"),
    /** Bytes of these packets. */
    TX_BYTES("bytes sent by the port"),
    /** IP packets delivered with a mark, because they had taken longer than {@link EdgeConfig#queueTargetNs}. */
    ECN_MARKED("IP packets marked because they took longer than the target"),
    /** Drop: the destination is behind the port from which the packet came. */
    DROPPED_SAME_PORT("packets dropped because their destination is behind the port they came from"),
    /** Drop: shorter than a MAC header. */
    DROPPED_NO_ADDRESS("packets dropped because they are too short for MAC addresses"),
    /** Drop: the forwarding rules give no port. */
    DROPPED_NOWHERE("packets dropped because there is no port to send them to"),
    /** Drop: the destination has used its share of the cells; see {@link EdgeCounts#droppedFor}. */
    DROPPED_DESTINATION_FULL("packets dropped because their destination already occupies its share of the port's "
        + "cells"),
    /** Drop: the destination port has no peer, or its output failed. */
    DROPPED_PORT_DOWN("packets dropped because their destination port is down: it has no peer, or its output failed"),
    /** Drop: the destination port's peer refused packets for longer than {@link EdgeConfig#stallNs}. */
    DROPPED_PORT_STALLED("packets dropped because the peer of their destination port accepts none"),
    /** Drop: the destination port failed. */
    DROPPED_PORT_DEAD("packets dropped because their destination port has failed");

    private final String sentence;

    EdgeCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** Description of the counter, used in messages. */
    public String sentence() {
        return sentence;
    }

    /** Whether this counts packets that were taken from a port and dropped. */
    public boolean isDrop() {
        return compareTo(DROPPED_SAME_PORT) >= 0;
    }

    /** The values of a port's counters. The port's thread writes; other threads may read values that lag. */
    public static final class EdgeCounts {
        private static final EdgeCounter[] COUNTERS = EdgeCounter.values();

        private final long[] values = new long[COUNTERS.length];

        private final long[] droppedFor;
        /** Packets and bytes that the port accepted and did not send. */
        private long unsent;
        private long unsentBytes;

        EdgeCounts(final int ports) {
            this.droppedFor = new long[ports];
        }

        public long get(final EdgeCounter counter) {
            return values[counter.ordinal()];
        }

        /**
         * Packets dropped: all drop counters, plus packets that the port accepted and, by its own count, did not send.
         */
        public long dropped() {
            long sum = unsent;
            for (final EdgeCounter counter : COUNTERS) {
                sum += counter.isDrop() ? get(counter) : 0;
            }
            return sum;
        }

        /** {@link EdgeCounter#DROPPED_DESTINATION_FULL} for one destination port. */
        public long droppedFor(final int to) {
            return droppedFor[to];
        }

        /**
         * Corrects the counts of sent packets by those that the port accepted and, according to its counters, did not
         * send.
         */
        void settle(final PortCounts port) {
            final long lost = get(EdgeCounter.TX_PACKETS) + unsent - port.get(PortCounter.TX_PACKETS);
            if (lost > unsent) {
                final long lostBytes = get(EdgeCounter.TX_BYTES) + unsentBytes - port.get(PortCounter.TX_BYTES);
                add(EdgeCounter.TX_PACKETS, unsent - lost);
                add(EdgeCounter.TX_BYTES, unsentBytes - lostBytes);
                unsent = lost;
                unsentBytes = lostBytes;
            }
        }

        void dropFor(final int to) {
            add(EdgeCounter.DROPPED_DESTINATION_FULL, 1);
            droppedFor[to]++;
        }

        void add(final EdgeCounter counter, final long number) {
            values[counter.ordinal()] += number;
        }
    }
}
