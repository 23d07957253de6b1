package dev.skerry.codec;

import java.lang.foreign.MemorySegment;

/**
 * The headers of many Shoal cells at once; {@link ShoalHeader} does one. The fields tell the kind of a cell: data if
 * source and destination differ, a control cell if they are equal and {@link ShoalHeader#SOP} is set, else a dummy.
 *
 * <p>The check covers the payload: a burst reads every payload once to write and once to validate, which is most of its
 * work. Cells of more than 64 bytes gain little. Feedback and lcd of a cell with a wrong CRC are defined
 * (docs/spec/shoal.md §6.2). One thread.
 */
public final class ShoalHeaderBurst extends HeaderBurst {
    private static final int CRC = HeaderFault.CRC.ordinal();
    private static final int DUMMY_NOT_ZERO = HeaderFault.DUMMY_NOT_ZERO.ordinal();
    private static final int TRAFFIC_CLASS = HeaderFault.TRAFFIC_CLASS.ordinal();

    private final ShoalHeader header;
    private final boolean oneBlock;
    private final int[] trafficClass;
    private final int[] feedback;
    private final int[] flags;
    private final long[] headers;

    /**
     * Columns for the headers of a fabric.
     *
     * @param header   of the fabric.
     * @param capacity maximum number of cells of a burst, at least 1; vectors pay from 128 on.
     * @throws IllegalArgumentException if {@code capacity} is less than 1.
     */
    public ShoalHeaderBurst(final ShoalHeader header, final int capacity) {
        super(capacity, header.format().cellBytes(), header.nodes());
        this.header = header;
        oneBlock = header.format().cellBytes() == Crc8.BLOCK_BYTES;
        trafficClass = new int[capacity];
        feedback = new int[capacity];
        flags = new int[capacity];
        headers = new long[capacity];
    }

    /** Traffic classes, below their number; 0 for dummies and control cells. */
    public int[] trafficClass() {
        return trafficClass;
    }

    /** Rate limit feedback, 0 to 2N - 2; decoding clamps it as {@link ShoalHeader#feedback} does. */
    public int[] feedback() {
        return feedback;
    }

    /** Any of {@link ShoalHeader#SOP}, {@link ShoalHeader#EOP} and {@link ShoalHeader#LCD}. */
    public int[] flags() {
        return flags;
    }

    @Override
    boolean areSendable(final int count) {
        for (int i = 0; i < count; i++) {
            assert header.isSendable(source[i], destination[i], trafficClass[i], sequence[i], feedback[i], flags[i])
                : "cell=" + i + " source=" + source[i] + " destination=" + destination[i] + " trafficClass="
                + trafficClass[i] + " sequence=" + sequence[i] + " feedback=" + feedback[i] + " flags=" + flags[i];
        }
        return true;
    }

    @Override
    void write(final MemorySegment cells, final int count) {
        pack(count);
        if (oneBlock) {
            sumUp(cells, count);
            foldChecks(count);
            addChecks(headers, count);
        } else {
            addLongChecks(cells, count);
        }
        store(cells, count);
    }

    @Override
    int read(final MemorySegment cells, final long last, final int count) {
        load(cells, last, count);
        if (oneBlock) {
            sumUp(cells, count);
            foldChecks(count);
            markChecks(count);
        } else {
            markLongChecks(cells, count);
        }
        unpack(count);
        markDummies(count);
        return markRanges(trafficClass, header.classes(), TRAFFIC_CLASS, count);
    }

    private void pack(final int count) {
        final int sequenceBits = header.sequenceBits();
        final int[] source = this.source;
        final int[] destination = this.destination;
        final int[] trafficClass = this.trafficClass;
        final int[] sequence = this.sequence;
        final int[] feedback = this.feedback;
        final int[] flags = this.flags;
        final long[] headers = this.headers;
        for (int i = 0; i < count; i++) {
            headers[i] = ShoalLayout.route(destination[i], source[i]) | ShoalLayout.hop(feedback[i], flags[i]);
        }
        for (int i = 0; i < count; i++) {
            headers[i] |= ShoalLayout.number(trafficClass[i], sequence[i], sequenceBits);
        }
    }

    /** Sums up each payload in one word. All in one loop: C2 might not inline a method per cell. */
    private void sumUp(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] checks = this.checks;
        final long last = cells.byteSize() - Crc8.BLOCK_BYTES;
        for (int i = 0; i < count; i++) {
            final long at = offset[i];
            if (at < 0 || at > last) {
                continue; // decode() has marked the cell; encode() has refused it
            }
            final MemorySegment cell = cells.asSlice(at, Crc8.BLOCK_BYTES);
            checks[i] = Crc8.sumOfPayload(cell.get(Wire.LONG, 8), cell.get(Wire.LONG, 16),
                cell.get(Wire.LONG, 24), cell.get(Wire.LONG, 32), cell.get(Wire.LONG, 40),
                cell.get(Wire.LONG, 48), cell.get(Wire.LONG, 56));
        }
    }

    private void store(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] headers = this.headers;
        for (int i = 0; i < count; i++) {
            cells.set(Wire.LONG, offset[i], headers[i]);
        }
    }

    private void load(final MemorySegment cells, final long last, final int count) {
        final long[] offset = this.offset;
        final long[] headers = this.headers;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            final long at = offset[i];
            if (at >= 0 && at <= last) {
                headers[i] = cells.get(Wire.LONG, at);
                faults[i] = 0;
            } else {
                faults[i] = WRONG_LENGTH;
            }
        }
    }

    /** Adds the headers to the sums of their payloads; a dummy's payload does not count. */
    private void foldChecks(final int count) {
        final long[] headers = this.headers;
        final long[] checks = this.checks;
        final int xorOut = Crc8.SHOAL.xorOut();
        for (int i = 0; i < count; i++) {
            final long dummy = ShoalLayout.onesIfDummy(headers[i]);
            checks[i] = (checks[i] ^ Crc8.sumOfHeader(headers[i])) & ~dummy | headers[i] >>> Byte.SIZE & dummy;
        }
        for (int i = 0; i < count; i++) {
            checks[i] = Crc8.fold(checks[i]) << Byte.SIZE ^ headers[i] & ShoalLayout.CRC_MASK ^ xorOut;
        }
    }

    private void addLongChecks(final MemorySegment cells, final int count) {
        for (int i = 0; i < count; i++) {
            headers[i] |= header.crc(headers[i], cells, offset[i]);
        }
    }

    private void markLongChecks(final MemorySegment cells, final int count) {
        for (int i = 0; i < count; i++) {
            if (faults[i] == 0 && header.crc(headers[i], cells, offset[i]) != (headers[i] & ShoalLayout.CRC_MASK)) {
                faults[i] = 1L << CRC;
            }
        }
    }

    private void unpack(final int count) {
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
            source[i] = ShoalLayout.source(headers[i]);
            destination[i] = ShoalLayout.destination(headers[i]);
            flags[i] = ShoalLayout.flags(headers[i]);
        }
        for (int i = 0; i < count; i++) {
            trafficClass[i] = ShoalLayout.trafficClass(headers[i], sequenceBits);
            sequence[i] = ShoalLayout.sequence(headers[i], sequenceBits);
        }
        for (int i = 0; i < count; i++) {
            feedback[i] = Math.min(ShoalLayout.rawFeedback(headers[i]), maxFeedback);
        }
    }

    /** Marks dummies and control cells with other bits. A class among them is out of range only if they are marked. */
    private void markDummies(final int count) {
        final long[] headers = this.headers;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            final long data = ShoalLayout.onesIfData(headers[i]);
            faults[i] |= -(headers[i] & ShoalLayout.NOT_IN_DUMMIES & ~data) >>> 63 << DUMMY_NOT_ZERO;
        }
    }
}
