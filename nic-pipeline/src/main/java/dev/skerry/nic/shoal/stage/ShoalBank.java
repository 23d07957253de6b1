package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.JoinedQueues;
import dev.skerry.nic.shoal.Reports;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;
import dev.skerry.nic.shoal.Throttles;

import java.lang.foreign.Arena;
import java.util.BitSet;

/**
 * The NICs of a range of Shoal's nodes: one pipeline over state laid out by link, then node, so that one slot's work
 * streams through memory. One thread at a time.
 *
 * <p>The description of the package counts the cache lines of a node and channel in a slot, with one flow at each node.
 * Every further flow of a node costs a sixteenth more, or if its neighbours in number are not active, one.
 */
final class ShoalBank implements Bank {
    private static final int MAX_SPILL_RECORDS = 1 << 28;

    private final NodeRange range;
    private final int links;
    private final Parts parts;
    private final ShoalTransmitter transmitter;
    private final ShoalReceiver receiver;

    /** What the stages of a bank share. */
    record Parts(
        ShoalSlotPlan turns,
        ShoalQueues queues,
        JoinedQueues joined,
        Throttles throttles,
        SentCells sent,
        Reports reports,
        ShoalFlowScheduler scheduler,
        DeliveryLedger deliveries,
        NodeMaxima maxima,
        EpochBase base,
        QuietRows quiet) {
    }

    ShoalBank(final Arena arena, final NodeRange range, final Shoal shoal, final Ends ends) {
        this(arena, range, shoal, ends, EpochBase.EPOCHS);
    }

    /** A bank whose base of epochs moves on earlier, for tests. */
    ShoalBank(final Arena arena, final NodeRange range, final Shoal shoal, final Ends ends, final int baseEpochs) {
        this.range = range;
        this.links = shoal.nodes() - 1;
        final int nodes = range.size();
        final ShoalSlotPlan turns = new ShoalSlotPlan(shoal);
        final ShoalQueues queues = new ShoalQueues(arena, nodes, links, new SpillPool(arena, MAX_SPILL_RECORDS));
        final JoinedQueues joined = new JoinedQueues(arena, nodes, links);
        final Throttles throttles = new Throttles(arena, nodes, links, links);
        final SentCells sent = new SentCells(arena, nodes, links, turns.sentEpochs());
        this.parts = new Parts(turns, queues, joined, throttles, sent,
            Reports.of(shoal.rule(), queues, joined, throttles, sent),
            new ShoalFlowScheduler(arena, range, shoal, ends.flows(), throttles, ends.store(),
                ShoalFlowScheduler.Gate.OPEN),
            new DeliveryLedger(nodes, ends.flows(), shoal.population(), ends.flowTable(), ends.store()),
            new NodeMaxima(nodes), new EpochBase(throttles, turns.sentEpochs(), baseEpochs),
            new QuietRows(links, turns.sentEpochs()));
        this.transmitter = new ShoalTransmitter(range, shoal, parts, ends.link());
        this.receiver = new ShoalReceiver(range, shoal, parts, ends.link(), ends.circuits());
    }

    /** Memory in bytes of a bank of all nodes, spill not counted. */
    static long bytes(final Shoal shoal, final FlowSet flows) {
        final int nodes = shoal.nodes();
        final BitSet pairs = new BitSet(nodes * nodes);
        for (int flow = 0; flow < flows.size(); flow++) {
            pairs.set(flows.source(flow) * nodes + flows.destination(flow));
        }
        long throttles = 0;
        for (int node = 0; node < nodes; node++) {
            throttles += Throttles.bytes(nodes - 1, pairs.get(node * nodes, (node + 1) * nodes).cardinality());
        }
        return ShoalQueues.bytes(nodes, nodes - 1) + JoinedQueues.bytes(nodes, nodes - 1) + throttles
            + SentCells.bytes(nodes, nodes - 1, new ShoalSlotPlan(shoal).sentEpochs())
            + ShoalFlowScheduler.bytes(nodes, flows.classes(), flows.size());
    }

    @Override
    public NodeRange range() {
        return range;
    }

    @Override
    public void send(final long slot) {
        transmitter.send(slot);
    }

    @Override
    public void offer(final int flow, final int cells, final long slot) {
        parts.scheduler().offer(flow, cells, slot);
    }

    @Override
    public void receive(final long slot) {
        receiver.receive(slot);
    }

    /** Its parts, for audits. */
    Parts parts() {
        return parts;
    }

    @Override
    public int queued(final int node) {
        int queued = 0;
        for (int link = 0; link < links; link++) {
            queued += parts.queues().length(parts.queues().queue(link, node));
        }
        return queued;
    }

    @Override
    public NodeMaxima maxima() {
        return parts.maxima();
    }

    @Override
    public DeliveryLedger deliveries() {
        return parts.deliveries();
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return 0;
    }

    @Override
    public Outcome.Drop firstDrop() {
        return null;
    }

    @Override
    public long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_INJECTED -> parts.scheduler().injected();
            case CELLS_DELIVERED -> parts.deliveries().delivered();
            case CELLS_FORWARDED -> transmitter.forwarded();
            case FLOWS_STARTED -> parts.scheduler().started();
            case FLOWS_COMPLETED -> parts.deliveries().completed();
            default -> 0;
        };
    }
}
