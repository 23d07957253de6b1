package dev.skerry.nic.shale.control;

import dev.skerry.nic.shale.ControlProbes;
import dev.skerry.nic.shale.SlotMath;

/** The tokens of a node under hop-by-hop, between slots. */
final class TokenProbes implements ControlProbes {
    private final HopByHop tokens;
    private final SlotMath numbers;
    private final int node;

    TokenProbes(final HopByHop tokens, final SlotMath numbers, final int node) {
        this.tokens = tokens;
        this.numbers = numbers;
        this.node = node;
    }

    @Override
    public long ofLink(final int link, final int which) {
        final int queue = numbers.queue(link, node);
        return switch (which) {
            case 0 -> tokens.outstanding(queue);
            case 1 -> tokens.owed().length(queue);
            default -> tokens.owed().first(queue);
        };
    }

    @Override
    public long active() {
        return tokens.activeBuckets(node);
    }
}
