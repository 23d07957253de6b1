package dev.skerry;

/**
 * Builder for a fabric that is selected by name, for example one that you have added with a service file.
 *
 * <pre>{@code
 * Result result = Fabric.named("shale").nodes(16).set("h", 2).workload("permutation").slots(1_000).build().run();
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class NamedFabric extends FabricBuilder<NamedFabric> {
    NamedFabric(final String fabric) {
        super(fabric);
    }

    @Override
    NamedFabric self() {
        return this;
    }

    /** Number of nodes. */
    public NamedFabric nodes(final int nodes) {
        return set("nodes", nodes);
    }
}
