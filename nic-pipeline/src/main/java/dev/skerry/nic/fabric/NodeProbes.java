package dev.skerry.nic.fabric;

import dev.skerry.nic.count.NicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * The inside of a node as signals, each a number that an RTL engineer would probe, with a name and a width, so that it
 * can be compared, written as a vector or drawn as a wave; and lists, whose length varies. Read between slots, on the
 * thread of the bank. A signal that holds "none" reads -1. Counts of cells are there for a node that stands alone.
 */
public abstract class NodeProbes {
    /**
     * A signal.
     *
     * @param name such as {@code queue3_length}: letters, digits, underscores.
     * @param bits of its register, 1 to 64.
     */
    public record Signal(String name, int bits) {
    }

    private final List<Signal> signals;
    private final Bank bank;
    private final int node;
    private final int links;
    private final int ofLink;

    /**
     * Signals of each link, then of the node.
     *
     * @param ofLink of a link, each name to go on that of its queue.
     * @param active what the node's own signal counts beside the cells it holds.
     */
    public NodeProbes(final Bank bank, final int node, final int links, final List<Signal> ofLink,
        final String active) {
        this.bank = bank;
        this.node = node;
        this.links = links;
        this.ofLink = ofLink.size();
        final List<Signal> all = new ArrayList<>();
        for (int link = 0; link < links; link++) {
            for (final Signal signal : ofLink) {
                all.add(new Signal("queue" + link + "_" + signal.name(), signal.bits()));
            }
        }
        all.add(new Signal("cells_held", 16));
        all.add(new Signal(active, 16));
        if (bank.range().size() == 1) {
            // A bank counts for all its nodes.
            all.add(new Signal("cells_injected", 32));
            all.add(new Signal("cells_forwarded", 32));
            all.add(new Signal("cells_delivered", 32));
        }
        this.signals = List.copyOf(all);
    }

    /** The signals, in a fixed order. */
    public final List<Signal> signals() {
        return signals;
    }

    /**
     * The number of a signal.
     *
     * @throws IllegalArgumentException if there is none of this name.
     */
    public final int indexOf(final String name) {
        for (int i = 0; i < signals.size(); i++) {
            if (signals.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("no such signal: name=" + name);
    }

    /** The value of a signal by its name. */
    public final long value(final String name) {
        return value(indexOf(name));
    }

    /** The value of a signal by its number. */
    public final long value(final int signal) {
        final int link = signal / ofLink;
        if (link < links) {
            return ofLink(link, signal - link * ofLink);
        }
        return switch (signal - links * ofLink) {
            case 0 -> bank.maxima().held(node);
            case 1 -> active();
            case 2 -> bank.count(NicCounter.CELLS_INJECTED);
            case 3 -> bank.count(NicCounter.CELLS_FORWARDED);
            case 4 -> bank.count(NicCounter.CELLS_DELIVERED);
            default -> throw new IndexOutOfBoundsException("signal=" + signal);
        };
    }

    /** The value of one of the signals of a link. */
    protected abstract long ofLink(int link, int which);

    /** What is active at the node. */
    protected abstract long active();

    /** Links of the node: queues it sends from. */
    public final int links() {
        return links;
    }

    /** The route words of the cells in the queue of a link, the first in the order of arrival first. */
    public abstract long[] queue(int link);
}
