package dev.skerry.nic.host;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel.Reno;

/**
 * The connections of a run's flows: one per flow, or the subflows of MPTCP, numbered consecutively. A flow is divided
 * into full segments and a shorter one. With one connection, the short segment is the last one. With several, whose
 * shares are not known in advance, it is the first segment of the first connection. Immutable.
 *
 * @param flows       flows in order of start.
 * @param packetBytes size of a full segment.
 * @param each        connections per flow, 1 or more.
 */
public record Connections(FlowSet flows, int packetBytes, int each) {
    /** The connections of flows between hosts of a given model. */
    public static Connections of(final FlowSet flows, final int packetBytes, final Reno hosts) {
        return new Connections(flows, packetBytes, hosts.congestion().subflows());
    }

    /** Number of connections. */
    public int count() {
        return flows.size() * each;
    }

    /** The flow of a connection. */
    public int flow(final int connection) {
        return connection / each;
    }

    /** The first connection of a flow. */
    public int first(final int flow) {
        return flow * each;
    }

    /** Number of segments of a flow, over all its connections. */
    public int segments(final int flow) {
        final long bytes = flows.bytes(flow);
        return (int) Math.min(TcpPacket.MAX_NUMBER, bytes / packetBytes + (bytes % packetBytes == 0 ? 0 : 1));
    }

    /** Size of a segment of a connection in bytes. */
    public int bytes(final int connection, final int number) {
        if (each == 1) {
            return (int) Math.min(packetBytes, flows.bytes(connection) - (long) number * packetBytes);
        }
        final int flow = connection / each;
        return number > 0 || connection % each > 0 ? packetBytes
            : (int) Math.min(packetBytes, flows.bytes(flow) - (segments(flow) - 1L) * packetBytes);
    }

    /**
     * Payload bytes of a flow that have arrived without a gap on their connections.
     *
     * @param there     number of these segments.
     * @param hasShort  whether they include the short one.
     */
    public long received(final int flow, final long there, final boolean hasShort) {
        return Math.min(flows.bytes(flow), there * packetBytes - (each > 1 && hasShort
            ? packetBytes - bytes(first(flow), 0) : 0));
    }
}
