package dev.skerry.reference;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.FlowOrder;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Shoal as described in docs/spec/shoal.md §2 and §4 (Shoal §3.3). Each turn is computed from the schedule slot by
 * slot. F and the turns since T are separate values. A report refers to the cell that it is about, so no positions are
 * counted.
 */
public final class ReferenceShoal extends ReferenceEngine {
    /** Age in epochs beyond which the 2^age rule never holds a flow back. */
    private static final int MAX_AGE = 20;
    /** Number of the latest cells from a neighbour that can still be reported. */
    private static final int REPORTED_CELLS = 4;

    private final Shoal shoal;
    private final int epoch;
    private final Node[] nodeOf;
    /** How often a queue had each length in its turn. */
    private final long[] queueLengths;
    /** Maximum number of cells of one source that waited at their destination for an earlier cell. */
    private int maxParked;
    private final Map<Long, Sent[][]> inFlight = new HashMap<>();

    /**
     * A cell.
     *
     * @param sequence number in its flow of the run.
     * @param number   number among the cells of its source for its destination.
     * @param sentIn   slot in which its source sent it.
     */
    private record Cell(int source, int destination, int flow, int sequence, int number, long[] sentIn) {
    }

    /**
     * A transmission on a channel: a cell or null, the last cell received from the neighbour, a report, and the cell
     * that it is about.
     */
    private record Sent(Cell cell, Cell last, int value, Cell about) {
    }

    /** The flow (i, k) of the paper: all flows of the run from one node to another, which are its messages. */
    private static final class Traffic {
        final int destination;
        final Deque<Integer> messages = new ArrayDeque<>();
        long start;
        int numbered;
        int expected;
        final Set<Integer> parked = new HashSet<>();

        Traffic(final int destination) {
            this.destination = destination;
        }
    }

    /**
     * A flow's use of a relay: F as last reported, the turns since then, and the cell that no report has been about
     * yet.
     */
    private static final class Use {
        int value;
        int turns;
        Cell outstanding;
        boolean reported = true;
    }

    /** One side of a link, at a node. */
    private static final class Link {
        final Deque<Cell> queue = new ArrayDeque<>();
        final Map<Integer, Use> uses = new HashMap<>();
        int turn;
        int ready;
        /** The last cells received, latest first, null for an empty slot; and those to be reported again. */
        final LinkedList<Cell> came = new LinkedList<>();
        final Deque<Cell> again = new ArrayDeque<>();
        Cell justSent;
    }

    private static final class Node {
        final List<Traffic> active = new ArrayList<>();
        final Map<Integer, Traffic> traffic = new HashMap<>();
        Link[] links;
        int held;
    }

    /**
     * Creates the engine at slot 0.
     *
     * @throws IllegalArgumentException if the fabric or the flows need what this engine lacks; the message names it.
     */
    public ReferenceShoal(final Shoal shoal, final FlowSet flows) {
        super(supported(shoal, flows), flows);
        this.shoal = shoal;
        final boolean even = shoal.schedule().isRearranged() && nodes % 2 == 0;
        this.epoch = (even ? nodes : nodes - 1 + shoal.channels() - 1) / shoal.channels();
        this.nodeOf = new Node[nodes];
        for (int node = 0; node < nodes; node++) {
            nodeOf[node] = new Node();
            nodeOf[node].links = new Link[nodes];
            Arrays.setAll(nodeOf[node].links, peer -> new Link());
        }
        this.queueLengths = new long[2 * nodes + 1];
    }

    private static Shoal supported(final Shoal shoal, final FlowSet flows) {
        if (shoal.rule() == ReleaseRule.AUTHORS_SIMULATOR || flows.classes() > 1 || shoal.firstSlot() > 0) {
            throw new IllegalArgumentException("the reference engine lacks the rule "
                + ReleaseRule.AUTHORS_SIMULATOR.label() + ", traffic classes and a start after slot 0");
        }
        return shoal;
    }

    /** Returns the peer of a node on a channel in a slot, -1 if it has none (docs/spec/shoal.md §2.1-2.3). */
    private int peer(final int node, final int channel, final long slot) {
        final int in = (int) (slot % epoch);
        final int column = channel * epoch + in;
        if (!shoal.schedule().isRearranged()) {
            return column < nodes - 1 ? (node + column + 1) % nodes : -1;
        }
        final int half = nodes / 2;
        final boolean there = shoal.channels() == 1 ? column < half : channel < shoal.channels() / 2;
        final int first = there ? column : shoal.channels() == 1 ? column - half
            : (channel - shoal.channels() / 2) * epoch + (in + epoch / 2) % epoch;
        if (2 * (first + 1) == nodes && node < half != there) {
            return -1;
        }
        return (node + (there ? first + 1 : nodes - first - 1)) % nodes;
    }

    private boolean meets(final int from, final int to, final long slot) {
        for (int channel = 0; channel < shoal.channels(); channel++) {
            if (peer(from, channel, slot) == to) {
                return true;
            }
        }
        return false;
    }

    @Override
    void step(final long now) {
        starting(now).forEach(flow -> start(flow, now));
        final Sent[][] sent = new Sent[shoal.channels()][nodes];
        for (int node = 0; node < nodes; node++) {
            send(node, now, sent);
        }
        inFlight.put(now, sent);
        final Sent[][] arriving = inFlight.remove(now - propagationSlots);
        for (int channel = 0; arriving != null && channel < shoal.channels(); channel++) {
            for (int node = 0; node < nodes; node++) {
                final int to = peer(node, channel, now - propagationSlots);
                if (to >= 0 && !isDown(node) && !isDown(to)) {
                    receive(to, node, now, arriving[channel][node]);
                }
            }
        }
    }

    /** Returns the samples. The authors' simulator samples the queues again after the last reception. */
    @Override
    Outcome.Sampled sampled(final long ofSlots, final boolean untilDone) {
        final long[] lengths = queueLengths.clone();
        for (int channel = 0; untilDone && channel < shoal.channels(); channel++) {
            for (int node = 0; node < nodes; node++) {
                lengths[0] += peer(node, channel, ofSlots) >= 0 ? 1 : 0;
            }
        }
        return new Outcome.Sampled(lengths, maxParked, -1);
    }

    private boolean isDown(final int id) {
        return id < shoal.failedNodes();
    }

    private void start(final int flow, final long slot) {
        final Node node = nodeOf[flows.source(flow)];
        final Traffic traffic = node.traffic.computeIfAbsent(flows.destination(flow), Traffic::new);
        if (traffic.messages.isEmpty()) {
            traffic.start = slot;
            node.active.add(traffic);
        }
        traffic.messages.add(flow);
        flowsStarted++;
    }

    private void send(final int id, final long slot, final Sent[][] sent) {
        final Cell[] about = new Cell[shoal.channels()];
        final int[] value = new int[shoal.channels()];
        for (int channel = 0; channel < shoal.channels(); channel++) {
            final int to = peer(id, channel, slot);
            if (to >= 0 && !isDown(id) && !isDown(to)) {
                about[channel] = reported(id, nodeOf[id].links[to]);
                value[channel] = load(id, about[channel]);
            }
        }
        for (int channel = 0; channel < shoal.channels(); channel++) {
            final int to = peer(id, channel, slot);
            if (to >= 0 && !isDown(id) && !isDown(to)) {
                final Link link = nodeOf[id].links[to];
                final Cell last = link.came.peek();
                sent[channel][id] = new Sent(sendOn(id, link, slot), last, value[channel], about[channel]);
            } else if (to >= 0) {
                queueLengths[0]++;
            }
        }
    }

    /**
     * Returns the cell to report. A cell that joins a queue is reported after it came, and again, the latest first,
     * when there is no other.
     */
    private Cell reported(final int id, final Link link) {
        final Cell last = link.came.peek();
        if (shoal.rule().isReportedOnce()) {
            return joins(last, id) ? last : null;
        }
        if (joins(last, id)) {
            link.again.push(last);
            return last;
        }
        link.again.removeIf(cell -> !link.came.contains(cell));
        return link.again.poll();
    }

    private static boolean joins(final Cell cell, final int id) {
        return cell != null && cell.destination != id;
    }

    /** Returns Eq. 6: the length of the queue that a cell joined, plus the ready flows there. */
    private int load(final int id, final Cell cell) {
        if (!joins(cell, id)) {
            return 0;
        }
        final Link joined = nodeOf[id].links[cell.destination];
        return joined.queue.size() + joined.ready;
    }

    /**
     * Runs a turn on a link: flows that Eq. 2 releases are ready. The first of them in turn that passes the 2^age rule
     * puts a cell into the queue, unless the queue holds a local cell.
     */
    private Cell sendOn(final int id, final Link link, final long slot) {
        final Node node = nodeOf[id];
        final int length = link.queue.size();
        queueLengths[length]++;
        if (shoal.rule() == ReleaseRule.BASIC) {
            return sendBasic(id, link, slot, length);
        }
        boolean free = link.queue.stream().noneMatch(cell -> cell.source == id);
        Traffic chosen = null;
        final int count = node.active.size();
        final int first = link.turn < count ? link.turn : 0;
        link.ready = 0;
        for (int i = 0; i < count; i++) {
            final int at = (first + i) % count;
            final Traffic traffic = node.active.get(at);
            final Use use = link.uses.computeIfAbsent(traffic.destination, k -> new Use());
            if (use.reported && length + use.turns >= use.value) {
                if (free && isOld(traffic, slot, length)) {
                    chosen = traffic;
                    free = false;
                    link.turn = (at + 1) % count;
                } else {
                    link.ready++;
                }
            }
        }
        link.uses.values().forEach(use -> use.turns++);
        if (chosen != null) {
            link.queue.add(take(id, chosen));
            node.held++;
            final Use use = link.uses.get(chosen.destination);
            use.reported = false;
            use.outstanding = link.queue.getLast();
        }
        return serve(id, link, slot);
    }

    /**
     * Tests the 2^age rule: a flow active for age epochs joins queues of up to 2^age cells, from age = log N on any.
     */
    private boolean isOld(final Traffic traffic, final long slot, final int length) {
        final long age = (slot - traffic.start) / epoch;
        return !shoal.ageRule() || Math.min(length, shoal.nodes()) <= Math.pow(2, Math.min(age, MAX_AGE));
    }

    /** Runs a turn of the basic rule: a cell of every flow that Eq. 2 releases joins the queue at once. */
    private Cell sendBasic(final int id, final Link link, final long slot, final int length) {
        for (final Traffic traffic : List.copyOf(nodeOf[id].active)) {
            final Use use = link.uses.computeIfAbsent(traffic.destination, k -> new Use());
            if (use.reported && length + use.turns >= use.value && isOld(traffic, slot, length)) {
                link.queue.add(take(id, traffic));
                nodeOf[id].held++;
                use.reported = false;
                use.outstanding = link.queue.getLast();
            }
        }
        link.uses.values().forEach(use -> use.turns++);
        if (link.queue.size() > length + 1) {
            maxHeld[id] = Math.max(maxHeld[id], nodeOf[id].held - 1);
            maxQueue[id] = Math.max(maxQueue[id], link.queue.size() - 1);
        }
        return serve(id, link, slot);
    }

    private Cell serve(final int id, final Link link, final long slot) {
        final Node node = nodeOf[id];
        final Cell cell = link.queue.poll();
        link.justSent = cell;
        if (cell != null) {
            node.held--;
            if (cell.source == id) {
                cell.sentIn[0] = slot;
            } else {
                cellsForwarded++;
            }
        }
        return cell;
    }

    /** Takes the next cell of a flow: of its messages in turn, or of the shortest message. */
    private Cell take(final int id, final Traffic traffic) {
        final boolean isShortest = shoal.flowOrder() == FlowOrder.SHORTEST;
        final int message = !isShortest ? traffic.messages.element()
            : traffic.messages.stream().min(Comparator.comparingInt(flows::cells)).orElseThrow();
        final boolean isOver = ++sent[message] == flows.cells(message);
        if (isOver || !isShortest) {
            traffic.messages.remove(message);
        }
        if (!isOver && !isShortest) {
            traffic.messages.add(message);
        } else if (traffic.messages.isEmpty()) {
            nodeOf[id].active.remove(traffic);
        }
        cellsInjected++;
        return new Cell(id, traffic.destination, message, sent[message] - 1, traffic.numbered++, new long[1]);
    }

    private void receive(final int id, final int from, final long slot, final Sent sent) {
        final Link link = nodeOf[id].links[from];
        final Cell justSent = isAtOnce(id, from, slot) ? link.justSent : null;
        for (final Cell direct : new Cell[] {justSent, sent.last}) {
            if (direct != null && direct.source == id && direct.destination == from) {
                takeReport(id, from, slot, 0, direct);
            }
        }
        if (sent.about != null && sent.about.source == id) {
            takeReport(id, from, slot, sent.value, sent.about);
        }
        final Cell cell = sent.cell;
        link.came.push(cell);
        if (link.came.size() > REPORTED_CELLS) {
            link.came.removeLast();
        }
        if (cell == null) {
            return;
        }
        if (cell.destination == id) {
            arrive(cell, slot);
            return;
        }
        final Deque<Cell> queue = nodeOf[id].links[cell.destination].queue;
        queue.add(cell);
        maxQueue[id] = Math.max(maxQueue[id], queue.size());
        maxHeld[id] = Math.max(maxHeld[id], ++nodeOf[id].held);
    }

    private boolean isAtOnce(final int id, final int relay, final long slot) {
        return !shoal.rule().isReportedOnce() && shoal.propagationSlots() == 0 && shoal.channels() == 1
            && meets(id, relay, slot);
    }

    private void takeReport(final int id, final int relay, final long slot, final int value, final Cell about) {
        final Link link = nodeOf[id].links[relay];
        final Use use = link.uses.get(about.destination);
        final boolean forJustSent = isAtOnce(id, relay, slot)
            && link.justSent != null && link.justSent == use.outstanding;
        if (!use.reported && use.outstanding != about && !forJustSent) {
            return;
        }
        final boolean isLiteral = shoal.rule() == ReleaseRule.PAPER_LITERAL
            || shoal.rule() == ReleaseRule.PAPER_ONE_REPORT;
        final int services = isLiteral ? 0 : services(id, relay, about.destination, slot);
        use.value = about.destination == relay ? 0 : Math.max(0, value + (forJustSent ? 1 : 0) - services);
        use.turns = 0;
        use.reported = true;
    }

    /**
     * Returns the number of slots in which the relay meets the destination, from the sending of the report to the
     * arrival of the next cell.
     */
    private int services(final int id, final int relay, final int destination, final long slot) {
        long next = slot + 1;
        while (!meets(id, relay, next)) {
            next++;
        }
        int services = 0;
        for (long s = slot - shoal.propagationSlots(); s <= next + shoal.propagationSlots(); s++) {
            services += relay != destination && meets(relay, destination, s) ? 1 : 0;
        }
        return services;
    }

    private void arrive(final Cell cell, final long slot) {
        final Traffic traffic = nodeOf[cell.source].traffic.get(cell.destination);
        traffic.parked.add(cell.number);
        while (traffic.parked.remove(traffic.expected)) {
            traffic.expected++;
        }
        maxParked = Math.max(maxParked, traffic.parked.size());
        deliver(slot, cell.flow, cell.sequence, cell.sentIn[0]);
    }
}
