package dev.skerry.nic.engine;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What one member sends another in one go: the places of its rows that lead to the other and hold something, and at a
 * meeting its news. One thread.
 *
 * <pre>
 *   longs: until | meeting | settled | delivered | completed | rests | stops | moves | places
 *          head  | route, cell | feedback | message | beside, 2: as the head says     for each place
 *          note  | note | ..      what all must know in the last slot
 *   head:  bits 0 to 23 place in the row of its slot | to 43 receiver | to 55 slots before until | from 60 what follows
 * </pre>
 *
 * {@code until} is the slot to which the sender has come; {@code meeting} its number, or {@link #NO_MEETING}. A message
 * is padded to whole longs. Stardust has places of its own ({@link #add(long)}). Numbers are in native byte order, as
 * members are processes of one build on one kind of machine.
 */
public final class RowBatch {
    /** In place of the number of a meeting. */
    static final long NO_MEETING = -1;
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
    static final int MEETING = 1;
    static final int SETTLED = 2;
    static final int DELIVERED = 3;
    static final int COMPLETED = 4;
    static final int RESTS = 5;
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
        if (at + MOST_PLACE_BYTES > region.bytes()) {
            room(2 * region.bytes());
        }
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
        if (at + MOST_PLACE_BYTES > region.bytes()) {
            room(2 * region.bytes());
        }
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
        if (at + MOST_PLACE_BYTES > region.bytes()) {
            room(2 * region.bytes());
        }
        more(number);
    }

    /** Places added since the last {@link #clear}. */
    long places() {
        return places;
    }

    /** Adds the message of two words that travels beside the place added last. */
    void addBeside(final long word, final long about) {
        region.setLong(last, region.getLong(last) | HAS_BESIDE);
        region.setLong(at, word);
        region.setLong(at + Long.BYTES, about);
        at += 2 * Long.BYTES;
    }

    /** Bytes of a message in a batch. */
    static long padded(final long bytes) {
        return bytes + Long.BYTES - 1 & -Long.BYTES;
    }

    /** The batch as it is sent, of a sender that has come to a slot; {@code news} is null but at a meeting. */
    MemorySegment sealed(final long until, final long meeting, final MemberMail.News news) {
        final MemberMail.News told = news == null ? MemberMail.News.NONE : news;
        set(UNTIL, until);
        set(MEETING, meeting);
        set(SETTLED, told.settled());
        set(DELIVERED, told.delivered());
        set(COMPLETED, told.completed());
        set(RESTS, told.rests());
        set(STOPS, told.stops() ? 1 : 0);
        set(MOVES, told.moves());
        set(PLACES, places);
        return segment.asSlice(0, at);
    }

    private void set(final int number, final long value) {
        region.setLong((long) number * Long.BYTES, value);
    }

    /** A long before the places of a batch that came. */
    static long number(final Region batch, final int number) {
        return batch.getLong((long) number * Long.BYTES);
    }

    /** The news in a batch that came at a meeting. */
    static MemberMail.News news(final Region batch) {
        return new MemberMail.News(number(batch, SETTLED), number(batch, MOVES), number(batch, DELIVERED),
            number(batch, COMPLETED), number(batch, RESTS), number(batch, STOPS) != 0);
    }
}
