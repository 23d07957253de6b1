package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The messages in the payload of Shoal's control cells: which nodes the sender reaches (docs/spec/shoal.md §5.3) and
 * the probe that restores a silent pair (docs/spec/shoal.md §5.4). A message has 56 bytes; the rest of the payload is
 * unused.
 *
 * <pre>
 *   reachability                                        probe
 *    0      1         2       4                 8        0      1         2       4             8
 *   +------+---------+-------+-----------------+----    +------+---------+-------+-------------+------
 *   | 1    | version | chunk | change counter  |        | 2    | version | flags | incarnation |
 *   |      | 1       |       |                 |        |      | 1       |       |             |
 *   +------+---------+-------+-----------------+----    +------+---------+-------+-------------+------
 *     bits of nodes 384 * chunk to 384 * chunk + 383:     flags: bit 0, "I hear you"; the others are 0
 *     "I hear it and it hears me", the first node's       the other 48 bytes are 0 and ignored
 *     in the most significant bit of byte 8
 * </pre>
 *
 * <p>Change counters and incarnations are 32-bit serial numbers: of two, the newer is ahead by less than 2^31.
 *
 * <p>Readers accept any bits; their results are meaningful only for a message that passed {@link #check}. Readers other
 * than {@code check}, and writers, throw {@link IndexOutOfBoundsException} if the message does not lie in the segment;
 * nothing is written then. The CRC is that of the cell: write the message before {@link ShoalHeader#encodeControl}.
 * Nothing allocates. Immutable; any thread may call, but only one at a time per message.
 *
 * @param nodes number of node ids N, 2 to 1,024.
 */
public record ShoalControl(int nodes) {
    /** Bytes of a message. */
    public static final int BYTES = 56;

    /** Nodes of one reachability message. */
    public static final int CHUNK_NODES = 384;

    /** Words of 64 nodes of one reachability message. */
    public static final int CHUNK_WORDS = CHUNK_NODES / Long.SIZE;

    /** Type of a reachability message. */
    public static final int REACHABILITY = 1;

    /** Type of a probe. */
    public static final int PROBE = 2;

    /** The version implemented. */
    public static final int VERSION = 1;

    private static final int BITS = 8;
    private static final int I_HEAR_YOU = 1;

    /**
     * Checks the number of nodes.
     *
     * @throws IllegalArgumentException if {@code nodes} is out of range.
     */
    public ShoalControl {
        ShoalHeader.requireNodes(nodes);
    }

    /** Number of reachability messages that cover all nodes, 1 to 3. */
    public int chunks() {
        return (nodes + CHUNK_NODES - 1) / CHUNK_NODES;
    }

    /**
     * Writes a reachability message without nodes; {@link #setReached} adds them.
     *
     * @param message segment of the message.
     * @param offset  first byte of the message, the first of the cell's payload.
     * @param chunk   nodes 384 * chunk to 384 * chunk + 383, below {@link #chunks}.
     * @param counter change counter of the sender, one for all chunks.
     */
    public void encodeReachability(final MemorySegment message, final long offset, final int chunk, final int counter) {
        assert chunk >= 0 && chunk < chunks() : "chunk=" + chunk;
        write(message, offset, REACHABILITY, chunk, counter);
    }

    /**
     * Sets the bits of 64 nodes.
     *
     * @param word index of the group of 64 nodes, 0 to 5: its first node is 384 * chunk + 64 * word.
     * @param bits bit i, counted from the least significant, belongs to the first node plus i; 0 from node N on.
     */
    public void setReached(final MemorySegment message, final long offset, final int word, final long bits) {
        Objects.checkIndex(word, CHUNK_WORDS);
        assert (bits & ~nodesOf(chunk(message, offset), word)) == 0 : "word=" + word + " bits=" + bits;
        message.set(Wire.LONG, offset + BITS + (long) word * Long.BYTES, Long.reverse(bits));
    }

    /**
     * Writes a probe.
     *
     * @param message     segment of the message.
     * @param offset      first byte of the message, the first of the cell's payload.
     * @param hears       whether the sender received a valid probe from the receiver: "I hear you".
     * @param incarnation number of starts of the sender; a new one resets sequence numbers at the receiver.
     */
    public void encodeProbe(final MemorySegment message, final long offset, final boolean hears,
        final int incarnation) {
        write(message, offset, PROBE, hears ? I_HEAR_YOU : 0, incarnation);
    }

    /** Type of the message: {@link #REACHABILITY} or {@link #PROBE} if it is valid. */
    public static int type(final MemorySegment message, final long offset) {
        return (int) (message.get(Wire.LONG, offset) >>> 56);
    }

    /** Chunk index of a reachability message. */
    public static int chunk(final MemorySegment message, final long offset) {
        return bytes2And3(message.get(Wire.LONG, offset));
    }

    /** Change counter of a reachability message. */
    public static int counter(final MemorySegment message, final long offset) {
        return (int) message.get(Wire.LONG, offset);
    }

    /**
     * The bits of 64 nodes of a reachability message.
     *
     * @param word index of the group of 64 nodes, 0 to 5, as in {@link #setReached}.
     */
    public static long reached(final MemorySegment message, final long offset, final int word) {
        Objects.checkIndex(word, CHUNK_WORDS);
        return Long.reverse(message.get(Wire.LONG, offset + BITS + (long) word * Long.BYTES));
    }

    /** Whether a probe says "I hear you". */
    public static boolean hears(final MemorySegment message, final long offset) {
        return (bytes2And3(message.get(Wire.LONG, offset)) & I_HEAR_YOU) != 0;
    }

    /** Incarnation of a probe's sender. */
    public static int incarnation(final MemorySegment message, final long offset) {
        return counter(message, offset);
    }

    /**
     * Validates a message received in a control cell.
     *
     * @param message segment of the message.
     * @param offset  first byte of the message.
     * @param length  bytes received.
     * @return the first fault, or {@link ControlFault#NONE}.
     */
    public ControlFault check(final MemorySegment message, final long offset, final long length) {
        if (length < BYTES || !Wire.isInside(message, offset, BYTES)) {
            return ControlFault.TRUNCATED;
        }
        final long head = message.get(Wire.LONG, offset);
        final int type = (int) (head >>> 56);
        if (type != REACHABILITY && type != PROBE) {
            return ControlFault.UNKNOWN_TYPE;
        }
        if ((head >>> 48 & 0xFF) != VERSION) {
            return ControlFault.UNKNOWN_VERSION;
        }
        if (type == PROBE) {
            return (bytes2And3(head) & ~I_HEAR_YOU) == 0 ? ControlFault.NONE : ControlFault.RESERVED_BITS;
        }
        final int chunk = bytes2And3(head);
        if (chunk >= chunks()) {
            return ControlFault.CHUNK_OUT_OF_RANGE;
        }
        for (int word = 0; word < CHUNK_WORDS; word++) {
            if ((reached(message, offset, word) & ~nodesOf(chunk, word)) != 0) {
                return ControlFault.NODE_OUT_OF_RANGE;
            }
        }
        return ControlFault.NONE;
    }

    /**
     * Compares the change counter of a message with the latest one received.
     *
     * @param counter change counter of the message.
     * @param latest  latest counter received from the same sender for the same chunk.
     * @return {@link ControlFault#NONE} if {@code counter} is newer, otherwise {@link ControlFault#REPEATED} or
     *     {@link ControlFault#OLDER}.
     */
    public static ControlFault order(final int counter, final int latest) {
        if (counter == latest) {
            return ControlFault.REPEATED;
        }
        return isNewer(counter, latest) ? ControlFault.NONE : ControlFault.OLDER;
    }

    /** Whether a counter or incarnation is newer than another; at a distance of 2^31 neither is. */
    public static boolean isNewer(final int number, final int than) {
        return number - than > 0;
    }

    private static int bytes2And3(final long head) {
        return (int) (head >>> Integer.SIZE) & 0xFFFF;
    }

    /** The bits of a word that belong to nodes of this fabric. */
    private long nodesOf(final int chunk, final int word) {
        return Wire.lowBits(nodes - chunk * CHUNK_NODES - word * Long.SIZE);
    }

    private static void write(final MemorySegment message, final long offset, final int type, final int chunkOrFlags,
        final int number) {
        Objects.checkFromIndexSize(offset, BYTES, message.byteSize());
        message.set(Wire.LONG, offset,
            (long) type << 56 | (long) VERSION << 48 | (long) chunkOrFlags << Integer.SIZE | number & 0xFFFFFFFFL);
        for (int at = BITS; at < BYTES; at += Long.BYTES) {
            message.set(Wire.LONG, offset + at, 0);
        }
    }
}
