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
 * A fat tree or leaf-spine network of packet switches, and its hosts: everything that decides how its packets travel
 * (docs/spec/fattree.md). Hosts are the devices of tier 0, with a link each. Bytes are counted in cells: what a host's
 * link sends in a slot.
 *
 * @param clos        its devices and links.
 * @param linkSlots   delay of a link, 1 to {@link #MAX_LINK_SLOTS}.
 * @param cellBytes   what a host's link sends in a slot, 1 to 9216.
 * @param upBytes     what a link between two switches sends in a slot, more than 0.
 * @param rules       of the switches.
 * @param hosts       how hosts send.
 * @param rerouteSlots after which switches know of a failure elsewhere, 0 or more.
 * @param seed        decides everything left to chance.
 */
public record FatTree(FoldedClos clos, int linkSlots, int cellBytes, double upBytes, SwitchRules rules, Reno hosts,
    int rerouteSlots, long seed) implements Fabric {
    /** The longest delay of a link. */
    public static final int MAX_LINK_SLOTS = 1 << 16;
    /** Times of a port are counted in this part of its bytes. */
    static final int FRACTION_BITS = 16;

    private static final int MAX_CELL = 9216;
    private static final int MAX_PACKET_SLOTS = 1 << 20;

    /** Checks the bounds of every component, and that they fit each other. */
    public FatTree {
        Bounds.require("linkSlots", linkSlots, 1, MAX_LINK_SLOTS);
        Bounds.require("cellBytes", cellBytes, 1, MAX_CELL);
        Bounds.atLeast("rerouteSlots", rerouteSlots, 0);
        Bounds.refuseIf(!(upBytes > 0 && upBytes < 1 << 24), "a link sends something: upBytes=", upBytes);
        Bounds.refuseIf(rules.packetBytes() > (long) (MAX_PACKET_SLOTS * Math.min(cellBytes, upBytes)),
            "a link sends a packet in ", MAX_PACKET_SLOTS, " slots: packetBytes=", rules.packetBytes(), " cellBytes=",
            cellBytes, " upBytes=", upBytes);
        Bounds.refuseIf(clos.config().faLinks() != 1 || clos.config().radix() >= PacketWord.NO_PORT,
            "hosts have a link each, and switches fewer than ", PacketWord.NO_PORT, ": ", clos.config());
        Bounds.refuseIf(clos.config().upLinks() * (long) clos.config().upLinks() > PacketWord.MAX_PATHS,
            "a connection has at most ", PacketWord.MAX_PATHS, " paths: ", clos.config());
        Bounds.refuseIf(rules.pauses() && hosts.congestion() instanceof Congestion.Ndp,
            "switches that cut segments pause no links: pauseBytes=", rules.pauseBytes());
        Bounds.refuseIf(rules.marks().marks() && !hosts.congestion().readsMarks(),
            "packets are marked for hosts that read marks: ", hosts);
    }

    /**
     * The shape of a fat tree of switches with k links each: k/2 hosts at a switch, k/2 such switches in a pod under as
     * many others, and enough pods; the top has full bisection.
     *
     * @param hosts k²/4 for each pod, of which there are 2 to k, a divisor of k; null if no k fits.
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
     * @param hosts   of all leaves.
     * @param leaves  a divisor of {@code hosts}.
     * @param upLinks of a leaf.
     * @return null if no number of spines fits, each with as many links to every leaf.
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

    /** Endpoints: the hosts. */
    @Override
    public int nodes() {
        return clos.fas();
    }

    @Override
    public Population population() {
        return Population.complete(new Phased(1, nodes()));
    }

    /** Of the links on the longest way, up to the top and down again. */
    @Override
    public int propagationSlots() {
        return 2 * clos.tiers() * linkSlots;
    }

    /** Of the longest packet, which every device on the way sends again when it has all of it. */
    @Override
    public long emptySlots() {
        return propagationSlots() + 2L * clos.tiers() * packetSlots();
    }

    @Override
    public long directedLinks() {
        return 2L * clos.links();
    }

    /** Control packets take the rate of links, and are counted on each link that they cross. */
    @Override
    public double controlShare(final long bytes, final long slots) {
        final double rates = 2.0 * (nodes() * cellBytes + (clos.links() - nodes()) * upBytes);
        return bytes / (rates * slots);
    }

    /** Slots that the slowest link takes for the longest packet. */
    int packetSlots() {
        return (int) Math.ceil(rules.packetBytes() / Math.min(cellBytes, upBytes)) + 1;
    }

    /** What a port sends in a slot, in 1/65536 bytes. */
    long perSlot(final int port) {
        final boolean toHost = port < clos.fas() || clos.peer(port) < clos.fas();
        return toHost ? (long) cellBytes << FRACTION_BITS : Math.round(upBytes * (1 << FRACTION_BITS));
    }

    /** Cells of a segment; control packets have none. */
    int cells(final long word) {
        return PacketWord.kind(word) == PacketWord.SEGMENT ? Math.ceilDiv(PacketWord.bytes(word), cellBytes) : 0;
    }

    /** Whether senders choose the path of each packet; else switches do, by a hash of its connection. */
    boolean sprays() {
        return trims();
    }

    /** Whether switches cut segments that they have no room for, as NDP's do. */
    boolean trims() {
        return hosts.congestion() instanceof Congestion.Ndp;
    }

    /** The shortest paths between two hosts. */
    int paths(final int one, final int other) {
        int paths = 1;
        int below = clos.config().fasPerPod();
        for (int level = 0; one / below != other / below; level++) {
            paths *= clos.config().upLinks();
            below *= clos.config().pods().get(level);
        }
        return paths;
    }

    /** Whether ports send control packets before segments: where links are paused, as notifications must not be. */
    boolean controlFirst() {
        return rules.pauses() || trims();
    }

    /**
     * What switches do with packets that wait.
     *
     * @param packetBytes the longest packet, 64 to 9216.
     * @param queueBytes  most bytes that wait at a port of a switch, a packet at least; with pauses they do not count.
     * @param marks       which segments are marked if their hosts read marks.
     * @param pauseBytes  a switch that holds more segments than that of a link into it pauses the link (PFC), until it
     *                    holds two packets less; two packets at least, {@link Long#MAX_VALUE} for no pauses.
     */
    public record SwitchRules(int packetBytes, long queueBytes, MarkLaw marks, long pauseBytes) {
        private static final int LEAST_PACKET = 64;
        private static final int MOST_PACKET = 9216;
        /** Sending, pausing and going on each begin with a slot. */
        private static final int ROUNDED_SLOTS = 3;

        /** Checks every bound. */
        public SwitchRules {
            Bounds.require("packetBytes", packetBytes, LEAST_PACKET, MOST_PACKET);
            Objects.requireNonNull(marks);
            Bounds.refuseIf(queueBytes < packetBytes, "a queue holds a packet: queueBytes=", queueBytes,
                " packetBytes=", packetBytes);
            Bounds.refuseIf(pauseBytes < 2L * packetBytes, "a switch holds two packets of a link before it pauses it: "
                + "pauseBytes=", pauseBytes, " packetBytes=", packetBytes);
        }

        /** Switches that drop what they have no room for. */
        public SwitchRules(final int packetBytes, final long queueBytes, final MarkLaw marks) {
            this(packetBytes, queueBytes, marks, Long.MAX_VALUE);
        }

        /** Whether links are ever paused. */
        public boolean pauses() {
            return pauseBytes != Long.MAX_VALUE;
        }

        /**
         * Bytes that may still come over a link after a switch has paused it: what is on the link, what is sent until
         * the pause comes, the packet that is then being sent, and the one that went over the mark.
         *
         * @param linkSlots    delay of the link.
         * @param bytesPerSlot of the link.
         */
        public static long headroom(final int packetBytes, final int linkSlots, final double bytesPerSlot) {
            return (long) Math.ceil((2L * linkSlots + ROUNDED_SLOTS) * bytesPerSlot) + 2L * packetBytes;
        }
    }
}
