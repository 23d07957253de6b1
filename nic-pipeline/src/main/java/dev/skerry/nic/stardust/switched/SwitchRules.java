package dev.skerry.nic.stardust.switched;

import dev.skerry.dataplane.check.Bounds;

/**
 * What switches of a {@link SwitchedNetwork} do.
 *
 * @param packetBytes the longest packet, 1 to 65,535.
 * @param linkSlots   delay of a link, 1 to 4096.
 * @param queueBytes  that wait at a port at most, a packet at least.
 * @param markBytes   a segment that joins a queue of more is marked if its host reads marks; {@link Long#MAX_VALUE} for
 *                    no marks.
 */
public record SwitchRules(int packetBytes, int linkSlots, long queueBytes, long markBytes) {
    private static final int MOST_PACKET = 65_535;
    private static final int MOST_SLOTS = 4096;

    /** Checks every bound. */
    public SwitchRules {
        Bounds.require("packetBytes", packetBytes, 1, MOST_PACKET);
        Bounds.require("linkSlots", linkSlots, 1, MOST_SLOTS);
        if (queueBytes < packetBytes || markBytes < 1) {
            throw new IllegalArgumentException("a queue holds a packet, and an empty one marks nothing: queueBytes="
                + queueBytes + " markBytes=" + markBytes);
        }
    }
}
