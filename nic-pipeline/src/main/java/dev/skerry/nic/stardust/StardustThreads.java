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
 * carry in every slot a cell, a pause, other messages between devices, or nothing. There is no common clock: an agent
 * goes on as soon as its links allow. Requests and credits go from one bank of adapters to another and take at least
 * two link delays. So this is a Kahn network, and its result equals that of {@link StardustEngine} to the last counter;
 * with packets from outside, given the slots in which they enter. Adapters then go on while a bank or an element has
 * cells, and elements follow as far as their links allow. {@link FreeRunningThreads} owns the threads.
 */
public final class StardustThreads extends StardustRun {
    private final Threading threading;
    private final FreeRunningThreads agentThreads;
    private final List<StardustAgent> agents = new ArrayList<>();
    private final int adapterBanks;
    private final SlotGate[] gates;
    private final SlotCounts counts;
    /** By bank of adapters, what comes from outside; null where nothing does. */
    private final Edge[] edges;
    private final ElementCells elements;
    private final ProgressLog progress;

    /**
     * A fabric at slot 0. Where its packets come from outside, a run without a limit goes on until the watch ends it,
     * and pauses between slots while there is nothing to do.
     *
     * @param fabric    the fabric; for packets from outside, with queues of their own for each pair of hosts.
     * @param flows     what is sent across it, between its endpoints; on demand for packets from outside.
     * @param faults    what fails, and when, as in {@link StardustEngine}.
     * @param healing   timing of reachability messages.
     * @param edges     where packets from outside enter and leave; each bank's thread polls the ports of its adapters.
     *                  Null if there are none.
     * @param threading its threads.
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

    /** Keeps a bank from running ahead of a neighbour by more than the delay between them. */
    private SlotGate gate(final int bank) {
        final int[] byLink = shared.neighbours()[bank];
        final int[] byControl = IntStream.range(0, bank < adapterBanks ? adapterBanks : 0)
            .filter(other -> other != bank).toArray();
        final int[] delays = new int[byLink.length + byControl.length];
        Arrays.setAll(delays, i -> (i < byLink.length ? 1 : 2) * fabric.linkSlots());
        return new SlotGate(counts, IntStream.concat(Arrays.stream(byLink), Arrays.stream(byControl)).toArray(),
            delays);
    }

    /** An agent for each bank of adapters, and one for each group of elements. */
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
     * A bank, an element or some adapters, as an agent. It does a slot when everything that arrives in it has come on
     * all its links, control messages included; it never blocks. Every link carries every slot once and in order, so
     * what a bank does does not depend on thread timing.
     */
    private final class StardustAgent implements Agent {
        /** Result of {@link #doWork} after the last slot. */
        static final int DONE = -1;
        /** Most slots of one call, so that the thread's other agents get their turn. */
        private static final int BATCH_SLOTS = 16;

        private final StardustBank bank;
        private final int number;
        private final SlotGate gate;
        private final FreeRunningThreads.Member member;
        private final RunEnd ending;
        /** Says how far to go if packets come from outside; null without, and for elements. */
        private final Edge edge;
        private long slot;
        private long nextMilestone;
        private long nextLook;
        /** Whether this part of the run ends by itself, not by its limit alone; and whether it did. */
        private boolean endsByItself;
        private boolean over;

        /** An agent at slot 0; {@code member} says where to stop, and is told how far the agent is. */
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
            // A run that is being ended goes to its last slot, whatever the edge says.
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

        /** Whether the run ended at least {@link RunEnd#lagSlots} ago, so that all agents find it. */
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
     * What banks of adapters had done before some slots, the multiples of the propagation delay, for those who run
     * apart: by it all of them find the same end (see {@link RunEnd}). An entry is its bank's to write before it says
     * that it has done the slot before, and everybody's to read {@link RunEnd#lagSlots} later.
     */
    private static final class ProgressLog {
        private final long[][] settled;
        private final long[][] moves;
        private final int stride;

        /** Slot 0. */
        ProgressLog(final Stardust fabric, final int banks) {
            this.stride = fabric.linkSlots();
            // Who reads is that late, and who writes at most as far ahead of him.
            final int rows = 2 * RunEnd.lagSlots(fabric) / stride + 1;
            this.settled = new long[rows][banks];
            this.moves = new long[rows][banks];
        }

        /** A bank has done all slots before one. */
        void post(final int number, final long slot, final StardustBank bank) {
            settled[row(slot)][number] = bank.tally.settled();
            moves[row(slot)][number] = bank.moves();
        }

        /** Flows that were complete, or could never be, before a slot. */
        long settled(final long slot) {
            return Arrays.stream(settled[row(slot)]).sum();
        }

        /** What had moved before a slot. */
        long moves(final long slot) {
            return Arrays.stream(moves[row(slot)]).sum();
        }

        private int row(final long slot) {
            return (int) (slot / stride % settled.length);
        }
    }

    /**
     * Cells of elements that run apart from the adapters, a little behind: so the adapters' edges know of cells that
     * have left one adapter and not come to another. An element posts after some slots. A cell that it had since its
     * last post is either still held or counted as sent, so none is missed.
     *
     * <pre>
     *   entry   2 e            2 e + 1
     *           +--------------+--------------+
     *           | cells sent   | cells held   |    by element e: sent never falls, and is posted first
     *           +--------------+--------------+
     * </pre>
     *
     * One thread at a time posts for an element, any may look.
     */
    static final class ElementCells {
        /** Of a bank that has all devices on its own thread, or is not the one that looks. */
        static final ElementCells NONE = new ElementCells(0);

        private final AtomicLongArray entries;

        /** Elements that have had no cells. */
        ElementCells(final int elements) {
            this.entries = new AtomicLongArray(2 * elements);
        }

        /** Says what an element has sent so far and what it holds. */
        void post(final int element, final long sent, final long held) {
            entries.setRelease(2 * element, sent);
            entries.setRelease(2 * element + 1, held);
        }

        /** A number that grows as elements send. */
        long sent() {
            return sum(0);
        }

        /** Cells that elements hold, those under way between them not counted. */
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
