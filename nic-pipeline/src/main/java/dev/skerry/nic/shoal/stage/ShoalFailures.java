package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.LinkFaultInjector;
import dev.skerry.nic.flow.DeliveredCells;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.AcceptedCells;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.RelayReachability;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.SentCopies;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;

import java.lang.foreign.Arena;

/**
 * Guards a bank where something can fail or flows have traffic classes (docs/spec/shoal.md §5, §6). It lists the nodes
 * of a row that a failure or a class hinders and serves them one by one; all others go through the stages of the bank
 * in blocks, as in a bank without failures. One thread.
 *
 * <p>Cells carry flow and sequence number: two copies of a cell may be under way, so no handle can name its bytes.
 */
final class ShoalFailures {
    private final ShoalBank.Parts parts;
    private final State state;
    private final NeighbourCells cells;
    private final NeighbourProtocol protocol;
    private final DamageReports reports;
    private final ShoalFrame frame;
    private final LinkFaultInjector injector;
    private final LateSenders late;
    private final ShoalDummies dummies;
    private final HinderedSends sends;
    private final HinderedArrivals arrivals;
    private final long cellsOfFlows;
    private long fates;
    private long lastFate = -1;

    /**
     * What the banks of a run share beside the link.
     *
     * @param faults    the plan of faults.
     * @param bootstrap connections that work at the start.
     * @param control   the messages between NICs.
     */
    record Shared(Faults faults, Bootstrap bootstrap, ControlCells control) {
    }

    /** State of a bank that only failures, damage and refusals need. */
    record State(
        SentCopies copies,
        AcceptedCells accepted,
        NeighbourTable neighbours,
        RelayReachability reachability,
        Presence presence,
        DeliveredCells delivered,
        ControlCells control) {

        static State of(final Arena arena, final NodeRange range, final Shoal shoal, final int flows,
            final ControlCells control, final SpillPool pool) {
            final int nodes = range.size();
            final int links = shoal.nodes() - 1;
            final int kept = new ShoalSlotPlan(shoal).sentEpochs();
            final RelayReachability reachability = new RelayReachability(arena, nodes, shoal.nodes());
            return new State(
                new SentCopies(arena, nodes, links, kept),
                new AcceptedCells(arena, nodes, links, kept),
                new NeighbourTable(arena, nodes, links, pool),
                reachability,
                new Presence(nodes, reachability, 2 * shoal.resilience().probeEpochs()),
                new DeliveredCells(arena, flows),
                control);
        }
    }

    ShoalFailures(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final State state,
        final Shared shared, final Bank.Ends ends) {
        this.parts = parts;
        this.state = state;
        final FaultState faults = shared.faults().state(shoal.nodes());
        this.cells = new NeighbourCells(range, shoal, parts, state);
        this.protocol = new NeighbourProtocol(range, shoal, parts, state, cells, faults);
        this.reports = new DamageReports(range, shoal, parts, state, protocol);
        this.frame = new ShoalFrame(shoal.nodes(), ends, state.control());
        this.injector = new LinkFaultInjector(range, shoal.schedule(), faults, ends.link(), ReportWord.HEADER_BITS,
            frame);
        this.late = new LateSenders(range, shoal.schedule(), faults, ends.link(), state.control());
        this.dummies = new ShoalDummies(range, shoal.schedule(), ends.link());
        this.sends = new HinderedSends(range, shoal, parts, state, ends.link());
        this.arrivals = new HinderedArrivals(range, shoal, parts, state, this, ends);
        this.cellsOfFlows = cellsFrom(range, shoal, ends.flows());
        shared.bootstrap().apply(range, state);
    }

    private static long cellsFrom(final NodeRange range, final Shoal shoal, final FlowSet flows) {
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            final int source = shoal.population().nodeOf(flows.source(flow));
            cells += source < range.first() || source >= range.end() ? 0 : flows.sendableCells(flow);
        }
        return cells;
    }

    /** Memory in bytes that a bank of all nodes needs for failures and classes, spill not counted. */
    static long bytes(final Shoal shoal, final FlowSet flows, final int places) {
        final int nodes = shoal.nodes();
        final int kept = new ShoalSlotPlan(shoal).sentEpochs();
        return (flows.classes() - 1) * ShoalQueues.bytes(nodes, nodes - 1)
            + SentCopies.bytes(nodes, nodes - 1, kept) + AcceptedCells.bytes(nodes, nodes - 1, kept)
            + NeighbourTable.bytes(nodes, nodes - 1) + RelayReachability.bytes(nodes, nodes)
            + DeliveredCells.bytes(flows.size()) + ControlCells.bytes(places);
    }

    /** Before a slot is sent: faults begin and end, and neighbours come together at the start of an epoch. */
    void begin(final long slot) {
        final long epoch = slot / parts.plan().epochSlots();
        if (epoch >= Shoal.MAX_EPOCHS) {
            throw new IllegalStateException("a run of Shoal ends after " + Shoal.MAX_EPOCHS + " epochs: slot=" + slot);
        }
        protocol.turnTo(slot, (int) epoch, slot % parts.plan().epochSlots() == 0);
    }

    /** After a slot was sent: clocks that are late shift cells, links lose and damage them. */
    void afflict(final long slot) {
        dummies.count(slot);
        late.shift(slot);
        injector.afflict(slot);
    }

    /** Notes whether cells were delivered or lost in a slot. */
    void noteFates(final long slot, final long delivered, final long dropped) {
        final long now = delivered + dropped + parts.scheduler().notSent();
        if (now != fates) {
            fates = now;
            lastFate = slot;
        }
    }

    /** State of the bank, also for audits. */
    State state() {
        return state;
    }

    /** Connections as they go down and come up. */
    NeighbourProtocol protocol() {
        return protocol;
    }

    /** Cells of connections that go down. */
    NeighbourCells cells() {
        return cells;
    }

    /** Nodes whose clocks are whole slots late. */
    LateSenders late() {
        return late;
    }

    /** Turns of the first slots in which nodes sent a header only. */
    long dummies(final long slots) {
        return dummies.sent(slots);
    }

    /** Reports where cells can be damaged or refused. */
    DamageReports reports() {
        return reports;
    }

    /** Serves hindered nodes that send. */
    HinderedSends sends() {
        return sends;
    }

    /** Serves hindered nodes that receive. */
    HinderedArrivals arrivals() {
        return arrivals;
    }

    /** As {@link Bank#settled}. */
    long settled(final long delivered, final long dropped) {
        final long under = created() - delivered - dropped - count(NicCounter.CELLS_RETURNED);
        return cellsOfFlows - under - parts.scheduler().open() - state.copies().open() - state.neighbours().waiting();
    }

    /** As {@link Bank#moves}. */
    long moves(final long delivered, final long dropped) {
        return created() + delivered + dropped + count(NicCounter.CELLS_RETURNED);
    }

    /** As {@link Bank#lastFate}. */
    long lastFate() {
        return lastFate;
    }

    /** Cells put on links by their sources, resent ones included. */
    private long created() {
        return parts.scheduler().injected() + count(NicCounter.CELLS_RESENT);
    }

    /** The value of a counter of failures, 0 of any other. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_FORWARDED, CELLS_RESENT, PROBES_SENT, NOTICES_SENT, TURNS_UNUSED -> sends.count(counter);
            case NEIGHBOURS_DOWN -> protocol.wentDown();
            case NEIGHBOURS_UP -> protocol.cameUp();
            case NOTICES_IGNORED -> protocol.ignored();
            case CELLS_RETURNED, CELLS_REROUTED, DROPPED_WITH_LINK, DROPPED_NODE_DOWN -> cells.count(counter);
            case DROPPED_DUPLICATE, DROPPED_STALE, DROPPED_NO_WAY, DROPPED_NO_ROOM, CELLS_OVER_BOUND,
                WRONG_DESTINATION -> arrivals.count(counter);
            case CELLS_ASTRAY -> late.astray();
            case CELLS_REFUSED -> reports.refused();
            case CELLS_DAMAGED -> injector.damaged();
            case HEADERS_DAMAGED -> frame.found();
            case DROPPED_DAMAGED -> injector.damagedCells();
            case DROPPED_ON_WAY -> injector.lost();
            case GUARD_VIOLATION -> injector.outOfWindow() + late.lost();
            default -> 0;
        };
    }
}
