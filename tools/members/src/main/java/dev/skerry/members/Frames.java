package dev.skerry.members;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * How a message is cut for Aeron, whose streams keep order.
 *
 * <pre>
 *   0         8        16
 *   +---------+--------+--  ..  --+
 *   | cluster | left   | bytes    |      left: bytes of the message from here on, or what kind of end it is
 *   +---------+--------+--  ..  --+
 * </pre>
 *
 * The cluster word has the version of this layout and a sum of the cluster's name; bytes of others are refused.
 */
final class Frames {
    static final int HEADER = 16;
    static final int CLUSTER = 0;
    static final int LEFT = 8;
    /** In place of the bytes left: the sender has all it wanted, and leaves. */
    static final long BYE = -1;
    /** The same: the run cannot go on. The bytes are the number of a member, 4 bytes, and why. */
    static final long ABORT = -2;
    /** "SKM" and the version of the layout. */
    private static final long MAGIC = 0x534B_4D01L << 32;
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
