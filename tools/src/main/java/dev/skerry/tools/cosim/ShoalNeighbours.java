package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.check.Bounds;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * The neighbours of a single Shoal node with one channel: each sends a cell through the node only after the node's
 * reports have released it (docs/spec/shoal.md §4), and reports on the cells that the node has sent through it.
 */
final class ShoalNeighbours extends NodeStimulus.Neighbours {
    /** Destination of a cell that joins no queue. */
    private static final int NONE = -1;
    /** Number of latest cells, one of which a report is about. */
    private static final int REPORTED_CELLS = 4;

    private final RoundRobin schedule;
    private final int propagationSlots;
    /** By neighbour, destinations of the last cells received from it that joined a queue here, latest first. */
    private final int[][] joined;
    /** By neighbour, destinations of the last local cells sent to it that join a queue there, latest first. */
    private final int[][] sent;
    /** By neighbour, reports that it has not applied yet. */
    private final List<ArrayDeque<Report>> inFlight = new ArrayList<>();
    /** By neighbour and destination, the report that releases its next cell; null while it waits for one. */
    private final Report[][] release;

    /**
     * A report of the node.
     *
     * @param slot        slot in which it was sent.
     * @param destination destination of the queue.
     * @param load        load of the queue.
     * @param isLatest    whether it is about the last cell.
     */
    private record Report(long slot, int destination, long load, boolean isLatest) {
    }

    /**
     * @throws IllegalArgumentException if the fabric has several channels or classes, failed nodes or an unsupported
     *     rule.
     */
    ShoalNeighbours(final Shoal shoal, final FlowSet flows, final int node) {
        super(flows, shoal.population(), node, shoal.propagationSlots());
        Bounds.refuseIf(shoal.channels() > 1 || shoal.failedNodes() > 0 || !shoal.rule().isGuarded()
            || flows.classes() > 1, "rows are drawn for nodes of Shoal with one channel, one traffic class, no failed "
            + "nodes, and the rules exact and paper-literal: rule=", shoal.rule().label(), " channels=",
            shoal.channels());
        this.schedule = shoal.schedule();
        this.propagationSlots = shoal.propagationSlots();
        final int nodes = shoal.nodes();
        this.joined = new int[nodes][REPORTED_CELLS];
        this.sent = new int[nodes][REPORTED_CELLS + 2 + 2 * propagationSlots / schedule.epochSlots()];
        this.release = new Report[nodes][nodes];
        for (int peer = 0; peer < nodes; peer++) {
            Arrays.fill(joined[peer], NONE);
            Arrays.fill(sent[peer], NONE);
            Arrays.fill(release[peer], new Report(0, 0, 0, true));
            inFlight.add(new ArrayDeque<>());
        }
    }

    @Override
    NodeStimulus stimulus(final Map<String, Integer> weights) {
        return new Draws(this, weights);
    }

    @Override
    int sender() {
        return schedule.senderAt(node, 0, schedule.slotInEpoch(sentSlot()));
    }

    @Override
    boolean isLegal(final long word, final int flow) {
        return sender() != Schedule.IDLE && (word & ShoalCell.ENDS) == ShoalCell.of(source(flow), destination(flow))
            && destination(flow) != sender() && (destination(flow) == node
            || source(flow) == sender() && isReleased(destination(flow)));
    }

    /** Whether the sender may send its next cell for a destination through the node. */
    private boolean isReleased(final int destination) {
        final ArrayDeque<Report> reports = inFlight.get(sender());
        final Report[] of = release[sender()];
        while (!reports.isEmpty() && reports.getFirst().slot + propagationSlots < sentSlot()) {
            final Report report = reports.remove();
            // A second report on a queue does not release a flow that waits for the first one on a later cell.
            if (report.isLatest || of[report.destination] != null) {
                of[report.destination] = report;
            }
        }
        final Report last = of[destination];
        return last != null && turns(destination, last.slot, slot) >= last.load;
    }

    /** Returns the number of turns of the node to send to a peer, from one slot to another, both inclusive. */
    private long turns(final int peer, final long from, final long to) {
        final int turn = schedule.slotTo(node, peer);
        return Math.floorDiv(to - turn, (long) schedule.epochSlots())
            - Math.floorDiv(from - 1 - turn, (long) schedule.epochSlots());
    }

    @Override
    long sent(final long word) {
        return ShoalCell.sent(word, sentSlot());
    }

    @Override
    boolean isSilent(final long word) {
        return sender() == Schedule.IDLE;
    }

    /** Returns a report if one is due, otherwise 0. */
    @Override
    long legal(final long word) {
        return isDue() ? Math.clamp(word, 0, ReportWord.maxFeedback(schedule.nodes())) : 0;
    }

    /** Whether the sender reports on a cell of the node. */
    private boolean isDue() {
        // Cells that had not arrived when the sender took the report.
        final int unknown = (int) turns(sender(), sentSlot() - propagationSlots, slot - 1);
        return about(which -> sent[sender()][unknown + which]) < REPORTED_CELLS;
    }

    /** Returns the index of the cell that a report is about, with the latest cell first (docs/spec/shoal.md §4.5). */
    private static int about(final IntUnaryOperator destinations) {
        for (int which = 0; which < 2; which++) {
            if (destinations.applyAsInt(which) != NONE) {
                return which;
            }
        }
        return destinations.applyAsInt(2) != NONE && destinations.applyAsInt(3) != NONE ? 3 : REPORTED_CELLS;
    }

    private static void push(final int[] latestFirst, final int destination) {
        System.arraycopy(latestFirst, 0, latestFirst, 1, latestFirst.length - 1);
        latestFirst[0] = destination;
    }

    @Override
    void onStep(final long sentRoute, final long sentFeedback) {
        final int peer = schedule.peerAt(node, 0, schedule.slotInEpoch(slot));
        if (peer != Schedule.IDLE) {
            final boolean joins = InFlightCells.isCell(sentRoute) && ShoalCell.source(sentRoute) == node
                && ShoalCell.destination(sentRoute) != peer;
            push(sent[peer], joins ? ShoalCell.destination(sentRoute) : NONE);
            final int which = about(each -> joined[peer][each]);
            if (which < REPORTED_CELLS) {
                inFlight.get(peer).add(new Report(slot, joined[peer][which], sentFeedback, which == 0));
            }
        }
        if (sentSlot() >= 0 && sender() != Schedule.IDLE) {
            final boolean joins = InFlightCells.isCell(route) && ShoalCell.destination(route) != node;
            push(joined[sender()], joins ? ShoalCell.destination(route) : NONE);
            if (joins) {
                release[sender()][ShoalCell.destination(route)] = null;
            }
        }
        super.onStep(sentRoute, sentFeedback);
    }

    /** Draws cells to forward and cells for the node, and reports of short queues or of queues of any length. */
    private static final class Draws extends NodeStimulus {
        private static final int SHORT_QUEUE = 3;

        private ShoalNeighbours neighbours;

        Draws(final ShoalNeighbours neighbours, final Map<String, Integer> weights) {
            super(neighbours, new Weights("first=8", "home=2", "none=1").with(weights),
                "dummy", "first hop", "home", "report above 0", "sent on", "sent own", "sent dummy",
                    "reported 0", "reported 1", "reported more");
            this.neighbours = neighbours;
        }

        @Override
        void begin(final Twin twin) {
            super.begin(twin);
            neighbours = (ShoalNeighbours) ((NodeTwin) twin).neighbours();
        }

        @Override
        void drawCell(final SplittableRandom random, final long[] row) {
            final int flow = switch (weights.draw(random)) {
                case "first" -> firstHop(random);
                case "home" -> flow(random, each -> neighbours.destination(each) == node);
                default -> -1;
            };
            put(row, flow, flow < 0 ? 0 : ShoalCell.of(neighbours.source(flow), neighbours.destination(flow)));
        }

        /**
         * Returns a flow whose next cell the sender may send through the node, most often to the destination of the
         * current main flow.
         */
        private int firstHop(final SplittableRandom random) {
            final int sender = neighbours.sender();
            final IntPredicate isLegal = flow -> neighbours.source(flow) == sender
                && neighbours.destination(flow) != node && neighbours.isReleased(neighbours.destination(flow));
            final int to = crowd < 0 || random.nextInt(CHANGE_OF_TIDE) == 0 ? -1 : neighbours.destination(crowd);
            final int crowded = flow(random, flow -> neighbours.destination(flow) == to && isLegal.test(flow));
            return crowded < 0 ? flow(random, isLegal) : crowded;
        }

        @Override
        void drawFeedback(final SplittableRandom random, final long[] row) {
            row[3] = random.nextInt(tide ? ReportWord.maxFeedback(neighbours.schedule.nodes()) + 1 : SHORT_QUEUE);
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            super.covered(row, answer);
            final boolean isCell = InFlightCells.isCell(neighbours.route);
            final boolean isHome = isCell && ShoalCell.destination(neighbours.route) == node;
            coverage.count("first hop", isCell && !isHome);
            coverage.count("home", isHome);
            coverage.count("report above 0", neighbours.feedback > 0);
            coverage.count("reported 0", answer[2] == 0);
            coverage.count("reported 1", answer[2] == 1);
            coverage.count("reported more", answer[2] > 1);
        }
    }
}
