package dev.skerry.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.members.AeronExchange.Inbox;
import dev.skerry.members.Session.Frames;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Random;

class SessionTest {
    private static final byte[] SECRET = "0123456789abcdef".getBytes();
    private static final long CLUSTER = Frames.cluster("test");
    private static final int WAY = 7;
    private static final int EVIL = 666;
    private static final int FRAME = Frames.HEADER + Session.HALF_BYTES;

    private final Session here = new Session(SECRET, CLUSTER, 0, 1);
    private final Session there = new Session(SECRET, CLUSTER, 1, 0);

    private static UnsafeBuffer buffer() {
        return new UnsafeBuffer(new byte[4096]);
    }

    /** Lets both greet and answer all halves, as the exchange does. */
    private static void greet(final Session one, final Session other, final int wayOfOther) {
        final UnsafeBuffer frame = buffer();
        other.hello(frame, 0);
        one.open(wayOfOther, frame, 0, FRAME);
        one.hello(frame, 0);
        other.open(WAY, frame, 0, FRAME);
        answer(one, other, WAY);
        answer(other, one, wayOfOther);
    }

    private static void answer(final Session from, final Session to, final int way) {
        final UnsafeBuffer frame = buffer();
        for (byte[] half = from.unanswered(); half != null; half = from.unanswered()) {
            from.prove(frame, 0, half);
            to.open(way, frame, 0, FRAME);
        }
    }

    private UnsafeBuffer sealed(final Session by, final String text) {
        final UnsafeBuffer frame = buffer();
        by.seal(frame, 0, text.length(), ByteBuffer.wrap(text.getBytes()), 0, text.length());
        return frame;
    }

    @Test
    void membersWithTheSecretAgree() {
        greet(here, there, WAY);
        assertTrue(here.isBound() && there.isBound());
        for (int i = 0; i < 3; i++) {
            final UnsafeBuffer frame = sealed(there, "row");
            assertEquals(Session.Verdict.GOOD, here.open(WAY, frame, 0, Frames.HEADER + 3));
            assertEquals(Session.Verdict.GOOD, there.open(WAY, sealed(here, "answer"), 0, Frames.HEADER + 6));
        }
        assertEquals(0, here.dropped());
    }

    @Test
    void oneWithoutTheSecretIsNotHeard() {
        final Session forger = new Session("another secret!!".getBytes(), CLUSTER, 1, 0);
        greet(here, forger, EVIL);
        assertFalse(here.isBound());
        assertTrue(here.dropped() > 0);
        greet(here, there, WAY);
        assertTrue(here.isBound());
        final long before = here.dropped();
        assertEquals(Session.Verdict.DONE, here.open(EVIL, sealed(there, "row"), 0, Frames.HEADER + 3));
        assertEquals(before + 1, here.dropped());
    }

    @Test
    void anOldSessionIsNotRepeated() {
        final UnsafeBuffer hello = buffer();
        final UnsafeBuffer proof = buffer();
        there.hello(hello, 0);
        here.hello(proof, 0);
        there.open(WAY, proof, 0, FRAME);
        there.prove(proof, 0, there.unanswered());
        final Session later = new Session(SECRET, CLUSTER, 0, 1);
        later.open(EVIL, hello, 0, FRAME);
        later.open(EVIL, proof, 0, FRAME);
        assertFalse(later.isBound());
        here.open(WAY, hello, 0, FRAME);
        here.open(WAY, proof, 0, FRAME);
        assertTrue(here.isBound(), "it was right for the half that it answered");
    }

    @Test
    void aFrameIsNotSentBackToItsSender() {
        greet(here, there, WAY);
        assertEquals(Session.Verdict.BROKEN, here.open(WAY, sealed(here, "row"), 0, Frames.HEADER + 3));
    }

    @ParameterizedTest
    @ValueSource(ints = {Frames.CLUSTER, Frames.SEQUENCE, Frames.LEFT, Frames.MAC, Frames.MAC + 15, Frames.HEADER,
        Frames.HEADER + 2})
    void aChangedFrameIsFoundOut(final int at) {
        greet(here, there, WAY);
        final UnsafeBuffer frame = sealed(there, "row");
        frame.putByte(at, (byte) (frame.getByte(at) ^ 1));
        assertEquals(Session.Verdict.BROKEN, here.open(WAY, frame, 0, Frames.HEADER + 3));
    }

    @Test
    void framesLeftOutRepeatedOrCutAreFoundOut() {
        greet(here, there, WAY);
        final UnsafeBuffer first = sealed(there, "row");
        assertEquals(Session.Verdict.BROKEN, here.open(WAY, first, 0, Frames.HEADER + 2));
        assertEquals(Session.Verdict.GOOD, here.open(WAY, first, 0, Frames.HEADER + 3));
        assertEquals(Session.Verdict.BROKEN, here.open(WAY, first, 0, Frames.HEADER + 3));
        sealed(there, "left out");
        assertEquals(Session.Verdict.BROKEN, here.open(WAY, sealed(there, "row"), 0, Frames.HEADER + 3));
    }

    @Test
    void sendersThatMaySayHelloAreBounded() {
        final UnsafeBuffer frame = buffer();
        for (int way = 1_000; way < 11_000; way++) {
            new Session(null, CLUSTER, 1, 0).hello(frame, 0);
            here.open(way, frame, 0, FRAME);
        }
        int answers = 0;
        while (here.unanswered() != null) {
            answers++;
        }
        assertEquals(64, answers);
    }

    /** Random changes of frames, and random frames: none is good, none does anything. */
    @Test
    void nothingRandomIsTakenForAFrame() {
        greet(here, there, WAY);
        final long seed = 49;
        final Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            final byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            final UnsafeBuffer frame = new UnsafeBuffer(bytes);
            if (bytes.length >= Frames.HEADER && random.nextBoolean()) {
                frame.putLong(Frames.CLUSTER, CLUSTER);
                frame.putLong(Frames.SEQUENCE, 1);
                frame.putLong(Frames.LEFT, random.nextInt(100) - 4);
            }
            final Session.Verdict verdict = here.open(random.nextBoolean() ? WAY : EVIL, frame, 0, bytes.length);
            assertTrue(verdict != Session.Verdict.GOOD, "seed=" + seed + " i=" + i);
        }
        assertEquals(Session.Verdict.GOOD, here.open(WAY, sealed(there, "row"), 0, Frames.HEADER + 3));
    }

    @Test
    void anInboxTakesMemoryForWhatComesOnly() {
        try (Arena arena = Arena.ofConfined()) {
            final Inbox inbox = new Inbox(arena);
            final ExpandableArrayBuffer part = new ExpandableArrayBuffer();
            part.setMemory(0, 1000, (byte) 5);
            inbox.add(1L << 30, part, 0, 1000);
            assertNull(inbox.next());
            assertThrows(IllegalStateException.class, () -> inbox.add(1L << 30, part, 0, 1000));
            final Inbox other = new Inbox(arena);
            for (final long wrong : new long[] {0, -5, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40}) {
                assertThrows(IllegalStateException.class, () -> other.add(wrong, part, 0, 8), "left=" + wrong);
            }
            final int bytes = 300_000;
            for (int done = 0; done < bytes; done += 1000) {
                other.add(bytes - done, part, 0, 1000);
            }
            final MemorySegment whole = other.next();
            assertEquals(bytes, whole.byteSize());
            assertEquals(bytes, whole.elements(ValueLayout.JAVA_BYTE).filter(b -> b.get(ValueLayout.JAVA_BYTE, 0) == 5)
                .count());
        }
    }
}
