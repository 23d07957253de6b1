package dev.skerry.nic.count;

import java.util.EnumSet;
import java.util.List;

/** Everything that is counted on the path of a cell. The law of conservation is stated in these names. */
public enum NicCounter {
    /** Cells taken from the flows of their source. A cell that was given back to its flow counts again. */
    CELLS_INJECTED("cells that left their source's flow, counted again if they went back to it"),
    /** Cells taken off the fabric at their destination. */
    CELLS_DELIVERED("cells that reached their destination"),
    /** Cells sent on by a node between source and destination. */
    CELLS_FORWARDED("cells sent on by an intermediate node"),
    /** Flows that reached their start slot. */
    FLOWS_STARTED("flows that became active"),
    /** Flows whose last cell reached its destination. */
    FLOWS_COMPLETED("flows whose last cell arrived"),
    /** Flows given up because their source or destination failed. */
    FLOWS_FAILED("flows given up as their source or destination failed"),
    /** Cells of failed flows that were never sent, or never resent. */
    CELLS_NOT_SENT("cells of failed flows that were not sent, or not sent again"),
    /** Cells that failed their check, idle cells included. */
    CELLS_DAMAGED("cells damaged on their way, idle ones included"),
    /** Shale: damaged cells whose header failed its own check; the check of the frame finds the others. */
    HEADERS_DAMAGED("damaged cells whose header failed its check"),
    /** Cells that began a new path at the node where a failure stopped them. */
    CELLS_RESTARTED("cells that started anew as a link on their direct path failed"),
    /** Cells that moved to another link of their spraying phase because their own link failed. */
    CELLS_MOVED("cells that moved to another link as the one they waited for failed"),
    /**
     * Cells that went from a send queue back to their flow because the neighbour is down. The flow sends them another
     * way.
     */
    CELLS_RETURNED("cells that went back to their flow as the neighbour they were to go to is down"),
    /** Copies sent again to the same neighbour. */
    CELLS_RESENT("cells sent once more to the same neighbour as they may have come damaged"),
    /** Cells given back to their flow because the neighbour they were sent to went down before it reported on them. */
    CELLS_REROUTED("cells sent anew by their source as the neighbour they were sent to went down"),
    /** Cells given back to their flow because a relay refused them: its queue was full, or it had no way on. */
    CELLS_REFUSED("cells sent anew by their source as a relay refused them"),
    /**
     * Cells that joined a queue of the highest class that already held N - 1 cells (docs/spec/shoal.md §4.2, Eq. 5).
     */
    CELLS_OVER_BOUND("cells that joined a queue of N - 1 cells, as damage and messages can make them"),
    /** Shoal: cells that came to another node than they were sent to, as the clock of their sender was slots late. */
    CELLS_ASTRAY("cells that came to another node than they were sent to"),
    /** Times a node declared a neighbour down. */
    NEIGHBOURS_DOWN("times a node took a neighbour for down"),
    /** Times a node and a neighbour that was down met again. */
    NEIGHBOURS_UP("times a node and a neighbour that was down came together again"),
    /** Turns in which a node sent no cell because the neighbour of that turn is down. */
    TURNS_UNUSED("turns in which a node sent no cell as its neighbour is down"),
    /** Control cells that say whom a node reaches. */
    NOTICES_SENT("messages sent about whom a node reaches"),
    /** Control cells that probe a neighbour that is down. */
    PROBES_SENT("probes sent to neighbours that are down"),
    /** Messages between nodes that were old, repeated or not understood. */
    NOTICES_IGNORED("messages between nodes that were old, repeated or not understood"),
    /** Times a node reported to its application that a destination is unreachable. */
    DESTINATIONS_UNREACHABLE("times a node reported a destination as unreachable"),
    /** Shale: tokens that came back and had not been spent. They are ignored; none comes in a sound fabric. */
    TOKEN_ANOMALY("tokens that came back although nobody had spent them, which were ignored"),
    /** Shale, NDP: cells cut to their headers at a full queue; their sources send them again. */
    CELLS_TRIMMED("cells cut to their headers as the queue that they came to was full"),
    /** Shale, NDP: cells that their sources sent again since they had been cut. */
    CELLS_RETRANSMITTED("cells sent again by their source since they had been cut"),
    /** Shale, NDP: messages with which receivers asked for cells that had been cut. */
    NACKS_SENT("messages with which receivers asked for cells that had been cut"),
    /** Shale, RD and NDP: messages with which receivers granted flows more cells. */
    PULLS_SENT("messages with which receivers asked for more cells of a flow"),
    /** Shale, limits of nodes: cells that found the PIEO of their link full. */
    PIEO_OVERFLOWS("cells that found the PIEO of their link full and waited outside"),
    /** Shale, limits of nodes: tokens that found the return FIFO of their link full. */
    TOKEN_OVERFLOWS("tokens that found the return FIFO of their link full and waited outside"),
    /** Shale, limits of nodes: buckets that found the table of their node full. */
    BUCKET_OVERFLOWS("buckets that cells made active beyond what the table of their node holds"),
    /** Shale, limits of nodes: cells that found the FIFO of their phase and bucket full. */
    FIFO_OVERFLOWS("cells that found the shared FIFO of their bucket full"),
    /** Shale, limits of nodes: times a flow was passed over since its bucket may not become active. */
    FLOWS_HELD_BACK("times a flow was passed over as its node had no more buckets for flows of its own"),
    /** Shale, limits of nodes: slots of a node that took more clocks than there are. */
    SLOT_OVERRUN("slots of a node that took more clocks than a slot has"),
    /** Shale, limits of nodes: the most entries of a PIEO, those outside included. */
    MOST_PIEO_ENTRIES("entries of one PIEO at most, with what waited outside", true),
    /** Shale, limits of nodes: the most tokens of a return FIFO, those outside included. */
    MOST_TOKENS_OWED("tokens of one return FIFO at most, with what waited outside", true),
    /** Shale, limits of nodes: the most active buckets of a node, those outside its table included. */
    MOST_ACTIVE_BUCKETS("active buckets of one node at most, with those outside its table", true),
    /** Shale, limits of nodes: the most cells of a shared FIFO. */
    MOST_FIFO_CELLS("cells of one shared FIFO at most", true),
    /** Shale, limits of nodes: the most shared FIFOs of a node with cells in them. */
    MOST_FIFOS("shared FIFOs of one node in use at most", true),
    /** Shale, limits of nodes: the most clocks that a slot took. */
    MOST_SLOT_CLOCKS("clocks of one slot at most", true),
    /** Stardust: packets handed to their host. */
    PACKETS_DELIVERED("packets put together and sent to their host"),
    /** Stardust: packets given up because at least one of their cells was lost. */
    PACKETS_LOST("packets given up as cells of them were lost"),
    /** Stardust: packets dropped at their host or at ingress because the queue was full. */
    PACKETS_REFUSED("packets dropped at their host or where they came in as their queue was full"),
    /** Stardust: packets given up because their queue got no credit for too long. */
    PACKETS_AGED("packets given up where they came in as their queue got no credit for too long"),
    /** Stardust: packets of the low-latency class dropped because their source exceeded its rate. */
    PACKETS_POLICED("low-latency packets dropped where they came in as there were too many"),
    /** Stardust: segments that a host sent again because no acknowledgement came. */
    PACKETS_RESENT("segments that hosts sent once more"),
    /** Stardust: retransmission timers that expired. */
    TIMEOUTS("times a host waited too long for an acknowledgement"),
    /** Stardust: times an adapter paused its hosts since it held too much. */
    HOST_PAUSES("times an adapter paused its hosts as it held too much"),
    /** Stardust: slots for which adapters paused their hosts. */
    HOST_PAUSE_SLOTS("slots for which adapters paused their hosts"),
    /** Stardust: segments marked for their host as they joined a long queue of an adapter or port (ECN). */
    PACKETS_MARKED("segments that a long queue of an adapter marked for their host"),
    /** Stardust: cells that a stream stopped waiting for. */
    CELLS_GIVEN_UP("cells that a stream did not wait for any longer"),
    /** Stardust: requests for credit. A VOQ sends one when its demand changes. */
    REQUESTS_SENT("requests sent to egress schedulers"),
    /** Stardust: credits sent by egress schedulers. */
    CREDITS_SENT("credits sent by egress schedulers"),
    /** Stardust: requests and credits that the fault script lost. */
    CONTROL_LOST("control messages lost on their way"),
    /** Stardust: bytes of requests, credits and reachability messages, on each link that they crossed. */
    CONTROL_BYTES("bytes of control messages, on each link that they crossed"),
    /** Stardust: the slot in which a device last learnt whom it reaches, or over which links. */
    REACH_LAST_CHANGED("was the slot in which a device last learnt whom it reaches, or by which links", true),
    /** Stardust: credits that came twice, or for a VOQ that does not exist or wants none. */
    CREDITS_IGNORED("credits that came twice or for queues that asked for none"),
    /** Stardust: cells marked by a congested queue that they left. */
    CELLS_MARKED("cells that a congested queue marked"),
    /** Stardust: slots for which an element paused a link into it. */
    PAUSES("slots for which elements paused links into them"),
    /** Drop: lost on a link because the link or the node at its end was down. */
    DROPPED_ON_WAY("cells lost on their way as the link or the node at its end was down"),
    /** Drop: sent while the clock of its node was off by more than the guard band allows. */
    GUARD_VIOLATION("cells lost outside the window of their slot, as the clock of their sender was off"),
    /** Drop, Shoal: came to a node that is neither its destination nor the first from its source. */
    WRONG_DESTINATION("cells dropped by a node that they were not sent to"),
    /** Drop: failed its check. */
    DROPPED_DAMAGED("cells dropped as they came damaged"),
    /** Drop: delivered before. */
    DROPPED_DUPLICATE("cells dropped as they came before"),
    /** Drop: too late to know whether it was delivered before. */
    DROPPED_STALE("cells dropped as they came too far behind their flow"),
    /** Drop: waited for a neighbour that went down. */
    DROPPED_WITH_LINK("cells of others that a node dropped as the neighbour they were to go to went down"),
    /** Drop: refused by a relay that cannot reach the destination. */
    DROPPED_NO_WAY("cells refused by a relay that had no way to their destination"),
    /** Drop: refused by a relay whose queue was full. */
    DROPPED_NO_ROOM("cells refused by a relay whose queue was full"),
    /** Drop: held by a node when it failed, or arrived there while it was down. */
    DROPPED_NODE_DOWN("cells lost with the node that held them"),
    /** Drop: waited for the last hop to its destination, which failed. */
    DROPPED_LAST_HOP("cells dropped as the last hop to their destination failed"),
    /** Drop: had to start a new path where no link is usable. */
    DROPPED_UNREACHABLE("cells dropped as no phase led to their destination any more"),
    /** Drop: no link of its spraying phase leads on to the destination. */
    DROPPED_NO_LINK("cells dropped because no link of their spraying phase led on to their destination"),
    /** Drop, Stardust: the queue of its link was full. */
    DROPPED_TAIL("cells dropped as the queue of their link was full"),
    /** Drop, Stardust: no link of the device leads to the destination. */
    DROPPED_NO_ROUTE("cells dropped by a device that no longer reaches their destination"),
    /** Drop, Stardust: outside the reorder window of its stream, too late or too far ahead. */
    DROPPED_REORDER("cells dropped as they came too late for their stream, or too far ahead");

    /** The counters of lost cells: the named drops of the law of conservation. */
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

    /** What parts of a fabric counted, put together: their sum, or the most of one of them. */
    public long join(final long one, final long other) {
        return isMost ? Math.max(one, other) : one + other;
    }

    /** Whether this counts lost cells. */
    public boolean isDrop() {
        return DROPS.contains(this);
    }

    /** Describes in words what this counts. */
    public String sentence() {
        return sentence;
    }

    /** What one bank counts. One thread. */
    public static final class BankCounters {
        /** An array, as going over a set makes garbage. */
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

        /** A number that is counted elsewhere. */
        public void set(final NicCounter counter, final long number) {
            counts[counter.ordinal()] = number;
        }

        public long count(final NicCounter counter) {
            return counts[counter.ordinal()];
        }

        /** Cells lost under any name. */
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
            // Of those of a slot the lowest device: the order of devices depends on the banks.
            if (firstDrop == null || slot == firstDrop.slot() && device < firstDrop.node()) {
                firstDrop = new Outcome.Drop(slot, device);
            }
        }

        /** Where the first cell was lost, null if none was. */
        public Outcome.Drop firstDrop() {
            return firstDrop;
        }

        /** Flows that end at the bank and are complete, or can never be. */
        public long settled() {
            return count(NicCounter.FLOWS_COMPLETED) + count(NicCounter.FLOWS_FAILED);
        }
    }
}
