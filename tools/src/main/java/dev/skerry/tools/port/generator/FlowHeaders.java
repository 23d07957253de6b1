package dev.skerry.tools.port.generator;

import dev.skerry.dataplane.check.Bounds;

/**
 * Contents of the headers by flow.
 *
 * @param sourceMac       48 bits.
 * @param destinationMac  48 bits.
 * @param sourceIp        IPv4, 32 bits.
 * @param destinationIp   IPv4, 32 bits.
 * @param sourcePort      of UDP, 16 bits.
 * @param destinationPort of UDP, 16 bits.
 * @param flows           1 to {@link #MAX_FLOWS}.
 * @param random          whether each packet's flow is random; otherwise flows take turns.
 */
public record FlowHeaders(
    FieldRange sourceMac, FieldRange destinationMac, FieldRange sourceIp, FieldRange destinationIp,
    FieldRange sourcePort, FieldRange destinationPort, int flows, boolean random
) {
    /** Maximum number of flows of a generator. */
    public static final int MAX_FLOWS = 4_096;

    /** Highest number of a port at its node. */
    static final int MAX_NUMBER = 255;

    private static final long NODE_MAC = 0x0200_0000_0000L;
    private static final long NODE_IP = 0x0A01_0000L;
    private static final int MAX_NODE = 0xFE_FFFF;

    /** Checks the bounds of every component. */
    public FlowHeaders {
        check("source IP", sourceIp, Integer.SIZE);
        check("destination IP", destinationIp, Integer.SIZE);
        check("source port", sourcePort, Short.SIZE);
        check("destination port", destinationPort, Short.SIZE);
        Bounds.require("flows", flows, 1, MAX_FLOWS);
    }

    private static void check(final String name, final FieldRange range, final int bits) {
        if (range.last() >>> bits != 0) {
            throw new IllegalArgumentException(name + " must be below 2^" + bits + ": last=" + range.last());
        }
    }

    /** MAC addresses of nodes: 02:00 and the node's number in 32 bits. Node 3 has 02:00:00:00:00:03. */
    public static FieldRange macOf(final FieldRange nodes) {
        checkNodes(nodes);
        return nodes.plus(NODE_MAC);
    }

    /** MAC address of a port: that of its node, and which of the ports there it is in the second byte. */
    public static long macOf(final int node, final int number) {
        return NODE_MAC + ((long) number << Integer.SIZE) + node;
    }

    /** IPv4 addresses of nodes: 10.1.0.0 plus the node's number. Node 3 has 10.1.0.3. */
    public static FieldRange ipOf(final FieldRange nodes) {
        checkNodes(nodes);
        return nodes.plus(NODE_IP);
    }

    private static void checkNodes(final FieldRange nodes) {
        if (nodes.last() > MAX_NODE) {
            throw new IllegalArgumentException("a node must be below " + (MAX_NODE + 1) + ": node=" + nodes.last());
        }
    }

    /** Size of the largest range, which is the number of flows that covers every value. */
    long widest() {
        final long macs = Math.max(sourceMac.size(), destinationMac.size());
        final long ips = Math.max(sourceIp.size(), destinationIp.size());
        return Math.max(Math.max(macs, ips), Math.max(sourcePort.size(), destinationPort.size()));
    }

    /**
     * Values of a header field. Flow f has the f-th value, modulo the number of values.
     *
     * @param first   least value.
     * @param last    at least first; both unsigned and below 2^48.
     * @param without a value in the range, but not all of it, that no flow has; {@link #NONE} for none.
     */
    public record FieldRange(long first, long last, long without) {
        /** No value. */
        public static final long NONE = -1;

        private static final long MAX = (1L << 48) - 1;

        /**
         * Checks both bounds.
         *
         * @throws IllegalArgumentException if one is out of range, or nothing is left.
         */
        public FieldRange {
            if (first < 0 || last < first || last > MAX) {
                throw new IllegalArgumentException("a range must go up and stay below 2^48: first=" + first + " last="
                    + last);
            }
            if (without != NONE && (without < first || without > last || first == last)) {
                throw new IllegalArgumentException("without must be in a range of several: without=" + without);
            }
        }

        /** A range of all values. */
        public FieldRange(final long first, final long last) {
            this(first, last, NONE);
        }

        /** The same without a value, if it is among several. */
        FieldRange but(final long value) {
            return value < first || value > last || first == last ? this : new FieldRange(first, last, value);
        }

        /** The same with an offset added to each value. */
        FieldRange plus(final long offset) {
            return new FieldRange(first + offset, last + offset, without == NONE ? NONE : without + offset);
        }

        /** A range of one value. */
        public static FieldRange of(final long value) {
            return new FieldRange(value, value);
        }

        /** Number of values. */
        public long size() {
            return last - first + (without == NONE ? 1 : 0);
        }

        /** Value of a flow, from 0. */
        public long at(final int flow) {
            final long value = first + flow % size();
            return without == NONE || value < without ? value : value + 1;
        }
    }
}
