package dev.skerry.members;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.members.Session.Frames;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.tools.members.Members;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Messages between members over Aeron, a stream for each ordered pair. Aeron repeats what is lost on the way, keeps
 * order and holds back a sender whose receiver has no room; it says when the other end is gone. One thread.
 */
final class AeronExchange implements RowExchange {
    private static final int FRAGMENTS = 64;
    private static final long JOIN_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long BYE_NS = TimeUnit.SECONDS.toNanos(3);
    /** So long a driver of its own goes on after the last word, to repeat it if it is lost. */
    private static final long LINGER_NS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Members members;
    private final AeronNode node;
    private final Arena arena = Arena.ofShared();
    /** By member; null for this one. */
    private final Publication[] to;
    private final Subscription[] from;
    private final Inbox[] inbox;
    private final Session[] sessions;
    private final FragmentHandler[] handlers;
    /** By member: whether it has left as it should. */
    private final boolean[] left;
    private final BufferClaim claim = new BufferClaim();
    private ByteBuffer message = ByteBuffer.allocate(0);
    private final IdleStrategy idle = new BackoffIdleStrategy(200, 100, 1_000, 100_000);
    private boolean isAborted;
    /** What is known of members that do not come. */
    private String foreign = "";
    /** What was wrong with a part of a message; null if nothing was. */
    private RuntimeException trouble;
    /** Members to which the first message was sent. */
    private final boolean[] greeted;
    /** A member of this host that does not belong here; null for none. */
    private MemberLostException refused;

    private AeronExchange(final Members members, final AeronNode node) {
        final int count = members.all().size();
        this.members = members;
        this.node = node;
        this.to = new Publication[count];
        this.from = new Subscription[count];
        this.inbox = new Inbox[count];
        this.sessions = new Session[count];
        this.handlers = new FragmentHandler[count];
        this.left = new boolean[count];
        this.greeted = new boolean[count];
    }

    static AeronExchange join(final Members members) {
        final long deadline = System.nanoTime() + JOIN_NS;
        final AeronExchange exchange = new AeronExchange(members, AeronNode.start(members, deadline));
        try {
            exchange.open();
            exchange.awaitAll(deadline);
            return exchange;
        } catch (final RuntimeException failure) {
            exchange.isAborted = true;
            exchange.close();
            throw failure;
        }
    }

    private void open() {
        final int self = members.self();
        final int count = to.length;
        for (int other = 0; other < count; other++) {
            if (other != self) {
                inbox[other] = new Inbox(arena);
                sessions[other] = new Session(members.isNear(other) ? null : members.key().bytes(),
                    Frames.cluster(members.cluster()), self, other);
                handlers[other] = handler(other);
                try {
                    from[other] = node.client().addSubscription(node.channel(self, other), stream(other, self));
                } catch (final RegistrationException refused) {
                    throw node.unusable(refused);
                }
                to[other] = node.client().addExclusivePublication(node.channel(other, self), stream(self, other));
            }
        }
    }

    private int stream(final int sender, final int receiver) {
        return 1 + sender * to.length + receiver;
    }

    /** Waits until there is a session with each member. */
    private void awaitAll(final long deadline) {
        int missing = 0;
        while (missing < to.length) {
            if (missing == members.self() || greeted[missing] && sessions[missing].isBound()) {
                missing++;
                continue;
            }
            node.check();
            if (System.nanoTime() - deadline >= 0) {
                throw new MemberLostException(missing, "it has not come in " + TimeUnit.NANOSECONDS.toSeconds(JOIN_NS)
                    + " s" + (foreign.isEmpty() && sessions[missing].dropped() > 0 ? "; what comes in its place is not "
                    + "made with the same --member-key" : foreign));
            }
            idle.idle(take());
            for (int other = 0; other < to.length; other++) {
                if (other != members.self()) {
                    // The half goes first: a proof means nothing to who has not got it.
                    greeted[other] = greeted[other] || hello(other);
                    if (greeted[other]) {
                        prove(other);
                    }
                }
            }
            refuse();
        }
    }

    /** Ends the run for a member that does not belong here, once that member can find out the same. */
    private void refuse() {
        if (refused != null && greeted[refused.member()]) {
            throw refused;
        }
    }

    private boolean hello(final int other) {
        if (to[other].tryClaim(Frames.HEADER + Session.HALF_BYTES, claim) < 0) {
            return false;
        }
        sessions[other].hello(claim.buffer(), claim.offset());
        claim.commit();
        return true;
    }

    private void prove(final int other) {
        for (byte[] half = sessions[other].unanswered(); half != null; half = sessions[other].unanswered()) {
            claim(other, to[other], Frames.HEADER + Session.HALF_BYTES);
            sessions[other].prove(claim.buffer(), claim.offset(), half);
            claim.commit();
        }
    }

    @Override
    public int member() {
        return members.self();
    }

    @Override
    public int members() {
        return to.length;
    }

    @Override
    public void send(final int member, final MemorySegment bytes) {
        message = bytes.asByteBuffer();
        send(member, message.capacity());
    }

    /** Sends the bytes in {@code message}. */
    private void send(final int member, final int bytes) {
        final Publication way = to[member];
        final int most = way.maxPayloadLength() - Frames.HEADER;
        int done = 0;
        do {
            final int part = Math.min(most, bytes - done);
            claim(member, way, Frames.HEADER + part);
            sessions[member].seal(claim.buffer(), claim.offset(), bytes - done, message, done, part);
            claim.commit();
            done += part;
        } while (done < bytes);
    }

    private void claim(final int member, final Publication way, final int bytes) {
        final long start = System.nanoTime();
        long result = way.tryClaim(bytes, claim);
        while (result < 0) {
            if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
                node.check();
                throw new MemberLostException(member, "the way to it is closed");
            }
            idle.idle(take());
            check(member, start);
            result = way.tryClaim(bytes, claim);
        }
        idle.reset();
    }

    @Override
    public void poll() {
        take();
    }

    @Override
    public MemorySegment receive(final int member) {
        final long start = System.nanoTime();
        while (true) {
            final MemorySegment whole = inbox[member].next();
            if (whole != null) {
                idle.reset();
                return whole;
            }
            final int some = take();
            if (some == 0) {
                check(member, start);
            }
            idle.idle(some);
        }
    }

    /** Takes in what has come from all; returns how many parts of messages. */
    private int take() {
        int some = 0;
        for (int other = 0; other < from.length; other++) {
            if (from[other] != null) {
                some += from[other].poll(handlers[other], FRAGMENTS);
            }
        }
        if (trouble != null) {
            throw trouble;
        }
        return some;
    }

    /** Aeron would keep what is thrown to itself. */
    private FragmentHandler handler(final int sender) {
        return (buffer, offset, length, header) -> {
            try {
                take(sender, header.sessionId(), buffer, offset, length);
            } catch (final RuntimeException e) {
                trouble = trouble == null ? e : trouble;
            }
        };
    }

    private void take(final int sender, final int way, final DirectBuffer buffer, final int offset,
        final int length) {
        switch (sessions[sender].open(way, buffer, offset, length)) {
            case GOOD -> accept(sender, buffer, offset, length);
            case BROKEN -> throw new MemberLostException(sender, "a message from it was changed or lost on its way");
            case FOREIGN -> {
                foreign = "; what comes in its place is of another cluster or version";
                if (members.isNear(sender)) {
                    refused = new MemberLostException(sender, "what comes from there is of another cluster or version");
                    refuse();
                }
            }
            default -> {
            }
        }
    }

    private void accept(final int sender, final DirectBuffer buffer, final int offset, final int length) {
        final long missing = buffer.getLong(offset + Frames.LEFT);
        final int bytes = length - Frames.HEADER;
        if (missing == Frames.BYE) {
            left[sender] = true;
        } else if (missing == Frames.ABORT && bytes >= Integer.BYTES && bytes <= Integer.BYTES + Frames.MOST_TEXT) {
            final byte[] why = new byte[bytes - Integer.BYTES];
            buffer.getBytes(offset + Frames.HEADER + Integer.BYTES, why);
            final int member = buffer.getInt(offset + Frames.HEADER);
            throw new MemberLostException(member < 0 || member >= to.length ? sender : member,
                new String(why, StandardCharsets.UTF_8));
        } else {
            inbox[sender].add(missing, buffer, offset + Frames.HEADER, bytes);
        }
    }

    /** Checks that all are there, and that the one that is waited for has not been silent for too long. */
    private void check(final int awaited, final long sinceNs) {
        node.check();
        for (int other = 0; other < from.length; other++) {
            if (from[other] != null && isGone(other)) {
                throw new MemberLostException(other, "it is lost");
            }
        }
        if (System.nanoTime() - sinceNs > members.patience().toNanos()) {
            throw new MemberLostException(awaited, "it is late: nothing has come from it for "
                + members.patience().toSeconds() + " s");
        }
    }

    @Override
    public void abort(final int member, final String why) {
        final byte[] text = why.getBytes(StandardCharsets.UTF_8);
        final int bytes = Math.min(text.length, Frames.MOST_TEXT);
        message = ByteBuffer.allocate(Integer.BYTES + bytes).order(ByteOrder.nativeOrder());
        message.putInt(member).put(text, 0, bytes);
        isAborted = true;
        end(Frames.ABORT);
    }

    /** Sends an end to all that take it at once. */
    private void end(final long kind) {
        for (int other = 0; other < to.length; other++) {
            if (to[other] != null && sessions[other].isBound()
                && to[other].tryClaim(Frames.HEADER + message.capacity(), claim) > 0) {
                sessions[other].seal(claim.buffer(), claim.offset(), kind, message, 0, message.capacity());
                claim.commit();
            }
        }
    }

    /** Waits until the others leave too, a few seconds at most: a driver in this process may carry their last words. */
    @Override
    public void close() {
        try {
            if (!isAborted) {
                message = ByteBuffer.allocate(0);
                end(Frames.BYE);
            }
            final long start = System.nanoTime();
            while (System.nanoTime() - start < (isAborted ? LINGER_NS : BYE_NS) && !isAlone()) {
                idle.idle(isAborted ? 0 : take());
            }
            if (members.isSpread() && !isAborted) {
                linger();
            }
        } catch (final MemberLostException gone) {
            // It does not matter any more.
            isAborted = true;
        } finally {
            node.close();
            arena.close();
        }
    }

    private void linger() {
        final long start = System.nanoTime();
        while (System.nanoTime() - start < LINGER_NS) {
            idle.idle(take());
        }
    }

    /** Whether the way on which a member sends has ended; others who send in its name do not count. */
    private boolean isGone(final int other) {
        return sessions[other].isBound() && from[other].imageBySessionId(sessions[other].way()) == null;
    }

    /** Whether all others have left, or are gone. */
    private boolean isAlone() {
        boolean isAlone = true;
        for (int other = 0; other < to.length; other++) {
            isAlone &= to[other] == null || left[other] || !sessions[other].isBound() || isGone(other);
        }
        return isAlone || node.client().isClosed();
    }

    /** What has come from one member: whole messages, and the one that is coming. One thread. */
    static final class Inbox {
        private static final int LEAST_BYTES = 1 << 16;
        /** A buffer holds no more. */
        private static final long MOST_BYTES = Integer.MAX_VALUE - 8L;

        private final Arena arena;
        private final Deque<Message> whole = new ArrayDeque<>();
        /** Messages that have been read: their memory. */
        private final Deque<Message> spare = new ArrayDeque<>();
        private Message coming;
        private Message read;

        private static final class Message {
            private MemorySegment memory;
            private ByteBuffer view;
            private long length;
            private int filled;
        }

        /** Nothing has come; the arena has the memory. */
        Inbox(final Arena arena) {
            this.arena = arena;
        }

        /**
         * A part of a message has come.
         *
         * @param left bytes of the message that were missing before it, its own included.
         */
        void add(final long left, final DirectBuffer buffer, final int offset, final int bytes) {
            if (coming == null) {
                if (left < 1 || left > MOST_BYTES) {
                    throw new IllegalStateException("a message of " + left + " bytes has been announced");
                }
                coming = spare.isEmpty() ? new Message() : spare.poll();
                coming.length = left;
                coming.filled = 0;
            }
            if (left != coming.length - coming.filled || bytes > left) {
                throw new IllegalStateException("a part of a message is missing: left=" + left + " expected="
                    + (coming.length - coming.filled) + " bytes=" + bytes);
            }
            makeRoom(coming, coming.filled + bytes);
            buffer.getBytes(offset, coming.view, coming.filled, bytes);
            coming.filled += bytes;
            if (coming.filled == coming.length) {
                whole.add(coming);
                coming = null;
            }
        }

        /** The next whole message, null if there is none yet; valid until the next call that returns one. */
        MemorySegment next() {
            if (whole.isEmpty()) {
                return null;
            }
            if (read != null) {
                spare.add(read);
            }
            read = whole.remove();
            return read.memory.asSlice(0, read.length);
        }

        /**
         * Memory grows with what has come, not with what is announced. The former memory is the arena's until its end.
         */
        private void makeRoom(final Message message, final long bytes) {
            if (message.memory != null && message.memory.byteSize() >= bytes) {
                return;
            }
            final MemorySegment larger = arena.allocate(
                Math.min(MOST_BYTES, Math.max(LEAST_BYTES, 2 * Long.highestOneBit(bytes))), Region.ALIGNMENT);
            if (message.memory != null) {
                MemorySegment.copy(message.memory, 0, larger, 0, message.filled);
            }
            message.memory = larger;
            message.view = larger.asByteBuffer();
        }
    }
}
