package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Route;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Draws what a Shale node receives: nothing, dummies, cells on their first hop, cells that pass through and cells that
 * end here, of all flows or mostly of one, and tokens that come back at once or late. {@link ShaleNeighbours} takes out
 * what would break a law.
 */
final class ShaleNodeStimulus implements Stimulus {
    private static final int CHANGE_OF_TIDE = 50;
    private static final int MOST_TOKENS = 2;

    private final Weights weights;
    private final Coverage coverage = new Coverage("nothing", "dummy", "first hop", "passing", "home", "one token",
        "two tokens", "sent on", "sent own", "sent dummy", "owed one", "owed two");
    private final FlowSet flows;
    private final int phases;
    private final int node;
    /** Cells sent so far, by flow. */
    private final int[] sequence;
    private ShaleNeighbours neighbours;
    private boolean withholds;
    /** The flow that most cells belong to, -1 for none. */
    private int crowd;

    ShaleNodeStimulus(final NodeTwin twin, final Map<String, Integer> weights) {
        this.neighbours = twin.neighbours();
        this.flows = twin.flows();
        this.phases = neighbours.phases();
        this.node = twin.node();
        this.sequence = new int[flows.size()];
        this.weights = new Weights("first=4", "passing=6", "home=2", "none=2", "nothing=3").with(weights);
    }

    @Override
    public void begin(final Twin twin) {
        neighbours = ((NodeTwin) twin).neighbours();
        withholds = false;
        crowd = -1;
    }

    @Override
    public void draw(final SplittableRandom random, final long[] row) {
        if (random.nextInt(CHANGE_OF_TIDE) == 0) {
            withholds = random.nextBoolean();
            crowd = random.nextBoolean() ? random.nextInt(flows.size()) : -1;
        }
        row[0] = neighbours.slot();
        row[1] = InFlightCells.NO_CELL;
        row[2] = 0;
        row[3] = InFlightCells.NO_FEEDBACK;
        if (neighbours.sentSlot() >= 0) {
            drawCell(random, row);
            if (row[1] != InFlightCells.SILENCE && (!withholds || random.nextInt(CHANGE_OF_TIDE) == 0)) {
                row[3] = ShaleNeighbours.feedback(spentBucket(random), spentBucket(random));
            }
        }
    }

    private void drawCell(final SplittableRandom random, final long[] row) {
        final int sender = neighbours.sender();
        final int last = phases - 1;
        switch (weights.draw(random)) {
            case "first" -> put(row, flow(random, flow -> source(flow) == sender), last);
            case "passing" -> put(row, flow(random, flow -> destination(flow) != node), last == 0 ? 0
                : random.nextInt(last));
            case "home" -> put(row, flow(random, flow -> destination(flow) == node), last == 0 ? 0
                : random.nextInt(last));
            case "nothing" -> row[1] = InFlightCells.SILENCE;
            default -> { }
        }
    }

    private void put(final long[] row, final int flow, final int sprays) {
        if (flow >= 0) {
            row[1] = Route.first(destination(flow), sprays, neighbours.sentSlot());
            row[2] = Cell.of(flow, sequence[flow]++);
        }
    }

    /** A flow of which a condition holds, the one of the crowd if it does; -1 for none. */
    private int flow(final SplittableRandom random, final IntPredicate condition) {
        if (crowd >= 0 && condition.test(crowd) && random.nextInt(CHANGE_OF_TIDE) > 0) {
            return crowd;
        }
        final int[] some = IntStream.range(0, flows.size()).filter(condition).toArray();
        return some.length == 0 ? -1 : some[random.nextInt(some.length)];
    }

    private int source(final int flow) {
        return neighbours.nodeOf(flows.source(flow));
    }

    private int destination(final int flow) {
        return neighbours.nodeOf(flows.destination(flow));
    }

    /** A bucket of which the sender holds a token of the node, -1 for none. */
    private int spentBucket(final SplittableRandom random) {
        final int[] spent = neighbours.returnable();
        final int[] some = IntStream.range(0, spent.length).filter(bucket -> spent[bucket] > 0).toArray();
        final int pick = random.nextInt(some.length + 1);
        return pick == some.length ? -1 : some[pick];
    }

    @Override
    public void covered(final long[] row, final long[] answer) {
        final long route = neighbours.route();
        final boolean isCell = InFlightCells.isCell(route);
        final boolean isHome = isCell && Route.destination(route) == node;
        final boolean isFirst = isCell && !isHome && Route.sprays(route) == phases - 1;
        coverage.count("nothing", route == InFlightCells.SILENCE);
        coverage.count("dummy", route == InFlightCells.NO_CELL);
        coverage.count("home", isHome);
        coverage.count("first hop", isFirst);
        coverage.count("passing", isCell && !isHome && !isFirst);
        coverage.count("one token", tokens(neighbours.feedback()) == 1);
        coverage.count("two tokens", tokens(neighbours.feedback()) == MOST_TOKENS);
        final boolean isSent = InFlightCells.isCell(answer[0]);
        final boolean isOwn = isSent && source(Cell.flow(answer[1])) == node;
        coverage.count("sent own", isOwn);
        coverage.count("sent on", isSent && !isOwn);
        coverage.count("sent dummy", answer[0] == InFlightCells.NO_CELL);
        coverage.count("owed one", tokens(answer[2]) == 1);
        coverage.count("owed two", tokens(answer[2]) == MOST_TOKENS);
    }

    private static int tokens(final long feedback) {
        return ((int) feedback >= 0 ? 1 : 0) + (feedback >= 0 ? 1 : 0);
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }
}
