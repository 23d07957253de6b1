package dev.skerry.tools.resources;

/**
 * Memory of devices and what credits make of it (docs/spec/stardust.md §1, §2, §3.1, §4, §5). Times are nanoseconds,
 * rates bits a second. Pure functions; any thread may call.
 */
public final class Buffers {
    /** Bytes of a virtual output queue's descriptor. */
    public static final int VOQ_BYTES = 32;
    /** Payload of a full cell. */
    public static final int CELL_BYTES = 256;
    /** Header of a cell. */
    public static final int HEADER_BYTES = 16;
    /** Cells that every link of an FE has room for. */
    public static final int LINK_CELLS = 128;

    private static final double MIN_TIMER_NS = 50_000;

    private Buffers() {
    }

    /** Time that bytes take on a link. */
    public static double serialisationNs(final long bytes, final double bps) {
        return bytes * 8e9 / bps;
    }

    /** Shared memory of an FE: 128 cells of payload for each link. */
    public static long elementBytes(final int links) {
        return (long) links * LINK_CELLS * CELL_BYTES;
    }

    /** Memory of the descriptors of an FA's virtual output queues. */
    public static long voqBytes(final long queues) {
        return queues * VOQ_BYTES;
    }

    /** Entries of a ToR's exact-match table in bits: N (32 + log2 k). */
    public static long routeTableBits(final long hosts, final int radix) {
        return hosts * (Integer.SIZE + log2(radix));
    }

    /** Entries of an FE's table in bits: an FA for every 40 hosts, log2 k each. */
    public static long elementTableBits(final long hosts, final int radix) {
        return hosts / 40 * log2(radix);
    }

    /** Largest difference of delays between two ways: H queues of cells. */
    public static double reorderNs(final int elements, final int queueCells, final double slotNs) {
        return elements * queueCells * slotNs;
    }

    /** Window of a stream: the next power of two above 2 Δmax R / (8 * 256). */
    public static int windowCells(final double reorderNs, final double portBps) {
        final double cells = Math.ceil(2 * reorderNs * 1e-9 * portBps / (8 * CELL_BYTES));
        return cells <= 1 ? 1 : Integer.highestOneBit((int) cells - 1) << 1;
    }

    /** How long a gap may stay: four times the largest difference of delays, 50 µs at least. */
    public static double timerNs(final double reorderNs) {
        return Math.max(MIN_TIMER_NS, 4 * reorderNs);
    }

    /** Packets that a port puts together at once at most: 1 + ⌈R(1+ε) D / (8C)⌉. */
    public static long openPackets(final double portBps, final double surcharge, final double spreadNs,
        final int creditBytes) {
        return 1 + (long) Math.ceil(portBps * (1 + surcharge) * spreadNs * 1e-9 / (8 * creditBytes));
    }

    /** The least HIGH of an egress buffer: what a port sends while a credit comes round. */
    public static double leastHighBytes(final double portBps, final double loopNs) {
        return portBps * loopNs * 1e-9 / 8;
    }

    /** The least egress buffer of a port: HIGH, what credits on the way bring, and packets that are not complete. */
    public static double leastEgressBytes(final double highBytes, final double portBps, final double surcharge,
        final double loopNs, final long packetsOpen, final int maxPacketBytes) {
        return highBytes + portBps * (1 + surcharge) * loopNs * 1e-9 / 8 + (double) packetsOpen * (maxPacketBytes - 1);
    }

    /**
     * The least credit with which one generator keeps a device busy (Stardust §4.1), rounded up.
     *
     * @param outBps          bits a second that leave the device.
     * @param clocksPerCredit clocks of the generator for one credit.
     * @param clockHz         frequency of its clock.
     */
    public static long minCreditBytes(final long outBps, final int clocksPerCredit, final long clockHz) {
        return Math.ceilDiv(Math.multiplyExact(outBps, clocksPerCredit), 8 * clockHz);
    }

    /** The same for a generator that hands out a credit in two clocks of 1 GHz. */
    public static long minCreditBytes(final int outTbps) {
        return minCreditBytes(outTbps * 1_000_000_000_000L, 2, 1_000_000_000);
    }

    /** Picoseconds between two credits of a port whose credits have a rate above the port's by a surcharge, ε. */
    public static double creditIntervalPs(final int creditBytes, final double portBps, final double surcharge) {
        return creditBytes * 8e12 / (portBps * (1 + surcharge));
    }

    /**
     * The least ratio of capacity to the fabric over capacity to the hosts with which a fabric carries all that credits
     * ask for (Stardust §5.1). With less it still runs, throttled by congestion marks.
     */
    public static double neededSpeedUp(final int cellPayloadBytes, final double surcharge) {
        return (1 + surcharge) * (cellPayloadBytes + HEADER_BYTES) / cellPayloadBytes;
    }

    private static int log2(final int radix) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(radix - 1);
    }
}
