package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A Shoal node: of each link the length of its queue, its first entry, its load (Eq. 6), the
 * flow of its local cell, the queues that the neighbour's last two cells joined and where the next search begins; of
 * the node its cells held, active flows and counts. With traffic classes these are of the highest one, the lengths and
 * first entries of the other queues follow, and a joined queue is its link plus 1,024 times its class.
 */
public final class ShoalNodeProbes extends NodeProbes {
    private static final List<Signal> OF_LINK = List.of(new Signal("length", 16), new Signal("head", 64),
        new Signal("load", 16), new Signal("local", 16), new Signal("joined", 16), new Signal("joined_before", 16),
        new Signal("turn", 16));
    private static final int NONE = -1;
    /** Of each class after the first. */
    private static final int OF_CLASS = 2;

    private final ShoalBank bank;
    private final int node;

    ShoalNodeProbes(final ShoalBank bank, final Shoal shoal, final int node) {
        super(bank, node, shoal.nodes() - 1, signals(bank.parts().queues().length), "active_flows");
        this.bank = bank;
        this.node = node;
    }

    private static List<Signal> signals(final int classes) {
        final List<Signal> signals = new ArrayList<>(OF_LINK);
        for (int number = 1; number < classes; number++) {
            signals.add(new Signal("length_class" + number, 16));
            signals.add(new Signal("head_class" + number, 64));
        }
        return signals;
    }

    @Override
    protected long active() {
        return bank.parts().scheduler().active().size(node);
    }

    @Override
    protected long ofLink(final int link, final int which) {
        final int others = Math.max(which - OF_LINK.size(), 0);
        final ShoalQueues queues = bank.parts().queues()[which < OF_LINK.size() ? 0 : 1 + others / OF_CLASS];
        final int queue = queues.queue(link, node);
        return switch (which < OF_LINK.size() ? which : others % OF_CLASS) {
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

    /** Of all classes, the highest first. */
    @Override
    public long[] queue(final int link) {
        final LongStream.Builder words = LongStream.builder();
        for (final ShoalQueues queues : bank.parts().queues()) {
            queues.forEach(queues.queue(link, node), (word, cell) -> words.add(word));
        }
        return words.build().toArray();
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
