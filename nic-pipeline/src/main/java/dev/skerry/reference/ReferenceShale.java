package dev.skerry.reference;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.control.LimitedControl;
import dev.skerry.nic.shale.control.LimitedControl.HostLimits;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Priority;
import dev.skerry.nic.shale.control.Priority.FlowLength;
import dev.skerry.nic.shale.control.SenderDriven;
import dev.skerry.schedule.SlotShare;

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

/**
 * Shale as described in docs/spec/shale.md §2, §3 and §5 (Shale §3.1 to §3.3). Node ids are numbers of h digits in base
 * r; in each phase a node meets the r - 1 nodes that differ from it in one digit. State is kept by neighbour. Spraying
 * hops draw their links from the same random numbers as the fast engines.
 */
public final class ReferenceShale extends ReferenceEngine {
    /** Tokens that fit into the header of one cell. */
    private static final int TOKENS_PER_CELL = 2;
    /** Largest credit of a flow that ISD paces, in cells. */
    private static final int MAX_CREDIT = 4;

    private final Shale shale;
    private final int h;
    private final int r;
    /** r to the power of each phase. */
    private final int[] power;
    private final Node[] nodeOf;
    /** Cells that ISD lets each flow send. */
    private final double[] credit;
    private final Deque<Flight> inFlight = new ArrayDeque<>();

    /** A bucket of hop-by-hop congestion control: cells for one destination with n spraying hops left. */
    private record Bucket(int destination, int n) {
    }

    /**
     * A queued cell: the bucket in which it came and the sender, the bucket in which it leaves, and its rank in the
     * queue.
     */
    private record Held(int flow, int sequence, long sentIn, Bucket came, int from, Bucket next, long rank) {
    }

    /** A slot of a link: a cell, or null for only a header, and tokens. */
    private record Flight(long slot, int from, int to, Held cell, List<Bucket> tokens) {
    }

    /** A node; each map is by neighbour. */
    private static final class Node {
        /** Cells to forward, in order of arrival. */
        final Map<Integer, List<Held>> queue = new HashMap<>();
        /** Tokens spent and not returned, by bucket. */
        final Map<Integer, Map<Bucket, Integer>> out = new HashMap<>();
        /** Tokens to return, in order: the return FIFO, and tokens for which it was full. */
        final Map<Integer, Deque<Bucket>> owed = new HashMap<>();
        final Map<Integer, Deque<Bucket>> outside = new HashMap<>();
        /** The cell in the last entry of a limited PIEO. */
        final Map<Integer, Held> visitor = new HashMap<>();
        /** Flows that may start, and flows with cells to send. */
        final Deque<Integer> waiting = new ArrayDeque<>();
        final List<Integer> active = new ArrayList<>();
        /** The flow at which the round robin of local flows continues; absent or null for the first. */
        final Map<Integer, Integer> pointer = new HashMap<>();
    }

    /**
     * Creates the engine at slot 0.
     *
     * @throws IllegalArgumentException if the fabric has mechanisms that this engine lacks; the message names them.
     */
    public ReferenceShale(final Shale shale, final FlowSet flows) {
        super(supported(shale), flows);
        this.shale = shale;
        this.h = shale.schedule().phases();
        this.r = shale.schedule().radix();
        this.power = new int[h];
        Arrays.setAll(power, phase -> phase == 0 ? 1 : power[phase - 1] * r);
        this.nodeOf = new Node[nodes];
        Arrays.setAll(nodeOf, id -> new Node());
        this.credit = new double[flows.size()];
    }

    private static Shale supported(final Shale shale) {
        final boolean complete = shale.population().endpoints() == shale.nodes() && shale.share() == SlotShare.ALL;
        final boolean known = shale.mechanisms().control() == Mechanisms.NONE.control()
            || shale.mechanisms().control() == HopByHop.FACTORY
            || shale.mechanisms().control() instanceof LimitedControl;
        final boolean paced = shale.mechanisms().endToEnd() == null
            || shale.mechanisms().endToEnd() instanceof final SenderDriven isd && isd.beside() == null;
        final boolean usual = shale.mechanisms().ties() == TieRule.DRAWN
            && shale.mechanisms().locals() == LocalRule.LINK;
        if (!complete || !known || !paced || !usual) {
            throw new IllegalArgumentException("the reference engine supports only fabrics without failed nodes, one "
                + "schedule, hbh, spraying, priority and isd, with the default ties and local order");
        }
        return shale;
    }

    private boolean hopByHop() {
        return shale.mechanisms().control() == HopByHop.FACTORY
            || shale.mechanisms().control() instanceof final LimitedControl limited && limited.hasTokens();
    }

    private HostLimits limits() {
        return shale.mechanisms().control() instanceof final LimitedControl limited ? limited.limits()
            : HostLimits.NONE;
    }

    private int digit(final int node, final int phase) {
        return node / power[phase] % r;
    }

    private int with(final int node, final int phase, final int digit) {
        return node + (digit - digit(node, phase)) * power[phase];
    }

    private int phaseOf(final long slot) {
        return (int) (slot / (r - 1) % h);
    }

    @Override
    void step(final long now) {
        gain();
        starting(now).forEach(flow -> nodeOf[flows.source(flow)].waiting.add(flow));
        for (int u = 0; u < nodes; u++) {
            send(u, now);
        }
        while (!inFlight.isEmpty() && inFlight.peek().slot + propagationSlots == now) {
            receive(inFlight.remove(), now);
        }
    }

    /** Lets every active flow gain its share of the rate of its destination among the flows of all nodes, for ISD. */
    private void gain() {
        if (shale.mechanisms().endToEnd() instanceof final SenderDriven isd) {
            final int[] towards = new int[nodes];
            for (final Node node : nodeOf) {
                node.active.forEach(flow -> towards[flows.destination(flow)]++);
            }
            for (final Node node : nodeOf) {
                node.active.forEach(flow -> credit[flow] = Math.min(MAX_CREDIT,
                    credit[flow] + isd.rate(shale) / towards[flows.destination(flow)]));
            }
        }
    }

    private void send(final int u, final long now) {
        final Node node = nodeOf[u];
        if (!node.waiting.isEmpty()) {
            credit[node.waiting.element()] = 1;
            node.active.add(node.waiting.remove());
            flowsStarted++;
        }
        final int phase = phaseOf(now);
        final int w = with(u, phase, (digit(u, phase) + (int) (now % (r - 1)) + 1) % r);
        Held cell = firstEligible(node, w);
        visit(node, w, cell);
        if (cell != null) {
            node.queue.get(w).remove(cell);
            owe(node, cell.from, cell.came);
            spend(node, w, cell.next);
            cellsForwarded++;
        } else {
            cell = local(node, w, now);
        }
        maxActive[u] = Math.max(maxActive[u], activeBuckets(node).size());
        inFlight.add(new Flight(now, u, w, cell, returned(node, w)));
    }

    /** Returns the first cell of a queue whose bucket has a token left for the neighbour; the last hop needs none. */
    private Held firstEligible(final Node node, final int w) {
        return ranked(inside(node, w), w).stream().filter(held -> held.next.destination == w || !hopByHop()
            || out(node, w, held.next) < shale.tokens()).findFirst().orElse(null);
    }

    /** Returns the tokens that go with a cell to the neighbour that spent them. */
    private List<Bucket> returned(final Node node, final int w) {
        final List<Bucket> tokens = new ArrayList<>();
        final Deque<Bucket> owed = node.owed.getOrDefault(w, new ArrayDeque<>());
        while (hopByHop() && tokens.size() < TOKENS_PER_CELL && !owed.isEmpty()) {
            tokens.add(owed.remove());
        }
        if (!node.outside.getOrDefault(w, new ArrayDeque<>()).isEmpty()) {
            owed.add(node.outside.get(w).remove());
        }
        return tokens;
    }

    private void owe(final Node node, final int to, final Bucket token) {
        final Deque<Bucket> fifo = node.owed.computeIfAbsent(to, v -> new ArrayDeque<>());
        final Deque<Bucket> outside = node.outside.computeIfAbsent(to, v -> new ArrayDeque<>());
        (hopByHop() && (fifo.size() >= limits().tokenFifo() || !outside.isEmpty()) ? outside : fifo).add(token);
    }

    private void spend(final Node node, final int w, final Bucket bucket) {
        if (hopByHop() && bucket.destination != w) {
            node.out.computeIfAbsent(w, v -> new HashMap<>()).merge(bucket, 1, Integer::sum);
        }
    }

    private int out(final Node node, final int w, final Bucket bucket) {
        return node.out.getOrDefault(w, Map.of()).getOrDefault(bucket, 0);
    }

    /** Returns the cells of a queue that are in the PIEO: the oldest ones, and in its last entry one of the others. */
    private List<Held> inside(final Node node, final int w) {
        final List<Held> queue = node.queue.getOrDefault(w, List.of());
        final int entries = limits().pieoEntries();
        if (queue.size() <= entries) {
            return queue;
        }
        final List<Held> inside = new ArrayList<>(queue.subList(0, entries - 1));
        final Held visitor = node.visitor.get(w);
        inside.add(queue.indexOf(visitor) >= entries - 1 ? visitor : queue.get(entries - 1));
        return inside;
    }

    /** Moves the next cell into the last entry of a full PIEO if its cell leaves, or if no cell can. */
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

    /**
     * Returns the cells of a queue in the order in which they may leave; with priority by bucket, only the oldest of
     * each.
     */
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

    /**
     * Returns the bucket of a cell; all cells whose destination is the neighbour share one, which comes after the
     * others.
     */
    private Bucket numbered(final Held held, final int w) {
        return held.next.destination == w ? new Bucket(0, h + 1) : held.next;
    }

    private long rank(final int flow, final long slot) {
        if (!(shale.mechanisms().order() instanceof final Priority priority)) {
            return slot;
        }
        final int cells = flows.cells(flow);
        final double length = priority.length() == FlowLength.LOG ? Math.log(cells) / Math.log(2) : cells;
        return (long) (length * h * (r - 1) * priority.factor() + slot);
    }

    /** Takes a cell of the next local flow, in round robin order, that has a first-hop token left; null if none has. */
    private Held local(final Node node, final int w, final long now) {
        final Integer pointed = node.pointer.get(w);
        final int start = pointed == null ? 0 : node.active.indexOf(pointed);
        for (int i = 0; i < node.active.size(); i++) {
            final int at = (start + i) % node.active.size();
            final int flow = node.active.get(at);
            final Bucket next = new Bucket(flows.destination(flow), h - 1);
            final boolean paced = shale.mechanisms().endToEnd() != null;
            if ((!paced || credit[flow] >= 1) && (next.destination == w || !hopByHop()
                || out(node, w, next) < shale.firstHopTokens() && mayBeActive(node, next))) {
                credit[flow]--;
                spend(node, w, next);
                final Integer after = at + 1 < node.active.size() ? node.active.get(at + 1) : null;
                node.pointer.put(w, after);
                cellsInjected++;
                if (++sent[flow] == flows.cells(flow)) {
                    node.active.remove(at);
                    node.pointer.replaceAll((v, f) -> f != null && f == flow ? after : f);
                }
                return new Held(flow, sent[flow] - 1, now, null, -1, next, 0);
            }
        }
        return null;
    }

    private void receive(final Flight flight, final long now) {
        final Node node = nodeOf[flight.to];
        final Held cell = flight.cell;
        if (cell != null && cell.next.destination == flight.to) {
            deliver(now, cell.flow, cell.sequence, cell.sentIn);
        } else if (cell != null) {
            final int d = cell.next.destination;
            node.queue.computeIfAbsent(nextHop(flight), v -> new ArrayList<>()).add(new Held(cell.flow, cell.sequence,
                cell.sentIn, cell.next, flight.from, new Bucket(d, Math.max(0, cell.next.n - 1)),
                rank(cell.flow, flight.slot)));
        }
        int held = 0;
        for (final List<Held> queue : node.queue.values()) {
            held += queue.size();
            maxQueue[flight.to] = Math.max(maxQueue[flight.to], queue.size());
        }
        maxHeld[flight.to] = Math.max(maxHeld[flight.to], held);
        maxActive[flight.to] = Math.max(maxActive[flight.to], activeBuckets(node).size());
        for (final Bucket token : flight.tokens) {
            node.out.get(flight.from).computeIfPresent(token, (b, n) -> n == 1 ? null : n - 1);
        }
    }

    /**
     * Returns the next hop. Spraying hops change any digit of the next phase; then each phase sets one digit to that of
     * the destination.
     */
    private int nextHop(final Flight flight) {
        int phase = (phaseOf(flight.slot) + 1) % h;
        if (flight.cell.next.n > 0) {
            return sprayed(flight, phase);
        }
        final int d = flight.cell.next.destination;
        while (digit(flight.to, phase) == digit(d, phase)) {
            phase = (phase + 1) % h;
        }
        return with(flight.to, phase, digit(d, phase));
    }

    /** Returns one of the equally good neighbours of a phase, in the order of their links. */
    private int sprayed(final Flight flight, final int phase) {
        final Node node = nodeOf[flight.to];
        final Bucket next = new Bucket(flight.cell.next.destination, flight.cell.next.n - 1);
        final List<Integer> best = new ArrayList<>();
        long least = Long.MAX_VALUE;
        for (int link = 0; link < r - 1; link++) {
            final int peer = with(flight.to, phase, (digit(flight.to, phase) + link + 1) % r);
            final List<Held> queue = node.queue.getOrDefault(peer, List.of());
            final long load = switch (shale.mechanisms().spraying()) {
                case RANDOM -> 0;
                case SHORTEST_QUEUE -> queue.size();
                case LEAST_BUCKET -> (peer == next.destination ? 0
                    : queue.stream().filter(held -> held.next.equals(next)).count() + out(node, peer, next)
                    << Integer.SIZE) + queue.size();
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
            flight.slot + propagationSlots, 1), best.size()));
    }

    private boolean mayBeActive(final Node node, final Bucket next) {
        return limits().activeBuckets() == HostLimits.UNLIMITED
            || activeBuckets(node).size() < limits().activeBuckets() || activeBuckets(node).contains(next);
    }

    /** Returns the buckets of queued cells and of outstanding tokens. */
    private Set<Bucket> activeBuckets(final Node node) {
        final Set<Bucket> active = new HashSet<>();
        if (hopByHop()) {
            node.queue.forEach((w, queue) -> queue.stream().map(Held::next).filter(b -> b.destination != w)
                .forEach(active::add));
            node.out.values().forEach(out -> active.addAll(out.keySet()));
        }
        return active;
    }
}
