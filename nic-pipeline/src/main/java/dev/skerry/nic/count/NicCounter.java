package dev.skerry.nic.count;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Everything that is counted on the path of a cell; the law of conservation is over these names. */
public enum NicCounter {
    /** Cells taken from the flows of their source, once more if they were given back to them. */
    CELLS_INJECTED("cells that left their source's flow, counted again if they went back to it"),
    /** Cells taken off the fabric at their destination. */
    CELLS_DELIVERED("cells that reached their destination"),
    /** Cells sent on by a node between source and destination. */
    CELLS_FORWARDED("cells sent on by an intermediate node"),
    /** Flows whose start came. */
    FLOWS_STARTED("flows that became active"),
    /** Flows whose last cell reached its destination. */
    FLOWS_COMPLETED("flows whose last cell arrived"),
    /** Flows that ended before all their cells were sent. */
    FLOWS_FAILED("flows given up as their source or destination failed"),
    /** Cells of these flows that stayed behind. */
    CELLS_NOT_SENT("cells of failed flows that were not sent, or not sent again"),
    /** Cells that failed their check, those without payload included. */
    CELLS_DAMAGED("cells damaged on their way, idle ones included"),
    /** Cells that went on from where a failure met them as if that were their source. */
    CELLS_RESTARTED("cells that started anew as a link on their direct path failed"),
    /** Cells that changed to another link of their spraying phase. */
    CELLS_MOVED("cells that moved to another link as the one they waited for failed"),
    /** Cells that went from a send queue back to their flow, to go another way. */
    CELLS_RETURNED("cells that went back to their flow as the neighbour they were to go to is down"),
    /** Copies sent to the same neighbour. */
    CELLS_RESENT("cells sent once more to the same neighbour as they may have come damaged"),
    /** Cells sent to a neighbour that went down before it had reported on them, that went back to their flow. */
    CELLS_REROUTED("cells sent anew by their source as the neighbour they were sent to went down"),
    /** Cells refused by a full queue or a relay without a way that went back to their flow. */
    CELLS_REFUSED("cells sent anew by their source as a relay refused them"),
    /** Cells that joined a queue of the highest class which was as long as the spec lets one get. */
    CELLS_OVER_BOUND("cells that joined a queue of N - 1 cells, as damage and messages can make them"),
    /** A node has taken a neighbour for down. */
    NEIGHBOURS_DOWN("times a node took a neighbour for down"),
    /** A node has a neighbour back. */
    NEIGHBOURS_UP("times a node and a neighbour that was down came together again"),
    /** Turns of a node in which its neighbour is down. */
    TURNS_UNUSED("turns in which a node sent no cell as its neighbour is down"),
    /** Control cells: whom a node reaches. */
    NOTICES_SENT("messages sent about whom a node reaches"),
    /** Control cells: probes. */
    PROBES_SENT("probes sent to neighbours that are down"),
    /** Messages that were no news or not understood. */
    NOTICES_IGNORED("messages between nodes that were old, repeated or not understood"),
    /** A node has told its application that a destination cannot be reached. */
    DESTINATIONS_UNREACHABLE("times a node reported a destination as unreachable"),
    /** Stardust: packets that went to their host. */
    PACKETS_DELIVERED("packets put together and sent to their host"),
    /** Stardust: packets that are lost in part or in whole. */
    PACKETS_LOST("packets given up as cells of them were lost"),
    /** Stardust: packets that found no room where they came in. */
    PACKETS_REFUSED("packets dropped at their host or where they came in as their queue was full"),
    /** Stardust: packets of the low-latency class beyond what their source may send. */
    PACKETS_POLICED("low-latency packets dropped where they came in as there were too many"),
    /** Stardust: segments that were not acknowledged. */
    PACKETS_RESENT("segments that hosts sent once more"),
    /** Stardust: timers of hosts that ended. */
    TIMEOUTS("times a host waited too long for an acknowledgement"),
    /** Stardust: cells that were not waited for any longer. */
    CELLS_GIVEN_UP("cells that a stream did not wait for any longer"),
    /** Stardust: changes of mind of queues. */
    REQUESTS_SENT("requests sent to egress schedulers"),
    /** Stardust: credits. */
    CREDITS_SENT("credits sent by egress schedulers"),
    /** Stardust: requests and credits that a script of faults lost. */
    CONTROL_LOST("control messages lost on their way"),
    /** Stardust: credits that came again, or for queues that there are not or that want nothing. */
    CREDITS_IGNORED("credits that came twice or for queues that asked for none"),
    /** Stardust: cells marked by the queue they left. */
    CELLS_MARKED("cells that a congested queue marked"),
    /** Stardust: slots in which a device stopped the links into it. */
    PAUSES("slots in which a device paused the links into it"),
    /** Drop: lost on the way. */
    DROPPED_ON_WAY("cells lost on their way as the link or the node at its end was down"),
    /** Drop: failed its check. */
    DROPPED_DAMAGED("cells dropped as they came damaged"),
    /** Drop: was taken in before. */
    DROPPED_DUPLICATE("cells dropped as they came before"),
    /** Drop: so late that it is not known whether it was taken in before. */
    DROPPED_STALE("cells dropped as they came too far behind their flow"),
    /** Drop: they waited for a neighbour that went down. */
    DROPPED_WITH_LINK("cells of others that a node dropped as the neighbour they were to go to went down"),
    /** Drop: the relay cannot reach the destination. */
    DROPPED_NO_WAY("cells refused by a relay that had no way to their destination"),
    /** Drop: tail drop. */
    DROPPED_NO_ROOM("cells refused by a relay whose queue was full"),
    /** Drop: held by a node when it failed, or arrived there afterwards. */
    DROPPED_NODE_DOWN("cells lost with the node that held them"),
    /** Drop: it waited for the last hop to its destination. */
    DROPPED_LAST_HOP("cells dropped as the last hop to their destination failed"),
    /** Drop: a cell that started anew where no link is usable. */
    DROPPED_UNREACHABLE("cells dropped as no phase led to their destination any more"),
    /** Drop: no link of the spraying phase leads on to the destination. */
    DROPPED_NO_LINK("cells dropped because no link of their spraying phase led on to their destination"),
    /** Drop, Stardust: a queue was full. */
    DROPPED_TAIL("cells dropped as the queue of their link was full"),
    /** Drop, Stardust: no link leads on. */
    DROPPED_NO_ROUTE("cells dropped by a device that no longer reaches their destination"),
    /** Drop, Stardust: the window of their stream was over or too short. */
    DROPPED_REORDER("cells dropped as they came too late for their stream, or too far ahead");

    /** The counters of lost cells: the named drops of the law of conservation. */
    public static final Set<NicCounter> DROPS =
        Collections.unmodifiableSet(EnumSet.range(DROPPED_ON_WAY, DROPPED_REORDER));

    private final String sentence;

    NicCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** Whether it counts cells that were lost. */
    public boolean isDrop() {
        return DROPS.contains(this);
    }

    /** What it counts, in words. */
    public String sentence() {
        return sentence;
    }
}
