package dev.skerry.nic.count;

import java.util.EnumSet;
import java.util.List;

/** Counters of events on the path of a cell. The conservation law is stated in terms of these names. */
public enum NicCounter {
    /** Cells taken from the flows of their source. A cell that was returned to its flow counts again. */
    CELLS_INJECTED("cells taken from the flows of their sources, repeats included"),
    /** Cells taken off the fabric at their destination. */
    CELLS_DELIVERED("cells that reached their destination"),
    /** Cells sent on by a node between source and destination. */
    CELLS_FORWARDED("cells forwarded by intermediate nodes"),
    /** Flows that reached their start slot. */
    FLOWS_STARTED("flows that became active"),
    /** Flows whose last cell reached its destination. */
    FLOWS_COMPLETED("flows whose last cell arrived"),
    /** Flows abandoned because their source or destination failed. */
    FLOWS_FAILED("flows abandoned because their source or destination failed"),
    /** Cells of failed flows that were never sent, or never resent. */
    CELLS_NOT_SENT("cells of failed flows not sent, or not sent again"),
    /** Cells that failed their check, including idle cells. */
    CELLS_DAMAGED("cells damaged on links, idle cells included"),
    /** Shale: damaged cells whose header failed its own check; the check of the frame finds the others. */
    HEADERS_DAMAGED("damaged cells whose header failed its check"),
    /** Cells that began a new path at the node where a failure stopped them. */
    CELLS_RESTARTED("cells that took a new path because a link on their direct path failed"),
    /** Cells that moved to another link of their spraying phase because their own link failed. */
    CELLS_MOVED("cells moved to another link because their own failed"),
    /**
     * Cells returned from a send queue to their flow because the neighbour is down. The flow sends them over another
     * relay.
     */
    CELLS_RETURNED("cells returned to their flow because the next node was down"),
    /** Copies sent again to the same neighbour. */
    CELLS_RESENT("cells sent again to the same neighbour because they may have been damaged"),
    /**
     * Cells returned to their flow because the neighbour to which they were sent went down before it reported on them.
     */
    CELLS_REROUTED("cells sent again by their source because the neighbour they were sent to went down"),
    /**
     * Cells returned to their flow because a relay refused them: its queue was full, or it had no path to the
     * destination.
     */
    CELLS_REFUSED("cells sent again by their source because a relay refused them"),
    /**
     * Cells that joined a queue of the highest class that already held N - 1 cells (docs/spec/shoal.md §4.2, Eq. 5).
     */
    CELLS_OVER_BOUND("cells that joined a queue of N - 1 cells, because of damaged cells or messages"),
    /**
     * Shoal: cells that reached a node other than the one to which they were sent, because their sender's clock was
     * slots late.
     */
    CELLS_ASTRAY("cells that reached a node other than the one they were sent to"),
    /** Times a node declared a neighbour down. */
    NEIGHBOURS_DOWN("times a node declared a neighbour down"),
    /** Number of times that a node and a neighbour that was down reconnected. */
    NEIGHBOURS_UP("times a node and a neighbour that was down reconnected"),
    /** Turns in which a node sent no cell because the neighbour of that turn is down. */
    TURNS_UNUSED("turns in which a node sent no cell because its neighbour was down"),
    /** Control cells that report the nodes that a node reaches. */
    NOTICES_SENT("reachability messages sent"),
    /** Control cells that probe a neighbour that is down. */
    PROBES_SENT("probes sent to neighbours that were down"),
    /** Messages between nodes that were outdated, repeated or not understood. */
    NOTICES_IGNORED("reachability messages ignored: outdated, repeated or invalid"),
    /** Times a node reported to its application that a destination is unreachable. */
    DESTINATIONS_UNREACHABLE("times a node reported a destination as unreachable"),
    /** Shale: returned tokens that had not been spent. They are ignored; there are none in a fabric without faults. */
    TOKEN_ANOMALY("tokens ignored because they had not been spent"),
    /** NDP: cells of Shale or packets of a fat tree trimmed at a full queue; their sources send them again. */
    CELLS_TRIMMED("cells or packets trimmed to their headers at a full queue"),
    /** Shale, NDP: cells that their sources sent again because they had been trimmed. */
    CELLS_RETRANSMITTED("trimmed cells sent again by their source"),
    /** NDP: NACKs, which request trimmed cells or packets. */
    NACKS_SENT("messages by which receivers requested trimmed cells"),
    /** RD and NDP: pulls, by which receivers grant flows more cells or packets. */
    PULLS_SENT("messages by which receivers requested more of a flow"),
    /** Shale, limits of nodes: cells that found the PIEO of their link full. */
    PIEO_OVERFLOWS("cells that found the PIEO of their link full and waited outside it"),
    /** Shale, limits of nodes: tokens that found the return FIFO of their link full. */
    TOKEN_OVERFLOWS("tokens that found the return FIFO of their link full and waited outside it"),
    /** Shale, limits of nodes: buckets that found the table of their node full. */
    BUCKET_OVERFLOWS("buckets that became active when the table of their node was full"),
    /** Shale, limits of nodes: cells that found the FIFO of their phase and bucket full. */
    FIFO_OVERFLOWS("cells that found the shared FIFO of their bucket full"),
    /** Shale, limits of nodes: number of times that a flow was skipped because its bucket could not become active. */
    FLOWS_HELD_BACK("times a flow had to wait because its node had no free bucket for local flows"),
    /** Shale, limits of nodes: slots in which a node needed more clock cycles than available. */
    SLOT_OVERRUN("slots of a node that took more clock cycles than a slot has"),
    /** Shale, limits of nodes: maximum number of entries of a PIEO, including those outside. */
    MOST_PIEO_ENTRIES("entries in the fullest PIEO, including those outside", true),
    /** Shale, limits of nodes: maximum number of tokens of a return FIFO, including those outside. */
    MOST_TOKENS_OWED("tokens in the fullest return FIFO, including those outside", true),
    /** Shale, limits of nodes: maximum number of active buckets of a node, including those outside its table. */
    MOST_ACTIVE_BUCKETS("active buckets in the busiest node, including those outside its table", true),
    /** Shale, limits of nodes: maximum number of cells in a shared FIFO. */
    MOST_FIFO_CELLS("cells in the fullest shared FIFO", true),
    /** Shale, limits of nodes: maximum number of non-empty shared FIFOs of a node. */
    MOST_FIFOS("shared FIFOs in use in the busiest node", true),
    /** Shale, limits of nodes: maximum number of clock cycles of a slot. */
    MOST_SLOT_CLOCKS("clock cycles of the longest slot", true),
    /** Stardust, fat tree: packets delivered to their host. */
    PACKETS_DELIVERED("packets delivered to hosts"),
    /** Stardust: packets dropped because at least one of their cells was lost. */
    PACKETS_LOST("packets lost because some of their cells were lost"),
    /** Stardust: packets dropped at their host or at ingress because the queue was full. */
    PACKETS_REFUSED("packets dropped by hosts or adapters because the queue was full"),
    /** Stardust: packets dropped because their queue received no credit for too long. */
    PACKETS_AGED("packets dropped because their queue got no credit for too long"),
    /** Stardust: packets of the low-latency class dropped because their source exceeded its rate. */
    PACKETS_POLICED("low-latency packets dropped because their source exceeded its share"),
    /** Stardust, fat tree: segments that a host sent again. */
    PACKETS_RESENT("segments sent again by hosts"),
    /** Stardust, fat tree: expired retransmission timers. */
    TIMEOUTS("retransmission timers of hosts that expired"),
    /** Stardust: number of times that an adapter paused its hosts because it held too much. */
    HOST_PAUSES("times an adapter paused its hosts"),
    /** Stardust: slots for which adapters paused their hosts. */
    HOST_PAUSE_SLOTS("slots for which adapters paused their hosts"),
    /** Stardust, fat tree: segments marked because they joined a long queue (ECN). */
    PACKETS_MARKED("segments marked (ECN) because they joined a long queue"),
    /** Stardust: cells that a stream stopped waiting for. */
    CELLS_GIVEN_UP("cells for which a stream stopped waiting"),
    /** Stardust: requests for credit. A VOQ sends one when its demand changes. */
    REQUESTS_SENT("requests sent to egress schedulers"),
    /** Stardust: credits sent by egress schedulers. */
    CREDITS_SENT("credits sent by egress schedulers"),
    /** Stardust: requests and credits lost by the fault script. Fat tree: control packets lost. */
    CONTROL_LOST("control messages or packets lost"),
    /**
     * Stardust: bytes of requests, credits and reachability messages; fat tree: of control packets; on each link that
     * they crossed.
     */
    CONTROL_BYTES("bytes of control messages, counted on each link that they crossed"),
    /** Stardust: the last slot in which the reachability information of a device changed. */
    REACH_LAST_CHANGED("was the slot of the last change of reachability in any device", true),
    /** Stardust: credits that were repeated, or for a VOQ that does not exist or requested none. */
    CREDITS_IGNORED("credits ignored: repeated, or for queues that had requested none"),
    /** Stardust: cells marked by a congested queue that they left. */
    CELLS_MARKED("cells marked by a congested queue"),
    /** Stardust, fat tree: slots for which a device paused an incoming link. */
    PAUSES("slots for which links were paused, summed over all links"),
    /** Drop: lost on a link because the link or the node at its end was down. */
    DROPPED_ON_WAY("cells lost on a link because the link or the device at its end was down"),
    /** Drop: sent while the clock of the node was off by more than the guard band allows. */
    GUARD_VIOLATION("cells lost outside the window of their slot because the clock of their sender was off"),
    /** Drop, Shoal: reached a node that is neither its destination nor the relay to which its source sent it. */
    WRONG_DESTINATION("cells dropped by a node to which they had not been sent"),
    /** Drop: failed its check. */
    DROPPED_DAMAGED("cells dropped because they were damaged"),
    /** Drop: delivered before. */
    DROPPED_DUPLICATE("cells dropped as duplicates"),
    /** Drop: too late to determine whether it was delivered before. */
    DROPPED_STALE("cells dropped because they arrived too far behind their flow"),
    /** Drop: waited for a neighbour that went down. */
    DROPPED_WITH_LINK("cells dropped while waiting for a link or neighbour that went down"),
    /** Drop: refused by a relay that cannot reach the destination. */
    DROPPED_NO_WAY("cells refused by a relay that had no path to their destination"),
    /** Drop: refused by a relay whose queue was full. */
    DROPPED_NO_ROOM("cells refused by a relay whose queue was full"),
    /** Drop: held by a node when it failed, or arrived there while it was down. */
    DROPPED_NODE_DOWN("cells lost in a device that was down"),
    /** Drop: waited for the last hop to its destination, which failed. */
    DROPPED_LAST_HOP("cells dropped because the last hop to their destination failed"),
    /** Drop: had to start a new path at a node without a usable link. */
    DROPPED_UNREACHABLE("cells dropped because no phase led to their destination"),
    /** Drop: no link of its spraying phase leads towards the destination. */
    DROPPED_NO_LINK("cells dropped because no link of their spraying phase led on to their destination"),
    /** Drop, Stardust, fat tree: the queue of its link was full; NDP: payload of trimmed segments. */
    DROPPED_TAIL("cells dropped because the queue of their link was full"),
    /** Drop, Stardust, fat tree: no working link of the device leads to the destination. */
    DROPPED_NO_ROUTE("cells dropped by a device that had no working link towards their destination"),
    /** Drop, Stardust: outside the reorder window of its stream, too late or too far ahead. */
    DROPPED_REORDER("cells dropped because they arrived too late or too early for their stream");

    /** The counters of lost cells: the named drops of the conservation law. */
    public static final List<NicCounter> DROPS = List.copyOf(EnumSet.range(DROPPED_ON_WAY, DROPPED_REORDER));

    private final String sentence;
    private final boolean isMost;

    NicCounter(final String sentence) {
        this(sentence, false);
    }

    NicCounter(final String sentence, final boolean isMost) {
        this.sentence = sentence;
        this.isMost = isMost;
    }

    /** Combines the counts of two parts of a fabric: their sum, or their maximum. */
    public long join(final long one, final long other) {
        return isMost ? Math.max(one, other) : one + other;
    }

    /** Whether this counts lost cells. */
    public boolean isDrop() {
        return DROPS.contains(this);
    }

    /** Description of the counter, used in messages. */
    public String sentence() {
        return sentence;
    }

    /** Counters of one bank. One thread. */
    public static final class BankCounters {
        /** An array, because iterating over a set creates garbage. */
        private static final NicCounter[] DROPS = NicCounter.DROPS.toArray(NicCounter[]::new);

        private final long[] counts = new long[NicCounter.values().length];
        private Outcome.Drop firstDrop;

        /** All at 0. */
        public BankCounters() {
        }

        public void increment(final NicCounter counter) {
            counts[counter.ordinal()]++;
        }

        public void add(final NicCounter counter, final long number) {
            counts[counter.ordinal()] += number;
        }

        /** Sets a number that is counted elsewhere. */
        public void set(final NicCounter counter, final long number) {
            counts[counter.ordinal()] = number;
        }

        public long count(final NicCounter counter) {
            return counts[counter.ordinal()];
        }

        /** Number of lost cells, over all drop counters. */
        public long dropped() {
            long sum = 0;
            for (final NicCounter drop : DROPS) {
                sum += count(drop);
            }
            return sum;
        }

        /** Counts a lost cell. */
        public void drop(final NicCounter reason, final long slot, final int device) {
            counts[reason.ordinal()]++;
            // Of several drops in a slot, the one at the lowest device: the order of devices depends on the banks.
            if (firstDrop == null || slot == firstDrop.slot() && device < firstDrop.node()) {
                firstDrop = new Outcome.Drop(slot, device);
            }
        }

        /** The first lost cell, null if there is none. */
        public Outcome.Drop firstDrop() {
            return firstDrop;
        }

        /** Number of flows that end at the bank and are complete, or can never be completed. */
        public long settled() {
            return count(NicCounter.FLOWS_COMPLETED) + count(NicCounter.FLOWS_FAILED);
        }
    }
}
