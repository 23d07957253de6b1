package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.schedule.Phased;

/**
 * The neighbours of a single Shale node, as far as they bind what it receives: each has its tokens for the node, and
 * the tokens that the node has spent on it (docs/spec/shale.md §5). They never break a law: {@link #receive} takes out
 * of a row what no neighbour could send in that slot. One thread.
 */
final class ShaleNeighbours {
    private static final int NO_TOKEN = -1;

    private final Shale shale;
    private final Phased schedule;
    private final FlowSet flows;
    private final int node;
    private final boolean hasTokens;
    /** By link of the node and bucket: tokens that the neighbour there has spent on the node. */
    private final int[][] theirs;
    /** The same of tokens that the node has spent on the neighbour. */
    private final int[][] own;
    private long slot;
    /** What the node receives in the slot. */
    private long route;
    private long cell;
    private long feedback;

    ShaleNeighbours(final Shale shale, final FlowSet flows, final int node) {
        this.shale = shale;
        this.schedule = shale.schedule();
        this.flows = flows;
        this.node = node;
        this.hasTokens = shale.mechanisms().control() == HopByHop.FACTORY;
        final int buckets = Route.bucket(schedule.nodes(), 0);
        this.theirs = new int[schedule.epochSlots()][buckets];
        this.own = new int[schedule.epochSlots()][buckets];
    }

    /** Phases of the schedule. */
    int phases() {
        return schedule.phases();
    }

    /** The slot that comes next. */
    long slot() {
        return slot;
    }

    /** The slot in which the cells were sent that arrive next; below 0 if none can. */
    long sentSlot() {
        return slot - shale.propagationSlots();
    }

    /** The neighbour whose cell arrives next. */
    int sender() {
        return schedule.senderTo(node, sentSlot());
    }

    /** The link of the node to the neighbour whose cell arrives next, as a position in the epoch. */
    int linkBack() {
        final int inEpoch = schedule.slotInEpoch(sentSlot());
        final int phase = inEpoch / schedule.linksPerPhase();
        return phase * schedule.linksPerPhase() + schedule.reverseLink(inEpoch % schedule.linksPerPhase());
    }

    /** Sets what arrives next: the words asked for, as far as a neighbour could send them. */
    void receive(final long routeWord, final long cellWord, final long feedbackWord) {
        final boolean arrives = sentSlot() >= 0;
        final boolean isCell = arrives && isLegal(routeWord, cellWord);
        route = isCell ? Route.first(Route.destination(routeWord), Route.sprays(routeWord), sentSlot())
            : arrives && routeWord != InFlightCells.SILENCE ? InFlightCells.NO_CELL : InFlightCells.SILENCE;
        cell = isCell ? cellWord : 0;
        feedback = route != InFlightCells.SILENCE
            ? returnable((int) feedbackWord, (int) (feedbackWord >>> Integer.SIZE))
            : InFlightCells.NO_FEEDBACK;
    }

    private boolean isLegal(final long word, final long cellWord) {
        final int flow = Cell.flow(cellWord);
        final int sprays = Route.sprays(word);
        final int destination = Route.destination(word);
        if (!InFlightCells.isCell(word) || Route.forwarded(word) != word || sprays >= schedule.phases()
            || flow < 0 || flow >= flows.size()
            || Cell.sequence(cellWord) < 0 || Cell.sequence(cellWord) >= flows.cells(flow)) {
            return false;
        }
        final int source = nodeOf(flows.source(flow));
        final boolean isFirstHop = sprays == schedule.phases() - 1;
        return destination == nodeOf(flows.destination(flow)) && source != node && destination != sender()
            && (!isFirstHop || source == sender())
            && (destination == node || !hasTokens || theirs[linkBack()][Route.bucket(word)] < tokens(isFirstHop));
    }

    private int tokens(final boolean isFirstHop) {
        return isFirstHop ? shale.firstHopTokens() : shale.tokens();
    }

    /** The node that stands for an endpoint. */
    int nodeOf(final int endpoint) {
        return shale.population().nodeOf(endpoint);
    }

    private long returnable(final int first, final int second) {
        final int[] spent = own[linkBack()];
        final int one = isSpent(spent, first, 1) ? first : NO_TOKEN;
        final int two = isSpent(spent, second, second == one ? 2 : 1) ? second : NO_TOKEN;
        return one == NO_TOKEN ? feedback(two, NO_TOKEN) : feedback(one, two);
    }

    private static boolean isSpent(final int[] spent, final int bucket, final int times) {
        return bucket >= 0 && bucket < spent.length && spent[bucket] >= times;
    }

    /** Two tokens as they ride along; no second one without a first. */
    static long feedback(final int first, final int second) {
        return (long) second << Integer.SIZE | first & 0xFFFF_FFFFL;
    }

    /** Tokens of each bucket that the node has spent on the neighbour whose cell arrives next. */
    int[] returnable() {
        return own[linkBack()];
    }

    /** The node has received {@link #route()} and the rest, and has sent this. */
    void onStep(final long sentRoute, final long sentFeedback) {
        if (sentSlot() >= 0) {
            final int back = linkBack();
            if (InFlightCells.isCell(route) && Route.destination(route) != node) {
                theirs[back][Route.bucket(route)]++;
            }
            count(own[back], feedback);
        }
        final int link = schedule.slotInEpoch(slot);
        if (InFlightCells.isCell(sentRoute) && Route.destination(sentRoute) != schedule.peerOf(node, slot)) {
            own[link][Route.bucket(sentRoute)]++;
        }
        count(theirs[link], sentFeedback);
        slot++;
    }

    private static void count(final int[] tokens, final long returned) {
        for (long rest = returned; (int) rest != NO_TOKEN; rest = rest >>> Integer.SIZE | -1L << Integer.SIZE) {
            tokens[(int) rest]--;
        }
    }

    /** The route word that arrives, {@link InFlightCells#NO_CELL} or {@link InFlightCells#SILENCE}. */
    long route() {
        return route;
    }

    /** The cell word that arrives. */
    long cell() {
        return cell;
    }

    /** The feedback that arrives. */
    long feedback() {
        return feedback;
    }
}
