package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Writes, reads and validates the cells of one Stardust fabric (spec/stardust §3.5). A header is two words, big endian,
 * bit 63 the most significant bit of byte 0 and of byte 8:
 *
 * <pre>
 *          63  61  59     55  53  52  51      47            31            15        3      0
 *         +---+---+------+---+---+---+-------+-------------+-------------+---------+-------+
 *   head  |typ|pri|version|fci|eoc| 0 | epoch | destination |   source    |  port   | class |   bytes 0-7
 *         |(2)|(2)| (4)  |(2)|(1)|(1)|  (4)  |    (16)     |    (16)     |  (12)   |  (4)  |
 *         +---+---+------+---+---+---+-------+-------------+-------------+---------+-------+
 *          63                             31             21      15             5      0
 *         +------------------------------+--------------+-------+--------------+-------+
 *   tail  |           sequence           |    length    |   0   |  first start |   0   |          bytes 8-15
 *         |             (32)             |     (10)     |  (6)  |     (10)     |  (6)  |
 *         +------------------------------+--------------+-------+--------------+-------+
 *   frame:  header (16), payload (length, 1 to 512), CRC-32C of both (4, big endian)
 * </pre>
 *
 * <p>The head of all cells of a burst is the same but for {@link #EOC}. On its way an FE reads bytes 0 to 3 and changes
 * the congestion level in byte 1 only ({@link #mark}). Accessors of words take whatever bits they find; what they
 * return means something only for a cell that passed {@link #check}. Nothing allocates. Immutable; any thread may call,
 * one at a time for the same cell.
 */
public final class StardustHeader {
    /** Bytes of a header. */
    public static final int BYTES = 16;
    /** Bytes of the check behind the payload. */
    public static final int CRC_BYTES = 4;
    /** Most bytes of payload that the length field holds. */
    public static final int MAX_PAYLOAD_BYTES = 512;
    /** The version that is written and understood. */
    public static final int VERSION = 1;
    /** Type of a cell that a credit let go. */
    public static final int DATA = 0;
    /** Type of a cell of a low-latency queue, which needs no credit. */
    public static final int LOW_LATENCY = 1;
    /** Type of a control message, see {@link StardustControl}; no cell has it. */
    public static final int CONTROL = 2;
    /** Flag of a head: the cell is the last one of its credit. */
    public static final long EOC = 1L << 53;
    /** First start of a cell in which no packet starts. */
    public static final int NO_START = 0x3FF;
    /** The highest congestion level. */
    public static final int MAX_FCI = 3;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int TYPE_SHIFT = 62;
    private static final int PRIORITY_SHIFT = 60;
    private static final int VERSION_SHIFT = 56;
    private static final int FCI_SHIFT = 54;
    private static final int EPOCH_SHIFT = 48;
    private static final int DESTINATION_SHIFT = 32;
    private static final int SOURCE_SHIFT = 16;
    private static final int PORT_SHIFT = 4;
    private static final int SEQUENCE_SHIFT = 32;
    private static final int LENGTH_SHIFT = 22;
    private static final int START_SHIFT = 6;
    private static final int TEN_BITS = 0x3FF;
    private static final long RESERVED_IN_HEAD = 1L << 52;
    private static final long RESERVED_IN_TAIL = 0x3FL << 16 | 0x3F;
    /** Entry 4 * length + change of level: what it does to the check. */
    private static final int[] FCI_CHANGE = fciChanges();

    private final int adapters;
    private final int ports;
    private final int classes;
    private final int payloadBytes;

    /**
     * The cells of a fabric.
     *
     * @param adapters     number of FAs, 1 to 65,535.
     * @param ports        host ports of an FA, 1 to 4,096.
     * @param classes      traffic classes, 1 to 16.
     * @param payloadBytes most payload of a cell, 1 to 512.
     * @throws IllegalArgumentException if the header does not hold the fabric.
     */
    public StardustHeader(final int adapters, final int ports, final int classes, final int payloadBytes) {
        requireRange("adapters", adapters, 0xFFFF);
        requireRange("ports", ports, 1 << 12);
        requireRange("classes", classes, 1 << 4);
        requireRange("payloadBytes", payloadBytes, MAX_PAYLOAD_BYTES);
        this.adapters = adapters;
        this.ports = ports;
        this.classes = classes;
        this.payloadBytes = payloadBytes;
    }

    /** Number of FAs. */
    public int adapters() {
        return adapters;
    }

    /** Host ports of an FA. */
    public int ports() {
        return ports;
    }

    /** Traffic classes. */
    public int classes() {
        return classes;
    }

    /** Most payload of a cell. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /** Bytes that a cell of so much payload takes on a link, its check included. */
    public static int frameBytes(final int payload) {
        return BYTES + payload + CRC_BYTES;
    }

    /**
     * The head of the cells of a burst, not congested, not the last one.
     *
     * @param type         {@link #DATA} or {@link #LOW_LATENCY}.
     * @param priority     in the fabric, 0 to 3, the highest first.
     * @param epoch        incarnation of the source, its low 4 bits are kept.
     * @param destination  FA it goes to.
     * @param source       FA it comes from.
     * @param port         host port there.
     * @param trafficClass its class.
     */
    public long head(final int type, final int priority, final int epoch, final int destination, final int source,
        final int port, final int trafficClass) {
        assert (type & ~1) == 0 : "type=" + type;
        assert (priority & ~3) == 0 : "priority=" + priority;
        assert destination >= 0 && destination < adapters : "destination=" + destination;
        assert source >= 0 && source < adapters : "source=" + source;
        assert port >= 0 && port < ports : "port=" + port;
        assert trafficClass >= 0 && trafficClass < classes : "trafficClass=" + trafficClass;
        return (long) type << TYPE_SHIFT | (long) priority << PRIORITY_SHIFT | (long) VERSION << VERSION_SHIFT
            | (epoch & 0xFL) << EPOCH_SHIFT | (long) destination << DESTINATION_SHIFT | (long) source << SOURCE_SHIFT
            | (long) port << PORT_SHIFT | trafficClass;
    }

    /**
     * The tail of a cell.
     *
     * @param sequence   number of the cell in its stream, modulo 2^32.
     * @param length     bytes of payload, at least 1.
     * @param firstStart offset in the payload of the first packet that starts there, or {@link #NO_START}.
     */
    public long tail(final int sequence, final int length, final int firstStart) {
        assert length >= 1 && length <= payloadBytes : "length=" + length;
        assert firstStart >= 0 && firstStart < length || firstStart == NO_START : "firstStart=" + firstStart;
        return (long) sequence << SEQUENCE_SHIFT | (long) length << LENGTH_SHIFT | (long) firstStart << START_SHIFT;
    }

    /**
     * Writes the header and the check of a cell whose payload stands in its place already.
     *
     * @param frame  where the cell lies.
     * @param offset its first byte.
     * @return bytes of the frame.
     * @throws IndexOutOfBoundsException if the frame does not lie in the segment; nothing is written then.
     */
    public static int write(final MemorySegment frame, final long offset, final long head, final long tail) {
        final int covered = BYTES + length(tail);
        Objects.checkFromIndexSize(offset, covered + CRC_BYTES, frame.byteSize());
        frame.set(LONG, offset, head);
        frame.set(LONG, offset + Long.BYTES, tail);
        frame.set(INT, offset + covered, Crc32c.of(frame, offset, covered));
        return covered + CRC_BYTES;
    }

    /**
     * Raises the congestion level of a passing cell, never lowers it. The check is changed by what the level's change
     * amounts to: damage done before stays visible. The cell's length must be valid.
     *
     * @param level 0 to 3.
     */
    public static void mark(final MemorySegment frame, final long offset, final int level) {
        assert (level & ~MAX_FCI) == 0 : "level=" + level;
        final long head = frame.get(LONG, offset);
        final int before = fci(head);
        if (level > before) {
            final int change = level ^ before;
            final int length = length(frame.get(LONG, offset + Long.BYTES));
            final long check = offset + BYTES + length;
            frame.set(INT, check, frame.get(INT, check) ^ FCI_CHANGE[length << 2 | change]);
            frame.set(LONG, offset, head ^ (long) change << FCI_SHIFT);
        }
    }

    /** Bytes 0 to 7 of a cell. */
    public static long readHead(final MemorySegment frame, final long offset) {
        return frame.get(LONG, offset);
    }

    /** Bytes 8 to 15 of a cell. */
    public static long readTail(final MemorySegment frame, final long offset) {
        return frame.get(LONG, offset + Long.BYTES);
    }

    /** Type of the cell, {@link #DATA}, {@link #LOW_LATENCY} or {@link #CONTROL}; 3 is none. */
    public static int type(final long head) {
        return (int) (head >>> TYPE_SHIFT);
    }

    /** Priority in the fabric, 0 to 3. */
    public static int priority(final long head) {
        return (int) (head >>> PRIORITY_SHIFT) & 3;
    }

    /** Version of the format. */
    public static int version(final long head) {
        return (int) (head >>> VERSION_SHIFT) & 0xF;
    }

    /** Congestion level, 0 to 3. */
    public static int fci(final long head) {
        return (int) (head >>> FCI_SHIFT) & MAX_FCI;
    }

    /** Whether the cell is the last one of its credit. */
    public static boolean isEndOfCredit(final long head) {
        return (head & EOC) != 0;
    }

    /** Incarnation of the source, modulo 16. */
    public static int epoch(final long head) {
        return (int) (head >>> EPOCH_SHIFT) & 0xF;
    }

    /** FA the cell goes to. */
    public static int destination(final long head) {
        return (int) (head >>> DESTINATION_SHIFT) & 0xFFFF;
    }

    /** FA the cell comes from. */
    public static int source(final long head) {
        return (int) (head >>> SOURCE_SHIFT) & 0xFFFF;
    }

    /** Host port at the destination. */
    public static int port(final long head) {
        return (int) head >>> PORT_SHIFT & 0xFFF;
    }

    /** Traffic class. */
    public static int trafficClass(final long head) {
        return (int) head & 0xF;
    }

    /** What tells streams of one destination apart: source, port and class. */
    public static int stream(final long head) {
        return (int) head;
    }

    /** Number of the cell in its stream, modulo 2^32. */
    public static int sequence(final long tail) {
        return (int) (tail >>> SEQUENCE_SHIFT);
    }

    /** Bytes of payload. */
    public static int length(final long tail) {
        return (int) tail >>> LENGTH_SHIFT;
    }

    /** Offset in the payload of the first packet that starts there, or {@link #NO_START}. */
    public static int firstStart(final long tail) {
        return (int) tail >>> START_SHIFT & TEN_BITS;
    }

    /**
     * Validates a cell as it came from a link.
     *
     * @param frame  where the cell lies.
     * @param offset its first byte.
     * @param bytes  that came, check included.
     * @return the first fault, or {@link HeaderFault#NONE}.
     */
    public HeaderFault check(final MemorySegment frame, final long offset, final int bytes) {
        final int payload = bytes - BYTES - CRC_BYTES;
        if (payload < 1 || payload > payloadBytes || offset < 0 || offset > frame.byteSize() - bytes) {
            return HeaderFault.WRONG_LENGTH;
        }
        if (Crc32c.of(frame, offset, bytes - CRC_BYTES) != frame.get(INT, offset + bytes - CRC_BYTES)) {
            return HeaderFault.CRC;
        }
        final long head = frame.get(LONG, offset);
        final long tail = frame.get(LONG, offset + Long.BYTES);
        if (version(head) != VERSION) {
            return HeaderFault.VERSION;
        }
        if (type(head) > LOW_LATENCY) {
            return HeaderFault.CELL_TYPE;
        }
        if ((head & RESERVED_IN_HEAD | tail & RESERVED_IN_TAIL) != 0) {
            return HeaderFault.RESERVED_BIT;
        }
        if (source(head) >= adapters) {
            return HeaderFault.SOURCE;
        }
        if (destination(head) >= adapters) {
            return HeaderFault.DESTINATION;
        }
        if (length(tail) != payload) {
            return HeaderFault.PAYLOAD_LENGTH;
        }
        return firstStart(tail) >= payload && firstStart(tail) != NO_START ? HeaderFault.FIRST_START : HeaderFault.NONE;
    }

    /**
     * Validates the head of a cell that passed {@link #check} at the FA that received it.
     *
     * @return {@link HeaderFault#NONE}, {@link HeaderFault#NOT_HERE}, {@link HeaderFault#PORT} or
     *     {@link HeaderFault#TRAFFIC_CLASS}.
     */
    public HeaderFault checkAtAdapter(final long head, final int adapter) {
        if (destination(head) != adapter) {
            return HeaderFault.NOT_HERE;
        }
        if (port(head) >= ports) {
            return HeaderFault.PORT;
        }
        return trafficClass(head) < classes ? HeaderFault.NONE : HeaderFault.TRAFFIC_CLASS;
    }

    private static int[] fciChanges() {
        final int[] changes = new int[TEN_BITS + 1 << 2];
        for (int length = 0; length <= TEN_BITS; length++) {
            for (int change = 1; change <= MAX_FCI; change++) {
                changes[length << 2 | change] = Crc32c.change(change << 6, BYTES - 2 + length);
            }
        }
        return changes;
    }

    private static void requireRange(final String name, final int value, final int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException("Stardust's header holds 1 to " + most + ": " + name + "=" + value);
        }
    }
}
