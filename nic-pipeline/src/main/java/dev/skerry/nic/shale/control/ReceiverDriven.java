package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.PlaceMessages;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.EndToEndFactory;
import dev.skerry.nic.shale.Retransmissions;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * Receiver-driven congestion control (docs/spec/shale.md §7). RD: a flow starts with a budget of cells, and its
 * receiver grants it more with a PULL after every k cells that arrive. NDP besides: a cell that comes to a full queue
 * is cut to its header, and its receiver asks the source for it with a NACK. A lost cell, for instance at one of the
 * population's dead ends, is never repeated, and its flow may wait for ever.
 *
 * @param cellsPerPull k: cells that a PULL grants, and cells received between two, at least 1.
 * @param rate         f: cells a slot that a receiver asks for at most, all its flows together; above 0, at most 1.
 * @param budget       B: cells of a flow before the first PULL; 0 for {@link #budget}.
 * @param maxQueue     cells of a full queue; 0 for RD, which cuts none.
 */
public record ReceiverDriven(int cellsPerPull, double rate, int budget, int maxQueue) implements EndToEndFactory {
    /** RD with the paper's cells per PULL, the rate of the authors' simulator and the usual budget. */
    public static final ReceiverDriven RD = new ReceiverDriven(20, 1, 0, 0);
    /** NDP with the same, and the paper's queues. */
    public static final ReceiverDriven NDP = new ReceiverDriven(20, 1, 0, 100);

    private static final int MOST_MESSAGES = 1 << 28;

    /** Checks the bounds of every component. */
    public ReceiverDriven {
        if (cellsPerPull < 1 || !(rate > 0 && rate <= 1) || budget < 0 || maxQueue < 0) {
            throw new IllegalArgumentException("cells per PULL must be 1 or more, the rate above 0 and at most 1, "
                + "budget and queue 0 or more: cellsPerPull=" + cellsPerPull + " rate=" + rate + " budget="
                + budget + " maxQueue=" + maxQueue);
        }
    }

    /** Whether cells are cut at full queues. */
    public boolean trims() {
        return maxQueue > 0;
    }

    /** Cells of a flow before the first PULL: floor(4(P + r - 1) h f) unless said otherwise. */
    public int budget(final Shale shale) {
        return budget > 0 ? budget
            : (int) (4 * (shale.propagationSlots() + shale.schedule().linksPerPhase()) * shale.schedule().phases()
            * rate);
    }

    @Override
    public void check(final Traffic traffic) {
        if (traffic.mayFail()) {
            throw new IllegalArgumentException("a message that is lost is never repeated");
        }
        if (trims() && traffic.edges() != null) {
            throw new IllegalArgumentException("a source keeps no packets to send them again");
        }
    }

    @Override
    public Run begin(final Arena arena, final Shale shale, final FlowSet flows, final int window) {
        if (budget(shale) < cellsPerPull) {
            throw new IllegalArgumentException("a flow may start " + budget(shale) + " cells, and its first PULL comes "
                + "after " + cellsPerPull);
        }
        final MessagesInFlight link = new MessagesInFlight(arena, shale, window,
            trims() ? ControlMessage.NACK : ControlMessage.PULL);
        final FlowBudgets budgets = new FlowBudgets(arena, flows.size(), budget(shale), cellsPerPull);
        return new Run() {
            @Override
            public EndToEnd join(final Arena ofBank, final NodeRange range, final Bank.Ends ends,
                final CongestionControl control, final CellQueues queues) {
                final SpillPool pool = new SpillPool(ofBank, MOST_MESSAGES);
                final double[] cost = {cellsPerPull / rate, 0, 1 / rate};
                final ControlChannel channel = new ControlChannel(ofBank, shale, range, link, ends.circuits(), pool,
                    cost);
                return new ReceiverControl(shale, ends, budgets, channel,
                    trims() ? new Trimmer(control, queues, ends.store(), channel, maxQueue) : null,
                    trims() ? new Retransmissions(ofBank, range.size(), pool) : null);
            }

            @Override
            public PlaceMessages messages() {
                return link;
            }

            @Override
            public FabricLaws laws(final List<BankState> banks) {
                return new BudgetAudit(shale, flows, budgets, link,
                    trims() ? maxQueue : Integer.MAX_VALUE, banks);
            }
        };
    }

    @Override
    public long bytes(final Shale shale, final int flows, final int window) {
        return MessagesInFlight.bytes(shale.nodes(), window) + ControlChannel.bytes(shale)
            + (long) flows * Integer.BYTES + (trims() ? (long) shale.nodes() * EligibilityQueues.QUEUE_BYTES : 0);
    }
}
