package dev.skerry.nic.fabric;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.List;

/**
 * The signals inside a node: numbers that an RTL engineer would probe, each with a name and a width, to be compared,
 * written as a vector or drawn as a waveform. The cells of a queue, whose number varies, are read with {@link #queue}.
 * Read between slots, on the thread of the bank. A signal without a value reads -1. Counters of cells exist only if the
 * bank has a single node, because a bank counts for all its nodes.
 */
public abstract class NodeProbes {
    /**
     * Name and width of a signal.
     *
     * @param name such as {@code queue3_length}: letters, digits, underscores.
     * @param bits width of its register, 1 to 64.
     */
    public record Signal(String name, int bits) {
    }

    private final List<Signal> signals;
    private final Bank bank;
    private final int node;
    private final int links;
    private final int ofLink;

    /**
     * Creates the signals of each link, followed by those of the node.
     *
     * @param ofLink signals of each link; each name is prefixed by the name of the link's queue.
     * @param active name of the signal that {@link #active} returns.
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
            all.add(new Signal("cells_injected", 32));
            all.add(new Signal("cells_forwarded", 32));
            all.add(new Signal("cells_delivered", 32));
        }
        this.signals = List.copyOf(all);
    }

    /** The signals, in a fixed order. A signal's number is its index here. */
    public final List<Signal> signals() {
        return signals;
    }

    /**
     * Further signals, in a fixed order: those of each bucket and each place of a queue. There are many, so they are
     * read only on request by name. Their numbers follow those of {@link #signals}.
     */
    public List<Signal> details() {
        return List.of();
    }

    /**
     * The number of a signal, including details.
     *
     * @throws IllegalArgumentException if no signal has this name.
     */
    public final int indexOf(final String name) {
        for (int i = 0; i < signals.size(); i++) {
            if (signals.get(i).name().equals(name)) {
                return i;
            }
        }
        final int detail = detailOf(name);
        Bounds.refuseIf(detail < 0, "no such signal: name=", name);
        return signals.size() + detail;
    }

    /** The index of one of {@link #details}, or -1. */
    protected int detailOf(final String name) {
        return -1;
    }

    /** The value of one of {@link #details}. */
    protected long detail(final int index) {
        throw new IndexOutOfBoundsException("detail=" + index);
    }

    public final long value(final String name) {
        return value(indexOf(name));
    }

    public final long value(final int signal) {
        if (signal >= signals.size()) {
            return detail(signal - signals.size());
        }
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

    /** The value of a link's signal {@code which}, an index of the list given to the constructor. */
    protected abstract long ofLink(int link, int which);

    /** The value of the node's signal {@code active}. */
    protected abstract long active();

    /**
     * Number of tokens of a Shale bucket that are outstanding on a link; 0 for fabrics without tokens.
     *
     * @param sprays spraying hops that a cell of the bucket has left.
     * @throws IllegalArgumentException if the link or bucket does not exist.
     */
    public long outstanding(final int link, final int destination, final int sprays) {
        throw new IllegalArgumentException("only nodes of Shale have buckets");
    }

    /** Number of links; each has one send queue. */
    public final int links() {
        return links;
    }

    /** Route words of the cells in the queue of a link, in order of arrival. */
    public abstract long[] queue(int link);

    /**
     * The registers of a node by name, which determine what it will send. If they are read from one node and set in
     * another with the same fabric and flows, both continue identically; counters count from there. Access between
     * slots, on the thread of the bank.
     */
    public interface NodeRegisters {
        /** Names of all registers, in an order in which they can be set. */
        List<String> names();

        /**
         * The words of a register.
         *
         * @throws IllegalArgumentException if the register does not exist.
         */
        long[] get(String name);

        /**
         * Sets all words of a register.
         *
         * @throws IllegalArgumentException if the register does not exist or cannot hold these words; nothing changes
         *                                  then.
         */
        void set(String name, long... values);

        /** Sets all registers of another node with the same fabric and flows. */
        default void copyTo(final NodeRegisters other) {
            for (final String name : names()) {
                other.set(name, get(name));
            }
        }

        /** Called in a fresh node before all other registers are set: starts the flows that start before a slot. */
        void begin(long slot);
    }
}
