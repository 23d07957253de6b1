package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.SlotNotes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.EndToEndFactory;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Idealised sender-driven congestion control, ISD (Shale §5.3, docs/spec/shale.md §7): the flows towards a destination
 * share a rate evenly, and every node knows at once how many there are. No real network does, so only lock step has it.
 *
 * @param rate R: cells a slot that all flows towards a destination may start together; 0 for {@link #rate}.
 */
public record SenderDriven(double rate) implements EndToEndFactory {
    /** With the paper's rate. */
    public static final SenderDriven PAPER = new SenderDriven(0);
    /** Largest rate: a destination receives a cell a slot at most, and a flow cannot gain more than its most credit. */
    public static final double MAX_RATE = 4;

    /** Share of the guaranteed throughput. */
    private static final double OF_GUARANTEE = 1.25;

    /** Checks the rate. */
    public SenderDriven {
        if (!(rate >= 0 && rate <= MAX_RATE)) {
            throw new IllegalArgumentException("the rate must be 0 to " + MAX_RATE + ": rate=" + rate);
        }
    }

    /** Cells a slot that all flows towards a destination may start together: 1.25/(2h) unless said otherwise. */
    public double rate(final Shale shale) {
        return rate > 0 ? rate : OF_GUARANTEE * shale.guarantee();
    }

    @Override
    public boolean isInstant() {
        return true;
    }

    @Override
    public void check(final Traffic traffic) {
        if (traffic.edges() != null) {
            throw new IllegalArgumentException("ISD needs to know when flows start and end, and packets do not tell");
        }
    }

    @Override
    public Run begin(final Arena arena, final Shale shale, final FlowSet flows, final int window) {
        final List<SenderControl> joined = new ArrayList<>();
        final double[] credits = new double[flows.size()];
        Arrays.fill(credits, SenderControl.INACTIVE);
        final FlowNotes elsewhere = new FlowNotes();
        return new Run() {
            @Override
            public EndToEnd join(final Arena ofBank, final NodeRange range, final Bank.Ends ends,
                final CongestionControl control, final CellQueues queues) {
                joined.add(new SenderControl(shale, range, flows, rate(shale), credits, elsewhere, joined));
                return joined.getLast();
            }

            @Override
            public SlotNotes notes() {
                return new SlotNotes() {
                    @Override
                    public void show(final long slot, final IntConsumer into) {
                        joined.forEach(bank -> bank.notes().forEach(slot, into));
                    }

                    @Override
                    public void add(final long slot, final int note) {
                        elsewhere.add(slot, note);
                    }
                };
            }

            @Override
            public FabricLaws laws(final List<BankState> banks) {
                return slot -> {
                    final int[] towards = towards(shale, flows, credits);
                    joined.forEach(bank -> bank.check(slot, towards));
                };
            }
        };
    }

    /** By destination: flows that have a credit. */
    private static int[] towards(final Shale shale, final FlowSet flows, final double[] credits) {
        final int[] towards = new int[shale.nodes()];
        for (int flow = 0; flow < credits.length; flow++) {
            towards[flows.destination(flow)] += Double.isNaN(credits[flow]) ? 0 : 1;
        }
        return towards;
    }

    @Override
    public long bytes(final Shale shale, final int flows, final int window) {
        return (long) flows * Double.BYTES;
    }
}
