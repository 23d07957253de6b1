package dev.skerry.tools.resources;

/**
 * The packets that a switch must process at once (Stardust Appendix B, docs/spec/stardust.md §9 and errata E1).
 *
 * @param bps bits per second of the device, B.
 * @param gapBytes bytes between packets on the wire, G: 20 on Ethernet.
 * @param clockHz frequency of the device, f.
 * @param clocksPerPacket clock cycles of a packet in a pipeline, c.
 */
public record Parallelism(double bps, int gapBytes, double clockHz, double clocksPerPacket) {
    /** The device of the paper: 12.8 Tb/s, Ethernet, 1 GHz, one packet per cycle. */
    public static final Parallelism PAPER = new Parallelism(12.8e12, 20, 1e9, 1);
    /** Bytes that the data path of Figure 3 takes per cycle. */
    public static final int BUS_BYTES = 256;
    /** Bytes of the credit for which packets are packed. */
    public static final int CREDIT_BYTES = 4_096;

    /** Returns the packets of a size that arrive per second: R. */
    public double packetsPerSecond(final int bytes) {
        return bps / (8.0 * (bytes + gapBytes));
    }

    /** Returns the pipelines needed for packets of a size: P = R / r, r = f / c. */
    public double pipelines(final int bytes) {
        return packetsPerSecond(bytes) * clocksPerPacket / clockHz;
    }

    /** Returns the pipelines on a bus, where a packet takes as many cycles as it has bus words. */
    public double switchOnBus(final int bytes) {
        return packetsPerSecond(bytes) * Math.ceilDiv(bytes, BUS_BYTES) / clockHz;
    }

    /** Returns the pipelines on a bus with the packets of a credit packed into cells as wide as the bus. */
    public double packedOnBus(final int bytes) {
        final int packets = Math.ceilDiv(CREDIT_BYTES, bytes);
        return packetsPerSecond(bytes) * Math.ceilDiv(packets * bytes, BUS_BYTES) / (packets * clockHz);
    }

    /** Returns the gain of packing: {@link #switchOnBus} divided by {@link #packedOnBus}. */
    public double gain(final int bytes) {
        return switchOnBus(bytes) / packedOnBus(bytes);
    }
}
