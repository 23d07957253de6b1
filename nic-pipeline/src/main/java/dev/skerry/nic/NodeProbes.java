package dev.skerry.nic;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shoal.Shoal;

import java.util.List;

/**
 * The inside of a node as signals, each a number that an RTL engineer would probe, with a name and a width, so that it
 * can be compared, written as a vector or drawn as a wave; and lists, whose length varies. Read between slots, on the
 * thread of the bank. A signal that holds "none" reads -1. Counts of cells are there for a node that stands alone.
 */
public abstract sealed class NodeProbes permits ShaleNodeProbes, ShoalNodeProbes {
    /**
     * A signal.
     *
     * @param name such as {@code queue3_length}: letters, digits, underscores.
     * @param bits of its register, 1 to 64.
     */
    public record Signal(String name, int bits) {
    }

    private final List<Signal> signals;

    NodeProbes(final List<Signal> signals) {
        this.signals = List.copyOf(signals);
    }

    static NodeProbes of(final Bank bank, final Fabric fabric, final int node) {
        return switch (bank) {
            case final ShaleBank nic -> new ShaleNodeProbes(nic, (Shale) fabric, node);
            case final ShoalBank nic -> new ShoalNodeProbes(nic, (Shoal) fabric, node);
            case final GuardedBank nic -> throw new IllegalArgumentException(
                "no probes with faults or traffic classes: bank=" + nic.range());
        };
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
    public abstract long value(int signal);

    /** Links of the node: queues it sends from. */
    public abstract int links();

    /** The route words of the cells in the queue of a link, the first in the order of arrival first. */
    public abstract long[] queue(int link);
}
