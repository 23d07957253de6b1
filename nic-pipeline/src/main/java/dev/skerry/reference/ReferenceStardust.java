package dev.skerry.reference;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.UpDownReach;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * Stardust as described in docs/spec/stardust.md §3 to §5 (Stardust §3 to §5). A flow joins a VOQ of its adapter. The
 * VOQ asks its port for credits. The packets that a credit releases are cut into cells, which are spread over all links
 * that lead to the port's adapter; that adapter puts them in order and sends the packets to their host.
 *
 * <p>Adapters and elements are the devices of a folded Clos, adapters first. A port of a device is both the queue in
 * front of a link and the place where cells of the other direction arrive. Random numbers are those of the fast engine.
 * Nothing fails here, so no cell is lost or abandoned.
 */
public final class ReferenceStardust extends ReferenceEngine {
    /** Bytes of a VOQ that never runs empty. */
    private static final long ENDLESS = 1L << 60;
    /** Maximum backlog for which a VOQ keeps credits. */
    private static final int MOST_CREDITED = 1 << 26;
    /** Schedulers and ports count bytes in units of 1/65536 byte. */
    private static final int FRACTION_BITS = 16;
    private static final double ONE = 1 << FRACTION_BITS;
    /** Reaction to marks: the window in slots, the steps of g, and the minimum of g. */
    private static final int WINDOW_SLOTS = 128;
    private static final double SLOWER = 0.2;
    private static final double FASTER = 0.01;
    private static final double LEAST_SHARE = 0.25;
    /** Rounds before an arbiter draws a new order of its links. */
    private static final int ROUNDS = 4;
    /** A run ends when nothing has moved for this many times the longest wait. */
    private static final int PATIENCE = 4;

    private final Stardust stardust;
    private final FoldedClos clos;
    private final HostSide hosts;
    private final Credits credits;
    private final LinkRules rules;
    /** Slots that cells and messages take on a link. */
    private final int delay;
    private final Map<Stream, Voq> voqOf = new HashMap<>();
    private final Adapter[] adapterOf;
    /** By device and destination; null if no link leads there. */
    private final Arbiter[][] arbiterOf;
    /** Cells in front of the link of each port. */
    private final List<Deque<Cell>> queueOf;
    /**
     * In flight, one entry for each slot: cells, and pauses of the link into a port; both by the port at the receiver.
     */
    private final Deque<SortedMap<Integer, Cell>> cellsInFlight = new ArrayDeque<>();
    private final Deque<Set<Integer>> pausesInFlight = new ArrayDeque<>();
    /** Messages by the slot of their arrival. */
    private final Map<Long, List<Message>> messages = new HashMap<>();
    /** Ports at the receiver whose links are paused in this slot. */
    private Set<Integer> paused = Set.of();
    /**
     * Queues of elements that were full and are not half empty yet; and the queue that each port where cells arrive
     * feeds.
     */
    private final Set<Integer> fullQueues = new HashSet<>();
    private final Map<Integer, Integer> feeds = new HashMap<>();
    /** Parts of pools that were nearly used up and are not half empty yet, by their first port. */
    private final Map<Integer, Boolean> fullParts = new HashMap<>();
    /** Flows of which a port had no room for a packet. */
    private final Set<Integer> failing = new HashSet<>();
    private int flowsFailed;
    /** Slots in which a flow has waited for its delay. */
    private long delayedSlots;
    private long lastMove;
    private long movesBefore = -1;

    /** Identifies a VOQ: the adapters of source and destination, and its number between the two. */
    private record Stream(int from, int to, int queue) {
    }

    private record Packet(int flow, int number, int bytes, boolean last) {
    }

    /** A cell of a stream, with the packets that end in it. */
    private record Cell(Stream stream, long number, List<Packet> ends, long cutIn, boolean marked) {
    }

    /** A request or credit: the tiers between sender and receiver, and its action in the slot of its arrival. */
    private record Message(int tiers, LongConsumer arrives) {
    }

    private static final class Voq {
        /** At the source: flows with bytes to send, these bytes (Q), the balance (B), and the number of cells cut. */
        final Deque<Integer> flows = new ArrayDeque<>();
        long bytes;
        long balance;
        boolean asks;
        long cells;
        /** At the destination: the number of the next cell, and cells that arrived early. */
        long expected;
        final Map<Long, Cell> early = new HashMap<>();
    }

    /** A port of an adapter: its credit scheduler and its queue to the host. */
    private static final class Port {
        /** The VOQs for the port, the one with the next turn first, and those that ask. */
        final Deque<Stream> turns = new ArrayDeque<>();
        final Set<Stream> asking = new HashSet<>();
        /** Bytes for which it may give credits, and whether it holds too much to give any. */
        long pace;
        boolean stopped;
        /** The time when its last byte leaves, counted in bytes of its rate. */
        long doneAt;
    }

    private static final class Adapter {
        final List<Port> ports = new ArrayList<>();
        /** VOQs with bytes and credits, in the order of their turns. */
        final LinkedHashSet<Stream> credited = new LinkedHashSet<>();
        /** The VOQ that sends, and the cells of its burst that are not cut yet: the packets that end in each. */
        Stream sending;
        final Deque<List<Packet>> burst = new ArrayDeque<>();
        /** Cells from the adapter to itself. */
        final Deque<Cell> loop = new ArrayDeque<>();
        /** Bytes for which all ports may give credits, g, and the cells received in this window. */
        long budget;
        double share = 1;
        int received;
        int marked;
    }

    /** Round robin of a device over a set of links, in a random order that is renewed every few rounds. */
    private final class Arbiter {
        final List<Integer> links;
        private final List<Integer> order = new ArrayList<>();
        private final long key;
        private long turn;

        Arbiter(final int device, final int number, final List<Integer> links) {
            this.links = links;
            this.key = ((long) device << 16 | number) << 24;
        }

        /** Returns the port that takes the next cell. */
        int next() {
            final int renewal = ROUNDS * links.size();
            if (turn % renewal == 0) {
                order.clear();
                final long drawn = CounterRandom.mix(CounterRandom.mix(stardust.seed() + key * GOLDEN)
                    + turn / renewal * GOLDEN);
                for (int i = 0; i < links.size(); i++) {
                    order.add(links.get(i));
                    Collections.swap(order, i, CounterRandom.below(CounterRandom.mix(drawn + i * GOLDEN), i + 1));
                }
            }
            return order.get((int) (turn++ % links.size()));
        }
    }

    /**
     * Creates the engine at slot 0.
     *
     * @throws IllegalArgumentException if the fabric or the flows need what this engine lacks; the message names it.
     */
    public ReferenceStardust(final Stardust stardust, final FlowSet flows) {
        super(supported(stardust, flows), flows);
        this.stardust = stardust;
        this.clos = stardust.clos();
        this.hosts = stardust.hosts();
        this.credits = stardust.credits();
        this.rules = stardust.links();
        this.delay = stardust.linkSlots();
        this.adapterOf = new Adapter[clos.fas()];
        Arrays.setAll(adapterOf, id -> new Adapter());
        for (int endpoint = 0; endpoint < nodes; endpoint++) {
            adapterOf[endpoint / hosts.ports()].ports.add(port(endpoint));
        }
        this.arbiterOf = new Arbiter[clos.devices()][clos.fas()];
        final UpDownReach reach = new UpDownReach(stardust.deployment());
        for (int device = 0; device < clos.devices(); device++) {
            connect(device, reach);
        }
        this.queueOf = IntStream.range(0, clos.ports()).<Deque<Cell>>mapToObj(port -> new ArrayDeque<>()).toList();
        cellsInFlight.addAll(Collections.nCopies(delay, Collections.emptySortedMap()));
        pausesInFlight.addAll(Collections.nCopies(delay, Set.of()));
    }

    private static Stardust supported(final Stardust stardust, final FlowSet flows) {
        final HostSide hosts = stardust.hosts();
        final Credits credits = stardust.credits();
        final LinkRules links = stardust.links();
        final boolean usualEnds = stardust.pull() && stardust.cut().continuous() && hosts.model() == HostModel.IDEAL
            && hosts.classes() == 1 && flows.classes() == 1 && hosts.highBytes() < Long.MAX_VALUE;
        final boolean usualCredits = credits.voqs().equals(VoqRules.usual(credits.bytes())) && credits.reaction()
            && credits.classes().equals(ClassRules.STRICT) && credits.kappa() < Double.POSITIVE_INFINITY;
        final boolean usualLinks = links.lossless() && links.spraying() == Spraying.RENEWED && links.charge() == null
            && !links.carriesControl();
        if (!usualEnds || !usualCredits || !usualLinks) {
            throw new IllegalArgumentException("the reference engine supports only ideal hosts, one class, "
                + "continuous packing, requests by state, unbounded VOQs, and links that carry one cell per slot and "
                + "no messages");
        }
        return stardust;
    }

    /** Creates a port, which serves VOQs in a separate random order and begins with a random part of a credit. */
    private Port port(final int endpoint) {
        final int perPort = hosts.queuesPerPort();
        final long key = CounterRandom.slotKey(stardust.seed(), endpoint);
        final List<Stream> turns = new ArrayList<>();
        for (int i = 0; i < clos.fas() * perPort; i++) {
            turns.add(new Stream(i / perPort, endpoint / hosts.ports(),
                endpoint % hosts.ports() * perPort + i % perPort));
            Collections.swap(turns, i, CounterRandom.below(CounterRandom.bits(key, i, 1), i + 1));
        }
        final Port port = new Port();
        port.turns.addAll(turns);
        port.pace = (long) CounterRandom.below(CounterRandom.bits(stardust.seed(), endpoint, 0, 2), credits.bytes())
            << FRACTION_BITS;
        return port;
    }

    /**
     * Creates the arbiters of a device: destinations with the same set of links share one; sets are numbered by their
     * first destination.
     */
    private void connect(final int device, final UpDownReach reach) {
        final Map<List<Integer>, Arbiter> known = new HashMap<>();
        for (int fa = 0; fa < clos.fas(); fa++) {
            final int to = fa;
            final List<Integer> links = IntStream.range(0, clos.ports(device))
                .filter(link -> reach.leads(device, link, to)).mapToObj(link -> clos.firstPort(device) + link).toList();
            if (!links.isEmpty()) {
                arbiterOf[device][to] = known.computeIfAbsent(links, set -> new Arbiter(device, known.size(), set));
            } else if (device < clos.fas() && device != to) {
                throw new IllegalArgumentException("the reference engine requires that all adapters reach each other");
            }
        }
    }

    /** Runs a slot: cells and messages arrive, flows start, adapters cut cells, ports give credits, links send. */
    @Override
    void step(final long now) {
        paused = pausesInFlight.remove();
        cellsInFlight.remove().forEach((port, cell) -> {
            final int device = clos.deviceOf(port);
            if (device < clos.fas()) {
                adapterOf[device].received++;
                adapterOf[device].marked += cell.marked ? 1 : 0;
                receive(now, cell);
            } else {
                forward(port, cell);
            }
        });
        receiveMessages(now);
        starting(now).forEach(flow -> start(now, flow));
        delayedSlots += isDelayed(now) ? 1 : 0;
        for (int id = 0; id < clos.fas(); id++) {
            while (!adapterOf[id].loop.isEmpty()) {
                receive(now, adapterOf[id].loop.remove());
            }
            cut(now, id);
            issue(now, id);
        }
        send();
        pause();
    }

    /** Receives the messages of a slot: those from near first, then those of lower adapters. */
    private void receiveMessages(final long now) {
        final List<Message> arriving = messages.getOrDefault(now, new ArrayList<>());
        arriving.sort(Comparator.comparingInt(Message::tiers));
        arriving.forEach(message -> message.arrives.accept(now));
        messages.remove(now);
    }

    /** Sends a message, which takes as long as a cell of its VOQ without queues: as many tiers up as down. */
    private void sendMessage(final long now, final Stream stream, final LongConsumer arrives) {
        int tiers = 1;
        while (tiers < clos.tiers() && clos.subTreeOf(stream.from, tiers) != clos.subTreeOf(stream.to, tiers)) {
            tiers++;
        }
        messages.computeIfAbsent(now + 2L * tiers * delay, _ -> new ArrayList<>()).add(new Message(tiers, arrives));
    }

    /** Adds a whole flow to its VOQ, which requests credits unless it has asked or holds enough of them. */
    private void start(final long now, final int flow) {
        final int from = flows.source(flow);
        final int to = flows.destination(flow);
        final Stream stream = new Stream(from / hosts.ports(), to / hosts.ports(),
            hosts.queue(from, to, flows.id(flow), 0));
        final Voq voq = voqOf.computeIfAbsent(stream, _ -> new Voq());
        voq.flows.add(flow);
        voq.bytes = Math.min(voq.bytes + Math.min(flows.bytes(flow), ENDLESS), ENDLESS);
        flowsStarted++;
        if (!voq.asks && voq.bytes > voq.balance) {
            voq.asks = true;
            sendMessage(now, stream, slot -> portOf(stream).asking.add(stream));
        }
        enqueue(stream, voq);
    }

    private Port portOf(final Stream stream) {
        return adapterOf[stream.to].ports.get(hosts.port(stream.queue));
    }

    private void credit(final long now, final Stream stream) {
        final Voq voq = voqOf.get(stream);
        final long most = voq.bytes == 0 ? credits.capBytes()
            : Math.min(voq.bytes, MOST_CREDITED) + 2L * credits.voqs().offBytes();
        voq.balance = Math.min(voq.balance + credits.bytes(), most);
        withdraw(now, stream, voq);
        enqueue(stream, voq);
    }

    /** A VOQ withdraws its request when it is empty and owes nothing, or its credits exceed its bytes by the margin. */
    private void withdraw(final long now, final Stream stream, final Voq voq) {
        if (voq.asks && (voq.bytes == 0 && voq.balance >= 0
            || voq.balance - voq.bytes >= credits.voqs().offBytes())) {
            voq.asks = false;
            sendMessage(now, stream, slot -> portOf(stream).asking.remove(stream));
        }
    }

    /** Puts a VOQ with bytes and credits into the order of its adapter, once. */
    private void enqueue(final Stream stream, final Voq voq) {
        if (voq.bytes > 0 && voq.balance > 0) {
            adapterOf[stream.from].credited.add(stream);
        }
    }

    /** Cuts a cell for each link of an adapter, but none while too many are in front of its links. */
    private void cut(final long now, final int id) {
        final Adapter adapter = adapterOf[id];
        if (held(clos.firstPort(id), clos.firstPort(id + 1)) >= rules.guaranteed() * clos.ports(id)) {
            return;
        }
        for (int room = stardust.deployment().live(id); room > 0; room--) {
            if (adapter.burst.isEmpty() && !begin(now, adapter)) {
                return;
            }
            final Cell cell = new Cell(adapter.sending, voqOf.get(adapter.sending).cells++, adapter.burst.remove(), now,
                false);
            cellsInjected++;
            if (cell.stream.to == id) {
                adapter.loop.add(cell);
            } else {
                join(spray(id, cell), cell);
            }
        }
    }

    /**
     * Begins a burst: the next VOQ releases whole packets for one credit, which are cut as one run of bytes; false if
     * none can.
     */
    private boolean begin(final long now, final Adapter adapter) {
        if (adapter.credited.isEmpty()) {
            return false;
        }
        adapter.sending = adapter.credited.removeFirst();
        final Voq voq = voqOf.get(adapter.sending);
        final long later = Math.max(0, voq.balance - credits.bytes());
        int run = 0;
        while (voq.balance > later && voq.bytes > 0) {
            final Packet packet = next(voq);
            voq.balance -= packet.bytes + credits.adjustBytes();
            voq.bytes -= voq.bytes == ENDLESS ? 0 : packet.bytes;
            run += stardust.cut().prefixBytes() + packet.bytes;
            while (adapter.burst.size() * stardust.cut().cellBytes() < run) {
                adapter.burst.add(new ArrayList<>());
            }
            adapter.burst.getLast().add(packet);
        }
        voq.balance = voq.bytes == 0 ? Math.min(voq.balance, credits.capBytes()) : voq.balance;
        withdraw(now, adapter.sending, voq);
        enqueue(adapter.sending, voq);
        return true;
    }

    /** Takes the next packet of a VOQ, whose flows follow one another in order of their start. */
    private Packet next(final Voq voq) {
        final int flow = voq.flows.element();
        final int number = sent[flow]++;
        final long left = flows.bytes(flow) - (long) number * stardust.cut().packetBytes();
        final boolean isLast = left <= stardust.cut().packetBytes();
        if (isLast) {
            voq.flows.remove();
        }
        return new Packet(flow, number, (int) Math.min(left, stardust.cut().packetBytes()), isLast);
    }

    /** Returns the port that has its turn; if its link is paused, the next one whose link is not, if there is any. */
    private int spray(final int device, final Cell cell) {
        final Arbiter arbiter = arbiterOf[device][cell.stream.to];
        final int turn = arbiter.next();
        int port = turn;
        // Every link has its turn within two rounds, whether the order is renewed between them or not.
        for (int tries = 2 * arbiter.links.size(); isPaused(port) && tries > 0; tries--) {
            port = arbiter.next();
        }
        return isPaused(port) ? turn : port;
    }

    private boolean isPaused(final int port) {
        return paused.contains(clos.peer(port));
    }

    /**
     * Receives a cell at an element. A link that brings a cell to a full queue is paused until that queue is half
     * empty.
     */
    private void forward(final int in, final Cell cell) {
        final int out = spray(clos.deviceOf(in), cell);
        if (queueOf.get(out).size() >= rules.limitCells() || fullQueues.contains(out)) {
            fullQueues.add(out);
            feeds.merge(in, out, (before, also) -> fullQueues.contains(before) ? before : also);
        }
        join(out, cell);
    }

    /** Adds a cell to the queue in front of a link. Queues of adapters and of links to adapters are reported. */
    private void join(final int port, final Cell cell) {
        queueOf.get(port).add(cell);
        final int device = clos.deviceOf(port);
        final int lower = Math.min(device, clos.deviceOf(clos.peer(port)));
        if (lower < clos.fas()) {
            final int node = lower * hosts.ports();
            maxQueue[node] = Math.max(maxQueue[node], queueOf.get(port).size());
            if (lower == device) {
                maxHeld[node] = Math.max(maxHeld[node], held(clos.firstPort(device), clos.firstPort(device + 1)));
            }
        }
    }

    /** Returns the cells in front of the links of some ports. */
    private int held(final int from, final int end) {
        return queueOf.subList(from, end).stream().mapToInt(Deque::size).sum();
    }

    /** Sends the oldest cell on every link that is not paused, marked if it leaves a long queue. */
    private void send() {
        final SortedMap<Integer, Cell> cells = new TreeMap<>();
        for (int port = 0; port < clos.ports(); port++) {
            final Deque<Cell> queue = queueOf.get(port);
            if (!queue.isEmpty() && !isPaused(port)) {
                final boolean isLong = rules.fci1() > 0 && queue.size() > rules.fci1();
                final Cell cell = queue.remove();
                cells.put(clos.peer(port), new Cell(cell.stream, cell.number, cell.ends, cell.cutIn,
                    cell.marked || isLong));
            }
        }
        cellsInFlight.add(cells);
    }

    /**
     * Pauses links of elements that feed full queues, and all that bring cells for which a part of the pool is full.
     */
    private void pause() {
        fullQueues.removeIf(port -> 2 * queueOf.get(port).size() < rules.limitCells());
        feeds.values().removeIf(port -> !fullQueues.contains(port));
        final Set<Integer> pauses = new HashSet<>(feeds.keySet());
        for (int element = clos.fas(); element < clos.devices(); element++) {
            final int first = clos.firstPort(element);
            final int middle = first + clos.downPorts(element);
            final int end = clos.firstPort(element + 1);
            final boolean down = isFull(first, middle, end - first);
            final boolean up = middle < end && isFull(middle, end, middle - first);
            // Cells that go up come from below.
            IntStream.range(first, down ? end : up ? middle : first).forEach(pauses::add);
        }
        pausesInFlight.add(pauses);
    }

    /** Tells whether the cells in front of some links leave no more than headroom in their part of the pool. */
    private boolean isFull(final int from, final int end, final int linksIn) {
        final int part = (end - from) * rules.guaranteed();
        final int most = Math.max(1, Math.max(part - linksIn * (2 * delay + 2), (part + 3) / 4));
        final int cells = held(from, end);
        final boolean isFull = (fullParts.getOrDefault(from, false) ? 2 * cells : cells) >= most;
        fullParts.put(from, isFull);
        return isFull;
    }

    /** Gives credits: each port at its pace to the VOQs that ask, in turn; all together as much as the links carry. */
    private void issue(final long now, final int id) {
        final Adapter adapter = adapterOf[id];
        if (now % WINDOW_SLOTS == WINDOW_SLOTS - 1) {
            react(adapter);
        }
        final long worth = (long) credits.bytes() << FRACTION_BITS;
        final long step = (long) (credits.bytesPerSlot() * ONE);
        final double link = stardust.bytesPerLinkSlot() * ONE;
        final long all = (long) (credits.kappa() * stardust.deployment().live(id) * link * adapter.share);
        adapter.budget = Math.min(adapter.budget + all, worth + all);
        for (int i = 0; i < hosts.ports(); i++) {
            final Port port = adapter.ports.get((int) ((now + i) % hosts.ports()));
            port.pace += step;
            while (port.pace >= worth && adapter.budget >= worth && mayGive(now, port) && !port.asking.isEmpty()) {
                give(now, port);
                port.pace -= worth;
                adapter.budget -= worth;
            }
            // A port that no VOQ asks, or that is stopped, does not catch up later.
            port.pace = Math.min(port.pace, worth + step);
        }
    }

    private void give(final long now, final Port port) {
        do {
            port.turns.add(port.turns.remove());
        } while (!port.asking.contains(port.turns.getLast()));
        final Stream stream = port.turns.getLast();
        sendMessage(now, stream, slot -> credit(slot, stream));
    }

    /**
     * Adapts the share of its links for which an adapter gives credits: marks lower it, a window without marks raises
     * it.
     */
    private void react(final Adapter adapter) {
        adapter.share = adapter.marked == 0 ? Math.min(1, adapter.share + FASTER) : Math.max(LEAST_SHARE,
            adapter.share * (1 - SLOWER * ((double) adapter.marked / adapter.received)));
        adapter.received = 0;
        adapter.marked = 0;
    }

    /**
     * Tells whether a port may give credits: not from HIGH down to LOW. Both leave room for a packet of each VOQ that
     * asks.
     */
    private boolean mayGive(final long now, final Port port) {
        final long bytes = backlog(now, port) - (long) port.asking.size() * stardust.cut().packetBytes();
        port.stopped = port.stopped ? bytes >= hosts.lowBytes() : bytes > hosts.highBytes();
        return !port.stopped;
    }

    private long rate() {
        return Math.round(hosts.bytesPerSlot() * ONE);
    }

    private long backlog(final long now, final Port port) {
        return Math.max(0, port.doneAt - now * rate()) >> FRACTION_BITS;
    }

    /** Receives a cell at an adapter and delivers the packets that end in those cells that are in order. */
    private void receive(final long now, final Cell cell) {
        final Voq voq = voqOf.get(cell.stream);
        if (cell.number - voq.expected >= stardust.reorderCells()
            || now - cell.cutIn - propagationSlots >= stardust.reassemblySlots()) {
            throw new IllegalStateException("the reference engine has no time-outs, but a cell is late: slot=" + now
                + " from=" + cell.stream.from + " to=" + cell.stream.to);
        }
        cellsDelivered++;
        latency.record((int) (now - cell.cutIn));
        voq.early.put(cell.number, cell);
        if (cell.number != voq.expected) {
            maxReorder = Math.max(maxReorder, voq.early.size());
        }
        while (voq.early.containsKey(voq.expected)) {
            voq.early.remove(voq.expected++).ends.forEach(packet -> handOn(now, portOf(cell.stream), packet));
        }
    }

    /**
     * Adds a packet to the queue of its port. A flow is complete when its last byte has left, unless a packet was lost.
     */
    private void handOn(final long now, final Port port, final Packet packet) {
        final long room = 2 * hosts.highBytes() + (long) port.turns.size() * stardust.cut().packetBytes()
            + (long) (hosts.bytesPerSlot() * stardust.reassemblySlots());
        if (backlog(now, port) > room) {
            failing.add(packet.flow);
        } else {
            port.doneAt = Math.max(port.doneAt, now * rate()) + ((long) packet.bytes << FRACTION_BITS);
            digest(now, packet.flow, packet.number);
        }
        if (packet.last && failing.contains(packet.flow)) {
            flowsFailed++;
        } else if (packet.last) {
            complete((port.doneAt - 1) / rate(), packet.flow);
        }
    }

    /** Tells, once in a link delay, whether all flows are complete or have failed, or nothing has moved for long. */
    @Override
    boolean isDone(final long now) {
        if (now == 0 || now % delay > 0) {
            return false;
        }
        final long moves = cellsInjected + cellsDelivered + delayedSlots;
        lastMove = moves == movesBefore ? lastMove : now;
        movesBefore = moves;
        final long lastStart = flows.size() == 0 ? 0 : flows.startSlot(flows.size() - 1);
        return flowsCompleted + flowsFailed == flows.size()
            || now - Math.max(lastMove, lastStart) > PATIENCE * stardust.mostWaitSlots();
    }

    @Override
    long slotsAfter(final long slotLimit) {
        return slotLimit > 0 ? 0 : (clos.tiers() + 3L) * delay;
    }

    @Override
    boolean isCounted(final long completed) {
        return completed <= slots;
    }

    @Override
    long reported(final long completed) {
        return Math.max(slots, completed);
    }
}
