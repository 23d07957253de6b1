package dev.skerry.nic.engine;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.control.HostLimits;
import dev.skerry.nic.shale.control.LimitedControl;
import dev.skerry.nic.shale.control.Priority;
import dev.skerry.nic.shale.control.Priority.FlowLength;
import dev.skerry.nic.shale.control.SenderDriven;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Shale as docs/spec/shale.md §2, §3 and §5 tell it, with objects and lists and its own arithmetic of digits. Links to
 * spray on are drawn as the fabric draws them. State is kept by neighbour, not by link.
 */
final class ObviousFabric {
    final long[] completedIn;
    final int[] maxHeld;
    final int[] maxQueue;
    final int[] maxActive;
    final TreeMap<Integer, Long> latency = new TreeMap<>();
    long forwarded;
    long delivered;

    private final Shale shale;
    private final FlowSet flows;
    private final int h;
    private final int r;
    private final Node[] nodes;
    private final int[] sent;
    private final double[] credit;
    private final int[] received;
    private final Deque<Flight> air = new ArrayDeque<>();

    /** Cells of a destination with n spraying hops to go. */
    private record Bucket(int destination, int n) {
    }

    private record Held(int flow, long sentIn, Bucket came, int from, Bucket next, long rank) {
    }

    private record Flight(long slot, int from, int to, Held cell, List<Bucket> tokens) {
    }

    private static final class Node {
        final Map<Integer, List<Held>> queue = new HashMap<>();
        final Map<Integer, Map<Bucket, Integer>> out = new HashMap<>();
        final Map<Integer, Deque<Bucket>> owed = new HashMap<>();
        /** Tokens that wait before the return FIFO, and the cell in the last place of the PIEO, of each neighbour. */
        final Map<Integer, Deque<Bucket>> outside = new HashMap<>();
        final Map<Integer, Held> visitor = new HashMap<>();
        final Deque<Integer> waiting = new ArrayDeque<>();
        final List<Integer> active = new ArrayList<>();
        /** The flow each neighbour's pointer stands on; absent: the end. */
        final Map<Integer, Integer> pointer = new HashMap<>();
    }

    private boolean hopByHop() {
        return shale.mechanisms().control() == HopByHop.FACTORY
            || shale.mechanisms().control() instanceof final LimitedControl limited && limited.hasTokens();
    }

    private HostLimits limits() {
        return shale.mechanisms().control() instanceof final LimitedControl limited ? limited.limits()
            : HostLimits.NONE;
    }

    ObviousFabric(final Shale shale, final FlowSet flows) {
        this.shale = shale;
        this.flows = flows;
        this.h = shale.schedule().phases();
        this.r = shale.schedule().radix();
        this.nodes = new Node[(int) Math.round(Math.pow(r, h))];
        Arrays.setAll(nodes, i -> new Node());
        this.completedIn = new long[flows.size()];
        this.sent = new int[flows.size()];
        this.credit = new double[flows.size()];
        this.received = new int[flows.size()];
        this.maxHeld = new int[nodes.length];
        this.maxQueue = new int[nodes.length];
        this.maxActive = new int[nodes.length];
        for (int flow = 0; flow < flows.size(); flow++) {
            nodes[flows.source(flow)].waiting.add(flow);
        }
    }

    /** Runs until every flow is complete. */
    void run() {
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            cells += flows.cells(flow);
        }
        for (long slot = 0; delivered < cells; slot++) {
            gain();
            for (int u = 0; u < nodes.length; u++) {
                send(u, slot);
            }
            while (!air.isEmpty() && air.peek().slot + shale.propagationSlots() == slot) {
                receive(air.remove(), slot);
            }
        }
    }

    /** ISD: every active flow gains its share of the rate of its destination; flows of all nodes are counted. */
    private void gain() {
        if (shale.mechanisms().endToEnd() instanceof final SenderDriven isd) {
            final int[] towards = new int[nodes.length];
            for (final Node node : nodes) {
                node.active.forEach(flow -> towards[flows.destination(flow)]++);
            }
            for (final Node node : nodes) {
                node.active.forEach(flow -> credit[flow] = Math.min(4,
                    credit[flow] + isd.rate(shale) / towards[flows.destination(flow)]));
            }
        }
    }

    private int digit(final int node, final int phase) {
        return node / (int) Math.round(Math.pow(r, phase)) % r;
    }

    private int with(final int node, final int phase, final int digit) {
        return node + (digit - digit(node, phase)) * (int) Math.round(Math.pow(r, phase));
    }

    private int phaseOf(final long slot) {
        return (int) (slot / (r - 1) % h);
    }

    private void send(final int u, final long slot) {
        final Node node = nodes[u];
        if (!node.waiting.isEmpty() && flows.startSlot(node.waiting.peek()) <= slot) {
            credit[node.waiting.element()] = 1;
            node.active.add(node.waiting.remove());
        }
        final int phase = phaseOf(slot);
        final int w = with(u, phase, (digit(u, phase) + (int) (slot % (r - 1)) + 1) % r);
        Held cell = null;
        for (final Held held : ranked(inside(node, w), w)) {
            final boolean last = held.next.destination == w;
            if (cell == null && (last || !hopByHop() || out(node, w, held.next) < shale.tokens())) {
                cell = held;
            }
        }
        visit(node, w, cell);
        if (cell != null) {
            node.queue.get(w).remove(cell);
            owe(node, cell.from, cell.came);
            spend(node, w, cell.next);
            forwarded++;
        } else {
            cell = local(node, w, slot);
        }
        maxActive[u] = Math.max(maxActive[u], active(node));
        final List<Bucket> tokens = new ArrayList<>();
        final Deque<Bucket> owed = node.owed.getOrDefault(w, new ArrayDeque<>());
        while (hopByHop() && tokens.size() < 2 && !owed.isEmpty()) {
            tokens.add(owed.remove());
        }
        if (!node.outside.getOrDefault(w, new ArrayDeque<>()).isEmpty()) {
            owed.add(node.outside.get(w).remove());
        }
        air.add(new Flight(slot, u, w, cell, tokens));
    }

    /** The cells of a queue in the PIEO: the oldest, and in its last place one of the others. */
    private List<Held> inside(final Node node, final int w) {
        final List<Held> queue = node.queue.getOrDefault(w, List.of());
        final int places = limits().pieoEntries();
        if (queue.size() <= places) {
            return queue;
        }
        final List<Held> inside = new ArrayList<>(queue.subList(0, places - 1));
        final Held visitor = node.visitor.get(w);
        inside.add(queue.indexOf(visitor) >= places - 1 ? visitor : queue.get(places - 1));
        return inside;
    }

    /** Another cell comes into the last place, if the one there leaves or none can. */
    private void visit(final Node node, final int w, final Held leaving) {
        final List<Held> inside = inside(node, w);
        final List<Held> queue = node.queue.getOrDefault(w, List.of());
        if (inside.size() < queue.size() && (leaving == null || leaving == inside.getLast())) {
            final int next = queue.indexOf(inside.getLast()) + 1;
            node.visitor.put(w, next < queue.size() ? queue.get(next) : queue.get(limits().pieoEntries() - 1));
            if (next == queue.size() && leaving != null) {
                node.visitor.remove(w);
            }
        }
    }

    private void owe(final Node node, final int to, final Bucket token) {
        final Deque<Bucket> fifo = node.owed.computeIfAbsent(to, v -> new ArrayDeque<>());
        final Deque<Bucket> outside = node.outside.computeIfAbsent(to, v -> new ArrayDeque<>());
        (hopByHop() && (fifo.size() >= limits().tokenFifo() || !outside.isEmpty()) ? outside : fifo).add(token);
    }

    /** The cells of a queue, which are in order of arrival, as priority has them; of a bucket only the oldest. */
    private List<Held> ranked(final List<Held> queue, final int w) {
        if (!(shale.mechanisms().order() instanceof final Priority priority)) {
            return queue;
        }
        final List<Held> ranked = new ArrayList<>();
        final Set<Bucket> seen = new HashSet<>();
        for (final Held held : queue) {
            if (!priority.byBucket() || seen.add(numbered(held, w))) {
                ranked.add(held);
            }
        }
        final Comparator<Held> byBucket = Comparator.comparing(held -> numbered(held, w),
            Comparator.comparingInt(Bucket::n).thenComparingInt(Bucket::destination));
        final Comparator<Held> byRank = Comparator.comparingLong(Held::rank);
        ranked.sort(priority.byBucket() ? byRank.thenComparing(byBucket.reversed()) : byRank);
        return ranked;
    }

    /** The bucket of a cell; all cells that w is the end for are in one, which comes after the others. */
    private Bucket numbered(final Held held, final int w) {
        return held.next.destination == w ? new Bucket(0, h + 1) : held.next;
    }

    private long rank(final int flow, final long sentIn) {
        if (!(shale.mechanisms().order() instanceof final Priority priority)) {
            return sentIn;
        }
        final int cells = flows.cells(flow);
        final double length = priority.length() == FlowLength.LOG ? Math.log(cells) / Math.log(2) : cells;
        return (long) (length * h * (r - 1) * priority.factor() + sentIn);
    }

    private Held local(final Node node, final int w, final long slot) {
        final Integer pointed = node.pointer.get(w);
        final int start = pointed == null ? 0 : node.active.indexOf(pointed);
        for (int i = 0; i < node.active.size(); i++) {
            final int at = (start + i) % node.active.size();
            final int flow = node.active.get(at);
            final Bucket next = new Bucket(flows.destination(flow), h - 1);
            final boolean isPaced = shale.mechanisms().endToEnd() != null;
            if ((!isPaced || credit[flow] >= 1) && (next.destination == w || !hopByHop()
                || out(node, w, next) < shale.firstHopTokens() && hasRoom(node, next))) {
                credit[flow]--;
                spend(node, w, next);
                final Integer after = at + 1 < node.active.size() ? node.active.get(at + 1) : null;
                node.pointer.put(w, after);
                if (++sent[flow] == flows.cells(flow)) {
                    node.active.remove(at);
                    node.pointer.replaceAll((v, f) -> f != null && f == flow ? after : f);
                }
                return new Held(flow, slot, null, -1, next, 0);
            }
        }
        return null;
    }

    private void receive(final Flight flight, final long slot) {
        final Node node = nodes[flight.to];
        if (flight.cell != null) {
            final Held cell = flight.cell;
            if (cell.next.destination == flight.to) {
                delivered++;
                latency.merge((int) (slot - cell.sentIn), 1L, Long::sum);
                if (++received[cell.flow] == flows.cells(cell.flow)) {
                    completedIn[cell.flow] = slot;
                }
            } else {
                enqueue(node, flight);
            }
        }
        int held = 0;
        for (final List<Held> queue : node.queue.values()) {
            held += queue.size();
            maxQueue[flight.to] = Math.max(maxQueue[flight.to], queue.size());
        }
        maxHeld[flight.to] = Math.max(maxHeld[flight.to], held);
        maxActive[flight.to] = Math.max(maxActive[flight.to], active(node));
        for (final Bucket token : flight.tokens) {
            node.out.get(flight.from).computeIfPresent(token, (b, n) -> n == 1 ? null : n - 1);
        }
    }

    private void enqueue(final Node node, final Flight flight) {
        final int d = flight.cell.next.destination;
        int phase = (phaseOf(flight.slot) + 1) % h;
        final int peer;
        if (flight.cell.next.n > 0) {
            peer = sprayed(flight, phase);
        } else {
            while (digit(flight.to, phase) == digit(d, phase)) {
                phase = (phase + 1) % h;
            }
            peer = with(flight.to, phase, digit(d, phase));
        }
        node.queue.computeIfAbsent(peer, v -> new ArrayList<>()).add(new Held(flight.cell.flow, flight.cell.sentIn,
            flight.cell.next, flight.from, new Bucket(d, Math.max(0, flight.cell.next.n - 1)),
            rank(flight.cell.flow, flight.slot)));
    }

    /** One of the equally good neighbours of a phase, in the order of their links. */
    private int sprayed(final Flight flight, final int phase) {
        final Node node = nodes[flight.to];
        final Bucket next = new Bucket(flight.cell.next.destination, flight.cell.next.n - 1);
        final List<Integer> best = new ArrayList<>();
        long least = Long.MAX_VALUE;
        for (int link = 0; link < r - 1; link++) {
            final int peer = with(flight.to, phase, (digit(flight.to, phase) + link + 1) % r);
            final List<Held> queue = node.queue.getOrDefault(peer, List.of());
            final long inBucket = peer == next.destination ? 0
                : queue.stream().filter(held -> held.next.equals(next)).count() + out(node, peer, next);
            final long load = switch (shale.mechanisms().spraying()) {
                case RANDOM -> 0;
                case SHORTEST_QUEUE -> queue.size();
                case LEAST_BUCKET -> (inBucket << Integer.SIZE) + queue.size();
            };
            if (load < least) {
                best.clear();
                least = load;
            }
            if (load == least) {
                best.add(peer);
            }
        }
        return best.get(CounterRandom.below(CounterRandom.bits(shale.seed(), flight.to,
            flight.slot + shale.propagationSlots(), 1), best.size()));
    }

    private int out(final Node node, final int w, final Bucket bucket) {
        return node.out.getOrDefault(w, Map.of()).getOrDefault(bucket, 0);
    }

    private void spend(final Node node, final int w, final Bucket bucket) {
        if (hopByHop() && bucket.destination != w) {
            node.out.computeIfAbsent(w, v -> new HashMap<>()).merge(bucket, 1, Integer::sum);
        }
    }

    private boolean hasRoom(final Node node, final Bucket next) {
        return buckets(node).size() < limits().activeBuckets() || buckets(node).contains(next);
    }

    private int active(final Node node) {
        return buckets(node).size();
    }

    private Set<Bucket> buckets(final Node node) {
        final Set<Bucket> active = new HashSet<>();
        if (hopByHop()) {
            node.queue.forEach((w, queue) -> queue.stream().map(Held::next).filter(b -> b.destination != w)
                .forEach(active::add));
            node.out.values().forEach(out -> active.addAll(out.keySet()));
        }
        return active;
    }
}
