package dev.skerry;

/** Builder for a fabric that is selected by name, for example one that you have added with a service file. */
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
