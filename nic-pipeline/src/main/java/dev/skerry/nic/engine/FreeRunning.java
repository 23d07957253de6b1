package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.CircuitSwitch;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Wiring;
import org.agrona.concurrent.Agent;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * A fabric run by real threads: banks of NICs and one agent for every circuit switch, joined by links of one row a slot
 * . Nobody waits for a clock: an agent goes on as soon as its links let it. As every link carries
 * every slot once and in order, this is a Kahn network, and its result is that of {@link LockStep}, cell for cell.
 *
 * <p>One thread builds, runs and closes it; {@link #run} starts the others and has joined them when it returns.
 */
public final class FreeRunning implements Engine {
    private final CircuitFabric fabric;
    private final Assembly assembly;
    private final AgentCrew crew;
    private final List<NicAgent> nics = new ArrayList<>();
    private final List<Agent> groups = new ArrayList<>();
    private long slots;
    private long held;

    /** A fabric at slot 0 in which nothing ever fails. */
    public FreeRunning(final FabricParts parts, final FlowSet flows, final Wiring wiring, final Threading threading,
        final boolean check) {
        this(parts, flows, Faults.NONE, wiring, threading, check);
    }

    /**
     * A fabric at slot 0.
     *
     * @param parts     what the fabric is put together from.
     * @param flows     what is sent across it.
     * @param faults    what goes wrong with it.
     * @param wiring    its switches and fibres.
     * @param threading threads and what they do while they wait.
     * @param check     whether every payload is checked end to end; the law of conservation is at the end of every run.
     * @throws IllegalArgumentException if the fabric is too large for the handles of cells, has not the nodes of the
     *                                  faults, or not what the flows ask for.
     */
    public FreeRunning(final FabricParts parts, final FlowSet flows, final Faults faults, final Wiring wiring,
        final Threading threading, final boolean check) {
        this(parts, new Traffic(flows, faults), wiring, threading, check);
    }

    /**
     * A fabric at slot 0 whose cells come from outside. Run without a limit, it goes on until it is told to stop, and
     * stands still while there is nothing to do.
     *
     * @param parts     what the fabric is put together from.
     * @param flows     on demand.
     * @param edges     where their cells come from and go to.
     * @param wiring    its switches and fibres.
     * @param threading threads and what they do while they wait.
     */
    public FreeRunning(final FabricParts parts, final FlowSet flows, final Edges edges, final Wiring wiring,
        final Threading threading) {
        this(parts, new Traffic(flows, Faults.NONE, edges), wiring, threading, false);
    }

    private FreeRunning(final FabricParts parts, final Traffic traffic, final Wiring wiring,
        final Threading threading, final boolean check) {
        Assembly.check(parts, traffic);
        this.crew = new AgentCrew(threading);
        this.fabric = parts.fabric();
        final NodeRange[] ranges = Assembly.shares(fabric, threading.banks());
        final Arena arena = Arena.ofShared();
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
        final int switchGroups = Math.min(threading.switchGroups(), wiring.switches());
        final List<List<Agent>> switches = new ArrayList<>();
        for (int group = 0; group < switchGroups; group++) {
            switches.add(new ArrayList<>());
        }
        for (int index = 0; index < wiring.switches(); index++) {
            final CircuitSwitch circuitSwitch = fibres.circuitSwitch(arena, index);
            switches.get(index * switchGroups / wiring.switches()).add(circuitSwitch);
        }
        switches.forEach(group -> groups.add(new AgentGroup(group)));
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        final long end = slotLimit == 0 ? Long.MAX_VALUE : slotLimit + fabric.propagationSlots();
        final List<Agent> agents = new ArrayList<>(nics);
        agents.addAll(groups);
        final Quiescence quiescence = new Quiescence(assembly.cellsOfFlows(), assembly.resends());
        slots = crew.run(agents, end, watch, slot -> isQuiet(quiescence, slot));
        held = slots == 0 ? 0 : assembly.audit().conserve(slots - 1);
        slots = slotLimit == 0 ? assembly.lastCompletion(slots) : Math.min(slots, slotLimit);
    }

    @Override
    public long count(final NicCounter counter) {
        return assembly.count(counter);
    }

    @Override
    public Outcome outcome() {
        return assembly.outcome(slots, held);
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
}
