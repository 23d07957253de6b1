package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.follow.NodeFollower;
import dev.skerry.nic.shale.Shale;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Follows all nodes of a recorded trace. One thread. */
final class Scorer {
    /** Slots before and after the first finding that are kept for the wave. */
    static final int AROUND = 16;

    private final Shale shale;
    private final CellNames names;
    private final FindingLog log;
    private final FabricFollower fabric;
    private final int[] joined;
    private final ArrayDeque<TraceSlot> last = new ArrayDeque<>();
    private final List<TraceSlot> wave = new ArrayList<>();
    private long from;
    private long settle;
    private long slots;
    private long cells;
    private long local;
    private long dummies;
    private long registers;

    Scorer(final Shale shale, final CellNames names, final FollowRules rules, final FindingLog log) {
        this.shale = shale;
        this.names = names;
        this.log = log;
        this.fabric = new FabricFollower(shale, names, rules, log);
        this.joined = new int[shale.nodes()];
    }

    /**
     * Begins in mid-run, where what nodes hold is not known.
     *
     * @param first the slot.
     * @param slots in which the followers learn, and findings are forgotten.
     */
    void beginAt(final long first, final long slots) {
        from = first;
        settle = slots;
        fabric.beginAt(first);
    }

    /**
     * Follows a trace to its end.
     *
     * @param registersOf the nodes, null for none.
     */
    void score(final CellTrace trace, final RegisterTrace registersOf) {
        boolean known = registersOf != null;
        for (TraceSlot slot = trace.next(); slot != null; slot = trace.next()) {
            if (slot.slot < from) {
                continue;
            }
            if (slot.slot == from + settle) {
                log.forget();
                wave.clear();
            }
            Arrays.fill(joined, NodeFollower.UNTOLD);
            known = known && registersOf.turnTo(slot.slot);
            if (known) {
                registersOf.joined(slot, joined);
            }
            expect(slot);
            fabric.step(slot.sent, slot.received, joined);
            if (known) {
                registersOf.compare(fabric);
            }
            count(slot);
            keep(slot);
        }
        registers = registersOf == null ? 0 : registersOf.compared();
    }

    /** What the words of a slot do not say: where cells went, and what dummies carried. */
    private void expect(final TraceSlot slot) {
        final int phase = shale.schedule().slotInEpoch(slot.slot) / shale.schedule().linksPerPhase();
        for (int node = 0; node < shale.nodes(); node++) {
            final NodeFollower follower = fabric.node(node);
            if (slot.peer[node] != TraceSlot.UNKNOWN) {
                follower.expectPeer(slot.peer[node]);
            }
            if (slot.phase[node] != TraceSlot.UNKNOWN && slot.phase[node] != phase) {
                follower.refuse(Law.SCHEDULE, "phase " + phase, "phase " + slot.phase[node]);
            }
            if (slot.second[node] != null) {
                follower.refuse(Law.SCHEDULE, "one cell or dummy", slot.second[node]);
            }
            if (slot.faults[node] != null) {
                follower.refuse(Law.PAYLOAD, "an intact header", slot.faults[node]);
            }
            if (slot.load[node] != null) {
                follower.refuse(Law.PAYLOAD, "a dummy without a cell", slot.load[node]);
            }
        }
    }

    private void count(final TraceSlot slot) {
        slots++;
        for (int node = 0; node < shale.nodes(); node++) {
            final long route = slot.sent[node].route(0);
            final long cell = slot.sent[node].cell(0);
            cells += InFlightCells.isCell(route) ? 1 : 0;
            local += InFlightCells.isCell(route) && names.exists(cell) && names.source(cell) == node ? 1 : 0;
            dummies += route == InFlightCells.NO_CELL ? 1 : 0;
        }
    }

    private void keep(final TraceSlot slot) {
        if (log.none()) {
            last.add(slot);
            if (last.size() > AROUND) {
                last.poll();
            }
        } else if (wave.isEmpty()) {
            wave.addAll(last);
            wave.add(slot);
        } else if (slot.slot <= log.list().getFirst().slot() + AROUND) {
            wave.add(slot);
        }
    }

    /** The slots around the first finding; none if there is no finding. */
    List<TraceSlot> wave() {
        return wave;
    }

    Shale shale() {
        return shale;
    }

    CellNames names() {
        return names;
    }

    FindingLog log() {
        return log;
    }

    long slots() {
        return slots;
    }

    /** What was followed, in one line. */
    String totals() {
        int open = 0;
        int held = 0;
        for (int node = 0; node < shale.nodes(); node++) {
            open = Math.max(open, fabric.node(node).mostOpen());
            held += fabric.node(node).held();
        }
        return slots + " slots of " + shale.nodes() + " nodes: " + cells + " cells sent, " + local + " of them local, "
            + dummies + " dummies, " + registers + " registers; " + held + " cells held at the end, at most " + open
            + " of a node open";
    }
}
