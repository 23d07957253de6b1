package dev.skerry.tools.resources;

/**
 * Memory of devices and arithmetic of credits (docs/spec/stardust.md §1, §2, §3.1, §4, §5). Times are in nanoseconds,
 * rates in bits per second. Without state; any thread may call.
 */
public final class Buffers {
    /** Bytes of the descriptor of a virtual output queue. */
    public static final int VOQ_BYTES = 32;
    /** Payload of a full cell, bytes. */
    public static final int CELL_BYTES = 256;
    /** Header of a cell, bytes. */
    public static final int HEADER_BYTES = 16;
    /** Cells for which an FE has room per link. */
    public static final int LINK_CELLS = 128;

    private static final double MIN_TIMER_NS = 50_000;

    private Buffers() {
    }

    /** Returns the time that bytes take on a link. */
    public static double serialisationNs(final long bytes, final double bps) {
        return bytes * 8e9 / bps;
    }

    /** Returns the shared memory of an FE: 128 cells of payload for each link. */
    public static long elementBytes(final int links) {
        return (long) links * LINK_CELLS * CELL_BYTES;
    }

    /** Returns the memory of the descriptors of an FA's virtual output queues. */
    public static long voqBytes(final long queues) {
        return queues * VOQ_BYTES;
    }

    /** Returns the bits of a ToR's exact-match table: N (32 + log2 k). */
    public static long routeTableBits(final long hosts, final int radix) {
        return hosts * (Integer.SIZE + log2(radix));
    }

    /** Returns the bits of an FE's table: one FA per 40 hosts, log2 k each. */
    public static long elementTableBits(final long hosts, final int radix) {
        return hosts / 40 * log2(radix);
    }

    /** Returns the largest difference of delays between two paths: H queues of cells. */
    public static double reorderNs(final int elements, final int queueCells, final double slotNs) {
        return elements * queueCells * slotNs;
    }

    /** Returns the window of a stream: the next power of two above 2 Δmax R / (8 * 256). */
    public static int windowCells(final double reorderNs, final double portBps) {
        final double cells = Math.ceil(2 * reorderNs * 1e-9 * portBps / (8 * CELL_BYTES));
        return cells <= 1 ? 1 : Integer.highestOneBit((int) cells - 1) << 1;
    }

    /** Returns how long a gap may stay open: four times the largest difference of delays, at least 50 µs. */
    public static double timerNs(final double reorderNs) {
        return Math.max(MIN_TIMER_NS, 4 * reorderNs);
    }

    /** Returns the maximum number of packets that a port reassembles at once: 1 + ⌈R(1+ε) D / (8C)⌉. */
    public static long openPackets(final double portBps, final double surcharge, final double spreadNs,
        final int creditBytes) {
        return 1 + (long) Math.ceil(portBps * (1 + surcharge) * spreadNs * 1e-9 / (8 * creditBytes));
    }

    /** Returns the minimum HIGH of an egress buffer: the bytes that a port sends during the round trip of a credit. */
    public static double leastHighBytes(final double portBps, final double loopNs) {
        return portBps * loopNs * 1e-9 / 8;
    }

    /** Returns the minimum egress buffer of a port: HIGH, the data of credits in flight, and incomplete packets. */
    public static double leastEgressBytes(final double highBytes, final double portBps, final double surcharge,
        final double loopNs, final long packetsOpen, final int maxPacketBytes) {
        return highBytes + portBps * (1 + surcharge) * loopNs * 1e-9 / 8 + (double) packetsOpen * (maxPacketBytes - 1);
    }

    /**
     * Returns the minimum credit with which one generator keeps a device busy (Stardust §4.1), rounded up.
     *
     * @param outBps bits per second that leave the device.
     * @param clocksPerCredit clock cycles of the generator per credit.
     * @param clockHz frequency of its clock, Hz.
     */
    public static long minCreditBytes(final long outBps, final int clocksPerCredit, final long clockHz) {
        return Math.ceilDiv(Math.multiplyExact(outBps, clocksPerCredit), 8 * clockHz);
    }

    /** Returns the minimum credit for a generator that grants a credit in two cycles of 1 GHz. */
    public static long minCreditBytes(final int outTbps) {
        return minCreditBytes(outTbps * 1_000_000_000_000L, 2, 1_000_000_000);
    }

    /**
     * Returns the picoseconds between two credits of a port whose credit rate exceeds the port's rate by a surcharge,
     * ε.
     */
    public static double creditIntervalPs(final int creditBytes, final double portBps, final double surcharge) {
        return creditBytes * 8e12 / (portBps * (1 + surcharge));
    }

    /**
     * Returns the minimum ratio of the capacity to the fabric to the capacity to the hosts at which a fabric carries
     * all data that credits request (Stardust §5.1). With a smaller ratio it still runs, slowed down by congestion
     * marks.
     */
    public static double neededSpeedUp(final int cellPayloadBytes, final double surcharge) {
        return (1 + surcharge) * (cellPayloadBytes + HEADER_BYTES) / cellPayloadBytes;
    }

    private static int log2(final int radix) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(radix - 1);
    }
}
