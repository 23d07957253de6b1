package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.check.Bounds;

/** What a cell word says: source, destination, sequence number. Immutable; any thread may call. */
public interface CellNames {
    /** Node that the cell starts at. */
    int source(long cell);

    /** Node that the cell goes to. */
    int destination(long cell);

    /** Sequence number in its flow, modulo {@link #sequences}. */
    default int sequence(final long cell) {
        return Cell.sequence(cell);
    }

    /** Number of sequence numbers, a power of two; they start again from 0. */
    long sequences();

    /** Number of the flow among {@link #flows} of its source. */
    int flow(long cell);

    /** Flows that a node may have. */
    int flows();

    /** Traffic classes. */
    default int classes() {
        return 1;
    }

    /** Traffic class of the flow of a cell that {@link #exists}. */
    default int trafficClass(final long cell) {
        return 0;
    }

    /** Whether a node could know the words: the flow exists. */
    boolean exists(long cell);

    /** The words of a cell, by the number of its flow at its source: {@link #flow}. */
    long cell(int source, int flow, long sequence);

    /** Whether the flow of a cell has it by a slot. */
    boolean hasCell(long cell, long slot);

    /** A cell, as findings show it. */
    default String text(final long cell) {
        return exists(cell) ? "cell " + source(cell) + ">" + destination(cell) + " seq " + sequence(cell)
            : "a cell of no flow, 0x" + Long.toHexString(cell);
    }

    /** The content of a slot, as findings show it. */
    default String text(final long route, final long cell) {
        return route == InFlightCells.NO_CELL ? "a dummy" : route == InFlightCells.SILENCE ? "nothing"
            : InFlightCells.isCell(route) ? text(cell) : "route word 0x" + Long.toHexString(route);
    }

    /** Cells of the flows of a set. */
    static CellNames of(final FlowSet flows, final Population population) {
        return new OfFlows(flows, population);
    }

    /**
     * Cells that are named by source, destination and sequence number, as in a header: {@code Cell.of(source * nodes +
     * destination, sequence)}.
     *
     * @param nodes        at most 32,768.
     * @param sequenceBits width of the sequence number, 1 to 31.
     */
    static CellNames pairs(final int nodes, final int sequenceBits) {
        Bounds.refuseIf(nodes < 2 || nodes > 1 << 15 || sequenceBits < 1 || sequenceBits > 31,
            "nodes must be 2 to 32768, sequenceBits 1 to 31: nodes=", nodes, " sequenceBits=", sequenceBits);
        return new OfPairs(nodes, 1L << sequenceBits);
    }

    /** Flows are known beforehand. */
    record OfFlows(FlowSet set, Population population) implements CellNames {
        @Override
        public int source(final long cell) {
            return population.nodeOf(set.source(Cell.flow(cell)));
        }

        @Override
        public int destination(final long cell) {
            return population.nodeOf(set.destination(Cell.flow(cell)));
        }

        @Override
        public long sequences() {
            return 1L << 32;
        }

        @Override
        public int flow(final long cell) {
            return Cell.flow(cell);
        }

        @Override
        public int flows() {
            return set.places();
        }

        @Override
        public long cell(final int source, final int flow, final long sequence) {
            return Cell.of(flow, (int) sequence);
        }

        @Override
        public int classes() {
            return set.classes();
        }

        @Override
        public int trafficClass(final long cell) {
            return set.trafficClass(Cell.flow(cell));
        }

        @Override
        public boolean exists(final long cell) {
            return Cell.flow(cell) >= 0 && Cell.flow(cell) < set.size();
        }

        @Override
        public boolean hasCell(final long cell, final long slot) {
            return Cell.sequence(cell) >= 0 && (set.cells(Cell.flow(cell)) == FlowSet.ENDLESS
                || Cell.sequence(cell) < set.cells(Cell.flow(cell))) && slot >= set.startSlot(Cell.flow(cell));
        }
    }

    /** Flows are learnt from the cells: one for each pair of nodes. */
    record OfPairs(int nodes, long sequences) implements CellNames {
        @Override
        public int source(final long cell) {
            return Cell.flow(cell) / nodes;
        }

        @Override
        public int destination(final long cell) {
            return Cell.flow(cell) % nodes;
        }

        @Override
        public int flow(final long cell) {
            return destination(cell);
        }

        @Override
        public int flows() {
            return nodes;
        }

        @Override
        public long cell(final int source, final int flow, final long sequence) {
            return Cell.of(source * nodes + flow, (int) sequence);
        }

        @Override
        public boolean exists(final long cell) {
            return Cell.flow(cell) >= 0 && Cell.flow(cell) < nodes * nodes && source(cell) != destination(cell);
        }

        @Override
        public boolean hasCell(final long cell, final long slot) {
            return true;
        }
    }
}
