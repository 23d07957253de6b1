package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.ChainedFifos;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.PlaceMessages;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.OpenLinks;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The control channel of a bank (docs/spec/shale.md §7): every link carries one message a slot beside its cell. A node
 * sends the oldest message that waits for the link, else the oldest of its own if its pacing debt allows. Messages take
 * random spraying hops, then direct ones; they need no tokens and wait in queues without a bound. One thread.
 *
 * <p>A message is two words. The second names a flow and, if the message is about a cell, the cell's sequence number,
 * as {@code Cell} does. The first:
 *
 * <pre>
 *   bit 63            25 24  23 22                 3 2    0
 *      +----------------+------+--------------------+------+
 *      |        0       | kind |    destination     |  n   |   n: spraying hops left after the next arrival
 *      +----------------+------+--------------------+------+
 * </pre>
 */
final class ControlChannel {
    /** The receiver of a flow grants its source more cells. */
    static final int PULL = 0;
    /** The header of a cell that was cut, on its way to the cell's destination. */
    static final int DROP = 1;
    /** The receiver of a flow asks its source for a cell that was cut. */
    static final int NACK = 2;

    private static final int KIND_SHIFT = 23;

    /** What the random bits of a slot are used for. */
    static final int USE = 3;
    /** A node sends no message of its own while its debt is this high, in slots. */
    static final double MOST_DEBT = 10;

    private final NodeRange range;
    private final Phased schedule;
    private final Coordinates coordinates;
    private final Population population;
    private final OpenLinks open;
    private final SlotMath numbers;
    private final int propagationSlots;
    private final int firstSprays;
    private final long seed;
    private final MessagesInFlight link;
    private final ArrivalMap circuits;
    private final ChainedFifos forwarded;
    private final ChainedFifos own;
    /** By queue, and by node: set while a message waits. */
    private final QueueBits waiting;
    private final QueueBits waitingOwn;
    /** By kind: slots of debt that sending a message costs its node. */
    private final double[] cost;
    /** By node: its debt, and the slot it was counted in; since then it has fallen by one a slot. */
    private final double[] debt;
    private final long[] debtIn;
    private final long[] places;
    private final int[] joined = new int[1];

    /** Takes the messages that have come to their destination. */
    @FunctionalInterface
    interface Arrivals {
        void onMessage(int node, int kind, long cell);
    }

    /**
     * A channel without messages.
     *
     * @param pool overflow of the queues.
     * @param cost by kind of message: slots of debt that sending one of its own costs a node.
     */
    ControlChannel(final Arena arena, final Shale shale, final NodeRange range, final MessagesInFlight link,
        final ArrivalMap circuits, final SpillPool pool, final double[] cost) {
        this.range = range;
        this.schedule = shale.schedule();
        this.coordinates = schedule.coordinates();
        this.population = shale.population();
        this.open = new OpenLinks(shale, null);
        this.numbers = new SlotMath(schedule, range.size());
        this.propagationSlots = shale.propagationSlots();
        this.firstSprays = schedule.phases() - 1;
        this.seed = shale.seed();
        this.link = link;
        this.circuits = circuits;
        this.forwarded = new ChainedFifos(arena, numbers.queues(), pool);
        this.own = new ChainedFifos(arena, range.size(), pool);
        this.waiting = new QueueBits(numbers.queues());
        this.waitingOwn = new QueueBits(range.size());
        this.cost = cost;
        this.debt = new double[range.size()];
        this.debtIn = new long[range.size()];
        this.places = new long[CellBatch.block(range.size())];
    }

    /** Memory of all banks in bytes, the pools not counted. */
    static long bytes(final Shale shale) {
        return (shale.schedule().epochSlots() + 1L) * shale.nodes() * ChainedFifos.QUEUE_BYTES;
    }

    /** A node has a message of its own. */
    void start(final int node, final int kind, final int destination, final long cell) {
        own.enqueue(node, message(kind, destination, firstSprays), cell);
        waitingOwn.set(node);
    }

    /** A message waits for the link of a queue. */
    void forward(final int queue, final long word, final long cell) {
        forwarded.enqueue(queue, word, cell);
        waiting.set(queue);
    }

    /** Sends the messages of a slot. */
    void send(final long slot) {
        final int inEpoch = schedule.slotInEpoch(slot);
        final int firstQueue = numbers.queue(inEpoch, 0);
        final int nodes = range.size();
        link.clear(link.place(slot, range.first()), nodes);
        for (int from = 0; from < nodes; from += Long.SIZE) {
            final long mask = nodes - from < Long.SIZE ? ~(-1L << nodes - from) : -1L;
            final long bits = (waiting.from(firstQueue + from) | waitingOwn.from(from)) & mask;
            for (long left = bits; left != 0; left &= left - 1) {
                final int node = from + Long.numberOfTrailingZeros(left);
                final ChainedFifos of = waiting.isSet(firstQueue + node)
                    ? takeForwarded(firstQueue + node) : takeOwn(slot, inEpoch, node);
                if (of != null) {
                    link.send(link.place(slot, range.first() + node), of.entry(), of.payload());
                }
            }
        }
    }

    private ChainedFifos takeForwarded(final int queue) {
        forwarded.dequeue(queue);
        if (forwarded.isEmpty(queue)) {
            waiting.clear(queue);
        }
        return forwarded;
    }

    /** A message of the node itself; null if it has to wait. */
    private ChainedFifos takeOwn(final long slot, final int inEpoch, final int node) {
        final double left = debt(node, slot);
        if (left >= MOST_DEBT || !isJoined(inEpoch, node)) {
            return null;
        }
        own.dequeue(node);
        if (own.isEmpty(node)) {
            waitingOwn.clear(node);
        }
        debt[node] = left + cost[kind(own.entry())];
        debtIn[node] = slot;
        return own;
    }

    /** Debt of a node in a slot. Whole slots are subtracted, so the sum is exact however late it is asked for. */
    double debt(final int node, final long slot) {
        return Math.max(0, debt[node] - (slot - debtIn[node]));
    }

    private boolean isJoined(final int inEpoch, final int node) {
        if (population.allPresent()) {
            return true;
        }
        population.joined(range.first() + node, 1, numbers.phase(inEpoch), numbers.link(inEpoch), joined);
        return joined[0] != 0;
    }

    /** Receives the messages that were sent the propagation delay before a slot. */
    void receive(final long slot, final Arrivals arrivals) {
        final long sent = slot - propagationSlots;
        if (sent < 0) {
            return;
        }
        final int phase = numbers.phase(schedule.slotInEpoch(sent));
        final long slotKey = CounterRandom.slotKey(seed, slot);
        for (int first = 0; first < range.size(); first += places.length) {
            final int count = Math.min(places.length, range.size() - first);
            circuits.arrivals(sent, 0, range.first() + first, count, places);
            for (int i = 0; i < count; i++) {
                final long word = link.word(places[i]);
                if (word != MessagesInFlight.NONE) {
                    take(first + i, phase, slotKey, word, link.cell(places[i]), arrivals);
                }
            }
        }
    }

    private void take(final int node, final int phase, final long slotKey, final long word, final long cell,
        final Arrivals arrivals) {
        final int id = range.first() + node;
        final int destination = Route.destination(word);
        if (destination == id) {
            arrivals.onMessage(node, kind(word), cell);
        } else if (Route.sprays(word) > 0) {
            spray(node, phase, word, cell, CounterRandom.bits(slotKey, id, USE));
        } else {
            final int next = coordinates.nextDifference(id, destination, phase);
            forward(numbers.queue(next, schedule.linkTowards(id, destination, next), node), word, cell);
        }
    }

    /** A message without a link to spray on starts anew at the node, so that none is ever lost. */
    private void spray(final int node, final int phase, final long word, final long cell, final long random) {
        final int next = phase + 1 == schedule.phases() ? 0 : phase + 1;
        final int sprays = Route.sprays(word) - 1;
        final int chosen = open.all(node) ? CounterRandom.below(random, schedule.linksPerPhase())
            : open.any(range.first() + node, node, next, Route.destination(word), sprays, random);
        if (chosen == OpenLinks.NONE) {
            start(node, kind(word), Route.destination(word), cell);
        } else {
            forward(numbers.queue(next, chosen, node), withSprays(word, sprays), cell);
        }
    }

    /** The word of a message. */
    static long message(final int kind, final int destination, final int sprays) {
        return (long) kind << KIND_SHIFT | Route.bucket(destination, sprays);
    }

    /** What the message says. */
    static int kind(final long word) {
        return (int) (word >>> KIND_SHIFT);
    }

    /** The same message with another number of spraying hops left. */
    private static long withSprays(final long word, final int sprays) {
        return word & ~(long) Route.MAX_SPRAYS | sprays;
    }

    /** Messages of a node itself that wait. */
    int waitingOwn(final int node) {
        return own.length(node);
    }

    /** Messages of others that wait for a link, a position in the epoch. */
    int waiting(final int node, final int inEpoch) {
        return forwarded.length(numbers.queue(inEpoch, node));
    }

    /** Shows every message that waits at the bank, for audits. */
    void forEach(final CellQueues.Visitor visitor) {
        for (int queue = 0; queue < numbers.queues(); queue++) {
            forwarded.forEach(queue, visitor);
        }
        for (int node = 0; node < range.size(); node++) {
            own.forEach(node, visitor);
        }
    }

    /**
     * The control messages beside the cells in flight: one message of two words for each place of {@link
     * InFlightCells}, at the same offsets, so that whatever leads a receiver to a cell leads it to the message too.
     * Sender and receiver are ordered by what orders the cells.
     */
    static final class MessagesInFlight implements PlaceMessages {
        private final Shale shale;
        private final int nodes;
        private final int window;
        private final int lastKind;
        private final Region words;
        private final Region cells;
        /** As many empty places as are cleared at once. */
        private final long[] empty;

        /** No messages, none of which is of a later kind than {@code lastKind}; for nodes and slots as of the cells. */
        MessagesInFlight(final Arena arena, final Shale shale, final int window, final int lastKind) {
            this.shale = shale;
            this.nodes = shale.nodes();
            this.window = window;
            this.lastKind = lastKind;
            this.words = Region.allocate(arena, (long) InFlightCells.PLACE_BYTES * nodes * window);
            this.cells = Region.allocate(arena, (long) InFlightCells.PLACE_BYTES * nodes * window);
            words.fill((byte) NONE);
            this.empty = new long[nodes];
            Arrays.fill(empty, NONE);
        }

        /** Memory in bytes. */
        static long bytes(final int nodes, final int window) {
            return 2L * InFlightCells.PLACE_BYTES * nodes * window;
        }

        /** The place of a node in a slot. */
        long place(final long slot, final int node) {
            return (slot % window * nodes + node) * InFlightCells.PLACE_BYTES;
        }

        @Override
        public boolean isMessage(final long word) {
            final int kind = kind(word);
            return kind >= PULL && kind <= lastKind
                && word == message(kind, Route.destination(word), Route.sprays(word))
                && shale.isBucket(Route.bucket(word));
        }

        @Override
        public void clear(final long at, final int count) {
            words.setLongs(at, empty, 0, count);
        }

        @Override
        public void send(final long at, final long word, final long cell) {
            words.setLong(at, word);
            cells.setLong(at, cell);
        }

        @Override
        public long word(final long at) {
            return words.getLong(at);
        }

        @Override
        public long cell(final long at) {
            return cells.getLong(at);
        }
    }
}
