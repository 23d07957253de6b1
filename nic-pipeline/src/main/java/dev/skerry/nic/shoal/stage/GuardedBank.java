package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.LinkFaultInjector;
import dev.skerry.nic.flow.DeliveredCells;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.AcceptedCells;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.RelayReachability;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.SentCopies;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;
import dev.skerry.nic.shoal.Throttles;

import java.lang.foreign.Arena;

/**
 * The NICs of a range of Shoal's nodes where something can fail or flows have traffic classes. The same cells in the
 * same slots as {@link ShoalBank} as long as nothing fails and there is one class, at the price of looking at every
 * node by itself; which of the two a run gets is decided when it is put together. One thread at a time.
 *
 * <p>What is carried is flow and sequence number: a cell may be under way twice, so its bytes have no one place that a
 * handle could name; where payloads are checked, {@code FlowPayload} finds them by these.
 */
final class GuardedBank implements Bank {
    private static final int MAX_SPILL_RECORDS = 1 << 28;

    private final NodeRange range;
    private final int links;
    private final long cellsOfFlows;
    private final Parts parts;
    private final NeighbourCells cells;
    private final NeighbourProtocol keeper;
    private final GuardedReports reports;
    private final LinkFaultInjector medium;
    private final GuardedTransmitter transmitter;
    private final GuardedReceiver receiver;
    private long fates;
    private long lastFate = -1;

    /** What the stages of a bank share. */
    record Parts(
        ShoalSlotPlan turns,
        ShoalQueues[] queues,
        Throttles throttles,
        SentCells sent,
        SentCopies copies,
        AcceptedCells accepted,
        NeighbourTable pairs,
        RelayReachability reachability,
        Presence presence,
        ShoalFlowScheduler scheduler,
        DeliveredCells deliveredCells,
        DeliveryLedger deliveries,
        NodeMaxima maxima,
        ControlCells control) {
    }

    /**
     * What the banks of a run share beyond what any do.
     *
     * @param faults    what goes wrong.
     * @param bootstrap who is there at the start.
     * @param control   the messages between NICs.
     */
    record Shared(Faults faults, Bootstrap bootstrap, ControlCells control) {
    }

    GuardedBank(final Arena arena, final NodeRange range, final Shoal shoal, final Shared shared,
        final Bank.Ends ends) {
        this.range = range;
        this.links = shoal.nodes() - 1;
        final FlowSet flows = ends.flows();
        final FaultState faults = shared.faults().state(shoal.nodes());
        this.parts = parts(arena, range, shoal, shared.control(), ends);
        this.cells = new NeighbourCells(range, shoal, parts);
        this.keeper = new NeighbourProtocol(range, shoal, parts, cells, faults);
        this.reports = new GuardedReports(range, shoal, parts, keeper);
        this.medium = new LinkFaultInjector(range, shoal.schedule(), faults, ends.link(), ReportWord.HEADER_BITS);
        this.transmitter = new GuardedTransmitter(range, shoal, parts, reports, keeper, ends.link(), medium);
        this.receiver = new GuardedReceiver(range, shoal, parts, reports, keeper, cells, ends);
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            final int source = shoal.population().nodeOf(flows.source(flow));
            cells += source < range.first() || source >= range.end() ? 0 : flows.sendableCells(flow);
        }
        this.cellsOfFlows = cells;
        shared.bootstrap().apply(range, parts);
    }

    private static Parts parts(final Arena arena, final NodeRange range, final Shoal shoal, final ControlCells control,
        final Bank.Ends ends) {
        final int links = shoal.nodes() - 1;
        final int nodes = range.size();
        final ShoalSlotPlan turns = new ShoalSlotPlan(shoal);
        final int kept = turns.sentEpochs();
        final SpillPool pool = new SpillPool(arena, MAX_SPILL_RECORDS);
        final ShoalQueues[] queues = new ShoalQueues[ends.flows().classes()];
        for (int number = 0; number < queues.length; number++) {
            queues[number] = new ShoalQueues(arena, nodes, links, pool);
        }
        final Throttles throttles = new Throttles(arena, nodes, links, links * queues.length);
        final RelayReachability reachability = new RelayReachability(arena, nodes, shoal.nodes());
        final Presence presence = new Presence(nodes, reachability, 2 * shoal.resilience().probeEpochs());
        return new Parts(turns, queues, throttles,
            new SentCells(arena, nodes, links, kept),
            new SentCopies(arena, nodes, links, kept),
            new AcceptedCells(arena, nodes, links, kept),
            new NeighbourTable(arena, nodes, links, pool),
            reachability, presence,
            new ShoalFlowScheduler(arena, range, shoal, ends.flows(), throttles, ends.store(), presence),
            new DeliveredCells(arena, ends.flows().size()),
            new DeliveryLedger(nodes, ends.flows(), shoal.population(), ends.flowTable(), ends.store()),
            new NodeMaxima(nodes), control);
    }

    /** Memory in bytes of a bank of all nodes beyond that of a {@link ShoalBank}, spill not counted. */
    static long extraBytes(final Shoal shoal, final FlowSet flows, final int places) {
        final int nodes = shoal.nodes();
        final int kept = new ShoalSlotPlan(shoal).sentEpochs();
        return (flows.classes() - 1) * ShoalQueues.bytes(nodes, nodes - 1)
            + SentCopies.bytes(nodes, nodes - 1, kept) + AcceptedCells.bytes(nodes, nodes - 1, kept)
            + NeighbourTable.bytes(nodes, nodes - 1) + RelayReachability.bytes(nodes,
                nodes) + DeliveredCells.bytes(flows.size())
            + ControlCells.bytes(places);
    }

    @Override
    public NodeRange range() {
        return range;
    }

    @Override
    public void send(final long slot) {
        transmitter.send(slot);
        noteFates(slot);
    }

    @Override
    public void offer(final int flow, final int cells, final long slot) {
        parts.scheduler().offer(flow, cells, slot);
    }

    @Override
    public void receive(final long slot) {
        receiver.receive(slot);
        noteFates(slot);
    }

    private void noteFates(final long slot) {
        final long now = count(NicCounter.CELLS_DELIVERED) + dropped() + parts.scheduler().notSent();
        if (now != fates) {
            fates = now;
            lastFate = slot;
        }
    }

    /** Its parts, for audits. */
    Parts parts() {
        return parts;
    }

    @Override
    public int queued(final int node) {
        int queued = 0;
        for (final ShoalQueues queues : parts.queues()) {
            for (int link = 0; link < links; link++) {
                queued += queues.length(queues.queue(link, node));
            }
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

    /** None: what is lost to a fault is lost as it was told to be. */
    @Override
    public Outcome.Drop firstDrop() {
        return null;
    }

    @Override
    public long settled() {
        final long under = created() - count(NicCounter.CELLS_DELIVERED) - dropped()
            - count(NicCounter.CELLS_RETURNED);
        return cellsOfFlows - under - parts.scheduler().open() - parts.copies().open() - parts.pairs().waiting();
    }

    @Override
    public long moves() {
        return created() + count(NicCounter.CELLS_DELIVERED) + dropped() + count(NicCounter.CELLS_RETURNED);
    }

    @Override
    public long lastFate() {
        return lastFate;
    }

    private long created() {
        return parts.scheduler().injected() + count(NicCounter.CELLS_RESENT);
    }

    @Override
    public long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_INJECTED -> parts.scheduler().injected();
            case CELLS_DELIVERED -> parts.deliveries().delivered();
            case FLOWS_STARTED -> parts.scheduler().started();
            case FLOWS_COMPLETED -> parts.deliveries().completed();
            case FLOWS_FAILED -> parts.scheduler().failed();
            case CELLS_NOT_SENT -> parts.scheduler().notSent();
            case CELLS_FORWARDED, CELLS_RESENT, PROBES_SENT, NOTICES_SENT, TURNS_UNUSED -> transmitter.count(counter);
            case NEIGHBOURS_DOWN -> keeper.wentDown();
            case NEIGHBOURS_UP -> keeper.cameUp();
            case NOTICES_IGNORED -> keeper.ignored();
            case CELLS_RETURNED, CELLS_REROUTED, DROPPED_WITH_LINK, DROPPED_NODE_DOWN -> cells.count(counter);
            case DROPPED_DUPLICATE, DROPPED_STALE, DROPPED_NO_WAY, DROPPED_NO_ROOM, CELLS_OVER_BOUND ->
                receiver.count(counter);
            case CELLS_REFUSED -> reports.refused();
            case CELLS_DAMAGED -> medium.damaged();
            case DROPPED_DAMAGED -> medium.damagedCells();
            case DROPPED_ON_WAY -> medium.lost();
            default -> 0;
        };
    }
}
