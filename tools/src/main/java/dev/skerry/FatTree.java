package dev.skerry;

/**
 * Settings of a packet-switched fat tree or leaf-spine network.
 *
 * <pre>{@code
 * Result result = FatTree.nodes(64).hosts("ndp").workload("all-to-all").build().run();
 * }</pre>
 */
public final class FatTree extends FabricBuilder<FatTree> {
    private FatTree() {
        super("fattree");
    }

    /** A network of this many hosts: k²/4 times a divisor of k, or any multiple of the number of leaves. */
    public static FatTree nodes(final int nodes) {
        return new FatTree().set("nodes", nodes);
    }

    @Override
    FatTree self() {
        return this;
    }

    /** Number of leaves of a leaf-spine network; without it, the network is a fat tree. */
    public FatTree leaves(final int leaves) {
        return set("leaves", leaves);
    }

    /** Host model: dctcp (default), tcp, mptcp, dcqcn or ndp. */
    public FatTree hosts(final String name) {
        return set("hosts", name);
    }

    /** Rate of a host's link in Gb/s; default 400. */
    public FatTree linkGbps(final double gbps) {
        return set("link-gbps", gbps);
    }
}
