package dev.skerry.nic.shoal;

import dev.skerry.nic.flow.FlowSet;

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
import java.util.TreeMap;

/**
 * Shoal as docs/spec/shoal.md §4.4 reads: objects and maps, every turn looked up slot by slot, F and the turns since T
 * kept apart, and a report that holds the very cell it is about, so that no position is counted.
 */
final class ObviousShoal {
    final long[] completedIn;
    final TreeMap<Integer, Long> latency = new TreeMap<>();
    final int[] maxHeld;
    final int[] maxQueue;
    /** How often a queue of each length was met in its turn. */
    final long[] queueLengths;
    /** Most cells of one source that waited at their destination for one before them. */
    int maxParked;
    long delivered;
    long forwarded;

    private final Shoal shoal;
    private final FlowSet flows;
    private final int nodes;
    private final int epoch;
    private final Node[] nodeOf;
    private final int[] left;
    private final Map<Long, Sent[][]> onTheWay = new HashMap<>();

    private record Message(int flow, int[] sent) {
    }

    private record Cell(int source, int destination, int flow, long[] sentIn, int number) {
    }

    /** What a node puts on a channel: a cell or none, the cell that came last, a report and what cell it is about. */
    private record Sent(Cell cell, Cell last, int value, Cell about) {
    }

    /** A flow (i, k). */
    private static final class Traffic {
        final int destination;
        final Deque<Message> messages = new ArrayDeque<>();
        long start;
        int numbered;
        int expected;
        final Set<Integer> parked = new HashSet<>();

        Traffic(final int destination) {
            this.destination = destination;
        }
    }

    /** A flow's use of a relay. */
    private static final class Use {
        int value;
        int turns;
        Cell outstanding;
        boolean reported = true;
    }

    /** A node's side of a link. */
    private static final class Link {
        final Deque<Cell> queue = new ArrayDeque<>();
        final Map<Integer, Use> uses = new HashMap<>();
        int turn;
        int ready;
        /** The last cells to come, null where none did, latest first, and those of them to be told of again. */
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

    ObviousShoal(final Shoal shoal, final FlowSet flows) {
        this.shoal = shoal;
        this.flows = flows;
        this.nodes = shoal.nodes();
        final boolean even = shoal.schedule().isRearranged() && nodes % 2 == 0;
        this.epoch = (even ? nodes : nodes - 1 + shoal.channels() - 1) / shoal.channels();
        this.nodeOf = new Node[nodes];
        for (int node = 0; node < nodes; node++) {
            nodeOf[node] = new Node();
            nodeOf[node].links = new Link[nodes];
            Arrays.setAll(nodeOf[node].links, peer -> new Link());
        }
        this.completedIn = new long[flows.size()];
        this.left = new int[flows.size()];
        this.maxHeld = new int[nodes];
        this.maxQueue = new int[nodes];
        this.queueLengths = new long[2 * nodes + 1];
        Arrays.fill(completedIn, -1);
        Arrays.setAll(left, flows::cells);
    }

    /** The peer of a node on a channel in a slot, -1 if it has none (docs/spec/shoal.md §2.1-2.3). */
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

    /** Runs until every cell has arrived. */
    void run() {
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            cells += flows.cells(flow);
        }
        int next = 0;
        for (long slot = 0; delivered < cells; slot++) {
            for (; next < flows.size() && flows.startSlot(next) <= slot; next++) {
                start(next, slot);
            }
            final Sent[][] sent = new Sent[shoal.channels()][nodes];
            for (int node = 0; node < nodes; node++) {
                send(node, slot, sent);
            }
            onTheWay.put(slot, sent);
            final Sent[][] arriving = onTheWay.remove(slot - shoal.propagationSlots());
            for (int channel = 0; arriving != null && channel < shoal.channels(); channel++) {
                for (int node = 0; node < nodes; node++) {
                    final int to = peer(node, channel, slot - shoal.propagationSlots());
                    if (to >= 0 && !isDown(node) && !isDown(to)) {
                        receive(to, node, slot, arriving[channel][node]);
                    }
                }
            }
        }
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
        traffic.messages.add(new Message(flow, new int[1]));
    }

    private void send(final int id, final long slot, final Sent[][] sent) {
        final Cell[] about = new Cell[shoal.channels()];
        final int[] value = new int[shoal.channels()];
        for (int channel = 0; channel < shoal.channels(); channel++) {
            final int to = isDown(id) ? -1 : peer(id, channel, slot);
            if (to >= 0 && !isDown(to)) {
                about[channel] = told(id, nodeOf[id].links[to]);
                value[channel] = load(id, about[channel]);
            }
        }
        for (int channel = 0; channel < shoal.channels(); channel++) {
            final int to = isDown(id) ? -1 : peer(id, channel, slot);
            if (to >= 0 && !isDown(to)) {
                final Link link = nodeOf[id].links[to];
                final Cell last = link.came.peek();
                sent[channel][id] = new Sent(sendOn(id, link, slot), last, value[channel], about[channel]);
            }
        }
    }

    /** Every cell that joins a queue is told of when it came, and again, the latest first, when there is no other. */
    private Cell told(final int id, final Link link) {
        final Cell last = link.came.peek();
        if (shoal.rule().isToldOnce()) {
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

    private int load(final int id, final Cell cell) {
        if (!joins(cell, id)) {
            return 0;
        }
        final Link joined = nodeOf[id].links[cell.destination];
        return joined.queue.size() + joined.ready;
    }

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
                final long age = (slot - traffic.start) / epoch;
                if (free && (!shoal.ageRule() || length <= Math.pow(2, Math.min(age, 20)))) {
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

    /** All that Eq. 2 releases join. */
    private Cell sendBasic(final int id, final Link link, final long slot, final int length) {
        for (final Traffic traffic : List.copyOf(nodeOf[id].active)) {
            final Use use = link.uses.computeIfAbsent(traffic.destination, k -> new Use());
            final long age = (slot - traffic.start) / epoch;
            if (use.reported && length + use.turns >= use.value
                && (!shoal.ageRule() || length <= Math.pow(2, Math.min(age, 20)))) {
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
                forwarded++;
            }
        }
        return cell;
    }

    private Cell take(final int id, final Traffic traffic) {
        final boolean isShortest = shoal.flowOrder() == FlowOrder.SHORTEST;
        final Message message = isShortest ? traffic.messages.stream()
            .min(Comparator.comparingInt(some -> flows.cells(some.flow))).orElseThrow() : traffic.messages.peek();
        message.sent[0]++;
        final boolean isOver = message.sent[0] == flows.cells(message.flow);
        if (isOver || !isShortest) {
            traffic.messages.remove(message);
        }
        if (!isOver && !isShortest) {
            traffic.messages.add(message);
        } else if (traffic.messages.isEmpty()) {
            nodeOf[id].active.remove(traffic);
        }
        return new Cell(id, traffic.destination, message.flow, new long[1], traffic.numbered++);
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
        if (link.came.size() > 4) {
            link.came.removeLast();
        }
        if (cell == null) {
            return;
        }
        if (cell.destination == id) {
            deliver(cell, slot);
            return;
        }
        final Deque<Cell> queue = nodeOf[id].links[cell.destination].queue;
        queue.add(cell);
        maxQueue[id] = Math.max(maxQueue[id], queue.size());
        maxHeld[id] = Math.max(maxHeld[id], ++nodeOf[id].held);
    }

    private boolean isAtOnce(final int id, final int relay, final long slot) {
        return !shoal.rule().isToldOnce() && shoal.propagationSlots() == 0 && shoal.channels() == 1
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

    /** Slots in which the relay meets the destination, from the report's sending to the next cell's arrival. */
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

    private void deliver(final Cell cell, final long slot) {
        delivered++;
        final Traffic traffic = nodeOf[cell.source].traffic.get(cell.destination);
        traffic.parked.add(cell.number);
        while (traffic.parked.remove(traffic.expected)) {
            traffic.expected++;
        }
        maxParked = Math.max(maxParked, traffic.parked.size());
        latency.merge((int) (slot - cell.sentIn[0]), 1L, Long::sum);
        if (--left[cell.flow] == 0) {
            completedIn[cell.flow] = slot;
        }
    }
}
