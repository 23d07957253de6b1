package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The control messages of a Stardust fabric (Stardust Table 4, docs/spec/stardust.md §3.5). Each is a separate frame,
 * followed by a CRC-32C like a cell. Big endian except for the map:
 *
 * <pre>
 *                  0        1        2        4        6        8            12       14      16
 *                 +--------+--------+--------+--------+--------+------------+--------+--------+
 *   reachability  |  kind  | flags  | sender | block  |tier|cnt|  map of FAs 128 * block + i, bit i mod 8 of byte 8 +
 *   request       |  kind  |class|st| source | destin.|  port  |  backlog   |counter |   0    |
 *   credit        |  kind  | class  | issuer | target |  port  |   bytes    |     counter     |
 *   pause         |  kind  | on/off | link   |     counter     |
 *                 +--------+--------+--------+-----------------+------------+-----------------+
 *   kind: bits 7-6 are 2, type of no cell; 5-4 kind of message; 3-0 version    flags: bit 0, this link is faulty
 * </pre>
 *
 * <p>Readers accept any bits; their results are meaningful only for a message that passed {@link #check}, which never
 * throws. Writers write at the start of a segment; they throw {@link IndexOutOfBoundsException} and write nothing if
 * the frame does not fit, and assert their arguments. Nothing allocates. Immutable; any thread may call, but only one
 * at a time per message.
 *
 * @param adapters number of FAs, 1 to 65,535.
 * @param ports    host ports of an FA, 1 to 4,096.
 * @param classes  traffic classes, 1 to 16.
 */
public record StardustControl(int adapters, int ports, int classes) {
    /** Kind of message: the FAs that the sender reaches. */
    public static final int REACHABILITY = 0;
    /** Kind of message: a queue starts or stops requesting credits. */
    public static final int REQUEST = 1;
    /** Kind of message: a queue may send. */
    public static final int CREDIT = 2;
    /** Kind of message: the other end of the link stops or resumes sending. */
    public static final int PAUSE = 3;
    /** State of a request: no credits. */
    public static final int OFF = 0;
    /** State of a request: credits at the full rate. */
    public static final int NORMAL = 1;
    /** State of a request: credits at a low rate. */
    public static final int SLOW = 2;
    /** Number of FAs per reachability message. */
    public static final int BLOCK_ADAPTERS = 128;

    /** Layout of the words of a map: least significant byte first. */
    private static final ValueLayout.OfLong MAP = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int KIND_SHIFT = 60;
    private static final int TAIL = Long.BYTES;
    private static final int[] BYTES = {24, 16, 16, 8};

    /**
     * Checks the sizes of the fabric.
     *
     * @throws IllegalArgumentException if a parameter is out of range.
     */
    public StardustControl {
        StardustHeader.requireFabric(adapters, ports, classes);
    }

    /** Bytes of a message of a kind, without CRC. */
    public static int bytes(final int kind) {
        return BYTES[kind];
    }

    /** Bytes of a message of a kind on a link, CRC included. */
    public static int frameBytes(final int kind) {
        return BYTES[kind] + StardustHeader.CRC_BYTES;
    }

    /** Number of reachability messages that cover all FAs. */
    public int blocks() {
        return Math.ceilDiv(adapters, BLOCK_ADAPTERS);
    }

    /**
     * Writes a reachability message.
     *
     * @param frame   receives the message at its start.
     * @param sender  id of the sending device, below 65,536.
     * @param faulty  whether the sender considers this link faulty.
     * @param block   FAs 128 * block to 128 * block + 127.
     * @param tier    tier of the sender, 0 for an FA, below 256.
     * @param counter number of the message, modulo 256.
     * @param map     reachable FAs of the block: the bits of {@code map[at]} and {@code map[at + 1]}, least significant
     *                first.
     * @param at      index of the first word of the block.
     */
    public void encodeReachability(final MemorySegment frame, final int sender, final boolean faulty, final int block,
        final int tier, final int counter, final long[] map, final int at) {
        assert (sender & ~0xFFFF) == 0 : "sender=" + sender;
        assert Wire.isBelow(block, blocks()) : "block=" + block;
        assert (tier & ~0xFF) == 0 : "tier=" + tier;
        assert (map[at] & ~adaptersOf(block, 0) | map[at + 1] & ~adaptersOf(block, 1)) == 0 : "block=" + block;
        begin(frame, REACHABILITY, faulty ? 1 : 0, sender, block, tier << Byte.SIZE | counter & 0xFF);
        frame.set(MAP, TAIL, map[at]);
        frame.set(MAP, TAIL + Long.BYTES, map[at + 1]);
        Crc32c.seal(frame, 0, BYTES[REACHABILITY]);
    }

    /**
     * Writes a request.
     *
     * @param frame        receives the message at its start.
     * @param source       FA of the queue.
     * @param destination  destination FA of the queue.
     * @param port         host port at the destination.
     * @param trafficClass traffic class of the queue.
     * @param state        {@link #OFF}, {@link #NORMAL} or {@link #SLOW}.
     * @param backlog      bytes in the queue, modulo 2^32.
     * @param counter      number of the request, modulo 65,536.
     */
    public void encodeRequest(final MemorySegment frame, final int source, final int destination, final int port,
        final int trafficClass, final int state, final int backlog, final int counter) {
        assert isQueue(source, destination, port, trafficClass) : source + "-" + destination + " " + port + " "
            + trafficClass;
        assert state >= OFF && state <= SLOW : "state=" + state;
        begin(frame, REQUEST, trafficClass << 4 | state, source, destination, port);
        frame.set(Wire.LONG, TAIL, (long) backlog << Integer.SIZE | (long) (counter & 0xFFFF) << Short.SIZE);
        Crc32c.seal(frame, 0, BYTES[REQUEST]);
    }

    /**
     * Writes a credit.
     *
     * @param frame        receives the message at its start.
     * @param issuer       FA that issues the credit.
     * @param target       FA of the queue.
     * @param port         host port of the issuer.
     * @param trafficClass traffic class of the queue.
     * @param bytes        bytes the queue may send, at least 1.
     * @param counter      number of the credit to this queue, modulo 2^32.
     */
    public void encodeCredit(final MemorySegment frame, final int issuer, final int target, final int port,
        final int trafficClass, final int bytes, final int counter) {
        assert isQueue(issuer, target, port, trafficClass) : issuer + "-" + target + " " + port + " " + trafficClass;
        assert bytes > 0 : "bytes=" + bytes;
        begin(frame, CREDIT, trafficClass, issuer, target, port);
        frame.set(Wire.LONG, TAIL, (long) bytes << Integer.SIZE | counter & 0xFFFFFFFFL);
        Crc32c.seal(frame, 0, BYTES[CREDIT]);
    }

    /**
     * Writes a pause message.
     *
     * @param frame   receives the message at its start.
     * @param on      whether to stop sending.
     * @param link    number of the link, below 65,536.
     * @param counter number of the message, modulo 2^32.
     */
    public static void encodePause(final MemorySegment frame, final boolean on, final int link, final int counter) {
        assert (link & ~0xFFFF) == 0 : "link=" + link;
        begin(frame, PAUSE, on ? 1 : 0, link, counter >>> Short.SIZE, counter & 0xFFFF);
        Crc32c.seal(frame, 0, BYTES[PAUSE]);
    }

    /** Writes the first word; throws IndexOutOfBoundsException if a message of this kind does not fit. */
    private static void begin(final MemorySegment frame, final int kind, final int flags, final int first,
        final int second, final int third) {
        Objects.checkFromIndexSize(0, frameBytes(kind), frame.byteSize());
        frame.set(Wire.LONG, 0, (long) StardustHeader.CONTROL << StardustHeader.TYPE_SHIFT | (long) kind << KIND_SHIFT
            | (long) StardustHeader.VERSION << StardustHeader.VERSION_SHIFT | (long) flags << 48
            | (long) first << 32 | (long) second << 16 | third);
    }

    /** The kind of a message: {@link #REACHABILITY}, {@link #REQUEST}, {@link #CREDIT} or {@link #PAUSE}. */
    public static int kind(final long head) {
        return (int) (head >>> KIND_SHIFT) & 3;
    }

    /** Whether a reachability message reports a faulty link, or a pause message stops sending. */
    public static boolean flag(final long head) {
        return (head >>> 48 & 1) != 0;
    }

    /** Sender of a reachability message, source of a request, issuer of a credit, link of a pause. */
    public static int from(final long head) {
        return (int) (head >>> 32) & 0xFFFF;
    }

    /** Block of a reachability message, destination of a request, target of a credit. */
    public static int to(final long head) {
        return (int) (head >>> 16) & 0xFFFF;
    }

    /** Tier of a reachability message's sender. */
    public static int tier(final long head) {
        return (int) head >>> 8 & 0xFF;
    }

    /** Counter of a reachability message, modulo 256. */
    public static int reachabilityCounter(final long head) {
        return (int) head & 0xFF;
    }

    /** Port of a request or credit. */
    public static int port(final long head) {
        return (int) head & 0xFFFF;
    }

    /** Class of a request or credit. */
    public static int trafficClass(final long head) {
        return (int) (head >>> (kind(head) == REQUEST ? 52 : 48)) & 0xF;
    }

    /** State of a request. */
    public static int state(final long head) {
        return (int) (head >>> 48) & 0xF;
    }

    /** Counter of a pause message. */
    public static int pauseCounter(final long head) {
        return (int) head;
    }

    /** Backlog of a request or bytes of a credit, both unsigned, from the second word. */
    public static int amount(final long tail) {
        return (int) (tail >>> Integer.SIZE);
    }

    /** Counter of a request, modulo 65,536, from the second word. */
    public static int requestCounter(final long tail) {
        return (int) tail >>> Short.SIZE;
    }

    /** Counter of a credit, from the second word. */
    public static int creditCounter(final long tail) {
        return (int) tail;
    }

    /** Word 0 or 1 of the map of a reachability message: 64 FAs, least significant bit first. */
    public static long map(final MemorySegment message, final long offset, final int word) {
        return message.get(MAP, offset + TAIL + (long) word * Long.BYTES);
    }

    /**
     * Validates a message received from a link.
     *
     * @param frame  segment of the message.
     * @param offset first byte of the message.
     * @param bytes  bytes received, CRC included.
     * @return the first fault, or {@link ControlFault#NONE}.
     */
    public ControlFault check(final MemorySegment frame, final long offset, final int bytes) {
        if (bytes < frameBytes(PAUSE) || !Wire.isInside(frame, offset, bytes)) {
            return ControlFault.TRUNCATED;
        }
        final int covered = bytes - StardustHeader.CRC_BYTES;
        final long head = frame.get(Wire.LONG, offset);
        if (!Crc32c.isSealed(frame, offset, covered)) {
            return ControlFault.CRC;
        }
        if (StardustHeader.type(head) != StardustHeader.CONTROL) {
            return ControlFault.UNKNOWN_TYPE;
        }
        if (StardustHeader.version(head) != StardustHeader.VERSION) {
            return ControlFault.UNKNOWN_VERSION;
        }
        if (covered != BYTES[kind(head)]) {
            return ControlFault.TRUNCATED;
        }
        return switch (kind(head)) {
            case REACHABILITY -> checkReachability(head, frame, offset);
            case PAUSE -> (head >>> 48 & 0xFE) == 0 ? ControlFault.NONE : ControlFault.RESERVED_BITS;
            default -> checkQueue(head, frame.get(Wire.LONG, offset + TAIL));
        };
    }

    private ControlFault checkReachability(final long head, final MemorySegment frame, final long offset) {
        if ((head >>> 48 & 0xFE) != 0) {
            return ControlFault.RESERVED_BITS;
        }
        if (to(head) >= blocks()) {
            return ControlFault.CHUNK_OUT_OF_RANGE;
        }
        return ((map(frame, offset, 0) & ~adaptersOf(to(head), 0)) | (map(frame, offset, 1) & ~adaptersOf(to(head), 1)))
            == 0 ? ControlFault.NONE : ControlFault.NODE_OUT_OF_RANGE;
    }

    private ControlFault checkQueue(final long head, final long tail) {
        final boolean request = kind(head) == REQUEST;
        if (request ? (tail & 0xFFFF) != 0 : (head >>> 52 & 0xF) != 0) {
            return ControlFault.RESERVED_BITS;
        }
        if (from(head) >= adapters || to(head) >= adapters) {
            return ControlFault.NODE_OUT_OF_RANGE;
        }
        if (port(head) >= ports || trafficClass(head) >= classes) {
            return ControlFault.QUEUE_OUT_OF_RANGE;
        }
        if (request && state(head) > SLOW) {
            return ControlFault.UNKNOWN_STATE;
        }
        return request || amount(tail) > 0 ? ControlFault.NONE : ControlFault.CREDIT_OUT_OF_RANGE;
    }

    private boolean isQueue(final int from, final int to, final int port, final int trafficClass) {
        return Wire.isBelow(from, adapters) && Wire.isBelow(to, adapters) && Wire.isBelow(port, ports)
            && Wire.isBelow(trafficClass, classes);
    }

    /** The bits of a word of a block that belong to FAs of this fabric. */
    private long adaptersOf(final int block, final int word) {
        return Wire.lowBits(adapters - block * BLOCK_ADAPTERS - word * Long.SIZE);
    }
}
