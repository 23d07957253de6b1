package dev.skerry;

/**
 * Builder for a Shoal fabric (NSDI'19).
 *
 * <pre>{@code
 * Result result = Shoal.nodes(64).channels(1).workload("permutation").slots(5_000).build().run();
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class Shoal extends FabricBuilder<Shoal> {
    private Shoal() {
        super("shoal");
    }

    /** Returns a builder for a fabric of this many nodes, 2 to 1024. */
    public static Shoal nodes(final int nodes) {
        return new Shoal().set("nodes", nodes);
    }

    @Override
    Shoal self() {
        return this;
    }

    /** Parallel lanes of a node's link; default 4. */
    public Shoal channels(final int channels) {
        return set("channels", channels);
    }

    /** Rule that decides when a node may release a cell; see {@code --shoal-rule}. */
    public Shoal rule(final String name) {
        return set("shoal-rule", name);
    }
}
