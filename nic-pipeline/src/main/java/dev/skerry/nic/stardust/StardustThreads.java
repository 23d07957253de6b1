package dev.skerry.nic.stardust;

import dev.skerry.dataplane.circuit.SlotCounts;
import dev.skerry.dataplane.circuit.SlotGate;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.AgentCrew;
import dev.skerry.nic.engine.AgentGroup;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fabric.Edge;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import org.agrona.concurrent.Agent;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A Stardust fabric run by real threads: an agent for each element and for each bank of adapters, joined by links that
 * carry a cell, a pause and what else devices tell each other, or nothing, in every slot. Nobody
 * waits for a clock: an agent goes on as soon as its links let it. Requests and credits go from bank to bank of
 * adapters, and take two delays at least. So this is a Kahn network, and its result is that of {@link StardustEngine}
 * to the last counter; where packets come from outside, up to when these come. Adapters then go on while some bank or
 * element has cells, and elements as far as that lets them.
 *
 * <p>One thread builds, runs and closes it; {@link #run} starts the others and has joined them when it returns.
 */
public final class StardustThreads implements Engine {
    private final Stardust fabric;
    private final FlowSet flows;
    private final Faults faults;
    private final ReachTiming healing;
    private final Threading threading;
    private final Arena arena;
    private final StardustAssembly books;
    private final int adapterBanks;
    private final SlotGate[] gates;
    private final SlotCounts counts;
    /** By bank of adapters, what comes from outside; null where nothing does. */
    private final Edge[] edges;
    private final ElementCells elements;
    private long slots;
    private long over;

    /**
     * A fabric at slot 0.
     *
     * @param fabric    the fabric.
     * @param flows     what is sent across it, between its endpoints.
     * @param faults    what goes wrong, as in {@link StardustEngine}.
     * @param healing   how devices find out.
     * @param threading threads, NICs being adapters and switches elements, and what they do while they wait.
     * @throws IllegalArgumentException if the faults are of devices that there are not.
     */
    public StardustThreads(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final Threading threading) {
        this(fabric, flows, faults, healing, null, threading);
    }

    /**
     * A fabric at slot 0 whose packets come from outside. Run without a limit, it goes on until it is told to stop, and
     * stands still while there is nothing to do.
     *
     * @param fabric    the fabric, with queues of their own for each pair of hosts.
     * @param flows     on demand.
     * @param edges     where their packets come from and go to; each bank's thread polls the ports of its adapters.
     * @param threading threads, NICs being adapters and switches elements, and what they do while they wait.
     * @throws IllegalArgumentException if packets of ports cannot cross the fabric.
     */
    public StardustThreads(final Stardust fabric, final FlowSet flows, final Edges edges, final Threading threading) {
        this(fabric, flows, Faults.NONE, ReachTiming.USUAL, edges, threading);
    }

    private StardustThreads(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final Edges edges, final Threading threading) {
        PortSide.require(fabric, flows, edges);
        faults.state(fabric.clos().devices());
        this.fabric = fabric;
        this.flows = flows;
        this.faults = faults;
        this.healing = healing;
        this.threading = threading;
        this.arena = Arena.ofShared();
        this.adapterBanks = Math.min(threading.banks(), fabric.clos().fas());
        this.books = StardustAssembly.of(arena, fabric, flows, faults, healing, DeviceRange.apart(fabric.clos(),
            adapterBanks));
        this.counts = new SlotCounts(arena, books.banks().length);
        this.gates = new SlotGate[counts.parties()];
        Arrays.setAll(gates, this::gate);
        this.elements = edges == null ? null : new ElementCells(counts.parties() - adapterBanks);
        this.edges = edges == null ? null
            : PortSide.connect(arena, fabric, Arrays.copyOf(books.banks(), adapterBanks), edges, elements);
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        final StardustAgent.Run run = new StardustAgent.Run(new ProgressLog(fabric, adapterBanks), adapterBanks,
            elements);
        final AgentCrew crew = new AgentCrew(threading);
        final List<StardustAgent> agents = new ArrayList<>();
        for (final StardustBank bank : books.banks()) {
            agents.add(new StardustAgent(bank, counts, gates[bank.share().bank()], run, crew.join(),
                slotLimit == 0 && edges == null ? new RunEnd(fabric, flows, faults, healing) : null,
                edges != null && bank.share().hasAdapters() ? edges[bank.share().bank()] : null));
        }
        slots = crew.run(grouped(agents), slotLimit == 0 ? Long.MAX_VALUE : slotLimit, watch, slot -> false);
        over = agents.getFirst().isRunOver() ? slots - RunEnd.lagSlots(fabric) : slots;
        books.conserve(slots);
    }

    @Override
    public long count(final NicCounter counter) {
        return books.count(counter);
    }

    @Override
    public long carried() {
        long carried = 0;
        for (int bank = 0; edges != null && bank < adapterBanks; bank++) {
            carried += books.banks()[bank].side().carried();
        }
        return carried;
    }

    @Override
    public Outcome outcome() {
        return books.outcome(slots, over);
    }

    @Override
    public void close() {
        arena.close();
    }

    /** A bank goes no further ahead of others than what they send it takes. */
    private SlotGate gate(final int bank) {
        final int[] byLink = books.shared().pauses().neighbours(bank);
        final int[] byControl = bank < adapterBanks ? adaptersBut(bank) : new int[0];
        final int[] all = Arrays.copyOf(byLink, byLink.length + byControl.length);
        final int[] delays = new int[all.length];
        Arrays.fill(delays, fabric.linkSlots());
        for (int i = 0; i < byControl.length; i++) {
            all[byLink.length + i] = byControl[i];
            delays[byLink.length + i] = 2 * fabric.linkSlots();
        }
        return new SlotGate(counts, all, delays);
    }

    private int[] adaptersBut(final int bank) {
        final int[] others = new int[adapterBanks - 1];
        Arrays.setAll(others, i -> i < bank ? i : i + 1);
        return others;
    }

    /** An agent for each bank of adapters, and one for each group of elements. */
    private List<Agent> grouped(final List<StardustAgent> agents) {
        final List<Agent> all = new ArrayList<>(agents.subList(0, adapterBanks));
        final List<StardustAgent> elements = agents.subList(adapterBanks, agents.size());
        final int groups = Math.min(threading.switchGroups(), elements.size());
        for (int group = 0; group < groups; group++) {
            all.add(new AgentGroup(elements.subList(elements.size() * group / groups,
                elements.size() * (group + 1) / groups)));
        }
        return all;
    }
}
