package dev.skerry.tools.port.generator;

/**
 * Computes when the next packet is due. Each packet adds its cost in ns, with 24 fractional bits, so the long-term rate
 * is exact to one part in a million. Overdue packets stay due, so a late caller gets all of them. All packets of a
 * group are due with its first. One thread.
 */
final class Pacer {
    private static final int FRACTION_BITS = 24;
    private static final long FRACTION_MASK = (1L << FRACTION_BITS) - 1;
    private static final double SECOND_NS = 1e9;

    private final long packetCost;
    private final long byteCost;
    private final int group;
    private long dueNs;
    private long aheadNs;
    private long aheadFraction;
    private int left;

    /**
     * Creates a pacer that has sent nothing.
     *
     * @param rate  rate to keep.
     * @param group packets due at the same time, at least 1.
     */
    Pacer(final PacketRate rate, final int group) {
        this.group = group;
        this.left = group;
        final double bitsPerSecond = switch (rate) {
            case PacketRate.Bits bits -> bits.bitsPerSecond();
            case PacketRate.Line line -> line.percent() / 100 * line.lineBitsPerSecond();
            default -> Double.POSITIVE_INFINITY;
        };
        this.byteCost = cost(Byte.SIZE / bitsPerSecond);
        this.packetCost = switch (rate) {
            case PacketRate.Packets packets -> cost(1 / packets.packetsPerSecond());
            case PacketRate.Line _ -> byteCost * PacketRate.LINE_OVERHEAD_BYTES;
            default -> 0;
        };
    }

    private static long cost(final double seconds) {
        return Math.round(seconds * SECOND_NS * (1L << FRACTION_BITS));
    }

    /** Sets the time at which the first packet is due. */
    void start(final long nowNs) {
        dueNs = nowNs;
        aheadNs = nowNs;
    }

    /** Whether a packet is due. */
    boolean isDue(final long nowNs) {
        return dueNs - nowNs <= 0;
    }

    /** When the next packet is due. */
    long dueNs() {
        return dueNs;
    }

    /** Adds the cost of a packet. */
    void sent(final int bytes) {
        final long ahead = aheadFraction + packetCost + byteCost * bytes;
        aheadNs += ahead >>> FRACTION_BITS;
        aheadFraction = ahead & FRACTION_MASK;
        if (--left == 0) {
            left = group;
            dueNs = aheadNs;
        }
    }
}
