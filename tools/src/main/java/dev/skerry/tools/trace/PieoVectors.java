package dev.skerry.tools.trace;

import dev.skerry.dataplane.queue.Pieo;
import dev.skerry.dataplane.queue.PieoLayout;
import dev.skerry.dataplane.queue.PieoMemory;
import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Vectors of a PIEO: for each operation its inputs, all outputs, and then the registers and the pointer array. Time is
 * the clock in which the operation is accepted, the first one after reset. A refused operation, which hardware must not
 * receive, takes one clock.
 */
public final class PieoVectors implements VectorSource {
    private static final int CLOCK_PS = 1000;
    private static final int OP_BITS = 2;
    private static final int COUNT_BITS = 17;
    private static final int CLOCK_BITS = 3;

    private final Arena arena;
    private final Pieo pieo;
    private final Iterator<PieoOperations.PieoOperation> operations;
    private final SlotRange range;
    private final Scope scope;
    private PieoOperations.PieoOperation operation;
    private int code;
    private long number;
    private long clock;

    /**
     * Creates an empty PIEO.
     *
     * @param layout     dimensions of the PIEO.
     * @param operations operations to execute.
     * @param range      traced operations.
     */
    public PieoVectors(final PieoLayout layout, final Iterator<PieoOperations.PieoOperation> operations,
        final SlotRange range) {
        this.arena = Arena.ofShared();
        this.pieo = new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
        this.operations = operations;
        this.range = range;
        this.scope = new Scope("pieo", signals(layout));
        this.clock = pieo.clocks();
    }

    private static List<Signal> signals(final PieoLayout layout) {
        final int sublistBits = Integer.bitCount(layout.noSublist());
        final List<Signal> signals = new ArrayList<>(List.of(
            new Signal("op_in", OP_BITS), new Signal("id_in", layout.idBits()),
            new Signal("rank_in", layout.rankBits()), new Signal("time_in", layout.timeBits()),
            new Signal("done", 1), new Signal("id_out", layout.idBits()), new Signal("rank_out", layout.rankBits()),
            new Signal("send_time_out", layout.timeBits()), new Signal("f_enqueued_in_sublist_out", sublistBits),
            new Signal("flow_id_moved_out", layout.idBits() + 1),
            new Signal("flow_id_moved_to_sublist_out", sublistBits), new Signal("clocks", CLOCK_BITS),
            new Signal("held", COUNT_BITS), new Signal("free_list_head", sublistBits)));
        for (int entry = 0; entry < layout.sublists(); entry++) {
            signals.add(new Signal("pa" + entry + "_sublist", sublistBits));
            signals.add(new Signal("pa" + entry + "_count", COUNT_BITS));
            signals.add(new Signal("pa" + entry + "_rank", layout.rankBits()));
            signals.add(new Signal("pa" + entry + "_time", layout.timeBits()));
        }
        return signals;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(scope);
    }

    @Override
    public boolean next() {
        do {
            if (number == range.end() || !operations.hasNext()) {
                return false;
            }
            // Adds the clocks of the operation before.
            clock += number == 0 ? 0 : Math.max(pieo.clocks(), 1);
            operation = operations.next();
            code = run(operation);
        }
        while (number++ < range.first());
        return true;
    }

    private int run(final PieoOperations.PieoOperation next) {
        return switch (next.kind()) {
            case PieoOperations.PieoOperation.ENQUEUE -> pieo.enqueue(next.id(), next.rank(), next.time());
            case PieoOperations.PieoOperation.DEQUEUE -> pieo.dequeue(next.time());
            default -> pieo.dequeueF(next.id());
        };
    }

    @Override
    public long time() {
        return clock;
    }

    @Override
    public long unitPs() {
        return CLOCK_PS;
    }

    @Override
    public void read(final int index, final long[] values) {
        int at = 0;
        values[at++] = operation.kind();
        values[at++] = operation.id();
        values[at++] = operation.rank();
        values[at++] = operation.time();
        values[at++] = code == Pieo.DONE ? 1 : 0;
        values[at++] = pieo.id();
        values[at++] = pieo.rank();
        values[at++] = pieo.sendTime();
        values[at++] = pieo.enqueuedInSublist();
        values[at++] = pieo.movedId();
        values[at++] = pieo.movedToSublist();
        values[at++] = pieo.clocks();
        values[at++] = pieo.size();
        final PieoMemory memory = pieo.memory();
        values[at++] = memory.used();
        for (int entry = 0; entry < pieo.layout().sublists(); entry++) {
            values[at++] = memory.sublist(entry);
            values[at++] = memory.count(entry);
            values[at++] = memory.smallestRank(entry);
            values[at++] = memory.smallestSendTime(entry);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
