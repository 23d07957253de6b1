package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.check.Bounds;

/** Interpretation of cell words: source, destination and sequence number. Immutable and thread-safe. */
public interface CellNames {
    /** Source node of the cell. */
    int source(long cell);

    /** Destination node of the cell. */
    int destination(long cell);

    /** Sequence number in its flow, modulo {@link #sequences}. */
    default int sequence(final long cell) {
        return Cell.sequence(cell);
    }

    /** Number of sequence numbers, a power of two; sequence numbers wrap to 0. */
    long sequences();

    /** Index of the cell's flow among the {@link #flows} of its source. */
    int flow(long cell);

    /** Maximum number of flows of a node. */
    int flows();

    /** Number of traffic classes. */
    default int classes() {
        return 1;
    }

    /** Traffic class of the flow of a cell that {@link #exists}. */
    default int trafficClass(final long cell) {
        return 0;
    }

    /** Whether the flow of the cell exists. Other cell words are foreign to the fabric. */
    boolean exists(long cell);

    /** Cell word for the {@link #flow} index at a source, and a sequence number. */
    long cell(int source, int flow, long sequence);

    /** Whether the flow contains the cell and has started by a slot. */
    boolean hasCell(long cell, long slot);

    /** Describes a cell, as in findings. */
    default String text(final long cell) {
        return exists(cell) ? "cell " + source(cell) + ">" + destination(cell) + " seq " + sequence(cell)
            : "a cell of no flow, 0x" + Long.toHexString(cell);
    }

    /** Describes the content of a slot, as in findings. */
    default String text(final long route, final long cell) {
        return route == InFlightCells.NO_CELL ? "a dummy" : route == InFlightCells.SILENCE ? "nothing"
            : InFlightCells.isCell(route) ? text(cell) : "route word 0x" + Long.toHexString(route);
    }

    /** Names the cells of a set of flows. */
    static CellNames of(final FlowSet flows, final Population population) {
        return new OfFlows(flows, population);
    }

    /**
     * Names cells by source, destination and sequence number, as in a header: {@code Cell.of(source * nodes +
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

    /** Names of cells whose flows are known in advance. */
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

    /** Names of cells whose flows are not known in advance: one flow for each pair of nodes. */
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
