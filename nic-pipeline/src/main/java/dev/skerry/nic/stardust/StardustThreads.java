package dev.skerry.nic.stardust;

import dev.skerry.dataplane.circuit.SlotCounts;
import dev.skerry.dataplane.circuit.SlotGate;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.FreeRunningThreads;
import dev.skerry.nic.engine.FreeRunningThreads.AgentGraph;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fabric.Edge;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustRun.RunEnd;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.PortSide;
import org.agrona.concurrent.Agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * Runs a Stardust fabric on threads: an agent for each element and for each bank of adapters, connected by links that
 * carry a cell, a pause, other messages between devices, or nothing in every slot. There is no common clock: an agent
 * continues as soon as its links allow. Requests and credits between banks of adapters take at least two link delays.
 * So this is a Kahn network, and its result equals that of {@link StardustEngine} in every counter; with packets from
 * outside, for the same slots of entry. Adapters then continue while a bank or an element has cells, and elements
 * follow as far as their links allow. {@link FreeRunningThreads} owns the threads.
 */
public final class StardustThreads extends StardustRun {
    private final Threading threading;
    private final FreeRunningThreads agentThreads;
    private final List<StardustAgent> agents = new ArrayList<>();
    private final int adapterBanks;
    private final SlotGate[] gates;
    private final SlotCounts counts;
    /** Edges for packets from outside, by bank of adapters; null if there are none. */
    private final Edge[] edges;
    private final ElementCells elements;
    private final ProgressLog progress;

    /**
     * Creates a fabric at slot 0. If its packets come from outside, a run without a limit continues until the watch
     * ends it, and pauses between slots while there is nothing to do.
     *
     * @param fabric    the fabric; for packets from outside, with separate queues for each pair of hosts.
     * @param flows     the flows between endpoints; on demand for packets from outside.
     * @param faults    the faults, as in {@link StardustEngine}.
     * @param healing   timing of reachability messages.
     * @param edges     where packets from outside enter and leave; each bank's thread polls the ports of its adapters.
     *                  Null if there are none.
     * @param threading the threads.
     * @throws IllegalArgumentException if faults name devices that do not exist, or if the fabric cannot carry packets
     *                                  of ports.
     */
    public StardustThreads(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final Edges edges, final Threading threading) {
        super(PortSide.require(fabric, flows, edges), flows, faults, healing,
            DeviceRange.apart(fabric.clos(), Math.min(threading.banks(), fabric.clos().fas())), ALL, false);
        this.threading = threading;
        this.agentThreads = new FreeRunningThreads(threading);
        this.adapterBanks = Math.min(threading.banks(), fabric.clos().fas());
        this.counts = new SlotCounts(arena, banks.length);
        this.gates = new SlotGate[counts.parties()];
        Arrays.setAll(gates, this::gate);
        this.elements = edges == null ? null : new ElementCells(counts.parties() - adapterBanks);
        this.edges = edges == null ? null : connect(adapterBanks, edges, elements);
        this.progress = new ProgressLog(fabric, adapterBanks);
        for (final StardustBank bank : banks) {
            agents.add(new StardustAgent(bank, agentThreads.join(), new RunEnd(fabric, flows, faults, healing)));
        }
    }

    @Override
    boolean isDone() {
        return agentThreads.isDone();
    }

    @Override
    public int threads() {
        return agentThreads.carriers();
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        agents.forEach(agent -> agent.endsByItself = slotLimit == 0 && edges == null);
        slots = agentThreads.run(graph(), slotLimit == 0 ? Long.MAX_VALUE : slotLimit, watch, slot -> false);
        over = agents.getFirst().over ? slots - RunEnd.lagSlots(fabric) : RunEnd.NOT_YET;
        conserve(slots);
    }

    /** Creates a gate that keeps a bank from running ahead of a neighbour by more than the delay between them. */
    private SlotGate gate(final int bank) {
        final int[] byLink = shared.neighbours()[bank];
        final int[] byControl = IntStream.range(0, bank < adapterBanks ? adapterBanks : 0)
            .filter(other -> other != bank).toArray();
        final int[] delays = new int[byLink.length + byControl.length];
        Arrays.setAll(delays, i -> (i < byLink.length ? 1 : 2) * fabric.linkSlots());
        return new SlotGate(counts, IntStream.concat(Arrays.stream(byLink), Arrays.stream(byControl)).toArray(),
            delays);
    }

    /** Creates a graph with an agent for each bank of adapters and one for each group of elements. */
    private AgentGraph graph() {
        final AgentGraph graph = AgentGraph.of(agents.subList(0, adapterBanks),
            agents.subList(adapterBanks, agents.size()), threading.switchGroups(), AgentGraph.ANY_BATCH);
        final int[] agentOf = graph.agentOf();
        for (int bank = 0; bank < agentOf.length; bank++) {
            graph.loads()[agentOf[bank]] += banks[bank].share.span();
            for (final int neighbour : shared.neighbours()[bank]) {
                graph.connect(agentOf[bank], agentOf[neighbour], 1);
            }
        }
        return graph;
    }

    /**
     * Runs a bank, which is an element or some adapters, as an agent. It does a slot when everything that arrives in it
     * has come on all its links, including control messages; it never blocks. Every link carries every slot once and in
     * order, so what a bank does does not depend on thread timing.
     */
    private final class StardustAgent implements Agent {
        /** Result of {@link #doWork} after the last slot. */
        static final int DONE = -1;
        /** Largest number of slots in one call, so that the thread's other agents get their turn. */
        private static final int BATCH_SLOTS = 16;

        private final StardustBank bank;
        private final int number;
        private final SlotGate gate;
        private final FreeRunningThreads.Member member;
        private final RunEnd ending;
        /** Decides how far to go if packets come from outside; null otherwise, and for elements. */
        private final Edge edge;
        private long slot;
        private long nextMilestone;
        private long nextLook;
        /** Tells whether this part of the run ends by itself, not only at its limit; and whether it has. */
        private boolean endsByItself;
        private boolean over;

        /** Creates an agent at slot 0; {@code member} sets the limit and gets the agent's progress. */
        StardustAgent(final StardustBank bank, final FreeRunningThreads.Member member, final RunEnd ending) {
            this.bank = bank;
            this.number = bank.share.bank();
            this.gate = gates[number];
            this.member = member;
            this.ending = ending;
            this.edge = edges != null && bank.share.hasAdapters() ? edges[number] : null;
            this.nextMilestone = progress.stride;
            this.nextLook = RunEnd.lagSlots(fabric) + progress.stride;
        }

        @Override
        public int doWork() {
            final long limit = member.limit();
            if (limit == FreeRunningThreads.PAUSE) {
                member.stopBefore(slot);
                return 0;
            }
            // A run that is being ended goes to its last slot, regardless of the edge.
            final long end = edge == null || limit != Edge.ANY_SLOT ? limit : edge.poll(slot);
            int steps = 0;
            over = isOver();
            while (!over && slot < end && steps < BATCH_SLOTS && gate.isOpen(slot)) {
                step();
                over = isOver();
                steps++;
            }
            if (steps > 0) {
                member.publish(slot, bank.tally.count(NicCounter.CELLS_DELIVERED),
                    bank.tally.count(NicCounter.FLOWS_COMPLETED));
                if (elements != null && number >= adapterBanks) {
                    elements.post(number - adapterBanks, bank.devices.sent(), bank.held());
                }
            }
            if (!over && slot < limit) {
                return steps;
            }
            member.stopBefore(slot);
            return DONE;
        }

        @Override
        public String roleName() {
            return bank.share.hasAdapters() ? "adapters-" + bank.share.base() : "element-" + bank.share.base();
        }

        private void step() {
            bank.step(slot++);
            if (slot == nextMilestone) {
                nextMilestone += progress.stride;
                if (bank.share.hasAdapters()) {
                    progress.post(number, slot, bank);
                }
            }
            counts.publish(number, slot);
        }

        /** Tells whether the run ended at least {@link RunEnd#lagSlots} ago, so that all agents find it. */
        private boolean isOver() {
            if (!endsByItself || slot != nextLook) {
                return false;
            }
            final long then = slot - RunEnd.lagSlots(fabric);
            if (ending.isOver(then, progress.settled(then), progress.moves(then))) {
                return true;
            }
            nextLook += progress.stride;
            return false;
        }
    }

    /**
     * The progress of banks of adapters before the slots that are multiples of the propagation delay, from which all
     * agents find the same end (see {@link RunEnd}). A bank writes its entry before it publishes the slot before; all
     * agents may read it {@link RunEnd#lagSlots} later.
     */
    private static final class ProgressLog {
        private final long[][] settled;
        private final long[][] moves;
        private final int stride;

        /** Creates the log at slot 0. */
        ProgressLog(final Stardust fabric, final int banks) {
            this.stride = fabric.linkSlots();
            // Readers are that late, and writers are at most as far ahead of them.
            final int rows = 2 * RunEnd.lagSlots(fabric) / stride + 1;
            this.settled = new long[rows][banks];
            this.moves = new long[rows][banks];
        }

        /** Records the progress of a bank that has done all slots before one. */
        void post(final int number, final long slot, final StardustBank bank) {
            settled[row(slot)][number] = bank.tally.settled();
            moves[row(slot)][number] = bank.moves();
        }

        /** Returns the flows that were complete, or could never be, before a slot. */
        long settled(final long slot) {
            return Arrays.stream(settled[row(slot)]).sum();
        }

        /** Returns the sum of the moves before a slot. */
        long moves(final long slot) {
            return Arrays.stream(moves[row(slot)]).sum();
        }

        private int row(final long slot) {
            return (int) (slot / stride % settled.length);
        }
    }

    /**
     * Cells of elements that run apart from the adapters, a little behind. The edges of adapters thereby count cells
     * that have left one adapter and not arrived at another. An element posts after some slots. A cell that it had
     * since its last post is either still held or counted as sent, so none is missed.
     *
     * <pre>
     *   entry   2 e            2 e + 1
     *           +--------------+--------------+
     *           | cells sent   | cells held   |    by element e: sent never decreases, and is posted first
     *           +--------------+--------------+
     * </pre>
     *
     * <p>One thread at a time posts for an element; any thread may read.
     */
    static final class ElementCells {
        /** For a bank whose thread has all devices, or whose edge does not count elements. */
        static final ElementCells NONE = new ElementCells(0);

        private final AtomicLongArray entries;

        /** Creates the counts of elements that have had no cells. */
        ElementCells(final int elements) {
            this.entries = new AtomicLongArray(2 * elements);
        }

        /** Sets the cells that an element has sent so far and those that it holds. */
        void post(final int element, final long sent, final long held) {
            entries.setRelease(2 * element, sent);
            entries.setRelease(2 * element + 1, held);
        }

        /** Returns a number that grows as elements send. */
        long sent() {
            return sum(0);
        }

        /** Returns the cells that elements hold, without those in flight between them. */
        long held() {
            return sum(1);
        }

        private long sum(final int first) {
            long sum = 0;
            for (int i = first; i < entries.length(); i += 2) {
                sum += entries.getAcquire(i);
            }
            return sum;
        }
    }
}
