package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Writes, reads and validates the cells of one Stardust fabric (docs/spec/stardust.md §3.5). A header is two words, big
 * endian; bit 63 is the most significant bit of byte 0 and of byte 8:
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
 * <p>All cells of a credit have the same head except for {@link #EOC}. An FE reads bytes 0 to 3 and changes only the
 * congestion level in byte 1, and the CRC ({@link #mark}). Accessors accept any bits; their results are meaningful only
 * for a cell that passed {@link #check}. Nothing allocates. Immutable; any thread may call, but only one at a time per
 * cell.
 *
 * @param adapters     number of FAs, 1 to 65,535.
 * @param ports        number of host ports of an FA, 1 to 4,096.
 * @param classes      number of traffic classes, 1 to 16.
 * @param payloadBytes maximum payload of a cell, 1 to 512 bytes.
 */
public record StardustHeader(int adapters, int ports, int classes, int payloadBytes) {
    /** Bytes of a header. */
    public static final int BYTES = 16;
    /** Bytes of the CRC after the payload. */
    public static final int CRC_BYTES = 4;
    /** Maximum bytes of payload. */
    public static final int MAX_PAYLOAD_BYTES = 512;
    /** The version implemented. */
    public static final int VERSION = 1;
    /** Type of a cell sent on a credit. */
    public static final int DATA = 0;
    /** Type of a cell of a low-latency queue, sent without credit. */
    public static final int LOW_LATENCY = 1;
    /** Type of a control message ({@link StardustControl}), not of a cell. */
    public static final int CONTROL = 2;
    /** Flag of a head: the cell is the last one of its credit. */
    public static final long EOC = 1L << 53;
    /** First start of a cell in which no packet starts. */
    public static final int NO_START = 0x3FF;
    /** Maximum congestion level. */
    public static final int MAX_FCI = 3;

    /** Type and version have the same position in a control message. */
    static final int TYPE_SHIFT = 62;
    private static final int PRIORITY_SHIFT = 60;
    static final int VERSION_SHIFT = 56;
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

    private static final int FCI_BITS = 2;
    /** Change of the frame's CRC by payload length and exclusive or of two congestion levels. */
    private static final int[] FCI_CHANGE = fciChanges();

    /**
     * Checks the sizes of the fabric and of a cell.
     *
     * @throws IllegalArgumentException if a parameter is out of range.
     */
    public StardustHeader {
        requireFabric(adapters, ports, classes);
        requireRange("payloadBytes", payloadBytes, MAX_PAYLOAD_BYTES);
    }

    /**
     * Frame bytes of a cell on a link, CRC included.
     *
     * @param payload bytes of payload.
     */
    public static int frameBytes(final int payload) {
        return BYTES + payload + CRC_BYTES;
    }

    /**
     * Builds the head of the cells of a credit, with congestion level 0 and without {@link #EOC}.
     *
     * @param type         {@link #DATA} or {@link #LOW_LATENCY}.
     * @param priority     priority in the fabric, 0 (highest) to 3.
     * @param epoch        incarnation of the source; its low 4 bits are kept.
     * @param destination  destination FA.
     * @param source       source FA.
     * @param port         host port at the destination.
     * @param trafficClass traffic class.
     */
    public long head(final int type, final int priority, final int epoch, final int destination, final int source,
        final int port, final int trafficClass) {
        assert (type & ~1) == 0 : "type=" + type;
        assert (priority & ~3) == 0 : "priority=" + priority;
        assert Wire.isBelow(destination, adapters) : "destination=" + destination;
        assert Wire.isBelow(source, adapters) : "source=" + source;
        assert Wire.isBelow(port, ports) : "port=" + port;
        assert Wire.isBelow(trafficClass, classes) : "trafficClass=" + trafficClass;
        return (long) type << TYPE_SHIFT | (long) priority << PRIORITY_SHIFT | (long) VERSION << VERSION_SHIFT
            | (epoch & 0xFL) << EPOCH_SHIFT | (long) destination << DESTINATION_SHIFT | (long) source << SOURCE_SHIFT
            | (long) port << PORT_SHIFT | trafficClass;
    }

    /**
     * Builds the tail of a cell.
     *
     * @param sequence   number of the cell in its stream, modulo 2^32.
     * @param length     bytes of payload, at least 1.
     * @param firstStart offset in the payload of the first packet that starts in the cell, or {@link #NO_START}.
     */
    public long tail(final int sequence, final int length, final int firstStart) {
        assert length >= 1 && length <= payloadBytes : "length=" + length;
        assert Wire.isBelow(firstStart, length) || firstStart == NO_START : "firstStart=" + firstStart;
        return (long) sequence << SEQUENCE_SHIFT | (long) length << LENGTH_SHIFT | (long) firstStart << START_SHIFT;
    }

    /**
     * Writes the header and the CRC of a cell whose payload is already in place.
     *
     * @param frame  segment of the cell.
     * @param offset first byte of the cell.
     * @param head   its {@link #head}.
     * @param tail   its {@link #tail}.
     * @return bytes of the frame, CRC included.
     * @throws IndexOutOfBoundsException if the frame does not lie in the segment; nothing is written then.
     */
    public static int write(final MemorySegment frame, final long offset, final long head, final long tail) {
        final int covered = BYTES + length(tail);
        Objects.checkFromIndexSize(offset, covered + CRC_BYTES, frame.byteSize());
        frame.set(Wire.LONG, offset, head);
        frame.set(Wire.LONG, offset + Long.BYTES, tail);
        Crc32c.seal(frame, offset, covered);
        return covered + CRC_BYTES;
    }

    /**
     * Raises the congestion level of a passing cell; never lowers it. The CRC is updated incrementally from the change
     * of the level, so earlier damage stays detectable. The length field must be valid.
     *
     * @param frame  segment of the cell.
     * @param offset first byte of the cell.
     * @param level  0 to 3.
     */
    public static void mark(final MemorySegment frame, final long offset, final int level) {
        assert (level & ~MAX_FCI) == 0 : "level=" + level;
        final long head = frame.get(Wire.LONG, offset);
        final int before = fci(head);
        if (level > before) {
            final int change = level ^ before;
            final int length = length(frame.get(Wire.LONG, offset + Long.BYTES));
            final long check = offset + BYTES + length;
            frame.set(Wire.INT, check, frame.get(Wire.INT, check) ^ FCI_CHANGE[length << FCI_BITS | change]);
            frame.set(Wire.LONG, offset, head ^ (long) change << FCI_SHIFT);
        }
    }

    /** Bytes 0 to 7 of a cell. */
    public static long readHead(final MemorySegment frame, final long offset) {
        return frame.get(Wire.LONG, offset);
    }

    /** Bytes 8 to 15 of a cell. */
    public static long readTail(final MemorySegment frame, final long offset) {
        return frame.get(Wire.LONG, offset + Long.BYTES);
    }

    /** Type: {@link #DATA}, {@link #LOW_LATENCY}, {@link #CONTROL} or, undefined, 3. */
    public static int type(final long head) {
        return (int) (head >>> TYPE_SHIFT);
    }

    /** Priority in the fabric, 0 (highest) to 3. */
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

    /** Destination FA. */
    public static int destination(final long head) {
        return (int) (head >>> DESTINATION_SHIFT) & 0xFFFF;
    }

    /** Source FA. */
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

    /** Source, port and class, which identify a stream to one destination. */
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

    /** Offset in the payload of the first packet that starts in the cell, or {@link #NO_START}. */
    public static int firstStart(final long tail) {
        return (int) tail >>> START_SHIFT & TEN_BITS;
    }

    /**
     * Validates a cell received from a link.
     *
     * @param frame  segment of the cell.
     * @param offset first byte of the cell.
     * @param bytes  bytes received, CRC included.
     * @return the first fault, or {@link HeaderFault#NONE}.
     */
    public HeaderFault check(final MemorySegment frame, final long offset, final int bytes) {
        final int payload = bytes - BYTES - CRC_BYTES;
        if (payload < 1 || payload > payloadBytes || !Wire.isInside(frame, offset, bytes)) {
            return HeaderFault.WRONG_LENGTH;
        }
        if (!Crc32c.isSealed(frame, offset, bytes - CRC_BYTES)) {
            return HeaderFault.CRC;
        }
        final long head = frame.get(Wire.LONG, offset);
        final long tail = frame.get(Wire.LONG, offset + Long.BYTES);
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
     * Validates the head of a cell that passed {@link #check} at the receiving FA.
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

    /** Throws IllegalArgumentException if the ids of a fabric do not fit. */
    static void requireFabric(final int adapters, final int ports, final int classes) {
        requireRange("adapters", adapters, 0xFFFF);
        requireRange("ports", ports, 1 << 12);
        requireRange("classes", classes, 1 << 4);
    }

    private static void requireRange(final String name, final int value, final int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException("Stardust's header holds 1 to " + most + ": " + name + "=" + value);
        }
    }

    private static int[] fciChanges() {
        final int[] changes = new int[TEN_BITS + 1 << FCI_BITS];
        for (int length = 0; length <= TEN_BITS; length++) {
            for (int change = 1; change <= MAX_FCI; change++) {
                changes[length << FCI_BITS | change] = Crc32c.change(change << 6, BYTES - 2 + length);
            }
        }
        return changes;
    }
}
