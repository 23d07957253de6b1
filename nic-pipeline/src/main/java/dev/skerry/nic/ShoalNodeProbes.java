package dev.skerry.nic;

import dev.skerry.nic.fabric.shoal.Shoal;
import dev.skerry.nic.fabric.shoal.ShoalQueues;
import dev.skerry.nic.fabric.shoal.Throttles;

import java.util.ArrayList;
import java.util.List;

/**
 * A Shoal node: of each link the length of its queue, the first entry of it, what is reported about it (Eq. 6), the
 * flow of its local cell, the queues that the neighbour's last two cells joined and where the next search begins; of
 * the node its cells held, active flows and counts.
 */
public final class ShoalNodeProbes extends NodeProbes {
    private static final String[] OF_LINK = {"length", "head", "load", "local", "joined", "joined_before", "turn"};
    private static final int[] BITS_OF_LINK = {16, 64, 16, 16, 16, 16, 16};
    private static final int LINK_SIGNALS = OF_LINK.length;
    private static final int NONE = -1;

    private final ShoalBank bank;
    private final int node;
    private final int links;

    ShoalNodeProbes(final ShoalBank bank, final Shoal shoal, final int node) {
        super(signals(shoal.nodes() - 1, bank.range().size() == 1));
        this.bank = bank;
        this.node = node;
        this.links = shoal.nodes() - 1;
    }

    private static List<Signal> signals(final int links, final boolean alone) {
        final List<Signal> signals = new ArrayList<>();
        for (int link = 0; link < links; link++) {
            for (int i = 0; i < LINK_SIGNALS; i++) {
                signals.add(new Signal("queue" + link + "_" + OF_LINK[i], BITS_OF_LINK[i]));
            }
        }
        signals.add(new Signal("cells_held", 16));
        signals.add(new Signal("active_flows", 16));
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
            case 1 -> bank.parts().segmenter().active(node);
            case 2 -> bank.count(NicCounter.CELLS_INJECTED);
            case 3 -> bank.count(NicCounter.CELLS_FORWARDED);
            case 4 -> bank.count(NicCounter.CELLS_DELIVERED);
            default -> throw new IndexOutOfBoundsException("signal=" + signal);
        };
    }

    private long ofLink(final int link, final int which) {
        final ShoalQueues queues = bank.parts().queues();
        final long line = queues.line(link, node);
        return switch (which) {
            case 0 -> queues.length(line);
            case 1 -> queues.length(line) == 0 ? NONE : queues.first(line);
            case 2 -> queues.load(line);
            case 3 -> queues.local(line);
            case 4 -> noneIf(queues.noLink(), queues.joined(line));
            case 5 -> noneIf(queues.noLink(), queues.joinedBefore(line));
            default -> queues.turn(line);
        };
    }

    private static long noneIf(final int noLink, final int link) {
        return link == noLink ? NONE : link;
    }

    @Override
    public long[] queue(final int link) {
        final ShoalQueues queues = bank.parts().queues();
        final long line = queues.line(link, node);
        final long[] words = new long[queues.length(line)];
        final int[] at = new int[1];
        queues.forEach(line, (word, cell) -> words[at[0]++] = word);
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
        final long[] epochs = new long[links];
        for (int link = 0; link < links; link++) {
            epochs[link] = bank.parts().throttles().freeFrom(node, flow, link);
        }
        return epochs;
    }

    /** Flows of the node that are or were active: one for each destination. */
    public int flows() {
        return bank.parts().segmenter().flowsOf(node);
    }
}
