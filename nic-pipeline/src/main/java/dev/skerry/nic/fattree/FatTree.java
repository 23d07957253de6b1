package dev.skerry.nic.fattree;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.check.Bounds;

import java.util.List;
import java.util.Objects;

/**
 * Parameters of a packet-switched fat tree or leaf-spine network and its hosts (docs/spec/fattree.md). Hosts are the
 * devices of tier 0 and have one link each. Bytes are counted in cells; a cell is the amount that a host's link sends
 * in a slot.
 *
 * @param clos        devices and links.
 * @param linkSlots   delay of a link, 1 to {@link #MAX_LINK_SLOTS}.
 * @param cellBytes   bytes that a host's link sends in a slot, 1 to 9216.
 * @param upBytes     bytes that a link between two switches sends in a slot, more than 0 and at most 65,536.
 * @param rules       buffers, marks and pauses of the switches.
 * @param hosts       how hosts send.
 * @param rerouteSlots slots until a switch is notified of a failure elsewhere, 0 or more.
 * @param seed        seed of all random choices.
 */
public record FatTree(FoldedClos clos, int linkSlots, int cellBytes, double upBytes, SwitchRules rules, Reno hosts,
    int rerouteSlots, long seed) implements Fabric {
    /** Maximum delay of a link in slots. */
    public static final int MAX_LINK_SLOTS = 1 << 16;
    /** Ports keep time in units of 2^-16 bytes at their rate. */
    static final int FRACTION_BITS = 16;

    private static final int MAX_CELL = 9216;
    /** Bound with which the clocks of ports can count 2^31 slots. */
    private static final int MAX_UP_BYTES = 1 << 16;
    private static final int MAX_PACKET_SLOTS = 1 << 20;

    /** Checks the bounds of each component, and that the components are consistent. */
    public FatTree {
        Bounds.require("linkSlots", linkSlots, 1, MAX_LINK_SLOTS);
        Bounds.require("cellBytes", cellBytes, 1, MAX_CELL);
        Bounds.atLeast("rerouteSlots", rerouteSlots, 0);
        Bounds.refuseIf(!(upBytes > 0 && upBytes <= MAX_UP_BYTES), "a link sends up to ", MAX_UP_BYTES,
            " bytes in a slot: upBytes=", upBytes);
        Bounds.refuseIf(rules.packetBytes() > (long) (MAX_PACKET_SLOTS * Math.min(cellBytes, upBytes)),
            "a link sends a packet in at most ", MAX_PACKET_SLOTS, " slots: packetBytes=", rules.packetBytes(),
            " cellBytes=", cellBytes, " upBytes=", upBytes);
        Bounds.refuseIf(clos.config().faLinks() != 1 || clos.config().radix() >= PacketWord.NO_PORT,
            "a host has one link, and a switch fewer than ", PacketWord.NO_PORT, ": ", clos.config());
        Bounds.refuseIf(clos.config().upLinks() * (long) clos.config().upLinks() > PacketWord.MAX_PATHS,
            "a connection has at most ", PacketWord.MAX_PATHS, " paths: ", clos.config());
        Bounds.refuseIf(rules.pauses() && hosts.congestion() instanceof Congestion.Ndp,
            "switches that trim segments do not pause links: pauseBytes=", rules.pauseBytes());
        Bounds.refuseIf(rules.marks().marks() && !hosts.congestion().readsMarks(),
            "marking requires hosts that react to marks: ", hosts);
    }

    /**
     * The shape of a fat tree of switches with k links: k/2 hosts per leaf, k/2 leaves and k/2 aggregation switches per
     * pod, and full bisection bandwidth.
     *
     * @param hosts k²/4 times the number of pods, which is 2 to k and divides k.
     * @return null if no k fits.
     */
    public static FoldedClosConfig ofPods(final int hosts) {
        for (int half = 2; half * half <= hosts / 2; half++) {
            final int pods = hosts / (half * half);
            if (pods * half * half == hosts && pods <= 2 * half && 2 * half % pods == 0) {
                return new FoldedClosConfig(2 * half, 1, 1, half, half, List.of(half, pods));
            }
        }
        return null;
    }

    /**
     * The shape of a leaf-spine network.
     *
     * @param hosts   hosts of all leaves together.
     * @param leaves  a divisor of {@code hosts}.
     * @param upLinks uplinks of a leaf.
     * @return null if the uplinks cannot be spread evenly over spines.
     */
    public static FoldedClosConfig ofLeaves(final int hosts, final int leaves, final int upLinks) {
        final int perLeaf = hosts / leaves;
        for (int lanes = 1; lanes <= upLinks; lanes++) {
            final int radix = lanes * leaves;
            if (upLinks % lanes == 0 && radix >= perLeaf + upLinks && radix % 2 == 0) {
                return new FoldedClosConfig(radix, 1, 1, perLeaf, upLinks, List.of(leaves));
            }
        }
        return null;
    }

    /** Number of hosts. */
    @Override
    public int nodes() {
        return clos.fas();
    }

    @Override
    public Population population() {
        return Population.complete(new Phased(1, nodes()));
    }

    /** Delay of all links on the longest path, up to the top tier and down. */
    @Override
    public int propagationSlots() {
        return 2 * clos.tiers() * linkSlots;
    }

    /** Transit time of a full packet over the longest path, on which each device stores and forwards it. */
    @Override
    public long emptySlots() {
        return propagationSlots() + 2L * clos.tiers() * packetSlots();
    }

    @Override
    public long directedLinks() {
        return 2L * clos.links();
    }

    /** Control packets use link bandwidth and are counted on each link that they cross. */
    @Override
    public double controlShare(final long bytes, final long slots) {
        final double rates = 2.0 * (nodes() * cellBytes + (clos.links() - nodes()) * upBytes);
        return bytes / (rates * slots);
    }

    /** Slots that the slowest link needs for a full packet. */
    int packetSlots() {
        return (int) Math.ceil(rules.packetBytes() / Math.min(cellBytes, upBytes)) + 1;
    }

    /** Rate of a port, in 1/65536 byte per slot. */
    long perSlot(final int port) {
        final boolean toHost = port < clos.fas() || clos.peer(port) < clos.fas();
        return toHost ? (long) cellBytes << FRACTION_BITS : Math.round(upBytes * (1 << FRACTION_BITS));
    }

    /** Number of cells of a segment; 0 for control packets. */
    int cells(final long word) {
        return PacketWord.kind(word) == PacketWord.SEGMENT ? Math.ceilDiv(PacketWord.bytes(word), cellBytes) : 0;
    }

    /** Whether senders select the path of each packet; otherwise switches do, by a hash of its connection. */
    boolean sprays() {
        return trims();
    }

    /** Whether switches trim segments that find a full queue (NDP). */
    boolean trims() {
        return hosts.congestion() instanceof Congestion.Ndp;
    }

    /** Number of shortest paths between two hosts. */
    int paths(final int one, final int other) {
        int paths = 1;
        int below = clos.config().fasPerPod();
        for (int level = 0; one / below != other / below; level++) {
            paths *= clos.config().upLinks();
            below *= clos.config().pods().get(level);
        }
        return paths;
    }

    /** Whether control packets have a separate queue with priority: with pauses and with NDP. */
    boolean controlFirst() {
        return rules.pauses() || trims();
    }

    /**
     * Buffers, ECN marks and pauses of the switches.
     *
     * @param packetBytes size of a full packet, 64 to 9216.
     * @param queueBytes  buffer of a switch port, at least a packet; ignored if links are paused.
     * @param marks       ECN marking rule, for hosts that read marks.
     * @param pauseBytes  PFC threshold: a switch pauses an incoming link while it holds more bytes of segments from it,
     *                    and resumes it at two packets less. At least two packets; {@link Long#MAX_VALUE}: no pauses.
     */
    public record SwitchRules(int packetBytes, long queueBytes, MarkLaw marks, long pauseBytes) {
        private static final int LEAST_PACKET = 64;
        private static final int MOST_PACKET = 9216;
        /** Sending, pausing and resuming are each rounded to a slot. */
        private static final int ROUNDED_SLOTS = 3;

        /** Checks every bound. */
        public SwitchRules {
            Bounds.require("packetBytes", packetBytes, LEAST_PACKET, MOST_PACKET);
            Objects.requireNonNull(marks);
            Bounds.refuseIf(queueBytes < packetBytes, "a queue must have room for a packet: queueBytes=", queueBytes,
                " packetBytes=", packetBytes);
            Bounds.refuseIf(pauseBytes < 2L * packetBytes, "a switch must hold two packets from a link before it "
                + "pauses the link: "
                + "pauseBytes=", pauseBytes, " packetBytes=", packetBytes);
        }

        /** Switches that drop packets when a queue is full. */
        public SwitchRules(final int packetBytes, final long queueBytes, final MarkLaw marks) {
            this(packetBytes, queueBytes, marks, Long.MAX_VALUE);
        }

        /** Whether links can be paused. */
        public boolean pauses() {
            return pauseBytes != Long.MAX_VALUE;
        }

        /**
         * Bytes that may still arrive over a link after a switch has paused it: those on the link, those sent until the
         * pause arrives, the packet that is being sent then, and the packet that exceeded the threshold.
         *
         * @param linkSlots    delay of the link.
         * @param bytesPerSlot rate of the link.
         */
        public static long headroom(final int packetBytes, final int linkSlots, final double bytesPerSlot) {
            return (long) Math.ceil((2L * linkSlots + ROUNDED_SLOTS) * bytesPerSlot) + 2L * packetBytes;
        }
    }
}
