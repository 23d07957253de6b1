package dev.skerry.nic.shale.control;

import dev.skerry.nic.count.CacheLines;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.EndToEndFactory;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * Receiver-driven congestion control, RD (docs/spec/shale.md §7): a flow starts with a budget of cells, and its
 * receiver grants it more with a PULL after every k cells that arrive.
 *
 * @param cellsPerPull k: cells that a PULL grants, and cells received between two, at least 1.
 * @param rate         f: cells a slot that a receiver asks for at most, all its flows together; 0 for {@link #rate}.
 * @param budget       B: cells of a flow before the first PULL; 0 for {@link #budget}.
 */
public record ReceiverDriven(int cellsPerPull, double rate, int budget) implements EndToEndFactory {
    /** With the paper's cells per PULL and the usual rate and budget. */
    public static final ReceiverDriven PAPER = new ReceiverDriven(20, 0, 0);

    /** Share of the guaranteed throughput that a receiver asks for, as the paper has it for ISD. */
    private static final double OF_GUARANTEE = 1.25;
    /** Slots of the message columns that a node touches in a slot: one written, one read. */
    private static final int STREAMED_SIXTEENTHS = 3 * Long.BYTES * CacheLines.SIXTEENTHS / 64;

    /** Checks the bounds of every component. */
    public ReceiverDriven {
        if (cellsPerPull < 1 || !(rate >= 0 && rate <= 1) || budget < 0) {
            throw new IllegalArgumentException("cells per PULL must be 1 or more, the rate 0 to 1, the budget 0 or "
                + "more: cellsPerPull=" + cellsPerPull + " rate=" + rate + " budget=" + budget);
        }
    }

    /** Cells a slot that a receiver asks for at most: 1.25/(2h) unless said otherwise. */
    public double rate(final Shale shale) {
        return rate > 0 ? rate : OF_GUARANTEE * shale.guarantee();
    }

    /**
     * Cells of a flow before the first PULL: floor(4(P + r - 1) h f) unless said otherwise.
     *
     * @throws IllegalArgumentException if they are fewer than make the receiver send a PULL.
     */
    public int budget(final Shale shale) {
        final int cells = budget > 0 ? budget
            : (int) (4 * (shale.propagationSlots() + shale.schedule().linksPerPhase()) * shale.schedule().phases()
            * rate(shale));
        if (cells < cellsPerPull) {
            throw new IllegalArgumentException("a flow may start " + cells + " cells, and its first PULL comes after "
                + cellsPerPull);
        }
        return cells;
    }

    @Override
    public void check(final Traffic traffic) {
        if (traffic.mayFail()) {
            throw new IllegalArgumentException("a PULL that is lost is never repeated");
        }
    }

    @Override
    public Run begin(final Arena arena, final Shale shale, final FlowSet flows, final int window) {
        final MessagesInFlight link = new MessagesInFlight(arena, shale.nodes(), window);
        final FlowBudgets budgets = new FlowBudgets(arena, flows.size(), budget(shale), cellsPerPull);
        return new Run() {
            @Override
            public EndToEnd join(final Arena ofBank, final NodeRange range, final Bank.Ends ends,
                final CongestionControl control) {
                final double[] cost = {cellsPerPull / rate(shale), 0, 1 / rate(shale)};
                return new ReceiverControl(shale, range, ends, budgets,
                    new ControlChannel(ofBank, shale, range, link, ends.circuits(), cost));
            }

            @Override
            public FabricLaws laws(final List<BankState> banks) {
                return new BudgetAudit(shale, flows, budgets, link, banks);
            }
        };
    }

    @Override
    public long bytes(final Shale shale, final int flows, final int window) {
        return MessagesInFlight.bytes(shale.nodes(), window) + ControlChannel.bytes(shale)
            + (long) flows * Integer.BYTES;
    }

    @Override
    public CacheLines cacheLines() {
        return new CacheLines(STREAMED_SIXTEENTHS, 0);
    }
}
