package dev.skerry;

/**
 * Builder for a packet-switched fat tree or leaf-spine network.
 *
 * <pre>{@code
 * Result result = FatTree.nodes(64).hosts("ndp").workload("all-to-all").build().run();
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class FatTree extends FabricBuilder<FatTree> {
    private FatTree() {
        super("fattree");
    }

    /**
     * Returns a builder for a network of this many hosts. In a fat tree of k-port switches, the number is k²/4 times a
     * divisor of k; in a leaf-spine network, it is a multiple of the number of leaves.
     */
    public static FatTree nodes(final int nodes) {
        return new FatTree().set("nodes", nodes);
    }

    @Override
    FatTree self() {
        return this;
    }

    /** Number of leaf switches. If it is set, the network is a leaf-spine network, otherwise a fat tree. */
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
