package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.CircuitSwitch;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Wiring;
import org.agrona.concurrent.Agent;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs a circuit fabric on threads: an agent for each bank of NICs and for each circuit switch, connected by links that
 * carry one row per slot. There is no common clock: an agent goes on as soon as its links allow. Every link carries
 * every slot once and in order, so this is a Kahn network, and its result equals that of {@link LockStep} cell for
 * cell. {@link AgentCrew} owns the threads.
 */
public final class FreeRunning implements Resumable {
    private final CircuitFabric fabric;
    private final CountedArena arena;
    private final Assembly assembly;
    private final AgentCrew crew;
    private final List<NicAgent> nics = new ArrayList<>();
    private final AgentGraph graph;
    /** Slots between two at which a run without a limit may end, where banks never become idle. */
    private final long ends;
    /** Part of the state: a switch knows its slot, and where it stands in its links. */
    private final List<CircuitSwitch> switches = new ArrayList<>();
    /** Slots done, with those after a limit; and slots of the outcome. */
    private long stepped;
    private long slots;
    /** Whether the last run came to its end; false if its watch stopped it. */
    private boolean isDone;
    private boolean endedByFlows;
    /** Slots of the outcome and, after a limit, those in which cells that were on their way arrived. */
    private long covered;
    private long held;

    /** A fabric at slot 0 in which nothing ever fails. */
    public FreeRunning(final FabricParts parts, final FlowSet flows, final Wiring wiring, final Threading threading,
        final boolean check) {
        this(parts, flows, Faults.NONE, wiring, threading, check);
    }

    /**
     * A fabric at slot 0.
     *
     * @param parts     of the fabric.
     * @param flows     what is sent across it.
     * @param faults    what fails, and when.
     * @param wiring    its switches and fibres.
     * @param threading its threads.
     * @param check     whether every payload is checked end to end; conservation is checked after every run.
     * @throws IllegalArgumentException if the fabric is too large for cell handles, if faults name nodes that do not
     *                                  exist, or if the fabric does not support the flows or faults.
     */
    public FreeRunning(final FabricParts parts, final FlowSet flows, final Faults faults, final Wiring wiring,
        final Threading threading, final boolean check) {
        this(parts, new Traffic(flows, faults), wiring, threading, check);
    }

    /**
     * A fabric at slot 0 whose cells come from outside. A run without a limit goes on until the watch ends it, and
     * pauses between slots while there is nothing to do.
     *
     * @param parts     of the fabric.
     * @param flows     on demand.
     * @param faults    what fails, and when.
     * @param edges     where their cells enter and leave.
     * @param wiring    its switches and fibres.
     * @param threading its threads.
     */
    public FreeRunning(final FabricParts parts, final FlowSet flows, final Faults faults, final Edges edges,
        final Wiring wiring, final Threading threading) {
        this(parts, new Traffic(flows, faults, edges), wiring, threading, false);
    }

    private FreeRunning(final FabricParts parts, final Traffic traffic, final Wiring wiring,
        final Threading threading, final boolean check) {
        if (parts.meetsInEverySlot()) {
            throw new IllegalArgumentException("nodes would have to know of each other at once, and on threads of "
                + "their own they cannot: fabric=" + parts.fabric());
        }
        Assembly.check(parts, traffic);
        this.crew = new AgentCrew(threading);
        this.ends = Strides.of(parts, traffic, check).ends();
        this.fabric = parts.fabric();
        final NodeRange[] ranges = Assembly.shares(fabric, threading.banks());
        this.arena = new CountedArena();
        final Fibres fibres = new Fibres(arena, wiring, ranges, fabric.propagationSlots());
        final int window = fibres.slotsUnderWay();
        if ((long) window * fabric.cellsInSlot() > Integer.MAX_VALUE) {
            arena.close();
            throw new IllegalArgumentException("too many cells under way for threads: nodes=" + fabric.nodes()
                + " channels=" + fabric.channels() + " slots=" + window);
        }
        final SwitchedArrivals[] circuits = new SwitchedArrivals[ranges.length];
        for (int bank = 0; bank < ranges.length; bank++) {
            circuits[bank] = new SwitchedArrivals(ranges[bank], fabric.channels());
        }
        this.assembly = new Assembly(arena, parts, traffic, ranges, window, (bank, link) -> circuits[bank], check);
        for (int bank = 0; bank < ranges.length; bank++) {
            final NicPorts ports = new NicPorts(circuits[bank], assembly.link(), window, fibres, bank,
                ranges[bank].first(), wiring);
            nics.add(new NicAgent(assembly.bank(bank), assembly.edge(bank), ports, fabric.propagationSlots(),
                assembly.timeline(bank), crew.join()));
        }
        this.graph = graph(fibres, wiring.switches(), threading.switchGroups());
    }

    private AgentGraph graph(final Fibres fibres, final int count, final int mostGroups) {
        final int groups = Math.min(mostGroups, count);
        final List<Agent> agents = new ArrayList<>(nics);
        for (int group = 0; group < groups; group++) {
            final NodeRange of = NodeRange.share(count, group, groups);
            for (int index = of.first(); index < of.end(); index++) {
                switches.add(fibres.circuitSwitch(arena, index));
            }
            agents.add(new AgentGroup(List.copyOf(switches.subList(of.first(), of.end()))));
        }
        return fibres.graph(agents, count, groups);
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        final long end = slotLimit == 0 ? Long.MAX_VALUE : slotLimit + fabric.propagationSlots();
        if (slotLimit == 0 && !assembly.hasEdges() && !assembly.bank(0).canIdle()) {
            isDone = runUntilDone(watch);
        } else {
            final Quiescence quiescence = new Quiescence(assembly.cellsOfFlows(), assembly.resends());
            stepped = crew.run(graph, end, watch,
                slot -> isQuiet(quiescence, slot) && nics.stream().allMatch(NicAgent::isIdle));
            isDone = crew.isDone();
        }
        held = stepped == 0 ? 0 : assembly.audit().conserve(stepped - 1);
        endedByFlows = slotLimit == 0 && isDone;
        // Nothing happens in the slots that an idle fabric has left.
        covered = endedByFlows ? assembly.lastCompletion() : isDone ? end : stepped;
        slots = slotLimit == 0 ? covered : Math.min(covered, slotLimit);
    }

    /**
     * Runs from one slot in which the run may end to the next one, until all cells are settled.
     *
     * @return whether they are; false if the watch stopped the run earlier.
     */
    private boolean runUntilDone(final Watch watch) {
        boolean goesOn = true;
        while (stepped % ends != 0 || stepped == 0 || assembly.settled() < assembly.cellsOfFlows()) {
            if (!goesOn) {
                return false;
            }
            stepped = crew.run(graph, (stepped / ends + 1) * ends, watch, slot -> false);
            goesOn = crew.isDone();
        }
        return true;
    }

    @Override
    public EngineState state() {
        return new EngineState(this, arena, () -> isDone, () -> stepped);
    }

    @Override
    public long count(final NicCounter counter) {
        return assembly.count(counter);
    }

    @Override
    public long memoryBytes() {
        return assembly.memoryBytes();
    }

    @Override
    public Outcome outcome() {
        return assembly.outcome(slots, endedByFlows, held, covered);
    }

    @Override
    public void close() {
        assembly.close();
    }

    private boolean isQuiet(final Quiescence quiescence, final long slot) {
        quiescence.look(slot);
        for (final NicAgent nic : nics) {
            quiescence.add(nic.settled(), nic.moves());
        }
        for (final NicAgent nic : nics) {
            quiescence.until(nic.slots());
        }
        return quiescence.isReached();
    }

    /**
     * Detects that every cell has arrived or is lost while the banks run. The owner of the run samples the banks one
     * after the other, each at a slot of its own. One thread, the owner's.
     *
     * <p>If nothing fails, the number of settled cells only grows and their sum is enough. Otherwise two samples are
     * needed, the second taken when every bank is beyond the furthest bank of the first. If the sum is right in both
     * and nothing moved in between, then at one slot common to all banks no cell was under way, and no bank had one to
     * send later.
     */
    static final class Quiescence {
        /** A bank's counters may be ahead of the slot it has published by this many slots at most. */
        private static final long AHEAD = 2L * NicAgent.BATCH_SLOTS;

        private final long cells;
        private final boolean twice;
        private long from;
        private long until;
        private long settled;
        private long moves;
        private long suspectedUntil = Long.MAX_VALUE;
        private long suspectedMoves;

        /**
         * Before the first sample.
         *
         * @param cells cells of all flows.
         * @param twice whether two samples are needed.
         */
        Quiescence(final long cells, final boolean twice) {
            this.cells = cells;
            this.twice = twice;
        }

        /** Begins a sample; every bank has done at least {@code slots} slots. */
        void look(final long slots) {
            from = slots;
            until = 0;
            settled = 0;
            moves = 0;
        }

        /** Adds a bank's {@code Bank#settled} and {@code Bank#moves}. */
        void add(final long bankSettled, final long bankMoves) {
            settled += bankSettled;
            moves += bankMoves;
        }

        /** After all banks were added: slots that a bank has published by now. */
        void until(final long slots) {
            until = Math.max(until, slots + AHEAD);
        }

        /** Whether all cells are settled; called once a sample. */
        boolean isReached() {
            if (settled != cells) {
                suspectedUntil = Long.MAX_VALUE;
                return false;
            }
            if (!twice || from >= suspectedUntil && moves == suspectedMoves) {
                return true;
            }
            if (suspectedUntil == Long.MAX_VALUE || moves != suspectedMoves) {
                suspectedUntil = until;
                suspectedMoves = moves;
            }
            return false;
        }
    }
}
