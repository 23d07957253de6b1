package dev.skerry;

/** Settings of a fabric that is known by name only, for example one that a service file adds. */
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
