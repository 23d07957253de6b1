package dev.skerry.tools.score;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.model.NodeCells;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Plays a recorded trace to a followed fabric. One thread. */
final class Scorer {
    /** Slots before and after the first finding that are kept for the wave. */
    static final int AROUND = 16;

    private final FollowedFabric fabric;
    private final FindingLog log;
    private final ArrayDeque<TraceSlot> last = new ArrayDeque<>();
    private final List<TraceSlot> wave = new ArrayList<>();
    private long from;
    private long settle;
    private long slots;
    private long cells;
    private long local;
    private long dummies;

    Scorer(final FollowedFabric fabric, final FindingLog log) {
        this.fabric = fabric;
        this.log = log;
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

    /** Follows a trace to its end. */
    void score(final CellTrace trace) {
        for (TraceSlot slot = trace.next(); slot != null; slot = trace.next()) {
            if (slot.slot < from) {
                continue;
            }
            if (slot.slot == from + settle) {
                log.forget();
                wave.clear();
            }
            fabric.step(slot);
            count(slot);
            keep(slot);
        }
    }

    private void count(final TraceSlot slot) {
        slots++;
        final CellNames names = fabric.names();
        for (int node = 0; node < fabric.nodes(); node++) {
            final NodeCells sent = slot.sent[node];
            for (int channel = 0; channel < fabric.channels(); channel++) {
                final boolean isCell = InFlightCells.isCell(sent.route(channel));
                cells += isCell ? 1 : 0;
                local += isCell && names.exists(sent.cell(channel)) && names.source(sent.cell(channel)) == node ? 1 : 0;
                dummies += sent.route(channel) == InFlightCells.NO_CELL ? 1 : 0;
            }
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

    FollowedFabric fabric() {
        return fabric;
    }

    FindingLog log() {
        return log;
    }

    long slots() {
        return slots;
    }

    /** What was followed, in one line. */
    String totals() {
        return slots + " slots of " + fabric.nodes() + " nodes: " + cells + " cells sent, " + local
            + " of them local, " + dummies + " dummies, " + fabric.registers() + " registers; " + fabric.held()
            + " cells held at the end, at most " + fabric.mostOpen() + " of a node open";
    }
}
