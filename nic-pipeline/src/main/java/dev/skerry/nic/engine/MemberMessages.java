package dev.skerry.nic.engine;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.engine.RowExchange.MemberLostException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * Exchanges messages between the members of a fabric: after each part of a stride, a batch for every other member, with
 * the slot that the sender has reached. The {@link Rows} of the fabric pack and unpack the data that crosses between
 * members. Not thread-safe.
 */
public final class MemberMessages {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RowExchange exchange;
    private final Rows rows;
    /** Batch for each member; null for this member. */
    private final RowBatch[] out;
    /** For each member, the slot that it has reached, and the last barrier that it has passed. */
    private final long[] until;
    private final long[] passed;
    /** Status by parity of the barrier, then by member. */
    private final Status[][] status;
    /**
     * For each of the last barriers, modulo the array length, the slot until which this member reported to be idle.
     * Other members are at most two barriers behind.
     */
    private final long[] idleUntil = new long[4];
    /** Slots between two barriers, and slots after which other members observe what is sent. */
    private long stride;
    private long delay;
    /** The slot that this member had reached with its last batch. */
    private long sent;
    private long batches;
    private long bytes;
    private long places;
    private long sendNs;
    private long takeNs;

    /** The data that crosses between the nodes or devices of members. */
    public interface Rows {
        /** Adds what this member sent to others in its last slots to their batches. */
        void pack(long from, long end);

        /**
         * Stores what another member sent, where the nodes of this member read it.
         *
         * @param member the other member.
         * @param batch  its batch, in native memory, in the layout of a {@link RowBatch}; valid during the call.
         *     Whatever its contents, nothing is written outside of the places that it names.
         * @param from   slot that the sender had reached before.
         * @param came   slot that the sender has reached, at least {@code from}.
         * @throws IllegalArgumentException  if the batch names something that does not exist.
         * @throws IndexOutOfBoundsException if the batch ends within a place.
         */
        void take(int member, MemorySegment batch, long from, long came);
    }

    /**
     * Report of a member at a barrier.
     *
     * @param settled   cells of its banks whose fate is known.
     * @param moves     number that increases while cells of its banks move; 0 if it is not needed.
     * @param delivered cells delivered at its nodes.
     * @param completed flows completed at its nodes.
     * @param idleUntil slot until which its banks are idle.
     * @param stops     whether its watch requests to stop.
     */
    public record Status(long settled, long moves, long delivered, long completed, long idleUntil, boolean stops) {
        /** Neutral element of {@link #plus}. */
        static final Status NONE = new Status(0, 0, 0, 0, Long.MAX_VALUE, false);

        /** Returns the combined status of two members. */
        Status plus(final Status other) {
            return new Status(settled + other.settled, moves + other.moves, delivered + other.delivered,
                completed + other.completed, Math.min(idleUntil, other.idleUntil), stops || other.stops);
        }
    }

    /** Creates an object without messages in flight. */
    public MemberMessages(final RowExchange exchange, final Rows rows) {
        this.exchange = exchange;
        this.rows = rows;
        final int members = exchange.members();
        this.out = new RowBatch[members];
        this.until = new long[members];
        this.passed = new long[members];
        this.status = new Status[2][members];
        Arrays.setAll(out, member -> member == exchange.member() ? null : new RowBatch());
    }

    /** Returns the connection that carries the messages. */
    public RowExchange exchange() {
        return exchange;
    }

    /** Returns the batch for a member; null for this member. */
    public RowBatch to(final int member) {
        return out[member];
    }

    /** Returns the volume and CPU time of the exchange so far. */
    public MemberEngine.Exchanged cost() {
        return new MemberEngine.Exchanged(batches, bytes, places, sendNs, takeNs);
    }

    /** Sets the slot at which all members start, with nothing in flight and no barrier passed. */
    void begin(final long slot, final long slotsOfStride, final long slotsOfDelay) {
        stride = slotsOfStride;
        delay = slotsOfDelay;
        sent = slot;
        Arrays.fill(until, slot);
        Arrays.fill(passed, RowBatch.NO_ROUND);
    }

    /** Receives the messages that have arrived, without waiting. */
    public void poll() {
        exchange.poll();
    }

    /** Packs what this member sent in its last slots. */
    void pack(final long from, final long end) {
        final long start = processorNs();
        rows.pack(from, end);
        sendNs += processorNs() - start;
    }

    /** Sends the packed batches and the slot that this member has reached to all other members. */
    void send(final long to) {
        send(to, RowBatch.NO_ROUND, null);
    }

    /** Sends the batches like {@link #send(long)}, with the status of this member at a barrier. */
    void synchronise(final long to, final long round, final Status mine) {
        send(to, round, mine);
        idleUntil[(int) round & idleUntil.length - 1] = mine.idleUntil();
        status[(int) round & 1][exchange.member()] = mine;
    }

    private void send(final long to, final long round, final Status mine) {
        final long start = processorNs();
        for (int member = 0; member < out.length; member++) {
            if (out[member] != null) {
                final MemorySegment batch = out[member].sealed(to, round, mine);
                exchange.send(member, batch);
                bytes += batch.byteSize();
                places += out[member].places;
                out[member].clear();
            }
        }
        sent = to;
        batches += out.length - 1;
        sendNs += processorNs() - start;
    }

    /** Waits until everything that the other members sent before a slot has been received. */
    void await(final long slot) {
        for (int member = 0; member < out.length; member++) {
            while (out[member] != null && until[member] < slot) {
                receive(member);
            }
        }
    }

    /** Waits until all other members have passed a barrier; returns the combined status of all members. */
    Status statusAt(final long round) {
        Status sum = Status.NONE;
        for (int member = 0; member < out.length; member++) {
            while (out[member] != null && passed[member] < round) {
                receive(member);
            }
            sum = sum.plus(status[(int) round & 1][member]);
        }
        return sum;
    }

    private void receive(final int member) {
        final MemorySegment batch = exchange.receive(member);
        final long start = processorNs();
        try {
            take(member, batch);
        } catch (final IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new MemberLostException(member, "its message is damaged: " + e.getMessage());
        }
        takeNs += processorNs() - start;
    }

    private void take(final int member, final MemorySegment batch) {
        if (batch.byteSize() < RowBatch.HEADER_BYTES || batch.byteSize() % Long.BYTES != 0) {
            throw new IllegalArgumentException("bytes=" + batch.byteSize());
        }
        final Region numbers = Region.over(batch);
        final long came = RowBatch.number(numbers, RowBatch.UNTIL);
        final long round = RowBatch.number(numbers, RowBatch.ROUND);
        if (round != RowBatch.NO_ROUND && round != passed[member] + 1
            || came < until[member] || came > reach(member, round)) {
            throw new IllegalArgumentException("slot=" + came + " after=" + until[member] + " round=" + round
                + " after=" + passed[member]);
        }
        rows.take(member, batch, until[member], came);
        until[member] = came;
        if (round != RowBatch.NO_ROUND) {
            passed[member] = round;
            status[(int) round & 1][member] = RowBatch.status(numbers);
        }
    }

    /**
     * Returns the latest slot that another member can have reached. This is one stride after the slots for which it
     * needs this member, or after the slot that it had reached before. At a barrier, it is at least the slot until
     * which both were idle two barriers earlier.
     */
    private long reach(final int member, final long round) {
        final long stepped = Math.max(sent + delay, until[member]) + stride;
        return round < 2 ? stepped : Math.max(stepped, Math.min(idleUntil[(int) (round - 2) & idleUntil.length - 1],
            status[(int) round & 1][member].idleUntil()));
    }

    /** Returns the CPU time of this thread. Wall time would include the work of other processes on a loaded machine. */
    private static long processorNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Frees the memory of the batches; the exchange remains open. */
    public void close() {
        for (final RowBatch batch : out) {
            if (batch != null) {
                batch.close();
            }
        }
    }

    /**
     * A batch from one member to another: the non-empty places of its rows that lead to the other member and, at a
     * barrier, its status. Not thread-safe.
     *
     * <pre>
     *   longs: until | barrier | settled | delivered | completed | idleUntil | stops | moves | places
     *          head  | route, cell | feedback | message | beside, 2: as the head says     for each place
     *          note  | note | ..      what all must know in the last slot
     *          edge, slot | ..        a flow is complete that another one waits for
     *   head: bits 0 to 23 place in the row of its slot | to 43 receiver | to 55 slots before until | from 60 what
     *   follows
     * </pre>
     *
     * {@code until} is the slot that the sender has reached; {@code barrier} is the number of the barrier, or {@link
     * #NO_ROUND}. A message is padded to whole longs. Stardust uses places of another layout ({@link #add(long)}).
     * Numbers are in native byte order, because members are processes of the same build on the same kind of machine.
     */
    public static final class RowBatch {
        /** Value for no barrier. */
        static final long NO_ROUND = -1;
        /** Maximum number of slots in a batch. */
        public static final int MOST_SLOTS = 1 << 12;
        /** Fields of a head. */
        static final int PLACE_BITS = 24;
        static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
        static final int RECEIVER_BITS = 20;
        static final int RECEIVER_MASK = (1 << RECEIVER_BITS) - 1;
        static final int BACK_SHIFT = PLACE_BITS + RECEIVER_BITS;
        static final int BACK_MASK = MOST_SLOTS - 1;
        /** Flags of a head, which indicate the parts that follow. */
        static final long HAS_ROUTE = 1L << 60;
        static final long HAS_FEEDBACK = 1L << 61;
        static final long HAS_MESSAGE = 1L << 62;
        static final long HAS_BESIDE = 1L << 63;
        /** Indices of the longs before the places. */
        static final int UNTIL = 0;
        static final int ROUND = 1;
        static final int SETTLED = 2;
        static final int DELIVERED = 3;
        static final int COMPLETED = 4;
        static final int IDLE_UNTIL = 5;
        static final int STOPS = 6;
        static final int MOVES = 7;
        static final int PLACES = 8;
        /** Size of the header before the places in bytes. */
        public static final int HEADER_BYTES = 9 * Long.BYTES;
        /** Maximum size of a place: a head, five words and the longest message. */
        private static final int MOST_PLACE_BYTES = 6 * Long.BYTES + (1 << 12);
        private static final int FIRST_BYTES = 1 << 16;

        private Arena arena;
        private MemorySegment segment;
        private Region region;
        private long at;
        /** Position of the head of the last place. */
        private long last;
        /** Number of places added since the last {@link #clear}. */
        private long places;

        /** Creates an empty batch. */
        RowBatch() {
            room(FIRST_BYTES);
            clear();
        }

        private void room(final long bytes) {
            final Arena larger = Arena.ofShared();
            final MemorySegment into = larger.allocate(bytes, Region.ALIGNMENT);
            if (arena != null) {
                MemorySegment.copy(segment, 0, into, 0, at);
                arena.close();
            }
            arena = larger;
            segment = into;
            region = Region.over(into);
        }

        /** Returns the word at an offset in a batch; throws an exception if the batch ends before it. */
        public static long word(final MemorySegment batch, final long at) {
            return batch.get(ValueLayout.JAVA_LONG, at);
        }

        /** Refuses invalid data from another process. */
        public static void require(final boolean condition, final String what, final long value) {
            if (!condition) {
                throw new IllegalArgumentException(what + "=" + value);
            }
        }

        /** Ensures that there is room for another place. */
        private void makeRoom() {
            if (at + MOST_PLACE_BYTES > region.bytes()) {
                room(2 * region.bytes());
            }
        }

        /** Empties the batch. */
        void clear() {
            at = HEADER_BYTES;
            places = 0;
        }

        /** Frees the memory. */
        void close() {
            arena.close();
        }

        /**
         * Adds a place.
         *
         * @param head     head without its flags.
         * @param route    route word; -1 if there is none.
         * @param cell     cell word; ignored if there is no route word.
         * @param feedback feedback word; -1 if there is none.
         * @param message  null if there is none.
         */
        void add(final long head, final long route, final long cell, final long feedback, final MemorySegment message) {
            makeRoom();
            final Region into = region;
            long to = at + Long.BYTES;
            long follows = head;
            if (route != -1) {
                follows |= HAS_ROUTE;
                into.setLong(to, route);
                into.setLong(to + Long.BYTES, cell);
                to += 2 * Long.BYTES;
            }
            if (feedback != -1) {
                follows |= HAS_FEEDBACK;
                into.setLong(to, feedback);
                to += Long.BYTES;
            }
            if (message != null) {
                follows |= HAS_MESSAGE;
                MemorySegment.copy(message, 0, segment, to, message.byteSize());
                to += padded(message.byteSize());
            }
            into.setLong(at, follows);
            last = at;
            at = to;
            places++;
        }

        /** Adds a place of another layout with its first word; {@link #more} adds further words. */
        public void add(final long word) {
            makeRoom();
            more(word);
            places++;
        }

        /** Adds a word to the last place, which may have at most five words. */
        public void more(final long word) {
            region.setLong(at, word);
            at += Long.BYTES;
        }

        /** Adds a number after all places. No place may be added after it. */
        void tail(final long number) {
            makeRoom();
            more(number);
        }

        /** Adds a message of two words to the last place. */
        void addMessage(final long word, final long about) {
            region.setLong(last, region.getLong(last) | HAS_BESIDE);
            more(word);
            more(about);
        }

        /** Returns the padded size of a message in a batch in bytes. */
        static long padded(final long bytes) {
            return bytes + Long.BYTES - 1 & -Long.BYTES;
        }

        /**
         * Returns the batch in the form in which it is sent. {@code until} is the slot that the sender has reached;
         * {@code status} is null except at a barrier.
         */
        MemorySegment sealed(final long until, final long round, final MemberMessages.Status status) {
            final MemberMessages.Status mine = status == null ? MemberMessages.Status.NONE : status;
            // In the order of the indices.
            final long[] head = {until, round, mine.settled(), mine.delivered(), mine.completed(), mine.idleUntil(),
                mine.stops() ? 1 : 0, mine.moves(), places};
            region.setLongs(0, head, 0, head.length);
            return segment.asSlice(0, at);
        }

        /** Returns a number in the header of a received batch. */
        static long number(final Region batch, final int number) {
            return batch.getLong((long) number * Long.BYTES);
        }

        /** Returns the status in a batch received at a barrier. */
        static MemberMessages.Status status(final Region batch) {
            return new MemberMessages.Status(number(batch, SETTLED), number(batch, MOVES), number(batch, DELIVERED),
                number(batch, COMPLETED), number(batch, IDLE_UNTIL), number(batch, STOPS) != 0);
        }
    }
}
