package dev.skerry.members;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * How a message is cut for Aeron, whose streams keep order.
 *
 * <pre>
 *   0         8          16       24    40
 *   +---------+----------+--------+-----+--  ..  --+
 *   | cluster | sequence | left   | MAC | bytes    |      left: bytes of the message from here on, or what kind it is
 *   +---------+----------+--------+-----+--  ..  --+
 * </pre>
 *
 * The cluster word has the version of this layout and a sum of the cluster's name; bytes of others are refused. {@link
 * Session} says what sequence and MAC are.
 */
final class Frames {
    static final int HEADER = 40;
    static final int CLUSTER = 0;
    static final int SEQUENCE = 8;
    static final int LEFT = 16;
    static final int MAC = 24;
    /** In place of the bytes left: the sender has all it wanted, and leaves. */
    static final long BYE = -1;
    /** The same: the run cannot go on. The bytes are the number of a member, 4 bytes, and why. */
    static final long ABORT = -2;
    /** The same: the sender's half of the session. */
    static final long HELLO = -3;
    /** The same: the sender has the secret, and answers the receiver's half. */
    static final long PROOF = -4;
    /** "SKM" and the version of the layout. */
    private static final long MAGIC = 0x534B_4D03L << 32;
    /** Most bytes of the text of an end. */
    static final int MOST_TEXT = 600;

    private Frames() {
    }

    /** The first word of each frame of a cluster. */
    static long cluster(final String name) {
        final CRC32C sum = new CRC32C();
        sum.update(name.getBytes(StandardCharsets.UTF_8));
        return MAGIC | sum.getValue();
    }
}
