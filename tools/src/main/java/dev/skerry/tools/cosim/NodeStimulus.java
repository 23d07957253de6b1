package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Population;
import org.agrona.collections.LongHashSet;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Draws the words that a single node receives from its neighbours: nothing, dummies and cells, of all flows or mostly
 * of one, and feedback. {@link Neighbours} removes what would violate a law.
 */
abstract class NodeStimulus extends Stimulus {
    /** Mean number of slots between changes of {@link #crowd} and {@link #tide}. */
    static final int CHANGE_OF_TIDE = 50;

    final FlowSet flows;
    final int node;
    /** Changes at random, for conditions that are interesting when they persist. */
    boolean tide;
    /** Cells drawn since the start of the sequence, by flow. */
    private final int[] sequence;
    /** Flow to which most cells belong, -1 for none. */
    int crowd;
    private Neighbours neighbours;

    NodeStimulus(final Neighbours neighbours, final Weights weights, final String... cases) {
        super(weights, cases);
        this.neighbours = neighbours;
        this.flows = neighbours.flows;
        this.node = neighbours.node;
        this.sequence = new int[flows.size()];
    }

    /**
     * The neighbours of a single node, as far as they restrict what it receives. They never violate a law: {@link
     * #receive} removes from a row what no neighbour could send in that slot. Not thread-safe.
     */
    abstract static class Neighbours {
        final FlowSet flows;
        final int node;
        final Population population;
        /** Slot of the next step. */
        long slot;
        /** Words that the node receives in the slot. */
        long route;
        long cell;
        long feedback;
        private final int propagationSlots;
        /** Cells that have arrived. */
        private final LongHashSet arrived = new LongHashSet();

        /** @param propagationSlots propagation delay from a neighbour to the device. */
        Neighbours(final FlowSet flows, final Population population, final int node, final int propagationSlots) {
            this.flows = flows;
            this.population = population;
            this.node = node;
            this.propagationSlots = propagationSlots;
        }

        /** Returns a stimulus for the node, with some weights replaced. */
        abstract NodeStimulus stimulus(Map<String, Integer> weights);

        /** Slot in which the cells were sent that arrive next; negative if none can arrive. */
        final long sentSlot() {
            return slot - propagationSlots;
        }

        /** Node whose cell arrives next. */
        abstract int sender();

        /** Sets what arrives next: the given words, as far as a neighbour could send them. */
        final void receive(final long routeWord, final long cellWord, final long feedbackWord) {
            final boolean arrives = sentSlot() >= 0;
            final boolean isCell = arrives && InFlightCells.isCell(routeWord) && hasCell(cellWord)
                && isLegal(routeWord, Cell.flow(cellWord)) && arrived.add(cellWord);
            route = isCell ? sent(routeWord) : arrives && !isSilent(routeWord) ? InFlightCells.NO_CELL
                : InFlightCells.SILENCE;
            cell = isCell ? cellWord : 0;
            feedback = route == InFlightCells.SILENCE ? InFlightCells.NO_FEEDBACK : legal(feedbackWord);
        }

        /** Whether a cell exists in a flow of another node. */
        private boolean hasCell(final long cellWord) {
            final int flow = Cell.flow(cellWord);
            return flow >= 0 && flow < flows.size() && source(flow) != node
                && Cell.sequence(cellWord) >= 0 && Cell.sequence(cellWord) < flows.cells(flow);
        }

        /** Source node of a flow. */
        final int source(final int flow) {
            return population.nodeOf(flows.source(flow));
        }

        /** Destination node of a flow. */
        final int destination(final int flow) {
            return population.nodeOf(flows.destination(flow));
        }

        /** Whether the sender may send a cell of a flow with this route. */
        abstract boolean isLegal(long routeWord, int flow);

        /** Returns the route word as it arrives. */
        abstract long sent(long routeWord);

        /** Whether nothing arrives, not even a dummy. */
        abstract boolean isSilent(long routeWord);

        /** Returns the feedback word without what the sender cannot send. */
        abstract long legal(long feedbackWord);

        /**
         * Records that the node has received {@link #route}, {@link #cell} and {@link #feedback}, and has sent these
         * words.
         */
        void onStep(final long sentRoute, final long sentFeedback) {
            slot++;
        }
    }

    @Override
    void begin(final Twin twin) {
        neighbours = ((NodeTwin) twin).neighbours();
        Arrays.fill(sequence, 0);
        tide = false;
        crowd = -1;
    }

    @Override
    final void draw(final SplittableRandom random, final long[] row) {
        if (random.nextInt(CHANGE_OF_TIDE) == 0) {
            tide = random.nextBoolean();
            crowd = random.nextBoolean() ? random.nextInt(flows.size()) : -1;
        }
        row[0] = neighbours.slot;
        row[1] = InFlightCells.NO_CELL;
        row[2] = 0;
        row[3] = InFlightCells.NO_FEEDBACK;
        if (neighbours.sentSlot() >= 0) {
            drawCell(random, row);
            drawFeedback(random, row);
        }
    }

    /** Draws the route and the cell of a row, which contains a dummy. */
    abstract void drawCell(SplittableRandom random, long[] row);

    /** Draws the feedback of a row. */
    abstract void drawFeedback(SplittableRandom random, long[] row);

    /** Puts the next cell of a flow into a row; none if the flow is negative. */
    final void put(final long[] row, final int flow, final long route) {
        if (flow >= 0) {
            row[1] = route;
            row[2] = Cell.of(flow, sequence[flow]++);
        }
    }

    /** Returns a flow that satisfies a condition, preferably the crowd; -1 if there is none. */
    final int flow(final SplittableRandom random, final IntPredicate condition) {
        if (crowd >= 0 && condition.test(crowd) && random.nextInt(CHANGE_OF_TIDE) > 0) {
            return crowd;
        }
        final int[] some = IntStream.range(0, flows.size()).filter(condition).toArray();
        return some.length == 0 ? -1 : some[random.nextInt(some.length)];
    }

    @Override
    void covered(final long[] row, final long[] answer) {
        coverage.count("dummy", neighbours.route == InFlightCells.NO_CELL);
        final boolean isSent = InFlightCells.isCell(answer[0]);
        final boolean isOwn = isSent && neighbours.source(Cell.flow(answer[1])) == node;
        coverage.count("sent own", isOwn);
        coverage.count("sent on", isSent && !isOwn);
        coverage.count("sent dummy", answer[0] == InFlightCells.NO_CELL);
    }
}
