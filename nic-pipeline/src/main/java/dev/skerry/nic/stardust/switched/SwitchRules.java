package dev.skerry.nic.stardust.switched;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.nic.stardust.fabric.MarkLaw;

import java.util.Objects;

/**
 * What switches of a {@link SwitchedNetwork} do.
 *
 * @param packetBytes the longest packet, 1 to 65,535.
 * @param linkSlots   delay of a link, 1 to 4096.
 * @param queueBytes  that wait at a port at most, a packet at least; where links are paused, that a switch holds at
 *                    most after they came over one link: two packets and the {@link #headroom} at least.
 * @param marks       which segments are marked if their hosts read marks.
 * @param lossless    whether switches pause the links into them (PFC) before they drop anything.
 */
public record SwitchRules(int packetBytes, int linkSlots, long queueBytes, MarkLaw marks, boolean lossless) {
    private static final int MOST_PACKET = 65_535;
    private static final int MOST_SLOTS = 4096;
    /** Sending, pausing and going on each begin with a slot. */
    private static final int ROUNDED_SLOTS = 3;

    /** Checks every bound. */
    public SwitchRules {
        Bounds.require("packetBytes", packetBytes, 1, MOST_PACKET);
        Bounds.require("linkSlots", linkSlots, 1, MOST_SLOTS);
        Objects.requireNonNull(marks);
        if (queueBytes < packetBytes) {
            throw new IllegalArgumentException("a queue holds a packet: queueBytes=" + queueBytes + " packetBytes="
                + packetBytes);
        }
    }

    /** Switches that drop what they have no room for, and mark all segments that join a queue of more than a mark. */
    public SwitchRules(final int packetBytes, final int linkSlots, final long queueBytes, final long markBytes) {
        this(packetBytes, linkSlots, queueBytes, MarkLaw.above(markBytes), false);
    }

    /**
     * Bytes that may still come over a link after a switch has paused it: what is on the link, what is sent until the
     * pause comes, the packet that is then being sent, and the one that went over the mark.
     *
     * @param bytesPerSlot of the link.
     */
    long headroom(final double bytesPerSlot) {
        return (long) Math.ceil((2L * linkSlots + ROUNDED_SLOTS) * bytesPerSlot) + 2L * packetBytes;
    }
}
