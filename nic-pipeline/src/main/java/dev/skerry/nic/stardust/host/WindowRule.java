package dev.skerry.nic.stardust.host;

import dev.skerry.nic.stardust.fabric.Congestion;
import dev.skerry.nic.stardust.fabric.Reno;

/**
 * The congestion control of a bank's senders: what their windows do outside of recovery. What is lost is found and sent
 * again by {@link RenoSender}, whatever the rule. Windows are in 1/65536 of a segment; one thread.
 */
interface WindowRule {
    /** New Reno below and above the threshold (RFC 5681 §3.1): nothing is kept of a flow. */
    WindowRule NEW_RENO = (flow, window, threshold) -> window >>> 16 < threshold ? 1 << 16
        : (int) ((1L << 32) / window);

    /**
     * The rule of a run's hosts.
     *
     * @param connections how many there are; a flow of the other methods is one of them.
     * @param siblings    what senders know of each other.
     */
    static WindowRule of(final Reno rules, final int connections, final LiaWindow.Siblings siblings) {
        return switch (rules.congestion()) {
            case Congestion.NewReno _ -> NEW_RENO;
            case final Congestion.Dctcp dctcp -> new DctcpWindow(dctcp, connections);
            case final Congestion.Dcqcn dcqcn -> throw new IllegalArgumentException("a rate has no window: " + dcqcn);
            case final Congestion.Mptcp mptcp -> new LiaWindow(mptcp.subflows(), siblings);
        };
    }

    /**
     * By how much a window grows with an acknowledgement of something new.
     *
     * @param threshold in segments; slow start below it.
     */
    int growth(int flow, int window, int threshold);

    /**
     * An acknowledgement came.
     *
     * @param una   first segment not acknowledged, with this one.
     * @param newly segments that it is the first to acknowledge.
     * @param next  the segment to be sent next.
     * @param echo  whether it echoes a mark.
     * @return the share of the window to give up, in 1/65536.
     */
    default int onAck(final int flow, final int una, final int newly, final int next, final boolean echo) {
        return 0;
    }

    /** The estimate of the share of marked segments, if the rule makes one. */
    default double markedShare(final int flow) {
        return 0;
    }
}
