package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The headers of many cells at once: what {@link ShoalHeader} does for one, to the same bytes and the same first fault,
 * in less time (bench/results). Fields stand in columns, an array a field, the place i of each for the i-th cell of the
 * burst, as in {@link ShaleHeaderBurst}. What a cell is follows from its fields: data if source and destination differ,
 * else a dummy, or with {@link ShoalHeader#SOP} a control cell.
 *
 * <p>The check covers the payload: its words are read and summed up cell by cell, once to write and once to validate,
 * which is most of the work. Cells of more than 64 bytes gain little.
 *
 * <p>The arrays are the burst's own and stay the same; fill in {@link #offset} and, to write, the fields of the first
 * so many cells. Nothing allocates once it is made. One thread.
 */
public final class ShoalHeaderBurst {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long CRC_MASK = 0xFF;
    private static final long WRONG_LENGTH = BurstColumns.bit(HeaderFault.WRONG_LENGTH);
    private static final int CRC = HeaderFault.CRC.ordinal();
    private static final int SOURCE = HeaderFault.SOURCE.ordinal();
    private static final int DESTINATION = HeaderFault.DESTINATION.ordinal();
    private static final int DUMMY_NOT_ZERO = HeaderFault.DUMMY_NOT_ZERO.ordinal();
    private static final int TRAFFIC_CLASS = HeaderFault.TRAFFIC_CLASS.ordinal();

    private final ShoalHeader header;
    private final int cellBytes;
    private final BurstColumns columns;
    private final long[] offset;
    private final int[] source;
    private final int[] destination;
    private final int[] trafficClass;
    private final int[] sequence;
    private final int[] feedback;
    private final int[] flags;
    private final long[] headers;
    private final long[] crcs;
    private final long[] faults;

    /**
     * Columns for a fabric's headers.
     *
     * @param header   of the fabric.
     * @param capacity most cells of a burst, at least 1; vectors pay from 128 on.
     * @throws IllegalArgumentException if there is no room for a cell.
     */
    public ShoalHeaderBurst(final ShoalHeader header, final int capacity) {
        columns = new BurstColumns(capacity);
        this.header = header;
        cellBytes = header.format().cellBytes();
        offset = columns.offset;
        source = columns.source;
        destination = columns.destination;
        trafficClass = new int[capacity];
        sequence = new int[capacity];
        feedback = new int[capacity];
        flags = new int[capacity];
        headers = new long[capacity];
        crcs = new long[capacity];
        faults = columns.faults;
    }

    /** Most cells of a burst. */
    public int capacity() {
        return offset.length;
    }

    /** First byte of each cell in its segment. */
    public long[] offset() {
        return offset;
    }

    /** Originators. */
    public int[] source() {
        return source;
    }

    /** Where the cells go; the source itself makes a cell a dummy or a control cell. */
    public int[] destination() {
        return destination;
    }

    /** Traffic classes; 0 for dummies and control cells. */
    public int[] trafficClass() {
        return trafficClass;
    }

    /** Numbers of the cells, 0 for dummies and control cells; of those written the low bits are kept. */
    public int[] sequence() {
        return sequence;
    }

    /** Rate limit feedback; of those read clamped as by {@link ShoalHeader#feedback}. */
    public int[] feedback() {
        return feedback;
    }

    /** Any of {@link ShoalHeader#SOP}, {@link ShoalHeader#EOP} and {@link ShoalHeader#LCD}. */
    public int[] flags() {
        return flags;
    }

    /** The first fault of a cell of the last burst decoded, or {@link HeaderFault#NONE}. */
    public HeaderFault fault(final int cell) {
        return columns.fault(cell);
    }

    /**
     * Writes the headers of the first so many cells, their CRC included; the payloads stand in their places already.
     *
     * @param cells where they lie.
     * @param count how many, up to the capacity.
     * @throws IndexOutOfBoundsException if a cell does not lie in the segment, or there are more than the capacity;
     *     nothing is written then.
     */
    public void encode(final MemorySegment cells, final int count) {
        Objects.checkFromIndexSize(0, count, offset.length);
        assert areSendable(count);
        columns.requireInside(cells.byteSize() - cellBytes, count);
        pack(count);
        if (cellBytes == Crc8.BLOCK_BYTES) {
            sumUp(cells, count);
            foldChecks(count);
            storeFolded(cells, count);
        } else {
            storeChecked(cells, count);
        }
    }

    /**
     * Reads and validates the headers of the first so many cells; see {@link ShoalHeader#check}. What the columns say
     * of a cell with a fault means nothing, but for feedback and lcd of a wrong CRC (spec/shoal §6.2).
     *
     * @param cells where they lie.
     * @param count how many, up to the capacity.
     * @return how many have a {@link #fault}.
     * @throws IndexOutOfBoundsException if there are more than the capacity.
     */
    public int decode(final MemorySegment cells, final int count) {
        Objects.checkFromIndexSize(0, count, offset.length);
        load(cells, count);
        if (cellBytes == Crc8.BLOCK_BYTES) {
            sumUp(cells, count);
            foldChecks(count);
            compareChecks(count);
        } else {
            compareChecked(cells, count);
        }
        unpack(count);
        validateKinds(count);
        return validateNodes(count);
    }

    private boolean areSendable(final int count) {
        for (int i = 0; i < count; i++) {
            assert header.isSendable(source[i], destination[i], trafficClass[i], sequence[i], feedback[i], flags[i])
                : "cell=" + i + " source=" + source[i] + " destination=" + destination[i] + " trafficClass="
                + trafficClass[i] + " sequence=" + sequence[i] + " feedback=" + feedback[i] + " flags=" + flags[i];
        }
        return true;
    }

    // The loops below that touch nothing but arrays become vectors if they are small: the compiler does not unroll a
    // large one. That is why words pass through arrays between two of them.

    private void pack(final int count) {
        final ShoalHeader header = this.header;
        final int sequenceBits = header.sequenceBits();
        final int[] source = this.source;
        final int[] destination = this.destination;
        final int[] trafficClass = this.trafficClass;
        final int[] sequence = this.sequence;
        final int[] feedback = this.feedback;
        final int[] flags = this.flags;
        final long[] headers = this.headers;
        for (int i = 0; i < count; i++) {
            headers[i] = ShoalHeader.route(destination[i], source[i]) | ShoalHeader.hop(feedback[i], flags[i]);
        }
        for (int i = 0; i < count; i++) {
            headers[i] |= ShoalHeader.number(trafficClass[i], sequence[i], sequenceBits);
        }
    }

    /** Payloads to a word each. All is in one loop: of a method of its own the compiler might make a call. */
    private void sumUp(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] crcs = this.crcs;
        final long last = cells.byteSize() - Crc8.BLOCK_BYTES;
        for (int i = 0; i < count; i++) {
            final long at = offset[i];
            if (at < 0 || at > last) {
                continue; // load() has named the fault; encode() has none
            }
            final MemorySegment cell = cells.asSlice(at, Crc8.BLOCK_BYTES);
            crcs[i] = Crc8.sumOfPayload(cell.get(LONG, 8), cell.get(LONG, 16), cell.get(LONG, 24), cell.get(LONG, 32),
                cell.get(LONG, 40), cell.get(LONG, 48), cell.get(LONG, 56));
        }
    }

    private void load(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] headers = this.headers;
        final long[] faults = this.faults;
        final long last = cells.byteSize() - cellBytes;
        for (int i = 0; i < count; i++) {
            final long at = offset[i];
            if (at >= 0 && at <= last) {
                headers[i] = cells.get(LONG, at);
                faults[i] = 0;
            } else {
                faults[i] = WRONG_LENGTH;
            }
        }
    }

    /** From headers and sums to words whose remainder is the check, or zero if a check is there and right. */
    private void foldChecks(final int count) {
        final long[] headers = this.headers;
        final long[] crcs = this.crcs;
        final int xorOut = Crc8.SHOAL.xorOut();
        for (int i = 0; i < count; i++) {
            final long dummy = ShoalHeader.onesIfDummy(headers[i]);
            crcs[i] = (crcs[i] ^ Crc8.sumOfHeader(headers[i])) & ~dummy | headers[i] >>> Byte.SIZE & dummy;
        }
        for (int i = 0; i < count; i++) {
            crcs[i] = Crc8.fold(crcs[i]) << Byte.SIZE ^ headers[i] & CRC_MASK ^ xorOut;
        }
    }

    private void storeFolded(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] headers = this.headers;
        final long[] crcs = this.crcs;
        for (int i = 0; i < count; i++) {
            headers[i] |= Crc8.remainderOfFolded(crcs[i]);
        }
        for (int i = 0; i < count; i++) {
            cells.set(LONG, offset[i], headers[i]);
        }
    }

    private void storeChecked(final MemorySegment cells, final int count) {
        for (int i = 0; i < count; i++) {
            cells.set(LONG, offset[i], headers[i] | header.crc(headers[i], cells, offset[i]));
        }
    }

    private void compareChecks(final int count) {
        final long[] crcs = this.crcs;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            faults[i] |= -Crc8.remainderOfFolded(crcs[i]) >>> 63 << CRC;
        }
    }

    private void compareChecked(final MemorySegment cells, final int count) {
        for (int i = 0; i < count; i++) {
            if (faults[i] == 0 && header.crc(headers[i], cells, offset[i]) != (headers[i] & CRC_MASK)) {
                faults[i] = 1L << CRC;
            }
        }
    }

    private void unpack(final int count) {
        final ShoalHeader header = this.header;
        final int sequenceBits = header.sequenceBits();
        final int maxFeedback = header.maxFeedback();
        final int[] source = this.source;
        final int[] destination = this.destination;
        final int[] trafficClass = this.trafficClass;
        final int[] sequence = this.sequence;
        final int[] feedback = this.feedback;
        final int[] flags = this.flags;
        final long[] headers = this.headers;
        for (int i = 0; i < count; i++) {
            source[i] = ShoalHeader.source(headers[i]);
            destination[i] = ShoalHeader.destination(headers[i]);
            flags[i] = ShoalHeader.flags(headers[i]);
        }
        for (int i = 0; i < count; i++) {
            trafficClass[i] = ShoalHeader.trafficClass(headers[i], sequenceBits);
            sequence[i] = ShoalHeader.sequence(headers[i], sequenceBits);
        }
        for (int i = 0; i < count; i++) {
            feedback[i] = Math.min(ShoalHeader.rawFeedback(headers[i]), maxFeedback);
        }
    }

    private void validateKinds(final int count) {
        final long lastClass = header.classes() - 1;
        final int[] trafficClass = this.trafficClass;
        final long[] headers = this.headers;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            final long data = ShoalHeader.onesIfData(headers[i]);
            faults[i] |= -(headers[i] & ShoalHeader.NOT_IN_DUMMIES & ~data) >>> 63 << DUMMY_NOT_ZERO
                | (lastClass - trafficClass[i] & data) >>> 63 << TRAFFIC_CLASS;
        }
    }

    private int validateNodes(final int count) {
        final long lastNode = header.nodes() - 1;
        final int[] source = this.source;
        final int[] destination = this.destination;
        final long[] faults = this.faults;
        long refused = 0;
        for (int i = 0; i < count; i++) {
            final long fault = faults[i] | lastNode - source[i] >>> 63 << SOURCE
                | lastNode - destination[i] >>> 63 << DESTINATION;
            faults[i] = fault;
            refused += -fault >>> 63;
        }
        return (int) refused;
    }
}
