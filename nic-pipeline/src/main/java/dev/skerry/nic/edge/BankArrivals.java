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
 * The cells that have come to the ports of a bank or were lost on their way there, until they are in order. A delivered
 * cell waits in a queue, so delivering has no other effect. A lost cell takes its place in the order, too, so that its
 * packet is lost by name. The bank's thread.
 */
final class BankArrivals implements CellHandler {
    /** Streams swept for overdue cells per look. */
    private static final int STREAMS_PER_LOOK = 16;
    private static final int PATIENCE = 64;

    private final PacketEdges plan;
    private final int bank;
    private final Shared shared;
    private final EdgeMemory memory;
    private final PacketCounts packets;
    /** By place. */
    private final PacketEgress[] egress;
    /** By stream: where its cells leave the fabric, its flow, and how many were handed on, lost or not. */
    private final PacketEgress[] egressOf;
    private final int[] flowOf;
    private final long[] handedOn;
    private final ReorderWindow window;
    /** Cells not yet put in order. The next array counts them by place. */
    private final CellQueue arrived;
    private final int[] arrivedAt;
    /** Null where cells travel as handles. */
    private final OverdueStreams overdue;
    private long lost;
    /** Cells that came after they had been given up. */
    private long late;

    /**
     * What all banks share.
     *
     * @param memory        the cells.
     * @param names         null where cells travel as handles.
     * @param ways          of lost cells; null where there is one bank.
     * @param patienceSlots after which cells that travel by name are lost.
     */
    record Shared(EdgeMemory memory, NamedCells names, LostCells ways, long patienceSlots) {
        static Shared of(final Arena arena, final PacketEdges plan, final EdgeMemory memory, final Fabric fabric,
            final int banks, final boolean byName) {
            final int cells = plan.config.bufferCells();
            // No queue on the way of a cell is longer than N, and it may be sent again.
            return new Shared(memory, byName ? new NamedCells(arena, plan.between.size(), cells) : null,
                banks == 1 ? null : new LostCells(arena, banks, plan.ports() * cells),
                // A class waits for higher ones for as long as they send.
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

    /** Takes in a delivered cell; returns its identity. */
    long deliver(final long word) {
        final long identity = identify(word);
        final int flow = Cell.flow(identity);
        if (overdue != null && Cell.sequence(identity) - (int) window.expected(stream(flow)) < 0) {
            // It was given up. Its memory belongs to another cell.
            late++;
            packets.increment(PacketCounter.CELLS_RECEIVED);
            packets.increment(PacketCounter.DROPPED_BEHIND);
        } else {
            final int cell = handle(word);
            arrive(cell, memory.flags(cell), flow);
        }
        return identity;
    }

    /** Which cell it is. */
    long identify(final long word) {
        return overdue == null ? memory.identity((int) word) : word;
    }

    /** Takes in a cell that was lost and of which no copy can come. */
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

    /** Takes in a cell of a packet that its adapter has given up, and frees it. */
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

    /** Passes the cells that have come or were lost to the window, which puts each stream in order. */
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

    /** Looks for overdue cells, right after {@link #poll}; returns whether slots must pass for some. */
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

    /** Cells that have arrived for the port at a place and that it has not taken yet. */
    int arrivedCells(final int place) {
        return arrivedAt[place] + egress[place].queued();
    }

    /** Cells lost or refused here. */
    long ended() {
        return lost - late + packets.get(PacketCounter.DROPPED_BEHIND) + packets.get(PacketCounter.DROPPED_DUPLICATE)
            + packets.get(PacketCounter.DROPPED_FAR_AHEAD);
    }

    /** Cells that are not yet in the queue of a port, counted one by one. */
    long inWindow() {
        return arrived.count() + window.held();
    }

    /** Cells to this bank that were sent by name and have not come; 0 where cells travel as handles. */
    long missing() {
        return overdue == null ? 0 : overdue.missing() - inWindow();
    }

    /**
     * The way of cells that are lost in one bank to the bank of their destination, which puts them in order with what
     * arrives: so each packet that loses a cell is known, and no receiver waits for what does not come. A ring from
     * each bank to each other one has room for all cells.
     */
    static final class LostCells {
        /** By bank that loses, then bank of the destination; null from a bank to itself. */
        private final SpscRing[][] ways;

        /**
         * No cell is lost.
         *
         * @param banks number of banks.
         * @param cells of all ports.
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

        /** A bank has lost a cell that was to go to another one. The thread of the first. */
        void send(final int from, final int to, final int cell) {
            if (!ways[from][to].producer().offer(cell)) {
                throw new IllegalStateException("more cells are lost than there are: from=" + from + " to=" + to);
            }
        }

        /** The next cell that one bank has lost on its way to another, {@link SpscRing#NONE} if there is none. */
        int next(final int from, final int to) {
            return from == to ? SpscRing.NONE : ways[from][to].consumer().poll();
        }

        /** Lost cells that have not been taken in. */
        int size() {
            return Arrays.stream(ways).flatMap(Arrays::stream).filter(Objects::nonNull).mapToInt(SpscRing::size).sum();
        }
    }

    /**
     * Notices cells that were lost without a word, where cells travel by name: a stream in which nothing is handed on
     * for longer than any cell is in flight, although cells are missing, has lost what was sent before that. One
     * thread.
     */
    private final class OverdueStreams {
        /** By stream: when it was last seen to go on, what it then expected, and what had been sent. */
        private final long[] sinceSlot = new long[flowOf.length];
        private final long[] expected = new long[flowOf.length];
        private final long[] sent = new long[flowOf.length];

        /** Looks at all streams when all cells that have come are in the window. */
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

        /** Cells of all streams that were sent and not handed on. */
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
     * Finds cells by their names, flow and sequence number, where a cell may be in flight twice: a ring of handles for
     * each flow, made when its first cell is sent. No two cells that are on their way share a place: each keeps its
     * memory until the ones before it have ended, and a port has no more cells than places. The thread of a flow's
     * source adds; what travels orders that before the thread of its destination reads.
     */
    static final class NamedCells {
        private final Arena arena;
        private final int places;
        private final Region[] rings;
        private final AtomicLongArray sent;

        /**
         * No cell has been sent.
         *
         * @param flows  number of flows.
         * @param places cells of a port, a power of two.
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

        /** The next cell of a flow is sent. */
        void add(final int flow, final int cell) {
            final long count = sent.getPlain(flow);
            if (rings[flow] == null) {
                rings[flow] = Region.allocate(arena, (long) places * Integer.BYTES);
            }
            rings[flow].setInt(at(count), cell);
            sent.setRelease(flow, count + 1);
        }

        /** Cells of a flow that have been sent, lost ones included; any thread. */
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
