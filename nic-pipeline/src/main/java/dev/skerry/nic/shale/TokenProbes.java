package dev.skerry.nic.shale;

/** The tokens of a node under hop-by-hop, between slots. */
final class TokenProbes implements ControlProbes {
    private final HopByHop tokens;
    private final int nodes;
    private final int node;

    TokenProbes(final HopByHop tokens, final int nodes, final int node) {
        this.tokens = tokens;
        this.nodes = nodes;
        this.node = node;
    }

    @Override
    public long ofLink(final int link, final int which) {
        final int queue = link * nodes + node;
        return switch (which) {
            case 0 -> tokens.outstanding(queue);
            case 1 -> tokens.owed(queue);
            default -> tokens.nextOwed(queue);
        };
    }

    @Override
    public long active() {
        return tokens.activeBuckets(node);
    }
}
