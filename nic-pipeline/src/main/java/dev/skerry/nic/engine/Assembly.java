package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.engine.LockStepWorkers.EdgePoller;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Edge;
import dev.skerry.nic.fabric.Edge.CellEdge;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.flow.PayloadStore.FlowPayload;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.nic.flow.PayloadStore.SlabPayload;
import dev.skerry.nic.flow.Releases;
import dev.skerry.nic.flow.Releases.ReleaseQueue;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.schedule.check.Laws;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A circuit fabric at slot 0, for any engine: the banks of all nodes, the in-flight cells between them, edges,
 * timelines and the audit. Called by the owner's thread; during a run a bank, its edge and its timeline belong to the
 * thread that runs the bank.
 */
public final class Assembly implements AutoCloseable {
    /** A checked run stores the payload of at most 2^18 in-flight cells, 240 bytes each. */
    private static final int CHECKED_CELLS = 1 << 18;
    private static final int CHECKED_BYTES = 240;

    final CountedArena arena;
    private final CircuitFabric fabric;
    private final FlowSet flows;
    /** Whether {@link Bank#settled} can decrease. */
    final boolean resends;
    private final FlowTable flowTable;
    /** Queues of the flows that start in each bank; null if no flow waits for others. */
    private final ReleaseQueue[][] queues;
    private final InFlightCells link;
    private final Bank[] banks;
    /** Edge of each bank; null if flows are not on demand. */
    private final CellEdge[] edges;
    private final Timeline[] timelines;
    /** Creates the banks; notified of cells from banks in other processes. */
    final FabricParts.Banks maker;
    final Audit audit;
    /** Log of each bank; null if nothing is logged. */
    private RunLog.BankLog[] logs;

    /** Creates the arrival map of a bank. */
    @FunctionalInterface
    public interface CircuitMaker {
        ArrivalMap of(int bank, InFlightCells link);
    }

    /**
     * Assembles a fabric.
     *
     * @param arena    owns the memory; closed with the assembly.
     * @param parts    parts of the fabric.
     * @param traffic  flows, faults and edges.
     * @param ranges   the nodes of each bank.
     * @param window   number of slots for which cells are kept on the links.
     * @param circuits creates the arrival map of each bank.
     * @param check    whether every payload is checked end to end.
     */
    public Assembly(final CountedArena arena, final FabricParts parts, final Traffic traffic, final NodeRange[] ranges,
        final int window, final CircuitMaker circuits, final boolean check) {
        this.arena = arena;
        this.fabric = parts.fabric();
        this.flows = traffic.flows();
        this.resends = parts.resends(traffic);
        final int count = ranges.length;
        this.link = new InFlightCells(arena, fabric.cellsInSlot(), window);
        this.flowTable = new FlowTable(arena, flows, fabric.population(), fabric.noticeSlots());
        this.banks = new Bank[count];
        this.timelines = new Timeline[count];
        this.edges = traffic.edges() == null ? null : traffic.edges().cellEdges(arena, fabric, ranges, resends);
        final PayloadStore[] payload = edges != null ? edges : check ? payload(count) : null;
        this.maker = parts.banks(arena, traffic, link, window);
        for (int bank = 0; bank < count; bank++) {
            banks[bank] = maker.of(ranges[bank], new Bank.Ends(flows, flowTable, link, circuits.of(bank, link),
                payload == null ? new NoPayload() : payload[bank]));
            timelines[bank] = new Timeline();
            if (edges != null) {
                edges[bank].join(banks[bank]);
            }
        }
        this.queues = releases() == null ? null : Arrays.stream(ranges).map(releases()::queues)
            .toArray(ReleaseQueue[][]::new);
        this.audit = new Audit(parts, banks, link);
    }

    /** Payload stores for checks, by bank; by flow and sequence number if a cell may be in flight twice. */
    private PayloadStore[] payload(final int count) {
        if (!resends) {
            // No bank has more in-flight cells than the total number of cells of all flows.
            final int cells = Math.clamp(cellsOfFlows(), 1, CHECKED_CELLS / Integer.highestOneBit(count));
            return SlabPayload.stores(arena, count, Integer.highestOneBit(2 * cells - 1), CHECKED_BYTES);
        }
        final PayloadStore[] stores = new PayloadStore[count];
        Arrays.fill(stores, new FlowPayload(arena, flows));
        return stores;
    }

    /**
     * Checks that the fabric supports the traffic, before memory is allocated.
     *
     * @throws IllegalArgumentException if faults name nodes that do not exist, if only one of edges and flows on demand
     *                                  is given, or if the fabric does not support the faults or traffic classes.
     */
    static void check(final FabricParts parts, final Traffic traffic) {
        traffic.faults().state(parts.fabric().nodes());
        Bounds.refuseIf(traffic.flows().isOnDemand() != (traffic.edges() != null),
            "flows on demand and edges require each other: onDemand=", traffic.flows().isOnDemand());
        parts.check(traffic);
    }

    /** Distributes the nodes evenly over at most as many banks as there are nodes. */
    public static NodeRange[] shares(final CircuitFabric fabric, final int banks) {
        final NodeRange[] ranges = new NodeRange[Math.min(banks, fabric.nodes())];
        Arrays.setAll(ranges, bank -> NodeRange.share(fabric.nodes(), bank, ranges.length));
        return ranges;
    }

    /** Off-heap bytes of an assembly at slot 0. */
    static long bytes(final FabricParts parts, final Traffic traffic, final int window) {
        return parts.bytes(traffic, window) + InFlightCells.bytes(parts.fabric().cellsInSlot(), window)
            + FlowTable.bytes(traffic.flows().size());
    }

    public InFlightCells link() {
        return link;
    }

    public Bank bank(final int index) {
        return banks[index];
    }

    int banks() {
        return banks.length;
    }

    /** Whether flows are on demand. */
    boolean hasEdges() {
        return edges != null;
    }

    /** The edges of some banks; only if flows are on demand. */
    Edge[] edges(final NodeRange of) {
        return Arrays.copyOfRange(edges, of.first(), of.end());
    }

    /** One poller per worker, with the edges of its banks. */
    EdgePoller[] pollers(final int workers, final Idle idle) {
        return IntStream.range(0, workers).mapToObj(worker -> new EdgePoller(
            edges(NodeRange.share(banks.length, worker, workers)), idle.strategy())).toArray(EdgePoller[]::new);
    }

    /** The edge of a bank, null if flows are not on demand. */
    Edge edge(final int bank) {
        return edges == null ? null : edges[bank];
    }

    /** Fills a log from the next slot on. The fabric must not be running. */
    void log(final RunLog log) {
        logs = new RunLog.BankLog[banks.length];
        Arrays.setAll(logs, bank -> log.add(fabric, banks[bank], flowTable));
    }

    /** First half of a slot of a bank. Called by the bank's thread. */
    void send(final int index, final long slot) {
        if (logs != null) {
            logs[index].before(slot);
        }
        banks[index].send(slot);
    }

    /** Second half of a slot of a bank. Called by the bank's thread. */
    void receive(final int index, final long slot) {
        final Bank bank = banks[index];
        final long before = bank.count(NicCounter.CELLS_DELIVERED);
        bank.receive(slot);
        timelines[index].add(slot, bank.count(NicCounter.CELLS_DELIVERED) - before);
    }

    /** The value of a counter over all nodes. */
    long count(final NicCounter counter) {
        long sum = 0;
        for (final Bank bank : banks) {
            sum += bank.count(counter);
        }
        return sum;
    }

    /**
     * The outcome of a run.
     *
     * @param slots     length of the run.
     * @param untilDone whether it ended with its last flow.
     * @param held      cells in queues and in flight at the end.
     * @param covered   slots that were simulated; see {@link Bank#sampled}.
     */
    Outcome outcome(final long slots, final boolean untilDone, final long held, final long covered) {
        for (final Timeline timeline : timelines) {
            timeline.endBefore(covered);
        }
        final long[] counts = new long[NicCounter.values().length];
        final SlotHistogram latency = new SlotHistogram();
        long digest = 0;
        int maxReorder = 0;
        Outcome.Drop firstDrop = null;
        Outcome.Sampled sampled = null;
        for (final Bank bank : banks) {
            for (final NicCounter counter : NicCounter.values()) {
                counts[counter.ordinal()] = counter.join(counts[counter.ordinal()], bank.count(counter));
            }
            firstDrop = Outcome.Drop.first(firstDrop, bank.firstDrop());
            sampled = Outcome.Sampled.merged(sampled, bank.sampled(slots, covered, untilDone ? slots + 1 : covered));
            final DeliveryLedger deliveries = bank.deliveries();
            digest += deliveries.digest();
            maxReorder = Math.max(maxReorder, deliveries.maxReorder());
            latency.add(deliveries.latency());
        }
        final int[] completed = OutcomeParts.completed(flows, flowTable, fabric.population());
        final long[] completedIn = Arrays.stream(completed).mapToLong(flow -> flowTable.completedBefore(flow) - 1)
            .toArray();
        return new Outcome(slots, counts, firstDrop, held, digest, maxReorder, completed, completedIn,
            nodes(), Timeline.merged(timelines), latency, sampled);
    }

    private Outcome.Nodes nodes() {
        final Population population = fabric.population();
        final int count = population.listed();
        final Outcome.Nodes nodes = new Outcome.Nodes(new int[count], new int[count], new int[count]);
        for (final Bank bank : banks) {
            for (int node = 0; node < bank.range().size(); node++) {
                final int listed = population.numberOf(bank.range().first() + node);
                if (listed >= 0) {
                    nodes.bufferOccupancy()[listed] = bank.maxima().maxHeld(node);
                    nodes.queueLength()[listed] = bank.maxima().maxQueue(node);
                    nodes.activeBuckets()[listed] = bank.maxActiveBuckets(node);
                }
            }
        }
        return nodes;
    }

    /** Releases flows that wait for others; null if there are none. */
    Releases releases() {
        return flowTable.releases();
    }

    /** The slot until which a bank is idle and no node is notified of a flow completed in it. */
    long idleUntil(final int index, final long slot) {
        final long until = banks[index].idleUntil(slot);
        return queues == null ? until : Math.min(until, banks[index].deliveries().wakesIn(slot));
    }

    /**
     * Cells of a bank whose fate is known before a slot, plus those of flows that wait for others: if the sum over all
     * banks equals the cells of all flows, nothing moves. The result is one less while another node may still
     * be notified of a flow completed in the bank, whether or not that node has processed the notification.
     */
    long settled(final int index, final long slot) {
        long settled = banks[index].settled();
        if (queues != null) {
            settled -= banks[index].deliveries().wakesIn(slot) < Long.MAX_VALUE ? 1 : 0;
            for (final ReleaseQueue queue : queues[index]) {
                settled += banks[index].unsettled(queue);
            }
        }
        return settled;
    }

    /** Cells whose fate is known before a slot, over all banks. */
    long settled(final long slot) {
        return IntStream.range(0, banks.length).mapToLong(index -> settled(index, slot)).sum();
    }

    /** Number of cells of all flows; with flows on demand {@link Long#MAX_VALUE}, which is never reached. */
    long cellsOfFlows() {
        return edges != null ? Long.MAX_VALUE
            : IntStream.range(0, flows.size()).mapToLong(flows::sendableCells).sum();
    }

    /**
     * Length of a run that continued until all cells were settled: until the last completion if all flows are complete,
     * otherwise until the last delivery or loss.
     */
    long lastCompletion() {
        return count(NicCounter.FLOWS_COMPLETED) < flows.size() ? lastFate() + 1 : completedBefore();
    }

    /** The last slot in which a bank delivered or lost a cell, see {@link Bank#lastFate}. */
    long lastFate() {
        return Arrays.stream(banks).mapToLong(Bank::lastFate).max().orElse(-1);
    }

    /** The slot after the last flow completion in this process; 0 if there was none. */
    long completedBefore() {
        return IntStream.range(0, flows.size()).mapToLong(flowTable::completedBefore).max().orElse(0);
    }

    @Override
    public void close() {
        arena.close();
    }

    /**
     * Checks the invariants of a whole fabric between slots: conservation ({@link CellBalance}, docs/spec/shale.md §5.5
     * I4), then the invariants specific to the fabric. One thread, while no other accesses the fabric.
     */
    public static final class Audit {
        private final CircuitFabric fabric;
        private final Bank[] banks;
        private final InFlightCells link;
        private final FabricLaws laws;

        public Audit(final FabricParts parts, final Bank[] banks, final InFlightCells link) {
            this.fabric = parts.fabric();
            this.banks = banks;
            this.link = link;
            this.laws = parts.laws(banks, link);
        }

        /**
         * Checks every invariant after a slot.
         *
         * @throws IllegalStateException with the invariant, the slot and the location at which it is broken.
         */
        public void check(final long slot) {
            try {
                conserve(slot);
                laws.check(slot);
            } catch (final IllegalStateException broken) {
                throw new IllegalStateException("after slot " + slot + ": " + broken.getMessage(), broken);
            }
        }

        /**
         * Checks conservation after a slot.
         *
         * @return cells held in queues and in flight.
         */
        public long conserve(final long slot) {
            return balance(slot).conserved();
        }

        /** The balance of the banks' cells after a slot; in-flight cells count at the bank that sent them. */
        CellBalance balance(final long slot) {
            CellBalance sum = CellBalance.NOTHING;
            for (final Bank bank : banks) {
                sum = sum.plus(new CellBalance(bank.count(NicCounter.CELLS_INJECTED),
                    bank.count(NicCounter.CELLS_RESENT) + bank.count(NicCounter.CELLS_RETRANSMITTED),
                    bank.count(NicCounter.CELLS_RETURNED) + bank.count(NicCounter.CELLS_TRIMMED),
                    bank.count(NicCounter.CELLS_DELIVERED), bank.dropped(),
                    queued(bank) + bank.underWay() + inFlight(bank.range(), slot)));
            }
            return sum;
        }

        private static long queued(final Bank bank) {
            long total = 0;
            for (int node = 0; node < bank.range().size(); node++) {
                final int queued = bank.queued(node);
                Laws.brokenIf(queued != bank.maxima().held(node), "queued cells miscounted: node=",
                    bank.range().first() + node, " counted=", queued, " kept=", bank.maxima().held(node));
                total += queued;
            }
            return total;
        }

        /** In-flight cells of some nodes: sent in the last P slots and not handled by their receivers yet. */
        private long inFlight(final NodeRange senders, final long slot) {
            long cells = 0;
            for (long sent = Math.max(0, slot - fabric.propagationSlots() + 1); sent <= slot; sent++) {
                for (int channel = 0; channel < fabric.channels(); channel++) {
                    final long row = link.offset(sent)
                        + (long) channel * fabric.nodes() * InFlightCells.PLACE_BYTES;
                    for (int node = senders.first(); node < senders.end(); node++) {
                        if (InFlightCells.isCell(link.route(row + (long) node * InFlightCells.PLACE_BYTES))) {
                            cells++;
                        }
                    }
                }
            }
            return cells;
        }

        /**
         * Locations of the cells of some nodes, for the conservation law: cells in = cells out + cells held + named
         * drops. A resent cell counts as in a second time; a cell returned to its flow, or trimmed, counts as out.
         *
         * @param injected  cells sent by flows.
         * @param resent    cells sent again.
         * @param returned  cells returned to their flows, or trimmed.
         * @param delivered cells at their destinations.
         * @param dropped   cells lost, over all drop counters.
         * @param held      cells in queues and in flight, counted individually.
         */
        public record CellBalance(long injected, long resent, long returned, long delivered, long dropped, long held) {
            /** No cells. */
            public static final CellBalance NOTHING = new CellBalance(0, 0, 0, 0, 0, 0);

            /** The sum of two balances. */
            public CellBalance plus(final CellBalance other) {
                return new CellBalance(injected + other.injected, resent + other.resent, returned + other.returned,
                    delivered + other.delivered, dropped + other.dropped, held + other.held);
            }

            /**
             * Checks conservation over all nodes of a fabric.
             *
             * @return cells held.
             * @throws IllegalStateException if it is broken.
             */
            public long conserved() {
                Laws.brokenIf(injected + resent != delivered + held + dropped + returned,
                    "cells are not conserved: injected=", injected, " resent=", resent, " delivered=", delivered,
                    " held=", held, " dropped=", dropped, " returned=", returned);
                return held;
            }
        }
    }
}
