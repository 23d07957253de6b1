package dev.skerry.schedule;

import java.util.List;

/**
 * A fabric that the Shoal paper built or simulated (docs/spec/shoal.md §1).
 *
 * @param name           its name in the paper.
 * @param nodes          number of nodes N.
 * @param channels       number of channels c.
 * @param channelRateBps bits a second of one channel.
 * @param cellBytes      bytes of a cell, header included.
 * @param payloadBytes   bytes of a cell that count as data.
 * @param slot           times of a slot of one channel.
 * @param closPorts      ports of the switches of its Clos, k.
 */
record ShoalPreset(String name, int nodes, int channels, long channelRateBps, int cellBytes, int payloadBytes,
    SlotTime slot, int closPorts) {
    /** Cells fill whole lines. */
    private static final int LINE_BYTES = 64;

    /**
     * P1, the prototype: 8 nodes over 6 switches of 4 ports, the fabric of Figure 2. The guard is 6.4 ns of
     * reconfiguration and 19.2 ns of MAC framing; all of a cell counts as data.
     */
    public static final ShoalPreset PROTOTYPE =
        new ShoalPreset("prototype", 8, 1, 10_000_000_000L, 64, 64, new SlotTime(51_200, 25_600), 4);

    /** P2, the simulation as the paper prints it: 2.5 ns of reconfiguration and 0.25 ns of variation. */
    public static final ShoalPreset AS_PRINTED =
        new ShoalPreset("as-printed", 512, 4, 25_000_000_000L, 64, 56, new SlotTime(20_500, 2_750), 64);

    /** P3, the simulation as the authors' program runs it, which produced the paper's figures: one fast channel. */
    public static final ShoalPreset AS_CODED =
        new ShoalPreset("as-coded", 512, 1, 100_000_000_000L, 64, 56, new SlotTime(5_120, 512), 64);

    /** Checks the cell only; the schedule and the Clos check nodes, channels and ports. */
    public ShoalPreset {
        if (cellBytes < LINE_BYTES || cellBytes % LINE_BYTES != 0) {
            throw new IllegalArgumentException(
                "a cell is a multiple of " + LINE_BYTES + " bytes: cellBytes=" + cellBytes);
        }
        if (payloadBytes < 1 || payloadBytes > cellBytes) {
            throw new IllegalArgumentException(
                "a cell carries 1 to cellBytes bytes of data: payloadBytes=" + payloadBytes);
        }
    }

    /** All presets. */
    public static List<ShoalPreset> all() {
        return List.of(PROTOTYPE, AS_PRINTED, AS_CODED);
    }

    /** The plain round robin of the preset. */
    public RoundRobin schedule() {
        return RoundRobin.plain(nodes, channels);
    }

    /** The switches and fibres that carry {@link #schedule}. */
    public Clos clos() {
        return Clos.of(schedule(), closPorts);
    }

    /** Length of an epoch in picoseconds. */
    public long epochPs() {
        return (nodes - 1L + channels - 1) / channels * slot.slotPs();
    }

    /** Bits a second that a node sends in cells over all channels, header included. */
    public double maxRateBps() {
        return cellBytes * 8.0 * channels / slot.slotPs() * 1e12;
    }

    /** Bits a second of {@link #maxRateBps} that are data. */
    public double maxGoodputBps() {
        return payloadBytes * 8.0 * channels / slot.slotPs() * 1e12;
    }
}
