package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;

import java.util.List;

/**
 * A Shoal node: of each link the length of its queue, its first entry, its load (Eq. 6), the
 * flow of its local cell, the queues that the neighbour's last two cells joined and where the next search begins; of
 * the node its cells held, active flows and counts.
 */
public final class ShoalNodeProbes extends NodeProbes {
    private static final List<Signal> OF_LINK = List.of(new Signal("length", 16), new Signal("head", 64),
        new Signal("load", 16), new Signal("local", 16), new Signal("joined", 16), new Signal("joined_before", 16),
        new Signal("turn", 16));
    private static final int NONE = -1;

    private final ShoalBank bank;
    private final int node;

    ShoalNodeProbes(final ShoalBank bank, final Shoal shoal, final int node) {
        super(bank, node, shoal.nodes() - 1, OF_LINK, "active_flows");
        this.bank = bank;
        this.node = node;
    }

    @Override
    protected long active() {
        return bank.parts().scheduler().active().size(node);
    }

    @Override
    protected long ofLink(final int link, final int which) {
        final ShoalQueues queues = bank.parts().queues()[0];
        final int queue = queues.queue(link, node);
        return switch (which) {
            case 0 -> queues.length(queue);
            case 1 -> queues.length(queue) == 0 ? NONE : queues.first(queue);
            case 2 -> queues.load(queue);
            case 3 -> queues.local(queue);
            case 4 -> noneIf(queues.noLink(), bank.parts().joined().last(link, node));
            case 5 -> noneIf(queues.noLink(), bank.parts().joined().before(link, node));
            default -> queues.turn(queue);
        };
    }

    private static long noneIf(final int noLink, final int link) {
        return link == noLink ? NONE : link;
    }

    @Override
    public long[] queue(final int link) {
        final ShoalQueues queues = bank.parts().queues()[0];
        final int queue = queues.queue(link, node);
        final long[] words = new long[queues.length(queue)];
        final int[] at = new int[1];
        queues.forEach(queue, (word, cell) -> words[at[0]++] = word);
        return words;
    }

    /**
     * When a flow may next use each link, by its number at the node: an epoch, {@link Throttles#HELD} or
     * {@link Throttles#AWAIT}.
     *
     * @param flow below {@link #flows()}.
     */
    public long[] freeFrom(final int flow) {
        if (flow < 0 || flow >= flows()) {
            throw new IllegalArgumentException("no such flow: flow=" + flow + " flows=" + flows());
        }
        final long[] epochs = new long[links()];
        for (int link = 0; link < epochs.length; link++) {
            epochs[link] = bank.parts().throttles().freeFrom(node, flow, link);
        }
        return epochs;
    }

    /** Flows of the node that are or were active: one for each destination. */
    public int flows() {
        return bank.parts().scheduler().flowsOf(node);
    }
}
