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
 * What the members of a fabric send each other: a batch for each other member after each part of a stride, and how far
 * each of them has come. What crosses is packed and taken in by the {@link Rows} of the fabric. One thread.
 */
public final class MemberMessages {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RowExchange exchange;
    private final Rows rows;
    /** By member: what is to be sent to it; null for this one. */
    private final RowBatch[] out;
    /** By member: the slot to which it has come, and the barrier that it passed last. */
    private final long[] until;
    private final long[] passed;
    /** By parity of the barrier, then by member. */
    private final Status[][] status;
    /**
     * By barrier modulo their number: the slot until which this member reported to be idle. Others are behind by two at
     * most.
     */
    private final long[] idleUntil = new long[4];
    /** Slots between two barriers, and those after which others see what is sent. */
    private long stride;
    private long delay;
    /** The slot to which this member has come, by its last batch. */
    private long sent;
    private long batches;
    private long bytes;
    private long places;
    private long sendNs;
    private long takeNs;

    /** What crosses between the nodes or devices of members. */
    public interface Rows {
        /** Adds what this member sent to others in slots, the last ones it has done, to the batches for them. */
        void pack(long from, long end);

        /**
         * Puts what another member sent where those of this one find it.
         *
         * @param batch its batch, in native memory, as a {@link RowBatch} lays it out; valid during the call. Whatever
         *              is in it, nothing is written outside of the places that it names.
         * @param from  the slot to which the sender had come before.
         * @param came  the slot to which it has come, not before {@code from}.
         * @throws IllegalArgumentException  if it names what there is not.
         * @throws IndexOutOfBoundsException if it ends within a place.
         */
        void take(int member, MemorySegment batch, long from, long came);
    }

    /**
     * What a member says of itself at a barrier.
     *
     * @param settled   cells of its banks whose fate is known.
     * @param moves     grows while cells of its banks move; 0 where it is not needed.
     * @param delivered cells delivered at its nodes.
     * @param completed flows completed at its nodes.
     * @param idleUntil the slot until which its banks are idle.
     * @param stops     whether its watch asks to stop.
     */
    public record Status(long settled, long moves, long delivered, long completed, long idleUntil, boolean stops) {
        /** Of no member. */
        static final Status NONE = new Status(0, 0, 0, 0, Long.MAX_VALUE, false);

        /** The status of two members together. */
        Status plus(final Status other) {
            return new Status(settled + other.settled, moves + other.moves, delivered + other.delivered,
                completed + other.completed, Math.min(idleUntil, other.idleUntil), stops || other.stops);
        }
    }

    /** Nothing is in flight. */
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

    /** What carries it. */
    public RowExchange exchange() {
        return exchange;
    }

    /** The batch for a member; null for this one. */
    public RowBatch to(final int member) {
        return out[member];
    }

    /** What was exchanged so far, and the time of it. */
    public MemberEngine.Exchanged cost() {
        return new MemberEngine.Exchanged(batches, bytes, places, sendNs, takeNs);
    }

    /** All members begin at a slot; nothing is in flight, and no barrier has been passed. */
    void begin(final long slot, final long slotsOfStride, final long slotsOfDelay) {
        stride = slotsOfStride;
        delay = slotsOfDelay;
        sent = slot;
        Arrays.fill(until, slot);
        Arrays.fill(passed, RowBatch.NO_ROUND);
    }

    /** Takes in what has come, without waiting. */
    public void poll() {
        exchange.poll();
    }

    /** Packs what this member sent in slots, the last ones it has done. */
    void pack(final long from, final long end) {
        final long start = processorNs();
        rows.pack(from, end);
        sendNs += processorNs() - start;
    }

    /** Sends what is packed to all others. This member has come to a slot. */
    void send(final long to) {
        send(to, RowBatch.NO_ROUND, null);
    }

    /** The same at a barrier, with this member's status. */
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

    /** Waits until what all others sent before a slot has been taken in. */
    void await(final long slot) {
        for (int member = 0; member < out.length; member++) {
            while (out[member] != null && until[member] < slot) {
                receive(member);
            }
        }
    }

    /** Waits until all others have passed a barrier; the status of all, this member's too. */
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
     * The furthest slot to which another member can have come: a stride beyond what it needs from this one for its next
     * slots, or what it had come to before; at a barrier, the slot until which both were idle two barriers before.
     */
    private long reach(final int member, final long round) {
        final long stepped = Math.max(sent + delay, until[member]) + stride;
        return round < 2 ? stepped : Math.max(stepped, Math.min(idleUntil[(int) (round - 2) & idleUntil.length - 1],
            status[(int) round & 1][member].idleUntil()));
    }

    /** Of this thread; without what others do on a busy machine, which the clock would count. */
    private static long processorNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Frees the memory of batches; the exchange stays. */
    public void close() {
        for (final RowBatch batch : out) {
            if (batch != null) {
                batch.close();
            }
        }
    }

    /**
     * What one member sends another in one go: the places of its rows that lead to the other and hold something, and at
     * a barrier its status. One thread.
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
     * {@code until} is the slot to which the sender has come; {@code barrier} its number, or {@link #NO_ROUND}. A
     * message is padded to whole longs. Stardust has places of its own ({@link #add(long)}). Numbers are in native byte
     * order, as members are processes of one build on one kind of machine.
     */
    public static final class RowBatch {
        /** In place of the number of a barrier. */
        static final long NO_ROUND = -1;
        /** Most slots of rows in a batch. */
        public static final int MOST_SLOTS = 1 << 12;
        /** Parts of a head. */
        static final int PLACE_BITS = 24;
        static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
        static final int RECEIVER_BITS = 20;
        static final int RECEIVER_MASK = (1 << RECEIVER_BITS) - 1;
        static final int BACK_SHIFT = PLACE_BITS + RECEIVER_BITS;
        static final int BACK_MASK = MOST_SLOTS - 1;
        /** What follows a head. */
        static final long HAS_ROUTE = 1L << 60;
        static final long HAS_FEEDBACK = 1L << 61;
        static final long HAS_MESSAGE = 1L << 62;
        static final long HAS_BESIDE = 1L << 63;
        /** Numbers of the longs before the places. */
        static final int UNTIL = 0;
        static final int ROUND = 1;
        static final int SETTLED = 2;
        static final int DELIVERED = 3;
        static final int COMPLETED = 4;
        static final int IDLE_UNTIL = 5;
        static final int STOPS = 6;
        static final int MOVES = 7;
        static final int PLACES = 8;
        /** Bytes before the places. */
        public static final int HEADER_BYTES = 9 * Long.BYTES;
        /** A head, five words and the longest message. */
        private static final int MOST_PLACE_BYTES = 6 * Long.BYTES + (1 << 12);
        private static final int FIRST_BYTES = 1 << 16;

        private Arena arena;
        private MemorySegment segment;
        private Region region;
        private long at;
        /** Where the head of the place added last is. */
        private long last;
        /** Places added since the last {@link #clear}. */
        private long places;

        /** Nothing to send. */
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

        /** The word at an offset of a batch; throws if the batch ends before it. */
        public static long word(final MemorySegment batch, final long at) {
            return batch.get(ValueLayout.JAVA_LONG, at);
        }

        /** Refuses what another process sent. */
        public static void require(final boolean condition, final String what, final long value) {
            if (!condition) {
                throw new IllegalArgumentException(what + "=" + value);
            }
        }

        /** Makes room for one more place. */
        private void makeRoom() {
            if (at + MOST_PLACE_BYTES > region.bytes()) {
                room(2 * region.bytes());
            }
        }

        /** Has nothing more to send. */
        void clear() {
            at = HEADER_BYTES;
            places = 0;
        }

        /** Frees its memory. */
        void close() {
            arena.close();
        }

        /**
         * Adds what stands at a place.
         *
         * @param head     without what follows.
         * @param route    its words; left out if they say that nothing is there.
         * @param cell     undefined without a route.
         * @param feedback as above.
         * @param message  null for none.
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

        /** Adds a place of another layout: a word, and what {@link #more} adds to it. */
        public void add(final long word) {
            makeRoom();
            more(word);
            places++;
        }

        /** Adds a word to the place added last, up to five of them. */
        public void more(final long word) {
            region.setLong(at, word);
            at += Long.BYTES;
        }

        /** Adds a number behind all places; none is added after it. */
        void tail(final long number) {
            makeRoom();
            more(number);
        }

        /** Adds the message of two words that travels beside the place added last. */
        void addBeside(final long word, final long about) {
            region.setLong(last, region.getLong(last) | HAS_BESIDE);
            more(word);
            more(about);
        }

        /** Bytes of a message in a batch. */
        static long padded(final long bytes) {
            return bytes + Long.BYTES - 1 & -Long.BYTES;
        }

        /** The batch as it is sent, of a sender that has come to a slot; {@code status} is null but at a barrier. */
        MemorySegment sealed(final long until, final long round, final MemberMessages.Status status) {
            final MemberMessages.Status mine = status == null ? MemberMessages.Status.NONE : status;
            // By their numbers.
            final long[] head = {until, round, mine.settled(), mine.delivered(), mine.completed(), mine.idleUntil(),
                mine.stops() ? 1 : 0, mine.moves(), places};
            region.setLongs(0, head, 0, head.length);
            return segment.asSlice(0, at);
        }

        /** A long before the places of a batch that came. */
        static long number(final Region batch, final int number) {
            return batch.getLong((long) number * Long.BYTES);
        }

        /** The status in a batch that came at a barrier. */
        static MemberMessages.Status status(final Region batch) {
            return new MemberMessages.Status(number(batch, SETTLED), number(batch, MOVES), number(batch, DELIVERED),
                number(batch, COMPLETED), number(batch, IDLE_UNTIL), number(batch, STOPS) != 0);
        }
    }
}
