package dev.skerry.nic.stardust;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.engine.Assembly.Audit;
import dev.skerry.nic.engine.OutcomeParts;
import dev.skerry.nic.engine.Resumable;
import dev.skerry.nic.engine.Resumable.EngineState;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.host.FlowOutcomes;
import dev.skerry.nic.stardust.StardustBank.StardustShared;
import dev.skerry.nic.stardust.StardustThreads.ElementCells;
import dev.skerry.nic.stardust.element.Pipes;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Common parts of the engines of Stardust: the fabric built at slot 0, the progress of the run, and its results. One
 * thread; while banks run, each belongs to its own thread.
 */
abstract class StardustRun implements Resumable {
    /** Stands for a member: this process has all banks. */
    static final int ALL = -1;

    final Stardust fabric;
    final FlowSet flows;
    final CountedArena arena;
    final StardustShared shared;
    /** Banks of all devices, or those of one member; banks with adapters are the first ones. */
    final StardustBank[] banks;
    /** Slots that every bank has done. */
    long slots;
    /** The slot at which a run without a limit was over; a few more slots follow, see {@link RunEnd}. */
    long over = RunEnd.NOT_YET;

    /**
     * Builds a fabric.
     *
     * @param shares the devices of each bank.
     * @param member the member whose bank alone is in this process, or {@link #ALL}.
     * @param check  whether cells carry bytes, which are checked.
     * @throws IllegalArgumentException if faults name devices that do not exist.
     */
    StardustRun(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final DeviceRange[] shares, final int member, final boolean check) {
        faults.state(fabric.clos().devices());
        this.fabric = fabric;
        this.flows = flows;
        this.arena = new CountedArena();
        this.shared = StardustShared.of(arena, fabric, flows, faults, healing, shares, Pipes.ALL, check);
        this.banks = Arrays.stream(shares).filter(share -> member == ALL || share.bank() == member)
            .map(share -> new StardustBank(arena, fabric, flows, share, shared, faults, healing))
            .toArray(StardustBank[]::new);
    }

    /** Tells whether the last run came to its end; false if its watch stopped it. */
    abstract boolean isDone();

    /**
     * Gives each of the first banks its edge.
     *
     * @param count    number of banks that have adapters.
     * @param elements elements outside these banks; the edge of the first bank also counts their cells.
     */
    final PacketEdge[] connect(final int count, final Edges edges, final ElementCells elements) {
        final NodeRange[] ranges = new NodeRange[count];
        final int ports = fabric.hosts().ports();
        Arrays.setAll(ranges, bank -> new NodeRange(banks[bank].share.first(0) * ports,
            banks[bank].share.end(0) * ports));
        final PacketEdge[] of = edges.packetEdges(arena, fabric, ranges);
        for (int bank = 0; bank < count; bank++) {
            // One edge is enough: every bank goes as far as any of them requests.
            banks[bank].connect(of[bank], bank == 0 ? elements : ElementCells.NONE);
        }
        return of;
    }

    @Override
    public final EngineState state() {
        return new EngineState(this, arena, this::isDone, () -> slots);
    }

    /** Returns a count over the devices of this process. */
    @Override
    public final long count(final NicCounter counter) {
        long count = 0;
        for (final StardustBank bank : banks) {
            count = counter.join(count, bank.tally.count(counter));
        }
        return count;
    }

    /**
     * {@inheritDoc} With edges, it counts their packets, regardless of the number of cells into which they are cut
     * here.
     */
    @Override
    public final long carried() {
        return banks[0].side == null ? Resumable.super.carried()
            : sum(bank -> bank.side == null ? 0 : bank.side.carried());
    }

    final long sum(final ToLongFunction<StardustBank> value) {
        return Arrays.stream(banks).mapToLong(value).sum();
    }

    @Override
    public Outcome outcome() {
        return outcome(conserve(slots));
    }

    @Override
    public void close() {
        arena.close();
    }

    /**
     * Checks conservation of cells: those cut are delivered, dropped under a name, or held; also checks that adapters
     * count the links that they may use.
     *
     * @return cells that are held in queues and on links.
     * @throws IllegalStateException if the law is broken.
     */
    long conserve(final long slots) {
        for (final StardustBank bank : banks) {
            bank.agreeOnLinks();
        }
        return balance(slots).conserved();
    }

    /**
     * Returns the balance of the cells of these banks and on the links to them, before a slot that all have reached.
     */
    Audit.CellBalance balance(final long slots) {
        long held = sum(StardustBank::held);
        for (long slot = Math.max(0, slots - fabric.linkSlots()); slot < slots; slot++) {
            held += shared.pipes().cells(slot);
        }
        return new Audit.CellBalance(count(NicCounter.CELLS_INJECTED), 0, 0, count(NicCounter.CELLS_DELIVERED),
            sum(bank -> bank.tally.dropped()), held);
    }

    /** Returns the outcome of these devices, which hold some cells, after all banks have stopped. */
    final Outcome outcome(final long held) {
        final long done = over == RunEnd.NOT_YET ? slots : over;
        final FlowOutcomes flowOutcomes = shared.flowOutcomes();
        final long[] counts = Arrays.stream(NicCounter.values()).mapToLong(this::count).toArray();
        final SlotHistogram latency = new SlotHistogram();
        long digest = 0;
        int maxReorder = 0;
        Outcome.Drop firstDrop = null;
        for (final StardustBank bank : banks) {
            firstDrop = Outcome.Drop.first(firstDrop, bank.tally.firstDrop());
            if (bank.egress != null) {
                digest += bank.egress.digest();
                maxReorder = Math.max(maxReorder, bank.egress.maxWaiting());
                latency.add(bank.egress.latency());
            }
        }
        // A flow is complete with the last byte that its port sends; bytes that are unsent at the end do not count.
        final int[] completed = completed(done);
        counts[NicCounter.FLOWS_COMPLETED.ordinal()] = completed.length;
        final long[] completedIn = Arrays.stream(completed)
            .mapToLong(flow -> flowOutcomes.completedBefore(flow) - 1).toArray();
        final long end = completedIn.length == 0 ? done : Math.max(done, completedIn[completedIn.length - 1] + 1);
        final Timeline[] timelines = Arrays.stream(banks).map(bank -> bank.timeline).toArray(Timeline[]::new);
        return new Outcome(end, counts, firstDrop, held, digest, maxReorder, completed, completedIn,
            nodes(), Timeline.merged(timelines), latency, null);
    }

    /** Returns the complete flows to these banks, in order of completion. */
    private int[] completed(final long done) {
        final FlowOutcomes of = shared.flowOutcomes();
        final int ports = fabric.hosts().ports();
        final int first = banks[0].share.first(0) * ports;
        final int end = Arrays.stream(banks).mapToInt(bank -> bank.share.end(0)).max().orElseThrow() * ports;
        final boolean all = IntStream.range(0, flows.size()).allMatch(flow -> of.completedBefore(flow) > 0);
        return OutcomeParts.order(IntStream.range(0, flows.size()).filter(flow -> of.completedBefore(flow) > 0
            && (all || of.completedBefore(flow) <= done) && flows.destination(flow) >= first
            && flows.destination(flow) < end), of::completedBefore, flows::destination);
    }

    private void lastStage(final StardustBank bank, final int element, final int[] queueLength) {
        final int first = fabric.clos().firstPort(element);
        for (int port = first; port < first + fabric.clos().downPorts(element); port++) {
            if (fabric.clos().peer(port) != FoldedClos.NONE) {
                final int node = fabric.clos().deviceOf(fabric.clos().peer(port)) * fabric.hosts().ports();
                queueLength[node] = Math.max(queueLength[node], bank.devices.longestAt(port));
            }
        }
    }

    /**
     * Returns the statistics of nodes. What an adapter held in its queues and in front of its links is attributed to
     * its first port.
     */
    private Outcome.Nodes nodes() {
        final int ports = fabric.hosts().ports();
        final Outcome.Nodes nodes = new Outcome.Nodes(new int[fabric.nodes()], new int[fabric.nodes()],
            new int[fabric.nodes()]);
        for (final StardustBank bank : banks) {
            for (int adapter = bank.share.first(0); adapter < bank.share.end(0); adapter++) {
                nodes.bufferOccupancy()[adapter * ports] = bank.devices.maxHeld(adapter);
                final int longest = bank.devices.longest(adapter);
                nodes.queueLength()[adapter * ports] = Math.max(nodes.queueLength()[adapter * ports], longest);
            }
            for (int element = bank.share.first(1); element < bank.share.end(1); element++) {
                lastStage(bank, element, nodes.queueLength());
            }
        }
        return nodes;
    }

    /**
     * Decides when a run without a limit is over: when every flow is complete or has failed, or when nothing has moved
     * for long. It is decided for slots that are multiples of the link delay, from what adapters had done before them,
     * so every engine and each of its threads decides the same. All devices continue for {@link #lagSlots} after that
     * slot; by then every free-running agent has found it. One thread.
     */
    static final class RunEnd {
        /** Stands for a slot before the end is known. */
        static final long NOT_YET = -1;
        /** A run is over when nothing moves for this many times the longest wait. */
        private static final int PATIENCE = 4;

        private final int flows;
        /** Slot of the last start of a flow or of the last fault. */
        private final long lastEvent;
        private final long patienceSlots;
        private long lastMove;
        private long before = -1;

        /** Creates the decision at slot 0. */
        RunEnd(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing) {
            this.flows = flows.size();
            long last = flows.size() == 0 ? 0 : flows.startSlot(flows.size() - 1);
            for (final Fault fault : faults.plan().faults()) {
                last = Math.max(last, fault.slot());
            }
            this.lastEvent = last;
            // Requests that faults may lose are sent again.
            this.patienceSlots = (long) PATIENCE * fabric.mostWaitSlots()
                + (healing.speaks(faults) ? 2L * healing.refreshSlots() : 0)
                + (fabric.credits().voqs().givesUp() ? 2 * fabric.credits().voqs().waitSlots() : 0)
                + (healing.bringUp() ? healing.bringUpSlots(fabric.clos(), fabric.linkSlots()) : 0);
        }

        /**
         * Returns the slots to be done after the end. Agents are at most one link delay apart for each link to the
         * nearest adapter, and two between adapters; one more delay covers the slots before the end itself.
         */
        static int lagSlots(final Stardust fabric) {
            return (fabric.clos().tiers() + 3) * fabric.linkSlots();
        }

        /**
         * Tells whether the run is over before a slot; slots come in order, a propagation delay apart.
         *
         * @param settled flows that were complete or had failed before the slot.
         * @param moves   a number that grows while cells move.
         */
        boolean isOver(final long slot, final long settled, final long moves) {
            lastMove = moves == before ? lastMove : slot;
            before = moves;
            return settled == flows || slot - Math.max(lastMove, lastEvent) > patienceSlots;
        }
    }
}
