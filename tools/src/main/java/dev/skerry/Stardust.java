package dev.skerry;

/**
 * Builder for a Stardust fabric (NSDI'19).
 *
 * <pre>{@code
 * Result result = Stardust.topology("n62").workload("permutation").slots(2_000).build().run();
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class Stardust extends FabricBuilder<Stardust> {
    private Stardust() {
        super("stardust");
    }

    /** Returns a builder for a fabric with this many Fabric Adapters, a multiple of 8. */
    public static Stardust nodes(final int nodes) {
        return new Stardust().set("nodes", nodes);
    }

    /** Returns a builder for a topology of the paper, such as {@code n62} or {@code n432}; see {@code --topology}. */
    public static Stardust topology(final String name) {
        return new Stardust().set("topology", name);
    }

    @Override
    Stardust self() {
        return this;
    }

    @Override
    String nodeModel() {
        return "device device";
    }

    @Override
    String followerModel() {
        return "follower device";
    }

    /** Host model: ideal, tcp, dctcp, mptcp or dcqcn; see {@code --hosts}. */
    public Stardust hosts(final String name) {
        return set("hosts", name);
    }
}
