package dev.skerry.members;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The session with one other member, in both directions. Each side sends a random half in a {@link Frames#HELLO}, and
 * answers every half that it gets with a {@link Frames#PROOF}: a MAC with a key derived from the secret and both
 * halves. A sender whose proof is right for this side's half is the other member; from then on only frames of the same
 * Aeron session count. Every later frame has the next sequence number and a MAC over number, kind and bytes, with a key
 * for each direction ({@link FrameMac}). Without the secret, a frame cannot be added, changed, left out or repeated
 * without detection.
 *
 * <p>Members of one machine share memory that no other user can open: they have no secret, and their frames have no
 * MAC. One thread.
 */
final class Session {
    static final int MAC_BYTES = 16;
    static final int HALF_BYTES = 16;
    /** Largest number of senders, by their Aeron sessions, that may say hello; others are ignored. */
    private static final int MOST_CANDIDATES = 64;
    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] PROVES = "skerry members prove".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SEALS = "skerry members seal".getBytes(StandardCharsets.US_ASCII);

    private final byte[] secret;
    private final long cluster;
    private final int self;
    private final int other;
    private final byte[] half = new byte[HALF_BYTES];
    /** The half that came on each Aeron session. */
    private final Map<Integer, byte[]> candidates = new HashMap<>();
    private final Deque<byte[]> unanswered = new ArrayDeque<>();
    /** Null without a secret. */
    private FrameMac outgoing;
    private FrameMac incoming;
    private int way;
    private boolean isBound;
    private long sent;
    private long received;
    private long dropped;

    /** The verdict on a frame that has come. */
    enum Verdict {
        /** It belongs to the session: its kind and bytes count. */
        GOOD,
        /** It does not, or was only about the session itself: nothing is to be done. */
        DONE,
        /** It came on the Aeron session of the member and is not as it was sent. */
        BROKEN,
        /** It is of another cluster or version. */
        FOREIGN
    }

    /**
     * Creates a session before any half has come.
     *
     * @param secret secret shared by the members; null for none.
     */
    Session(final byte[] secret, final long cluster, final int self, final int other) {
        this.secret = secret;
        this.cluster = cluster;
        this.self = self;
        this.other = other;
        new SecureRandom().nextBytes(half);
    }

    /** Tells whether the other side has proved that it has the secret. */
    boolean isBound() {
        return isBound;
    }

    /** Returns the number of its Aeron session; without meaning before {@link #isBound}. */
    int way() {
        return way;
    }

    /** Returns the number of frames that were dropped because they did not belong to the session. */
    long dropped() {
        return dropped;
    }

    /** Returns the next half to answer with {@link #prove}; null if there is none. */
    byte[] unanswered() {
        return unanswered.poll();
    }

    /** Writes a frame without a MAC that begins a session. */
    void hello(final MutableDirectBuffer into, final int offset) {
        head(into, offset, 0, Frames.HELLO);
        into.setMemory(offset + Frames.MAC, MAC_BYTES, (byte) 0);
        into.putBytes(offset + Frames.HEADER, half);
    }

    /** Writes the answer to a half. */
    void prove(final MutableDirectBuffer into, final int offset, final byte[] theirs) {
        head(into, offset, 0, Frames.PROOF);
        into.putBytes(offset + Frames.HEADER, theirs);
        final byte[] proof = derived(PROVES, self, other, half, theirs);
        into.setMemory(offset + Frames.MAC, MAC_BYTES, (byte) 0);
        if (proof != null) {
            into.putBytes(offset + Frames.MAC, proof, 0, MAC_BYTES);
        }
    }

    /** Writes a frame of the session. */
    void seal(final MutableDirectBuffer into, final int offset, final long left, final ByteBuffer bytes,
        final int from, final int length) {
        head(into, offset, ++sent, left);
        into.putBytes(offset + Frames.HEADER, bytes, from, length);
        into.setMemory(offset + Frames.MAC, MAC_BYTES, (byte) 0);
        if (outgoing != null) {
            outgoing.seal(into, offset, length);
        }
    }

    private void head(final MutableDirectBuffer into, final int offset, final long sequence, final long left) {
        into.putLong(offset + Frames.CLUSTER, cluster);
        into.putLong(offset + Frames.SEQUENCE, sequence);
        into.putLong(offset + Frames.LEFT, left);
    }

    /**
     * Checks a frame that has come.
     *
     * @param from the number of the Aeron session on which it came.
     */
    Verdict open(final int from, final DirectBuffer buffer, final int offset, final int length) {
        if (isBound && from != way) {
            dropped++;
            return Verdict.DONE;
        }
        if (length < Frames.HEADER || buffer.getLong(offset + Frames.CLUSTER) != cluster) {
            dropped++;
            return isBound ? Verdict.BROKEN : Verdict.FOREIGN;
        }
        if (!isBound) {
            return begin(from, buffer, offset, length - Frames.HEADER);
        }
        final long kind = buffer.getLong(offset + Frames.LEFT);
        if (kind == Frames.PROOF || kind == Frames.HELLO) {
            // The answer to the half of another process, which may have sent one as well.
            return Verdict.DONE;
        }
        if (buffer.getLong(offset + Frames.SEQUENCE) != received + 1
            || incoming != null && !incoming.isRight(buffer, offset, length - Frames.HEADER)) {
            return Verdict.BROKEN;
        }
        received++;
        return Verdict.GOOD;
    }

    private Verdict begin(final int from, final DirectBuffer buffer, final int offset, final int bytes) {
        final long kind = buffer.getLong(offset + Frames.LEFT);
        final byte[] said = new byte[HALF_BYTES];
        if (bytes == HALF_BYTES) {
            buffer.getBytes(offset + Frames.HEADER, said);
        }
        final byte[] theirs = candidates.get(from);
        if (bytes == HALF_BYTES && kind == Frames.HELLO && theirs == null && candidates.size() < MOST_CANDIDATES) {
            candidates.put(from, said);
            unanswered.add(said);
        } else if (bytes == HALF_BYTES && kind == Frames.PROOF && theirs != null && MessageDigest.isEqual(said, half)
            && isProof(derived(PROVES, other, self, theirs, half), buffer, offset)) {
            isBound = true;
            way = from;
            incoming = FrameMac.of(derived(SEALS, other, self, theirs, half));
            outgoing = FrameMac.of(derived(SEALS, self, other, half, theirs));
        } else {
            dropped++;
        }
        return Verdict.DONE;
    }

    private static boolean isProof(final byte[] right, final DirectBuffer buffer, final int offset) {
        final byte[] claimed = new byte[MAC_BYTES];
        buffer.getBytes(offset + Frames.MAC, claimed);
        return right == null || MessageDigest.isEqual(claimed, Arrays.copyOf(right, MAC_BYTES));
    }

    /** Returns bytes for one purpose in one direction of the session; null without a secret. */
    private byte[] derived(final byte[] purpose, final int sender, final int receiver, final byte[] ofSender,
        final byte[] ofReceiver) {
        if (secret == null) {
            return null;
        }
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            mac.update(purpose);
            mac.update(ByteBuffer.allocate(2 * Long.BYTES).putLong(cluster).putInt(sender).putInt(receiver).flip());
            mac.update(ofSender);
            return mac.doFinal(ofReceiver);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The MAC over number, kind and bytes of the frames of one direction: the tag of AES-GCM with nothing to encrypt
     * and the number as nonce (GMAC, NIST SP 800-38D), which takes half the time of HMAC-SHA256. A number is sealed
     * only once. One thread.
     */
    static final class FrameMac {
        private static final int NONCE_BYTES = 12;

        private final SecretKeySpec key;
        private final Cipher cipher;
        private final byte[] nonce = new byte[NONCE_BYTES];
        private final byte[] tag = new byte[Session.MAC_BYTES];
        private byte[] scratch = new byte[1 << 11];

        private FrameMac(final SecretKeySpec key, final Cipher cipher) {
            this.key = key;
            this.cipher = cipher;
        }

        /** Creates the MAC with a key that is used for nothing else; null without a key. */
        static FrameMac of(final byte[] key) {
            try {
                return key == null ? null
                    : new FrameMac(new SecretKeySpec(key, "AES"), Cipher.getInstance("AES/GCM/NoPadding"));
            } catch (final GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Writes the MAC of a frame whose other parts are written. */
        void seal(final MutableDirectBuffer frame, final int offset, final int bytes) {
            try {
                begin(Cipher.ENCRYPT_MODE, frame, offset, bytes);
                cipher.doFinal(tag, 0);
                frame.putBytes(offset + Frames.MAC, tag);
            } catch (final GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Tells whether a frame has its MAC. */
        boolean isRight(final DirectBuffer frame, final int offset, final int bytes) {
            try {
                begin(Cipher.DECRYPT_MODE, frame, offset, bytes);
                frame.getBytes(offset + Frames.MAC, tag);
                cipher.doFinal(tag);
                return true;
            } catch (final AEADBadTagException e) {
                return false;
            } catch (final GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        private void begin(final int mode, final DirectBuffer frame, final int offset, final int bytes)
            throws GeneralSecurityException {
            if (scratch.length < bytes) {
                scratch = new byte[bytes];
            }
            frame.getBytes(offset + Frames.SEQUENCE, nonce, NONCE_BYTES - Long.BYTES, Long.BYTES);
            cipher.init(mode, key, new GCMParameterSpec(Session.MAC_BYTES * Byte.SIZE, nonce));
            // Sequence and kind are adjacent.
            frame.getBytes(offset + Frames.SEQUENCE, scratch, 0, 2 * Long.BYTES);
            cipher.updateAAD(scratch, 0, 2 * Long.BYTES);
            frame.getBytes(offset + Frames.HEADER, scratch, 0, bytes);
            cipher.updateAAD(scratch, 0, bytes);
        }
    }

    /**
     * The frames into which a message is cut for Aeron, whose streams keep order.
     *
     * <pre>
     *   0         8          16       24    40
     *   +---------+----------+--------+-----+--  ..  --+
     *   | cluster | sequence | left | MAC | bytes | left: bytes of the message from here on, or what kind it is
     *   +---------+----------+--------+-----+-- .. --+
     * </pre>
     *
     * <p>The cluster word contains the version of this layout and a checksum of the cluster's name; frames of others
     * are refused. {@link Session} explains sequence and MAC.
     */
    static final class Frames {
        static final int HEADER = 40;
        static final int CLUSTER = 0;
        static final int SEQUENCE = 8;
        static final int LEFT = 16;
        static final int MAC = 24;
        /** In place of the bytes left: the sender has finished, and leaves. */
        static final long BYE = -1;
        /**
         * In place of the bytes left: the run cannot continue. The bytes are the number of a member, 4 bytes, and the
         * reason.
         */
        static final long ABORT = -2;
        /** In place of the bytes left: the sender's half of the session. */
        static final long HELLO = -3;
        /** In place of the bytes left: the sender has the secret, and answers the receiver's half. */
        static final long PROOF = -4;
        /** "SKM" and the version of the layout. */
        private static final long MAGIC = 0x534B_4D03L << 32;
        /** Largest number of bytes of the text of an end. */
        static final int MOST_TEXT = 600;

        private Frames() {
        }

        /** Returns the first word of each frame of a cluster. */
        static long cluster(final String name) {
            final CRC32C sum = new CRC32C();
            sum.update(name.getBytes(StandardCharsets.UTF_8));
            return MAGIC | sum.getValue();
        }
    }
}
