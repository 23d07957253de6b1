package dev.skerry.nic.stardust.fabric;

import dev.skerry.dataplane.check.Bounds;

import java.util.Objects;

/**
 * Hosts that speak TCP with New Reno's recovery (RFC 5681, RFC 6582, timer of RFC 6298; docs/spec/stardust.md §10, rows
 * 12 to 14), a segment a packet and an acknowledgement a segment. They go at the rate of the host's port,
 * acknowledgements before segments as in the artefact of NDP, cross the fabric as packets and are taken in when their
 * last byte is there. A connection is there when its flow starts. What the window does is {@link Congestion}.
 *
 * @param windowPackets  most segments from the first that is not acknowledged on, 2 to {@link #MAX_WINDOW}: what the
 *                       receiver has room for.
 * @param initialPackets segments that are sent before anything is acknowledged, 1 to {@code windowPackets}.
 * @param queuePackets   packets of each kind that wait at a host's port, and in a queue of its adapter, 2 to
 *                       {@link #MAX_QUEUE}; one more is dropped, by the host itself in both cases.
 * @param ackBytes       length of an acknowledgement, 1 to 64.
 * @param minRtoSlots    the retransmission timer before anything is measured, and its least value; 1 or more.
 * @param wireSlots      the delay of the wires between a host and its adapter, there and back together; 0 to 4096.
 * @param congestion     what the window does.
 */
public record Reno(int windowPackets, int initialPackets, int queuePackets, int ackBytes, int minRtoSlots,
    int wireSlots, Congestion congestion) implements HostModel {
    /** Largest window. */
    public static final int MAX_WINDOW = 1 << 14;
    /** Longest queue. */
    static final int MAX_QUEUE = 1 << 14;
    /** How often a timer doubles at most. */
    public static final int MAX_BACKOFF = 6;

    private static final int MAX_ACK_BYTES = 64;
    private static final int MAX_WIRE_SLOTS = 4096;
    private static final int MAX_RTO_SLOTS = 1 << 24;
    private static final int USUAL_PACKETS = 100;
    private static final int USUAL_ACK_BYTES = 40;
    private static final int USUAL_INITIAL = 2;

    /** Checks every bound. */
    public Reno {
        Bounds.require("windowPackets", windowPackets, 2, MAX_WINDOW);
        Bounds.require("initialPackets", initialPackets, 1, windowPackets);
        Bounds.require("queuePackets", queuePackets, 2, MAX_QUEUE);
        Bounds.require("ackBytes", ackBytes, 1, MAX_ACK_BYTES);
        Bounds.require("minRtoSlots", minRtoSlots, 1, MAX_RTO_SLOTS);
        Bounds.require("wireSlots", wireSlots, 0, MAX_WIRE_SLOTS);
        Objects.requireNonNull(congestion);
    }

    /** New Reno. */
    public Reno(final int windowPackets, final int initialPackets, final int queuePackets, final int ackBytes,
        final int minRtoSlots, final int wireSlots) {
        this(windowPackets, initialPackets, queuePackets, ackBytes, minRtoSlots, wireSlots, Congestion.NEW_RENO);
    }

    /** Windows and queues of 100 packets, two segments to begin with, acknowledgements of 40 bytes, no wires. */
    public static Reno usual(final int minRtoSlots) {
        return new Reno(USUAL_PACKETS, USUAL_INITIAL, USUAL_PACKETS, USUAL_ACK_BYTES, minRtoSlots, 0);
    }

    /** The same with another window. */
    public Reno window(final int packets) {
        return new Reno(packets, Math.min(initialPackets, packets), queuePackets, ackBytes, minRtoSlots, wireSlots,
            congestion);
    }

    /** The same with other segments that are sent before anything is acknowledged. */
    public Reno initial(final int packets) {
        return new Reno(windowPackets, packets, queuePackets, ackBytes, minRtoSlots, wireSlots, congestion);
    }

    /** The same with another congestion control. */
    public Reno with(final Congestion other) {
        return new Reno(windowPackets, initialPackets, queuePackets, ackBytes, minRtoSlots, wireSlots, other);
    }

    /** The longest time for which a sender that is waiting for an acknowledgement does nothing. */
    long mostWaitSlots() {
        return (long) minRtoSlots << MAX_BACKOFF;
    }
}
