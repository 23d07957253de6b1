package dev.skerry.tools.resources;

/**
 * How many packets a switch must process at once (Stardust Appendix B, docs/spec/stardust.md §9 and errata E1).
 *
 * @param bps             bits a second of the device, B.
 * @param gapBytes        between packets on the wire, G: 20 on Ethernet.
 * @param clockHz         of the device, f.
 * @param clocksPerPacket that a pipeline takes, c.
 */
public record Parallelism(double bps, int gapBytes, double clockHz, double clocksPerPacket) {
    /** The device of the paper: 12.8 Tb/s, Ethernet, 1 GHz, a packet a clock. */
    public static final Parallelism PAPER = new Parallelism(12.8e12, 20, 1e9, 1);
    /** Bytes that the data path of Figure 3 takes in a clock. */
    public static final int BUS_BYTES = 256;
    /** Bytes of the credit that packets are packed for. */
    public static final int CREDIT_BYTES = 4_096;

    /** Packets of a size that arrive in a second: R. */
    public double packetsPerSecond(final int bytes) {
        return bps / (8.0 * (bytes + gapBytes));
    }

    /** Pipelines needed for packets of a size: P = R / r, r = f / c. */
    public double pipelines(final int bytes) {
        return packetsPerSecond(bytes) * clocksPerPacket / clockHz;
    }

    /** The same on a bus, where a packet takes as many clocks as it takes bus words. */
    public double switchOnBus(final int bytes) {
        return packetsPerSecond(bytes) * Math.ceilDiv(bytes, BUS_BYTES) / clockHz;
    }

    /** The same with the packets of a credit packed into cells as wide as the bus. */
    public double packedOnBus(final int bytes) {
        final int packets = Math.ceilDiv(CREDIT_BYTES, bytes);
        return packetsPerSecond(bytes) * Math.ceilDiv(packets * bytes, BUS_BYTES) / (packets * clockHz);
    }

    /** What packing gains: {@link #switchOnBus} over {@link #packedOnBus}. */
    public double gain(final int bytes) {
        return switchOnBus(bytes) / packedOnBus(bytes);
    }
}
