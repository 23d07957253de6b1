package dev.skerry;

/**
 * Builder for a Shale fabric (SIGCOMM'24).
 *
 * <pre>{@code
 * Result result = Shale.nodes(64).h(2).workload("permutation").slots(5_000).build().run();
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class Shale extends FabricBuilder<Shale> {
    private Shale() {
        super("shale");
    }

    /** Returns a builder. The number of nodes is rounded up to the next r^h; the surplus nodes are absent. */
    public static Shale nodes(final int nodes) {
        return new Shale().set("nodes", nodes);
    }

    @Override
    Shale self() {
        return this;
    }

    /** Phases of the schedule, 1 to 8; default 2. */
    public Shale h(final int h) {
        return set("h", h);
    }

    /** Congestion control as parts joined by {@code +}; default {@code hbh+spray}. */
    public Shale cc(final String parts) {
        return set("cc", parts);
    }

    /** Tokens per bucket. */
    public Shale tokens(final int tokens) {
        return set("tokens", tokens);
    }

    /** Tokens per bucket on the first hop. */
    public Shale firstHopTokens(final int tokens) {
        return set("first-hop-tokens", tokens);
    }
}
