package dev.skerry.nic.stardust.fabric;

import dev.skerry.codec.StardustHeader;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.check.Bounds;

/**
 * A Stardust fabric: everything that decides how its cells travel (docs/spec/stardust.md). Its nodes, as users number
 * them, are the ports of its adapters.
 *
 * @param deployment       its devices and links.
 * @param linkSlots        P of every link: a cell sent in slot s is handled at the other end in slot s + P; 1 to 4096,
 *                         as a link takes a slot to send a cell.
 * @param hosts            the side of an adapter towards its hosts.
 * @param cut              rules for cutting packets into cells.
 * @param credits          rules for handing out the right to send.
 * @param links            rules for queues in front of links.
 * @param pull             whether adapters wait for credits; else they push packets of one cell each, which are not put
 *                         back in order and of which no flow is known to be complete (docs/spec/stardust.md §7).
 * @param seed             determines everything random.
 */
public record Stardust(
    Deployment deployment,
    int linkSlots,
    HostSide hosts,
    CellCut cut,
    Credits credits,
    LinkRules links,
    boolean pull,
    long seed) implements Fabric {

    /** Longest propagation delay of a link. */
    public static final int MAX_LINK_SLOTS = 4096;
    /** Largest number of queues of all adapters together. */
    public static final int MAX_QUEUES = 1 << 26;

    private static final int USUAL_LIMIT = LinkRules.USUAL.limitCells();
    private static final int MIN_REORDER = 64;
    private static final int MAX_REORDER = 1 << StardustCell.NUMBER_BITS - 1;
    private static final int MIN_REASSEMBLY_SLOTS = 600;

    /** Tells whether flows may wait for others: with credits, and without bounds of queues and a low-latency class. */
    public boolean takesWaits() {
        return pull && !credits.voqs().isCapped() && !credits.classes().lowLatency();
    }

    /** Checks the bounds of every component, and that the components fit each other. */
    public Stardust {
        Bounds.require("linkSlots", linkSlots, 1, MAX_LINK_SLOTS);
        final long fas = deployment.clos().fas();
        Bounds.refuseIf(fas * fas * hosts.queues() > MAX_QUEUES, "all adapters have at most ", MAX_QUEUES,
            " queues: adapters=", fas, " queues for each other=", hosts.queues());
        Bounds.refuseIf(!pull && cut.packetBytes() + cut.prefixBytes() > cut.cellBytes(),
            "a fabric that pushes sends packets of one cell: packetBytes=", cut.packetBytes(), " cellBytes=",
            cut.cellBytes());
        Bounds.refuseIf(hosts.model() instanceof Reno
            && (!pull || credits.voqs().isCapped() || credits.voqs().givesUp() || credits.classes().lowLatency()),
            "TCP hosts require credits and no other bounds of queues: pull=", pull, " ", credits);
        Bounds.refuseIf(!credits.classes().weights().isEmpty() && credits.classes().weights().size() != hosts.classes(),
            "every class has a weight: classes=", hosts.classes(), " weights=", credits.classes().weights());
        Bounds.refuseIf(credits.classes().lowLatency() && hosts.classes() < 2,
            "the low-latency class requires several classes: classes=", hosts.classes());
        if (links.charge() != null && links.charge().packetBytes() > 0 && (cut.continuous() || cut.simple())) {
            throw new IllegalArgumentException("packets that share cells cannot have an overhead per packet: "
                + "packetBytes="
                + links.charge().packetBytes());
        }
        Bounds.refuseIf(credits.bytes() < cut.cellBytes(), "a credit must be worth at least one cell: "
            + "credit=", credits.bytes(),
            " cell=", cut.cellBytes());
    }

    /** Returns the devices and their connections. */
    public FoldedClos clos() {
        return deployment.clos();
    }

    /** Returns the number of endpoints: the ports of all adapters. */
    @Override
    public int nodes() {
        return clos().fas() * hosts.ports();
    }

    @Override
    public Population population() {
        return Population.complete(new Phased(1, nodes()));
    }

    /** Returns the slots of the longest path, up to the top and down again. */
    @Override
    public int propagationSlots() {
        return 2 * clos().tiers() * linkSlots;
    }

    /**
     * Returns the slots in which a request, a credit and the cells of a packet cross the fabric one after the other.
     */
    @Override
    public long emptySlots() {
        return 3L * propagationSlots() + (long) (cut.packetBytes() / cut.cellBytes() + 1) * cellSlots();
    }

    /** Returns the links of an adapter to the fabric, by port. */
    @Override
    public int channels() {
        return Math.max(1, clos().ports(0) / hosts.ports());
    }

    /** Returns the links of adapters and elements. */
    @Override
    public long directedLinks() {
        return clos().ports();
    }

    /**
     * Returns the stream of a flow between two endpoints, by the adapters of its destination and source, and by queue.
     */
    public int stream(final int source, final int destination, final long flow, final int trafficClass) {
        return (destination / hosts.ports() * clos().fas() + source / hosts.ports()) * hosts.queues()
            + hosts.queue(source, destination, flow, trafficClass);
    }

    /**
     * Returns the fabric priority of a queue's cells: those of the highest class go first if they are sent without
     * credit.
     */
    public int order(final int queue) {
        return pull && !credits.classes().lowLatency() || hosts.classes() == 1 || queue % hosts.classes() == 0 ? 0 : 1;
    }

    /**
     * Returns the maximum distance, in cells, between a missing cell of a stream and a later one: what a port receives
     * until the timer of the missing cell expires, rounded up to a power of two (docs/spec/stardust.md §5.2). The paper
     * takes half of it, which a stream that has the port to itself would exceed before its timer expires.
     */
    public int reorderCells() {
        final double perSlot = Math.max(1, Math.min(hosts.bytesPerSlot() / cut.cellBytes(), clos().ports(0)));
        final double cells = Math.max(MIN_REORDER, Math.min(MAX_REORDER, perSlot * reassemblySlots()));
        return Integer.highestOneBit((int) Math.ceil(cells) - 1) << 1;
    }

    /** Returns the slots after which a missing cell times out, T_r of docs/spec/stardust.md §5.2. */
    public int reassemblySlots() {
        return Math.max(MIN_REASSEMBLY_SLOTS, 4 * spreadSlots());
    }

    /**
     * Returns the largest number of slots in which nothing may move although something will: cells or hosts wait for
     * what does not come, a credit is on its way, or a port sends what it holds before it requests more.
     */
    public long mostWaitSlots() {
        return reassemblySlots() + credits.slowestSlots() + 2L * clos().tiers() * linkSlots()
            + (hosts.highBytes() < Integer.MAX_VALUE ? (long) (hosts.highBytes() / hosts.bytesPerSlot()) : 0)
            + (hosts.model() instanceof final Reno reno ? reno.mostWaitSlots() : 0);
    }

    /**
     * Returns the slots that two cells of a stream can be apart: the elements on their path times the longest queue of
     * each.
     */
    private int spreadSlots() {
        return (2 * clos().tiers() - 1) * Math.min(links.limitCells(), USUAL_LIMIT) * cellSlots();
    }

    /**
     * Returns the share of all links that control messages take in some slots (docs/spec/stardust.md §4).
     *
     * @param bytes bytes of all of them, on each link that they crossed.
     */
    @Override
    public double controlShare(final long bytes, final long slots) {
        return bytes / (linkBytesPerSlot() * directedLinks() * slots);
    }

    /** Returns the bytes that a link sends in a slot, including headers and checks if a cell takes a slot. */
    public double linkBytesPerSlot() {
        return links.charge() == null ? StardustHeader.frameBytes(cut.cellBytes()) : links.charge().bytesPerSlot();
    }

    /** Returns the slots that a link takes for a full cell. */
    public int cellSlots() {
        return links.charge() == null ? 1 : (int) Math.ceil((cut.cellBytes() + links.charge().cellBytes()
            + links.charge().packetBytes()) / links.charge().bytesPerSlot());
    }

    /** Returns the bytes that full cells carry over a link in a slot. */
    public double bytesPerLinkSlot() {
        return links.charge() == null ? cut.cellBytes()
            : links.charge().bytesPerSlot() * cut.cellBytes() / (cut.cellBytes() + links.charge().cellBytes());
    }
}
