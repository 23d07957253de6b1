package dev.skerry;

/**
 * Settings of a Stardust fabric (NSDI'19).
 *
 * <pre>{@code
 * Result result = Stardust.topology("n432").workload("incast").slots(0).build().run();
 * }</pre>
 */
public final class Stardust extends FabricBuilder<Stardust> {
    private Stardust() {
        super("stardust");
    }

    /** A fabric with this many Fabric Adapters, a multiple of 8. */
    public static Stardust nodes(final int nodes) {
        return new Stardust().set("nodes", nodes);
    }

    /** A fabric of the paper, for example {@code n62} or {@code n432}, as in {@code --topology}. */
    public static Stardust topology(final String name) {
        return new Stardust().set("topology", name);
    }

    @Override
    Stardust self() {
        return this;
    }

    /** Host model, as in {@code --hosts}: ideal, tcp, dctcp, mptcp or dcqcn. */
    public Stardust hosts(final String name) {
        return set("hosts", name);
    }
}
