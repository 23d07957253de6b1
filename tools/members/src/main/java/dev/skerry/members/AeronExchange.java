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
import io.aeron.logbuffer.Header;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Messages between members over Aeron, with a stream for each ordered pair. Aeron repeats lost frames, keeps order,
 * holds back a sender whose receiver has no room, and reports when the other end is gone. One thread.
 */
final class AeronExchange implements RowExchange {
    private static final int FRAGMENTS = 64;
    private static final long JOIN_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long BYE_NS = TimeUnit.SECONDS.toNanos(3);
    /** Time for which a driver of this process continues after the last message, to repeat it if it is lost. */
    private static final long LINGER_NS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Members members;
    private final AeronNode node;
    private final Arena arena = Arena.ofShared();
    /** By member; null for this one. */
    private final Peer[] peers;
    private final BufferClaim claim = new BufferClaim();
    private ByteBuffer message = ByteBuffer.allocate(0);
    private final IdleStrategy idle = new BackoffIdleStrategy(200, 100, 1_000, 100_000);
    private boolean isAborted;
    /** State of members that have not joined. */
    private String foreign = "";
    /** The fault in a part of a message; null if there was none. */
    private RuntimeException trouble;
    /** A member of this host that does not belong here; null for none. */
    private MemberLostException refused;

    private AeronExchange(final Members members, final AeronNode node) {
        this.members = members;
        this.node = node;
        this.peers = new Peer[members.all().size()];
    }

    static AeronExchange join(final Members members) {
        final long deadline = System.nanoTime() + JOIN_NS;
        final AeronExchange exchange = new AeronExchange(members, AeronNode.start(members, deadline));
        try {
            for (int other = 0; other < exchange.peers.length; other++) {
                exchange.peers[other] = other == members.self() ? null : exchange.new Peer(other);
            }
            exchange.awaitAll(deadline);
            return exchange;
        } catch (final RuntimeException failure) {
            exchange.isAborted = true;
            exchange.close();
            throw failure;
        }
    }

    /** Another member: the streams to it and from it, and the messages received. */
    private final class Peer {
        private final int member;
        private final Inbox inbox = new Inbox(arena);
        private final Session session;
        private final FragmentHandler handler = this::handle;
        private final Subscription from;
        private final Publication to;
        /** Tells whether the first message was sent to it. */
        private boolean isGreeted;
        /** Tells whether it has left properly. */
        private boolean hasLeft;

        private Peer(final int member) {
            final int self = members.self();
            this.member = member;
            this.session = new Session(members.isNear(member) ? null : members.key().bytes(),
                Frames.cluster(members.cluster()), self, member);
            try {
                this.from = node.client().addSubscription(node.channel(self, member), stream(member, self));
            } catch (final RegistrationException refused) {
                throw node.unusable(refused);
            }
            this.to = node.client().addExclusivePublication(node.channel(member, self), stream(self, member));
        }

        private int stream(final int sender, final int receiver) {
            return 1 + sender * peers.length + receiver;
        }

        /** Handles a fragment; exceptions are stored, as Aeron would not pass them on. */
        private void handle(final DirectBuffer buffer, final int offset, final int length, final Header header) {
            try {
                take(this, header.sessionId(), buffer, offset, length);
            } catch (final RuntimeException e) {
                trouble = trouble == null ? e : trouble;
            }
        }

        private boolean hello() {
            if (to.tryClaim(Frames.HEADER + Session.HALF_BYTES, claim) < 0) {
                return false;
            }
            session.hello(claim.buffer(), claim.offset());
            claim.commit();
            return true;
        }

        private void prove() {
            for (byte[] half = session.unanswered(); half != null; half = session.unanswered()) {
                claim(this, Frames.HEADER + Session.HALF_BYTES);
                session.prove(claim.buffer(), claim.offset(), half);
                claim.commit();
            }
        }

        /** Tells whether the stream on which it sends has ended; others who send in its name do not count. */
        private boolean isGone() {
            return session.isBound() && from.imageBySessionId(session.way()) == null;
        }
    }

    /** Waits until there is a session with each member. */
    private void awaitAll(final long deadline) {
        int missing = 0;
        while (missing < peers.length) {
            final Peer awaited = peers[missing];
            if (awaited == null || awaited.isGreeted && awaited.session.isBound()) {
                missing++;
                continue;
            }
            node.check();
            if (System.nanoTime() - deadline >= 0) {
                throw new MemberLostException(missing, "it has not joined "
                    + "within " + TimeUnit.NANOSECONDS.toSeconds(JOIN_NS)
                    + " s" + (foreign.isEmpty() && awaited.session.dropped() > 0 ? "; messages from its address do "
                    + "not have the same --member-key" : foreign));
            }
            idle.idle(take());
            for (final Peer peer : peers) {
                if (peer != null) {
                    // The half goes first: a proof is of no use to a member that does not have the half.
                    peer.isGreeted = peer.isGreeted || peer.hello();
                    if (peer.isGreeted) {
                        peer.prove();
                    }
                }
            }
            refuse();
        }
    }

    /** Ends the run for a member that does not belong here, once that member can detect the same. */
    private void refuse() {
        if (refused != null && peers[refused.member()].isGreeted) {
            throw refused;
        }
    }

    @Override
    public int member() {
        return members.self();
    }

    @Override
    public int members() {
        return peers.length;
    }

    @Override
    public void send(final int member, final MemorySegment bytes) {
        message = bytes.asByteBuffer();
        send(peers[member], message.capacity());
    }

    /** Sends the bytes in {@code message}. */
    private void send(final Peer peer, final int bytes) {
        final int most = peer.to.maxPayloadLength() - Frames.HEADER;
        int done = 0;
        do {
            final int part = Math.min(most, bytes - done);
            claim(peer, Frames.HEADER + part);
            peer.session.seal(claim.buffer(), claim.offset(), bytes - done, message, done, part);
            claim.commit();
            done += part;
        } while (done < bytes);
    }

    private void claim(final Peer peer, final int bytes) {
        final long start = System.nanoTime();
        long result = peer.to.tryClaim(bytes, claim);
        while (result < 0) {
            if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
                node.check();
                throw new MemberLostException(peer.member, "the connection to it is closed");
            }
            idle.idle(take());
            check(peer.member, start);
            result = peer.to.tryClaim(bytes, claim);
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
            final MemorySegment whole = peers[member].inbox.next();
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

    /** Receives from all members; returns the number of parts of messages. */
    private int take() {
        int some = 0;
        for (final Peer peer : peers) {
            some += peer == null ? 0 : peer.from.poll(peer.handler, FRAGMENTS);
        }
        if (trouble != null) {
            throw trouble;
        }
        return some;
    }

    private void take(final Peer sender, final int way, final DirectBuffer buffer, final int offset, final int length) {
        switch (sender.session.open(way, buffer, offset, length)) {
            case GOOD -> accept(sender, buffer, offset, length);
            case BROKEN -> throw new MemberLostException(sender.member, "a message from it was changed or lost in "
                + "transit");
            case FOREIGN -> {
                foreign = "; messages from its address belong to another cluster or version";
                if (members.isNear(sender.member)) {
                    refused = new MemberLostException(sender.member, "messages from there belong to another cluster "
                        + "or version");
                    refuse();
                }
            }
            default -> {
            }
        }
    }

    private void accept(final Peer sender, final DirectBuffer buffer, final int offset, final int length) {
        final long missing = buffer.getLong(offset + Frames.LEFT);
        final int bytes = length - Frames.HEADER;
        if (missing == Frames.BYE) {
            sender.hasLeft = true;
        } else if (missing == Frames.ABORT && bytes >= Integer.BYTES && bytes <= Integer.BYTES + Frames.MOST_TEXT) {
            final byte[] why = new byte[bytes - Integer.BYTES];
            buffer.getBytes(offset + Frames.HEADER + Integer.BYTES, why);
            final int member = buffer.getInt(offset + Frames.HEADER);
            throw new MemberLostException(member < 0 || member >= peers.length ? sender.member : member,
                new String(why, StandardCharsets.UTF_8));
        } else {
            sender.inbox.add(missing, buffer, offset + Frames.HEADER, bytes);
        }
    }

    /** Checks that all members are there, and that the awaited one has not been silent for too long. */
    private void check(final int awaited, final long sinceNs) {
        node.check();
        for (final Peer peer : peers) {
            if (peer != null && peer.isGone()) {
                throw new MemberLostException(peer.member, "it is lost");
            }
        }
        if (System.nanoTime() - sinceNs > members.patience().toNanos()) {
            throw new MemberLostException(awaited, "it timed out: nothing has arrived from it for "
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

    /** Sends an end to all members that accept it at once. */
    private void end(final long kind) {
        for (final Peer peer : peers) {
            if (peer != null && peer.session.isBound()
                && peer.to.tryClaim(Frames.HEADER + message.capacity(), claim) > 0) {
                peer.session.seal(claim.buffer(), claim.offset(), kind, message, 0, message.capacity());
                claim.commit();
            }
        }
    }

    /**
     * Waits until the others leave too, at most a few seconds: a driver in this process may carry their last messages.
     */
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
            final long alone = System.nanoTime();
            while (members.isSpread() && !isAborted && System.nanoTime() - alone < LINGER_NS) {
                idle.idle(take());
            }
        } catch (final MemberLostException gone) {
            // The loss of a member has no effect at this point.
            isAborted = true;
        } finally {
            node.close();
            arena.close();
        }
    }

    /** Tells whether all others have left, or are gone. */
    private boolean isAlone() {
        return node.client().isClosed() || Arrays.stream(peers).allMatch(peer -> peer == null || peer.hasLeft
            || !peer.session.isBound() || peer.isGone());
    }

    /** Messages received from one member: whole ones, and the one that is arriving. One thread. */
    static final class Inbox {
        private static final int LEAST_BYTES = 1 << 16;
        /** Largest size of a buffer. */
        private static final long MOST_BYTES = Integer.MAX_VALUE - 8L;

        private final Arena arena;
        private final Deque<Message> whole = new ArrayDeque<>();
        /** Messages that have been read, for their memory. */
        private final Deque<Message> spare = new ArrayDeque<>();
        private Message coming;
        private Message read;

        private static final class Message {
            private MemorySegment memory;
            private ByteBuffer view;
            private long length;
            private int filled;
        }

        /** Creates an empty inbox; the arena owns the memory. */
        Inbox(final Arena arena) {
            this.arena = arena;
        }

        /**
         * Adds a part of a message.
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

        /** Returns the next whole message, null if there is none yet; valid until the next call that returns one. */
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
         * Makes room for bytes. Memory grows with what has arrived, not with what is announced. The arena keeps the
         * former memory until it is closed.
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
