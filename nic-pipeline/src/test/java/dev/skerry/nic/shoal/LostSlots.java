package dev.skerry.nic.shoal;

import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.Wiring;

import java.util.BitSet;

/**
 * The cost of one failed element: the share of its outgoing slots that a healthy node loses permanently (Shoal Table 1,
 * docs/spec/shoal.md §5.5).
 *
 * <p>A slot is lost if its cell, or the cell in the reverse direction, would cross the failed element: a node stops
 * sending to a node that it does not hear (docs/spec/shoal.md §5.2). The share is taken over nodes that are not
 * attached to the element: not the failed node, the node at a failed link, the nodes of a failed leaf, or those of the
 * leaf at a failed link to a spine. Each question walks the whole epoch. One thread at a time.
 */
final class LostSlots {
    private final Wiring wiring;
    private final Schedule schedule;
    private final PortNumbers ports;
    private final int[] path;

    /**
     * Share of a node's outgoing slots lost, 0 to 1, over the nodes counted.
     *
     * @param mean  the average.
     * @param least the least.
     * @param most  the most.
     */
    record Share(double mean, double least, double most) {
    }

    /** For a fabric that connects every pair at most once an epoch. */
    LostSlots(final Wiring wiring) {
        this.wiring = wiring;
        this.schedule = wiring.schedule();
        this.ports = wiring.ports();
        this.path = new int[wiring.stages() + 1];
    }

    /** The loss when a node fails. */
    Share ofNode(final int node) {
        final BitSet fibres = new BitSet();
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int port = 0; port < ports.nodePorts(); port++) {
                addLink(ports.ofNode(node, channel, port), fibres);
            }
        }
        return lost(fibres, only(node));
    }

    /** The loss when a switch fails. */
    Share ofSwitch(final int index) {
        final BitSet fibres = new BitSet();
        for (int port = 0; port < wiring.table(index).ports(); port++) {
            addLink(ports.ofSwitch(index, port), fibres);
        }
        return lost(fibres, attachedTo(index));
    }

    /**
     * The loss when both fibres of a link fail.
     *
     * @param port a connected port, of a node or a switch, at one end of the link.
     */
    Share ofLink(final int port) {
        final BitSet fibres = new BitSet();
        addLink(port, fibres);
        final BitSet attached = new BitSet();
        final int[] ends = {port, wiring.target(port)};
        for (final int end : ends) {
            if (ports.isNode(end)) {
                return lost(fibres, only(ports.nodeOf(end)));
            }
            attached.or(attachedTo(ports.switchOf(end)));
        }
        return lost(fibres, attached);
    }

    private void addLink(final int port, final BitSet fibres) {
        fibres.set(port);
        if (wiring.feeder(port) != Wiring.NONE) {
            fibres.set(wiring.feeder(port));
        }
    }

    private static BitSet only(final int node) {
        final BitSet set = new BitSet();
        set.set(node);
        return set;
    }

    private BitSet attachedTo(final int index) {
        final BitSet nodes = new BitSet();
        for (int port = 0; port < wiring.table(index).ports(); port++) {
            final int from = wiring.feeder(ports.ofSwitch(index, port));
            if (from != Wiring.NONE && ports.isNode(from)) {
                nodes.set(ports.nodeOf(from));
            }
        }
        return nodes;
    }

    /** The loss of nodes not attached when fibres, named by the ports that send into them, are cut. */
    private Share lost(final BitSet fibres, final BitSet attached) {
        final int nodes = schedule.nodes();
        final BitSet[] cutFrom = new BitSet[nodes];
        final int[] slots = new int[nodes];
        for (int node = 0; node < nodes; node++) {
            cutFrom[node] = new BitSet();
        }
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                for (int node = 0; node < nodes; node++) {
                    final int length = wiring.trace(node, channel, slot, path);
                    if (length > 0) {
                        final int sender = ports.nodeOf(path[length - 1]);
                        slots[sender]++;
                        if (isCut(fibres, length)) {
                            // A direction that loses a slot costs the reverse direction its slot too.
                            cutFrom[sender].set(node);
                            cutFrom[node].set(sender);
                        }
                    }
                }
            }
        }
        return summary(cutFrom, slots, attached);
    }

    private boolean isCut(final BitSet fibres, final int length) {
        for (int i = 0; i < length; i++) {
            if (fibres.get(path[i])) {
                return true;
            }
        }
        return false;
    }

    private static Share summary(final BitSet[] cutFrom, final int[] slots, final BitSet attached) {
        double sum = 0;
        double least = 1;
        double most = 0;
        int counted = 0;
        for (int node = 0; node < slots.length; node++) {
            if (!attached.get(node)) {
                final double share = (double) cutFrom[node].cardinality() / slots[node];
                sum += share;
                least = Math.min(least, share);
                most = Math.max(most, share);
                counted++;
            }
        }
        return new Share(sum / counted, least, most);
    }
}
