package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The control messages of a Stardust fabric (Stardust Table 4, spec/stardust §3.5), each a frame of its own with a
 * CRC-32C behind it as behind a cell. Big endian but for the map:
 *
 * <pre>
 *                  0        1        2        4        6        8            12       14      16
 *                 +--------+--------+--------+--------+--------+------------+--------+--------+
 *   reachability  |  kind  | flags  | sender | block  |tier|cnt|  map of FAs 128 * block + i, bit i mod 8 of byte 8 +
 *   .. request       |  kind  |class|st| source | destin.|  port  |  backlog   |counter |   0    |
 *   credit        |  kind  | class  | issuer | target |  port  |   bytes    |     counter     |
 *   pause         |  kind  | on/off | link   |     counter     |
 *                 +--------+--------+--------+-----------------+------------+-----------------+
 *   kind: bits 7-6 are 2, as of no cell; 5-4 what message; 3-0 version         flags: bit 0, this link is faulty
 * </pre>
 *
 * <p>Readers take whatever bits they find; {@link #check} throws nothing. Writers throw {@link
 * IndexOutOfBoundsException} and write nothing when the frame does not lie in the segment. Nothing allocates.
 * Immutable; any thread may call, one at a time for the same message.
 *
 * @param adapters number of FAs, 1 to 65,535.
 * @param ports    host ports of an FA, 1 to 4,096.
 * @param classes  traffic classes, 1 to 16.
 */
public record StardustControl(int adapters, int ports, int classes) {
    /** Kind of message: whom the sender reaches. */
    public static final int REACHABILITY = 0;
    /** Kind of message: a queue asks for credits, or no longer. */
    public static final int REQUEST = 1;
    /** Kind of message: a queue may send. */
    public static final int CREDIT = 2;
    /** Kind of message: the other end shall not send. */
    public static final int PAUSE = 3;
    /** State of a request: no credits. */
    public static final int OFF = 0;
    /** State of a request: credits at the full rate. */
    public static final int NORMAL = 1;
    /** State of a request: credits at a low rate. */
    public static final int SLOW = 2;
    /** FAs a reachability message speaks of. */
    public static final int BLOCK_ADAPTERS = 128;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong MAP = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int TAIL = Long.BYTES;
    private static final int[] BYTES = {24, 16, 16, 8};

    /**
     * The messages of a fabric.
     *
     * @throws IllegalArgumentException if its ids do not fit.
     */
    public StardustControl {
        Objects.requireNonNull(new StardustHeader(adapters, ports, classes, 1));
    }

    /** Bytes of a message of a kind, without its check. */
    public static int bytes(final int kind) {
        return BYTES[kind];
    }

    /** Bytes that a message of a kind takes on a link, its check included. */
    public static int frameBytes(final int kind) {
        return BYTES[kind] + StardustHeader.CRC_BYTES;
    }

    /** Reachability messages that speak of all FAs. */
    public int blocks() {
        return Math.ceilDiv(adapters, BLOCK_ADAPTERS);
    }

    /**
     * Writes a reachability message.
     *
     * @param sender  id of the device.
     * @param faulty  whether it takes this link for broken.
     * @param block   FAs 128 * block and up.
     * @param tier    of the sender, 0 for an FA.
     * @param counter of its messages, modulo 256.
     * @param map     FAs it reaches, 128 bits in {@code map[at]} and the next, the least significant first.
     * @param at      where in the map the block starts.
     */
    public void encodeReachability(final Frame frame, final int sender, final boolean faulty, final int block,
        final int tier, final int counter, final long[] map, final int at) {
        assert (sender & ~0xFFFF) == 0 : "sender=" + sender;
        assert block >= 0 && block < blocks() : "block=" + block;
        assert (tier & ~0xFF) == 0 : "tier=" + tier;
        assert (map[at] & ~adaptersOf(block, 0) | map[at + 1] & ~adaptersOf(block, 1)) == 0 : "block=" + block;
        frame.requireRoom(REACHABILITY);
        frame.head(REACHABILITY, faulty ? 1 : 0, sender, block, tier << Byte.SIZE | counter & 0xFF);
        frame.segment.set(MAP, frame.offset + TAIL, map[at]);
        frame.segment.set(MAP, frame.offset + 2 * TAIL, map[at + 1]);
        frame.seal(REACHABILITY);
    }

    /**
     * Writes a request.
     *
     * @param source       FA of the queue.
     * @param destination  FA the queue is for.
     * @param port         host port it is for.
     * @param trafficClass its class.
     * @param state        {@link #OFF}, {@link #NORMAL} or {@link #SLOW}.
     * @param backlog      bytes in the queue, modulo 2^32.
     * @param counter      of the queue's requests, modulo 65,536.
     */
    public void encodeRequest(final Frame frame, final int source, final int destination, final int port,
        final int trafficClass, final int state, final int backlog, final int counter) {
        assert source >= 0 && source < adapters && destination >= 0 && destination < adapters : source + "-"
            + destination;
        assert port >= 0 && port < ports && trafficClass >= 0 && trafficClass < classes : port + " " + trafficClass;
        assert state >= OFF && state <= SLOW : "state=" + state;
        frame.requireRoom(REQUEST);
        frame.head(REQUEST, trafficClass << 4 | state, source, destination, port);
        frame.segment.set(LONG, frame.offset + TAIL,
            (long) backlog << Integer.SIZE | (long) (counter & 0xFFFF) << Short.SIZE);
        frame.seal(REQUEST);
    }

    /**
     * Writes a credit.
     *
     * @param issuer       FA that gives it.
     * @param target       FA that has the queue.
     * @param port         host port of the issuer.
     * @param trafficClass its class.
     * @param bytes        what it is worth, at least 1.
     * @param counter      of the credits to this queue, modulo 2^32.
     */
    public void encodeCredit(final Frame frame, final int issuer, final int target, final int port,
        final int trafficClass, final int bytes, final int counter) {
        assert issuer >= 0 && issuer < adapters && target >= 0 && target < adapters : issuer + "-" + target;
        assert port >= 0 && port < ports && trafficClass >= 0 && trafficClass < classes : port + " " + trafficClass;
        assert bytes > 0 : "bytes=" + bytes;
        frame.requireRoom(CREDIT);
        frame.head(CREDIT, trafficClass, issuer, target, port);
        frame.segment.set(LONG, frame.offset + TAIL, (long) bytes << Integer.SIZE | counter & 0xFFFFFFFFL);
        frame.seal(CREDIT);
    }

    /**
     * Writes a pause message.
     *
     * @param on      whether to stop sending.
     * @param link    number of the link, below 65,536.
     * @param counter of such messages, modulo 2^32.
     */
    public static void encodePause(final Frame frame, final boolean on, final int link, final int counter) {
        assert (link & ~0xFFFF) == 0 : "link=" + link;
        frame.requireRoom(PAUSE);
        frame.head(PAUSE, on ? 1 : 0, link, counter >>> Short.SIZE, counter & 0xFFFF);
        frame.seal(PAUSE);
    }

    /** The kind of a message: {@link #REACHABILITY}, {@link #REQUEST}, {@link #CREDIT} or {@link #PAUSE}. */
    public static int kind(final long head) {
        return (int) (head >>> 60) & 3;
    }

    /** Whether a reachability message takes the link for faulty, or a pause message stops. */
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

    /** Backlog of a request or worth of a credit, both unsigned, from the second word. */
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

    /** 64 bits, word 0 or 1, of a reachability message's map, the least significant bit the first FA. */
    public static long map(final MemorySegment message, final long offset, final int word) {
        return message.get(MAP, offset + TAIL + (long) word * Long.BYTES);
    }

    /**
     * Validates a message as it came from a link.
     *
     * @param frame  where it lies.
     * @param offset its first byte.
     * @param bytes  that came, check included.
     * @return the first fault, or {@link ControlFault#NONE}.
     */
    public ControlFault check(final MemorySegment frame, final long offset, final int bytes) {
        if (bytes < frameBytes(PAUSE) || offset < 0 || offset > frame.byteSize() - bytes) {
            return ControlFault.TRUNCATED;
        }
        final int covered = bytes - StardustHeader.CRC_BYTES;
        final long head = frame.get(LONG, offset);
        if (Crc32c.of(frame, offset, covered) != frame.get(INT, offset + covered)) {
            return ControlFault.CRC;
        }
        if (head >>> 62 != StardustHeader.CONTROL) {
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
            default -> checkQueue(head, frame.get(LONG, offset + TAIL));
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

    /** The bits of a word of a block that stand for FAs of this fabric. */
    private long adaptersOf(final int block, final int word) {
        final int above = adapters - block * BLOCK_ADAPTERS - word * Long.SIZE;
        return above <= 0 ? 0 : above >= Long.SIZE ? -1 : (1L << above) - 1;
    }

    /** Where a message is written; one thread may use it at a time, any number of times. */
    public static final class Frame {
        private MemorySegment segment = MemorySegment.NULL;
        private long offset;

        /** A frame nowhere yet. */
        public Frame() {
        }

        /** Lets the frame begin at a byte of a segment. */
        public Frame at(final MemorySegment memory, final long firstByte) {
            this.segment = memory;
            this.offset = firstByte;
            return this;
        }

        private void requireRoom(final int kind) {
            Objects.checkFromIndexSize(offset, frameBytes(kind), segment.byteSize());
        }

        private void head(final int kind, final int flags, final int first, final int second, final int third) {
            segment.set(LONG, offset, (long) (StardustHeader.CONTROL << 6 | kind << 4 | StardustHeader.VERSION) << 56
                | (long) flags << 48 | (long) first << 32 | (long) second << 16 | third);
        }

        private void seal(final int kind) {
            segment.set(INT, offset + BYTES[kind], Crc32c.of(segment, offset, BYTES[kind]));
        }
    }
}
