package dev.skerry.nic;

import dev.skerry.nic.fabric.shale.HopByHop;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shale.TokenView;

import java.util.ArrayList;
import java.util.List;

/**
 * A Shale node: of each link the length of its queue, the first entry of it, tokens outstanding and owed, the token
 * that leaves next and the round-robin pointer; of the node its cells held, active buckets and counts.
 */
public final class ShaleNodeProbes extends NodeProbes {
    private static final String[] OF_LINK = {"queue", "length", "head", "outstanding", "owed", "next_token", "pointer"};
    private static final int[] BITS_OF_LINK = {0, 16, 64, 16, 16, 32, 32};
    private static final int LINK_SIGNALS = OF_LINK.length - 1;
    private static final int NONE = -1;

    private final ShaleBank bank;
    private final TokenView tokens;
    private final int node;
    private final int links;

    ShaleNodeProbes(final ShaleBank bank, final Shale shale, final int node) {
        super(signals(shale.schedule().epochSlots(), bank.range().size() == 1));
        this.bank = bank;
        this.tokens = bank.tokens() == null ? null : new TokenView(bank.tokens(), bank.range().size());
        this.node = node;
        this.links = shale.schedule().epochSlots();
    }

    private static List<Signal> signals(final int links, final boolean alone) {
        final List<Signal> signals = new ArrayList<>();
        for (int link = 0; link < links; link++) {
            for (int i = 1; i <= LINK_SIGNALS; i++) {
                signals.add(new Signal(OF_LINK[0] + link + "_" + OF_LINK[i], BITS_OF_LINK[i]));
            }
        }
        signals.add(new Signal("cells_held", 16));
        signals.add(new Signal("active_buckets", 16));
        if (alone) {
            // A bank counts for all its nodes.
            signals.add(new Signal("cells_injected", 32));
            signals.add(new Signal("cells_forwarded", 32));
            signals.add(new Signal("cells_delivered", 32));
        }
        return signals;
    }

    @Override
    public int links() {
        return links;
    }

    @Override
    public long value(final int signal) {
        final int link = signal / LINK_SIGNALS;
        if (link < links) {
            return ofLink(link, signal - link * LINK_SIGNALS);
        }
        return switch (signal - links * LINK_SIGNALS) {
            case 0 -> bank.maxima().held(node);
            case 1 -> tokens == null ? 0 : tokens.active(node);
            case 2 -> bank.count(NicCounter.CELLS_INJECTED);
            case 3 -> bank.count(NicCounter.CELLS_FORWARDED);
            case 4 -> bank.count(NicCounter.CELLS_DELIVERED);
            default -> throw new IndexOutOfBoundsException("signal=" + signal);
        };
    }

    private long ofLink(final int link, final int which) {
        final int queue = link * bank.range().size() + node;
        return switch (which) {
            case 0 -> bank.parts().queues().length(queue);
            case 1 -> bank.parts().queues().length(queue) == 0 ? NONE : bank.parts().queues().first(queue);
            case 2 -> tokens == null ? 0 : tokens.outstandingTotal(link, node);
            case 3 -> tokens == null ? 0 : tokens.owedTotal(link, node);
            case 4 -> tokens == null ? NONE : tokens.nextOwed(link, node);
            default -> bank.parts().segmenter().pointer(queue);
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
