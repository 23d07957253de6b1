package dev.skerry.nic.engine;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;

import java.util.Arrays;

/**
 * Runs a circuit fabric in lock step together with other processes, the members: each has a range of the nodes, and
 * what crosses between two of them goes over a {@link RowExchange}. All members call the same methods in the same
 * order, and all have the outcome, which is that of {@link LockStep}. One thread, which also owns the exchange.
 */
public final class MemberStep implements MemberEngine {
    private final CircuitFabric fabric;
    private final CountedArena arena;
    private final Assembly assembly;
    private final WorkerCrew crew;
    private final MemberRows rows;
    private final FabricParts parts;
    private final Traffic traffic;
    private final FlowSet flows;
    /** Slots done, with those after a limit; and slots of the outcome. */
    private long stepped;
    private long slots;
    private boolean endedByFlows;
    private long held;

    /**
     * One member's part of a fabric at slot 0.
     *
     * @param parts    of the fabric; the same at every member, as are flows and faults.
     * @param flows    what is sent across the whole fabric.
     * @param faults   what fails in it, and when.
     * @param exchange the way to the others; closed by whoever opened it.
     * @throws IllegalArgumentException if the fabric does not support the flows or faults, or if there are more
     *                                  members than nodes.
     */
    public MemberStep(final FabricParts parts, final FlowSet flows, final Faults faults, final RowExchange exchange) {
        this.traffic = new Traffic(flows, faults);
        Assembly.check(parts, traffic);
        check(parts, exchange.members());
        this.parts = parts;
        this.flows = flows;
        this.fabric = parts.fabric();
        this.arena = new CountedArena();
        this.assembly = new Assembly(arena, parts, traffic, banks(fabric, exchange), LockStep.window(fabric),
            (bank, link) -> parts.scheduled(link), false);
        this.crew = new WorkerCrew(arena, 1, Strides.of(parts, traffic, false).slots(), null, null);
        this.rows = new MemberRows(exchange, assembly, fabric, flows);
    }

    private static void check(final FabricParts parts, final int members) {
        if (members > Math.min(parts.fabric().nodes(), Short.MAX_VALUE)) {
            throw new IllegalArgumentException("a member has a node at least: members=" + members + " nodes="
                + parts.fabric().nodes());
        }
    }

    /** The nodes of this member, in banks of one block each. */
    private static NodeRange[] banks(final CircuitFabric fabric, final RowExchange exchange) {
        final NodeRange own = NodeRange.share(fabric.nodes(), exchange.member(), exchange.members());
        final NodeRange[] ranges = new NodeRange[Math.ceilDiv(own.size(), LockStep.BANK_NODES)];
        Arrays.setAll(ranges, bank -> {
            final NodeRange within = NodeRange.share(own.size(), bank, ranges.length);
            return new NodeRange(own.first() + within.first(), own.first() + within.end());
        });
        return ranges;
    }

    /** {@inheritDoc} A watch that asks to stop stops all members, a meeting or two later and all in the same slot. */
    @Override
    public void run(final long slotLimit, final Watch watch) {
        final MemberMeetings meetings = new MemberMeetings(rows.mail(), Strides.of(parts, traffic, false).slots(),
            fabric.propagationSlots());
        rows.begin();
        stepped = meetings.run(crew, stepped,
            slotLimit == 0 ? Long.MAX_VALUE : slotLimit + fabric.propagationSlots(), watch,
            new MemberWorker(assembly, rows.mail(), meetings, parts, traffic, slotLimit == 0));
        final MemberEnd end = MemberEnd.of(assembly, stepped).joined(rows.mail().exchange());
        held = end.balance().conserved();
        endedByFlows = slotLimit == 0 && crew.isDone();
        slots = endedByFlows ? end.lastCompletion(flows.size())
            : slotLimit == 0 ? stepped : Math.min(stepped, slotLimit);
    }

    @Override
    public EngineState state() {
        return new EngineState(this, arena, crew::isDone, () -> stepped);
    }

    /** Of this member's nodes. */
    @Override
    public long count(final NicCounter counter) {
        return assembly.count(counter);
    }

    /** Of this member. */
    @Override
    public long memoryBytes() {
        return assembly.memoryBytes();
    }

    /** {@inheritDoc} All members ask for it. */
    @Override
    public Outcome outcome() {
        return OutcomeParts.joined(assembly.outcome(slots, endedByFlows, held, endedByFlows ? slots : stepped),
            fabric.population(), flows, rows.mail().exchange());
    }

    @Override
    public MemberEngine.Exchanged cost() {
        return rows.mail().cost();
    }

    @Override
    public void close() {
        rows.mail().close();
        assembly.close();
    }
}
