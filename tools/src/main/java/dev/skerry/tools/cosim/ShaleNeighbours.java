package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.schedule.Phased;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The neighbours of a single Shale node. Each keeps account of the tokens that it has spent on the node, and of those
 * that the node has spent on it (docs/spec/shale.md §5).
 */
final class ShaleNeighbours extends NodeStimulus.Neighbours {
    private static final int NO_TOKEN = -1;

    private final Shale shale;
    private final Phased schedule;
    private final boolean hasTokens;
    /** By link of the node and bucket: tokens that the neighbour there has spent on the node. */
    private final int[][] theirs;
    /** By link of the node and bucket: tokens that the node has spent on the neighbour there. */
    private final int[][] own;

    ShaleNeighbours(final Shale shale, final FlowSet flows, final int node, final int propagationSlots) {
        super(flows, shale.population(), node, propagationSlots);
        this.shale = shale;
        this.schedule = shale.schedule();
        this.hasTokens = shale.mechanisms().control() == HopByHop.FACTORY;
        final int buckets = Route.bucket(schedule.nodes(), 0);
        this.theirs = new int[schedule.epochSlots()][buckets];
        this.own = new int[schedule.epochSlots()][buckets];
    }

    @Override
    NodeStimulus stimulus(final Map<String, Integer> weights) {
        return new Draws(this, weights);
    }

    @Override
    int sender() {
        return schedule.senderTo(node, sentSlot());
    }

    /** Link of the node to the neighbour whose cell arrives next, as a position in the epoch. */
    private int linkBack() {
        final int inEpoch = schedule.slotInEpoch(sentSlot());
        final int phase = inEpoch / schedule.linksPerPhase();
        return phase * schedule.linksPerPhase() + schedule.reverseLink(inEpoch % schedule.linksPerPhase());
    }

    @Override
    boolean isLegal(final long word, final int flow) {
        final int sprays = Route.sprays(word);
        final int destination = Route.destination(word);
        final boolean isFirstHop = sprays == schedule.phases() - 1;
        return Route.forwarded(word) == word && sprays < schedule.phases()
            && destination == destination(flow) && destination != sender()
            && (!isFirstHop || source(flow) == sender())
            && (destination == node || !hasTokens || theirs[linkBack()][Route.bucket(word)] < tokens(isFirstHop));
    }

    private int tokens(final boolean isFirstHop) {
        return isFirstHop ? shale.firstHopTokens() : shale.tokens();
    }

    @Override
    long sent(final long word) {
        return Route.first(Route.destination(word), Route.sprays(word), sentSlot());
    }

    @Override
    boolean isSilent(final long word) {
        return word == InFlightCells.SILENCE;
    }

    /** Keeps the tokens that the node has spent. */
    @Override
    long legal(final long word) {
        final int first = (int) word;
        final int second = (int) (word >>> Integer.SIZE);
        final int[] spent = own[linkBack()];
        final int one = isSpent(spent, first, 1) ? first : NO_TOKEN;
        final int two = isSpent(spent, second, second == one ? 2 : 1) ? second : NO_TOKEN;
        return one == NO_TOKEN ? feedback(two, NO_TOKEN) : feedback(one, two);
    }

    private static boolean isSpent(final int[] spent, final int bucket, final int times) {
        return bucket >= 0 && bucket < spent.length && spent[bucket] >= times;
    }

    /** Returns the feedback word of two tokens; there is no second token without a first. */
    private static long feedback(final int first, final int second) {
        return (long) second << Integer.SIZE | first & 0xFFFF_FFFFL;
    }

    @Override
    void onStep(final long sentRoute, final long sentFeedback) {
        if (sentSlot() >= 0) {
            final int back = linkBack();
            if (InFlightCells.isCell(route) && Route.destination(route) != node) {
                theirs[back][Route.bucket(route)]++;
            }
            count(own[back], feedback);
        }
        final int link = schedule.slotInEpoch(slot);
        if (InFlightCells.isCell(sentRoute) && Route.destination(sentRoute) != schedule.peerOf(node, slot)
            && Route.bucket(sentRoute) < own[link].length) {
            own[link][Route.bucket(sentRoute)]++;
        }
        count(theirs[link], sentFeedback);
        super.onStep(sentRoute, sentFeedback);
    }

    /** Records returned tokens. Tokens that were not spent are ignored, because the device may be wrong. */
    private static void count(final int[] tokens, final long returned) {
        for (long rest = returned; (int) rest != NO_TOKEN; rest = rest >>> Integer.SIZE | -1L << Integer.SIZE) {
            if (isSpent(tokens, (int) rest, 1)) {
                tokens[(int) rest]--;
            }
        }
    }

    /** Draws first hops, cells to forward and cells for the node, and tokens that return at once or late. */
    private static final class Draws extends NodeStimulus {
        private static final int MOST_TOKENS = 2;

        private final int phases;
        private ShaleNeighbours neighbours;

        Draws(final ShaleNeighbours neighbours, final Map<String, Integer> weights) {
            super(neighbours, new Weights("first=4", "passing=6", "home=2", "none=2", "nothing=3").with(weights),
                "nothing", "dummy", "first hop", "passing", "home", "one token", "two tokens", "sent on",
                    "sent own", "sent dummy", "owed one", "owed two");
            this.neighbours = neighbours;
            this.phases = neighbours.schedule.phases();
        }

        @Override
        void begin(final Twin twin) {
            super.begin(twin);
            neighbours = (ShaleNeighbours) ((NodeTwin) twin).neighbours();
        }

        @Override
        void drawCell(final SplittableRandom random, final long[] row) {
            final int sender = neighbours.sender();
            final int last = phases - 1;
            switch (weights.draw(random)) {
                case "first" -> put(row, flow(random, flow -> neighbours.source(flow) == sender), last);
                case "passing" -> put(row, flow(random, flow -> neighbours.destination(flow) != node), last == 0 ? 0
                    : random.nextInt(last));
                case "home" -> put(row, flow(random, flow -> neighbours.destination(flow) == node), last == 0 ? 0
                    : random.nextInt(last));
                case "nothing" -> row[1] = InFlightCells.SILENCE;
                default -> { }
            }
        }

        private void put(final long[] row, final int flow, final int sprays) {
            put(row, flow, flow < 0 ? 0 : Route.first(neighbours.destination(flow), sprays, neighbours.sentSlot()));
        }

        /** While the tide is high, neighbours withhold most tokens. */
        @Override
        void drawFeedback(final SplittableRandom random, final long[] row) {
            if (row[1] != InFlightCells.SILENCE && (!tide || random.nextInt(CHANGE_OF_TIDE) == 0)) {
                row[3] = feedback(spentBucket(random), spentBucket(random));
            }
        }

        /** Returns a bucket of which the sender holds a token of the node, -1 for none. */
        private int spentBucket(final SplittableRandom random) {
            final int[] spent = neighbours.own[neighbours.linkBack()];
            final int[] some = IntStream.range(0, spent.length).filter(bucket -> spent[bucket] > 0).toArray();
            final int pick = random.nextInt(some.length + 1);
            return pick == some.length ? -1 : some[pick];
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            super.covered(row, answer);
            final long route = neighbours.route;
            final boolean isCell = InFlightCells.isCell(route);
            final boolean isHome = isCell && Route.destination(route) == node;
            final boolean isFirst = isCell && !isHome && Route.sprays(route) == phases - 1;
            coverage.count("nothing", route == InFlightCells.SILENCE);
            coverage.count("home", isHome);
            coverage.count("first hop", isFirst);
            coverage.count("passing", isCell && !isHome && !isFirst);
            coverage.count("one token", tokens(neighbours.feedback) == 1);
            coverage.count("two tokens", tokens(neighbours.feedback) == MOST_TOKENS);
            coverage.count("owed one", tokens(answer[2]) == 1);
            coverage.count("owed two", tokens(answer[2]) == MOST_TOKENS);
        }

        private static int tokens(final long feedback) {
            return ((int) feedback >= 0 ? 1 : 0) + (feedback >= 0 ? 1 : 0);
        }
    }
}
