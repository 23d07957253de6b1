package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.ring.SpscRing;
import dev.skerry.nic.edge.EdgeMemory.CellQueue;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow;
import dev.skerry.nic.packet.ReorderWindow.CellHandler;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Cells that have reached the ports of a bank, or were lost on the way to them, until they are in order. A delivered
 * cell waits in a queue, so delivery has no other effect. A lost cell also takes its position in the order, so that its
 * packet is counted as lost. Called by the bank's thread.
 */
final class BankArrivals implements CellHandler {
    /** Number of streams swept for overdue cells per call of {@link #look}. */
    private static final int STREAMS_PER_LOOK = 16;
    private static final int PATIENCE = 64;

    private final PacketEdges plan;
    private final int bank;
    private final Shared shared;
    private final EdgeMemory memory;
    private final PacketCounts packets;
    /** Egress of each place. */
    private final PacketEgress[] egress;
    /** By stream: the egress of its cells, its flow, and the number of cells passed on, lost or not. */
    private final PacketEgress[] egressOf;
    private final int[] flowOf;
    private final long[] handedOn;
    private final ReorderWindow window;
    /** Cells not yet put in order, and their number by place. */
    private final CellQueue arrived;
    private final int[] arrivedAt;
    /** Null if cells travel as handles. */
    private final OverdueStreams overdue;
    private long lost;
    /** Cells that arrived after they had been declared lost. */
    private long late;

    /**
     * State shared by all banks.
     *
     * @param memory        the cells.
     * @param names         null if cells travel as handles.
     * @param ways          return paths of lost cells; null if there is one bank.
     * @param patienceSlots time in slots after which cells that travel by name count as lost.
     */
    record Shared(EdgeMemory memory, NamedCells names, LostCells ways, long patienceSlots) {
        static Shared of(final Arena arena, final PacketEdges plan, final EdgeMemory memory, final Fabric fabric,
            final int banks, final boolean byName) {
            final int cells = plan.config.bufferCells();
            // No queue on the path of a cell is longer than N, and the cell may be sent again.
            return new Shared(memory, byName ? new NamedCells(arena, plan.between.size(), cells) : null,
                banks == 1 ? null : new LostCells(arena, banks, plan.ports() * cells),
                // A class waits for higher classes for as long as they send.
                plan.config.classes().count() > 1 ? Long.MAX_VALUE
                    : (2L * fabric.nodes() + PATIENCE) * fabric.emptySlots());
        }
    }

    BankArrivals(final Arena arena, final PacketEdges plan, final int bank, final int[] ports,
        final PacketEgress[] egress, final Shared shared, final WindowConfig windows, final PacketCounts packets) {
        this.plan = plan;
        this.bank = bank;
        this.shared = shared;
        this.memory = shared.memory();
        this.packets = packets;
        this.egress = egress;
        final int queues = plan.between.queues();
        final int streams = ports.length * queues;
        this.egressOf = new PacketEgress[streams];
        this.flowOf = new int[streams];
        this.handedOn = new long[streams];
        for (int place = 0; place < ports.length; place++) {
            Arrays.fill(flowOf, place * queues, (place + 1) * queues, PortFlows.NO_FLOW);
            Arrays.fill(egressOf, place * queues, (place + 1) * queues, egress[place]);
        }
        for (int flow = 0; flow < plan.between.size(); flow++) {
            if (plan.bankOf[plan.between.destination(flow)] == bank) {
                flowOf[stream(flow)] = flow;
            }
        }
        this.arrived = new CellQueue(memory);
        this.arrivedAt = new int[ports.length];
        this.window = new ReorderWindow(arena, windows, cell -> memory.free(bank, cell), this, packets);
        this.overdue = shared.names() == null ? null : new OverdueStreams();
    }

    /** Accepts a delivered cell; returns its identity. */
    long deliver(final long word) {
        final long identity = identify(word);
        final int flow = Cell.flow(identity);
        if (overdue != null && Cell.sequence(identity) - (int) window.expected(stream(flow)) < 0) {
            // The cell had been declared lost. Its memory belongs to another cell.
            late++;
            packets.increment(PacketCounter.CELLS_RECEIVED);
            packets.increment(PacketCounter.DROPPED_BEHIND);
        } else {
            final int cell = handle(word);
            arrive(cell, memory.flags(cell), flow);
        }
        return identity;
    }

    /** The identity of a cell. */
    long identify(final long word) {
        return overdue == null ? memory.identity((int) word) : word;
    }

    /** Accepts a lost cell of which no copy can arrive. */
    void discard(final long word) {
        final int cell = handle(word);
        packets.increment(PacketCounter.DROPPED_BY_FABRIC);
        final int flow = Cell.flow(memory.identity(cell));
        final int to = plan.bankOf[plan.between.destination(flow)];
        final int flags = memory.flags(cell) | EdgeMemory.LOST;
        if (to == bank) {
            arrive(cell, flags, flow);
        } else {
            memory.setLast(cell, flags);
            shared.ways().send(bank, to, cell);
        }
    }

    /** Frees a cell of a packet that its adapter has discarded. */
    void drop(final int cell) {
        lost++;
        memory.free(bank, cell);
    }

    private int handle(final long word) {
        return overdue == null ? (int) word : shared.names().find(Cell.flow(word), Cell.sequence(word));
    }

    private int stream(final int flow) {
        return plan.placeOf[plan.between.destination(flow)] * plan.between.queues() + plan.between.streamOf(flow);
    }

    private void arrive(final int cell, final int flags, final int flow) {
        arrived.add(cell, flags);
        arrivedAt[plan.placeOf[plan.between.destination(flow)]]++;
    }

    /** Passes arrived and lost cells to the window, which puts each stream in order. */
    void poll(final long slot) {
        for (int from = 0; shared.ways() != null && from < plan.banks(); from++) {
            for (int cell = shared.ways().next(from, bank); cell != SpscRing.NONE;
                cell = shared.ways().next(from, bank)) {
                arrive(cell, memory.flags(cell), Cell.flow(memory.identity(cell)));
            }
        }
        while (!arrived.isEmpty()) {
            final int cell = arrived.poll();
            final long identity = memory.identity(cell);
            final int flow = Cell.flow(identity);
            arrivedAt[plan.placeOf[plan.between.destination(flow)]]--;
            window.accept(stream(flow), Cell.sequence(identity), cell, memory.flags(cell), slot);
        }
    }

    /** Looks for overdue cells, immediately after {@link #poll}; returns whether slots must pass for any of them. */
    boolean look(final long slot) {
        window.sweep(slot, STREAMS_PER_LOOK);
        if (overdue == null) {
            return false;
        }
        overdue.look(slot);
        return overdue.missing() > 0;
    }

    @Override
    public void onCell(final int stream, final int cell, final int flags) {
        handedOn[stream]++;
        egressOf[stream].join(plan.between.streamOf(flowOf[stream]), cell, flags);
    }

    @Override
    public void onGap(final int stream, final long cells) {
        if (overdue == null) {
            handedOn[stream] += cells;
            egressOf[stream].onGap(plan.between.streamOf(flowOf[stream]));
            return;
        }
        for (long left = cells; left > 0; left--) {
            final int cell = shared.names().find(flowOf[stream], handedOn[stream]);
            onCell(stream, cell, memory.flags(cell) | EdgeMemory.LOST);
        }
    }

    /** Number of cells that have arrived for the port at a place and that it has not taken yet. */
    int arrivedCells(final int place) {
        return arrivedAt[place] + egress[place].queued();
    }

    /** Number of cells lost or refused here. */
    long ended() {
        return lost - late + packets.get(PacketCounter.DROPPED_BEHIND) + packets.get(PacketCounter.DROPPED_DUPLICATE)
            + packets.get(PacketCounter.DROPPED_FAR_AHEAD);
    }

    /** Number of cells that are not yet in the queue of a port, counted individually. */
    long inWindow() {
        return arrived.count() + window.held();
    }

    /** Number of cells to this bank that were sent by name and have not arrived; 0 if cells travel as handles. */
    long missing() {
        return overdue == null ? 0 : overdue.missing() - inWindow();
    }

    /**
     * The paths of cells that are lost in one bank to the bank of their destination, which puts them in order with the
     * arriving cells. Every packet that loses a cell is therefore known, and no receiver waits for a cell that cannot
     * arrive. A ring from each bank to each other bank has room for all cells.
     */
    static final class LostCells {
        /** By losing bank, then bank of the destination; null from a bank to itself. */
        private final SpscRing[][] ways;

        /**
         * Creates empty paths.
         *
         * @param banks number of banks.
         * @param cells number of cells of all ports.
         */
        LostCells(final Arena arena, final int banks, final int cells) {
            this.ways = new SpscRing[banks][banks];
            final int room = Integer.highestOneBit(2 * cells - 1);
            for (int from = 0; from < banks; from++) {
                for (int to = 0; to < banks; to++) {
                    ways[from][to] = from == to ? null : new SpscRing(arena, room);
                }
            }
        }

        /** Sends a lost cell to the bank of its destination. Called by the thread of the losing bank. */
        void send(final int from, final int to, final int cell) {
            if (!ways[from][to].producer().offer(cell)) {
                throw new IllegalStateException("more cells are lost than exist: from=" + from + " to=" + to);
            }
        }

        /** The next cell that one bank has lost on its way to another, or {@link SpscRing#NONE}. */
        int next(final int from, final int to) {
            return from == to ? SpscRing.NONE : ways[from][to].consumer().poll();
        }

        /** Number of lost cells that have not been accepted yet. */
        int size() {
            return Arrays.stream(ways).flatMap(Arrays::stream).filter(Objects::nonNull).mapToInt(SpscRing::size).sum();
        }
    }

    /**
     * Detects cells that were lost silently, if cells travel by name. If nothing is passed on in a stream for longer
     * than any cell can be in flight, although cells are missing, all cells sent before that time are lost. One thread.
     */
    private final class OverdueStreams {
        /** By stream: the slot of its last progress, and the expected and sent cells at that time. */
        private final long[] sinceSlot = new long[flowOf.length];
        private final long[] expected = new long[flowOf.length];
        private final long[] sent = new long[flowOf.length];

        /** Checks all streams. All arrived cells must be in the window. */
        void look(final long slot) {
            for (int stream = 0; stream < flowOf.length; stream++) {
                if (flowOf[stream] != PortFlows.NO_FLOW) {
                    look(stream, shared.names().sent(flowOf[stream]), slot);
                }
            }
        }

        private void look(final int stream, final long now, final long slot) {
            final boolean goesOn = window.expected(stream) != expected[stream] || now == expected[stream];
            if (goesOn || slot - sinceSlot[stream] >= shared.patienceSlots()) {
                if (!goesOn) {
                    window.giveUp(stream, sent[stream], slot);
                }
                sinceSlot[stream] = slot;
                expected[stream] = window.expected(stream);
                sent[stream] = now;
            }
        }

        /** Number of cells of all streams that were sent and not passed on. */
        long missing() {
            long missing = 0;
            for (int stream = 0; stream < flowOf.length; stream++) {
                missing += flowOf[stream] == PortFlows.NO_FLOW ? 0
                    : shared.names().sent(flowOf[stream]) - window.expected(stream);
            }
            return missing;
        }
    }

    /**
     * Finds cells by their names, flow and sequence number, if a cell may be in flight twice: one ring of handles per
     * flow, allocated when its first cell is sent. No two in-flight cells share a place: each keeps its memory until
     * the cells before it have ended, and a port has no more cells than places. The thread of a flow's source adds
     * cells; the cells that travel order these writes before the reads by the thread of the destination.
     */
    static final class NamedCells {
        private final Arena arena;
        private final int places;
        private final Region[] rings;
        private final AtomicLongArray sent;

        /**
         * Creates rings for flows that have sent no cell.
         *
         * @param flows  number of flows.
         * @param places number of cells of a port, a power of two.
         */
        NamedCells(final Arena arena, final int flows, final int places) {
            this.arena = arena;
            this.places = places;
            this.rings = new Region[flows];
            this.sent = new AtomicLongArray(flows);
        }

        /** Whether a name is the next of its flow; if not, its cell has come back to be sent again. */
        boolean isNext(final long identity) {
            return Cell.sequence(identity) == (int) sent.getPlain(Cell.flow(identity));
        }

        /** Adds the next sent cell of a flow. */
        void add(final int flow, final int cell) {
            final long count = sent.getPlain(flow);
            if (rings[flow] == null) {
                rings[flow] = Region.allocate(arena, (long) places * Integer.BYTES);
            }
            rings[flow].setInt(at(count), cell);
            sent.setRelease(flow, count + 1);
        }

        /** Number of cells of a flow that have been sent, including lost ones. Any thread may call. */
        long sent(final int flow) {
            return sent.getAcquire(flow);
        }

        /** The handle of a cell of a flow that was sent and has not ended. */
        int find(final int flow, final long count) {
            return rings[flow].getInt(at(count));
        }

        private long at(final long count) {
            return (count & places - 1) * Integer.BYTES;
        }
    }
}
