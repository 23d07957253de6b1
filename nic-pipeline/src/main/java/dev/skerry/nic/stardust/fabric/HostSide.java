package dev.skerry.nic.stardust.fabric;

import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.schedule.check.Bounds;

import java.util.Objects;

/**
 * The side of an adapter towards its hosts, and the queues that it keeps for the hosts of others (docs/spec/stardust.md
 * §3.1, §5.1).
 *
 * @param ports         ports of an adapter, each with an egress scheduler; endpoint e is port e mod {@code ports} of
 *                      adapter e / {@code ports}.
 * @param queuesPerPort queues that an adapter keeps for a port and class of another, 1 as in the paper; {@code ports}
 *                      for one queue for each pair of hosts, as the flows of an endpoint are spread over them.
 * @param classes       traffic classes, 1 to 4, in strict order of priority.
 * @param bytesPerSlot  bytes that a port sends to its host in a slot.
 * @param highBytes     a port that holds more grants no credits until it holds less than {@code lowBytes}; a packet
 *                      that finds it with twice as much is dropped. Both marks are raised by a packet for each queue
 *                      that asks, which it may have sent beyond its credits.
 * @param lowBytes      below {@code highBytes}.
 * @param model         how hosts send.
 * @param signals       information on queues that hosts receive.
 */
public record HostSide(int ports, int queuesPerPort, int classes, double bytesPerSlot, long highBytes, long lowBytes,
    HostModel model, HostSignals signals) {
    /** Checks every bound. */
    public HostSide {
        Bounds.refuseIf(ports < 1 || queuesPerPort < 1 || classes < 1 || classes > 4
            || (long) ports * queuesPerPort * classes > StardustCell.MAX_QUEUES, "an adapter has at most ",
            StardustCell.MAX_QUEUES, " queues for another: ports=", ports, " queuesPerPort=", queuesPerPort,
            " classes=", classes);
        Bounds.refuseIf(!(bytesPerSlot > 0 && bytesPerSlot < 1 << 24), "the rate of a port must be above 0: "
            + "bytesPerSlot=",
            bytesPerSlot);
        Objects.requireNonNull(model);
        if (signals.marks().marks() && !(model instanceof final Reno tcp && tcp.congestion().readsMarks())) {
            throw new IllegalArgumentException("marking requires hosts that react to marks: marks="
                + signals.marks() + " model=" + model);
        }
        Bounds.refuseIf(signals.pauses() && model instanceof HostModel.Ideal,
            "hosts that hand over whole flows cannot be paused: pauseBytes=", signals.pauseBytes());
        Bounds.refuseIf(model instanceof HostModel.Paced && queuesPerPort % ports != 0,
            "hosts that send at the rate of their port require separate queues: queuesPerPort=", queuesPerPort,
            " ports=", ports);
        Bounds.refuseIf(lowBytes < 1 || lowBytes >= highBytes, "lowBytes must be 1 to highBytes - 1: lowBytes=",
            lowBytes, " highBytes=", highBytes);
    }

    /** Creates the side of hosts that get no signals. */
    public HostSide(final int ports, final int queuesPerPort, final int classes, final double bytesPerSlot,
        final long highBytes, final long lowBytes, final HostModel model) {
        this(ports, queuesPerPort, classes, bytesPerSlot, highBytes, lowBytes, model, HostSignals.NONE);
    }

    /**
     * Creates the side of hosts that send at the rate of their port, or have all bytes of a flow when it starts.
     *
     * @param paced whether hosts are {@link HostModel#PACED}, else they are {@link HostModel#IDEAL}.
     */
    public HostSide(final int ports, final int queuesPerPort, final int classes, final double bytesPerSlot,
        final long highBytes, final long lowBytes, final boolean paced) {
        this(ports, queuesPerPort, classes, bytesPerSlot, highBytes, lowBytes,
            paced ? HostModel.PACED : HostModel.IDEAL);
    }

    /** Returns the same side with other hosts and signals. */
    public HostSide with(final HostModel other, final HostSignals told) {
        return new HostSide(ports, queuesPerPort, classes, bytesPerSlot, highBytes, lowBytes, other, told);
    }

    /** Returns ports of some rate that never hold enough to stop their credits. */
    public static HostSide of(final int ports, final int queuesPerPort, final double bytesPerSlot) {
        return new HostSide(ports, queuesPerPort, 1, bytesPerSlot, Long.MAX_VALUE, Long.MAX_VALUE - 1,
            HostModel.IDEAL);
    }

    /** Returns the number of queues that an adapter keeps for each adapter. */
    public int queues() {
        return ports * queuesPerPort * classes;
    }

    /** Returns the number of the queue for a flow between two endpoints. */
    public int queue(final int source, final int destination, final long flow, final int trafficClass) {
        final long spread = source % ports + ports * (flow & Integer.MAX_VALUE);
        return (destination % ports * queuesPerPort + (int) (spread % queuesPerPort)) * classes + trafficClass;
    }

    /** Returns the port of a queue. */
    public int port(final int queue) {
        return queue / (queuesPerPort * classes);
    }

    /**
     * Signals of an adapter to hosts about its queues (docs/spec/stardust.md §3.1).
     *
     * @param marks      which segments that join a queue, of the ingress or of a port, are marked (ECN).
     * @param pauseBytes an adapter that holds more bytes than this for others pauses its hosts (PAUSE) until it holds
     *                   less than half; 1 or more, {@link Long#MAX_VALUE} for no pauses.
     */
    public record HostSignals(MarkLaw marks, long pauseBytes) {
        /** No signals. */
        public static final HostSignals NONE = new HostSignals(MarkLaw.NONE, Long.MAX_VALUE);

        /** Checks every bound. */
        public HostSignals {
            Objects.requireNonNull(marks);
            Bounds.refuseIf(pauseBytes < 1, "the pause threshold must be above 0: pauseBytes=", pauseBytes);
        }

        /** Returns signals by marks of some law. */
        public static HostSignals marking(final MarkLaw law) {
            return new HostSignals(law, Long.MAX_VALUE);
        }

        /** Returns the same signals with pauses from some bytes on. */
        public HostSignals pausing(final long bytes) {
            return new HostSignals(marks, bytes);
        }

        /** Tells whether hosts are ever paused. */
        public boolean pauses() {
            return pauseBytes != Long.MAX_VALUE;
        }
    }
}
