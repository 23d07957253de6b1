package dev.skerry.nic.shale.stage;

import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.shale.HopByHop;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TokenView;

import java.util.List;

/**
 * A Shale node: of each link the length of its queue, the first entry of it, tokens outstanding and owed, the token
 * that leaves next and the round-robin pointer; of the node its cells held, active buckets and counts.
 */
public final class ShaleNodeProbes extends NodeProbes {
    private static final List<Signal> OF_LINK = List.of(new Signal("length", 16), new Signal("head", 64),
        new Signal("outstanding", 16), new Signal("owed", 16), new Signal("next_token", 32), new Signal("pointer", 32));
    private static final int NONE = -1;

    private final ShaleBank bank;
    private final TokenView tokens;
    private final int node;

    ShaleNodeProbes(final ShaleBank bank, final Shale shale, final int node) {
        super(bank, node, shale.schedule().epochSlots(), OF_LINK, "active_buckets");
        this.bank = bank;
        this.tokens = bank.tokens() == null ? null : new TokenView(bank.tokens(), bank.range().size());
        this.node = node;
    }

    @Override
    protected long active() {
        return tokens == null ? 0 : tokens.active(node);
    }

    @Override
    protected long ofLink(final int link, final int which) {
        final int queue = link * bank.range().size() + node;
        return switch (which) {
            case 0 -> bank.parts().queues().length(queue);
            case 1 -> bank.parts().queues().length(queue) == 0 ? NONE : bank.parts().queues().first(queue);
            case 2 -> tokens == null ? 0 : tokens.outstandingTotal(link, node);
            case 3 -> tokens == null ? 0 : tokens.owedTotal(link, node);
            case 4 -> tokens == null ? NONE : tokens.nextOwed(link, node);
            default -> bank.parts().scheduler().pointer(queue);
        };
    }

    @Override
    public long[] queue(final int link) {
        final int queue = link * bank.range().size() + node;
        final long[] words = new long[bank.parts().queues().length(queue)];
        final int[] at = new int[1];
        bank.parts().queues().forEach(queue, (entry, cell) -> words[at[0]++] = entry);
        return words;
    }

    /** Outstanding tokens of a link, see {@link TokenView#outstanding}; empty without {@link HopByHop}. */
    public long[] outstanding(final int link) {
        return tokens == null ? new long[0] : tokens.outstanding(link, node);
    }

    /** Buckets of the tokens owed on a link, the oldest first; empty without {@link HopByHop}. */
    public long[] owed(final int link) {
        return tokens == null ? new long[0] : tokens.owed(link, node);
    }
}
