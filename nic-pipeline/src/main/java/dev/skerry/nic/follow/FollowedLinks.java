package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;

import java.util.function.LongUnaryOperator;

/** What flies on the links of a followed fabric, and whether it arrives as it was sent. One thread. */
final class FollowedLinks {
    /** By slot modulo the propagation delay and one more, then node: what was sent. */
    private final NodeCells[][] flying;
    private final LongUnaryOperator header;

    /**
     * Links on which nothing flies yet.
     *
     * @param header of a cell's route word, what must arrive as it was sent.
     */
    FollowedLinks(final int propagationSlots, final int nodes, final int channels, final LongUnaryOperator header) {
        this.header = header;
        this.flying = new NodeCells[propagationSlots + 1][nodes];
        for (final NodeCells[] row : flying) {
            for (int node = 0; node < nodes; node++) {
                row[node] = new NodeCells(channels);
            }
        }
    }

    /** What a node sends in a slot. */
    void send(final long slot, final int node, final NodeCells cells) {
        flying[(int) (slot % flying.length)][node].set(cells);
    }

    /** What a node sent in one of the last slots. */
    NodeCells sent(final long slot, final int node) {
        return flying[(int) (slot % flying.length)][node];
    }

    /** The law that is broken where a channel does not arrive as it was sent; null for none. */
    Law broken(final NodeCells sent, final NodeCells seen, final int channel) {
        final boolean isCell = InFlightCells.isCell(sent.route(channel));
        if (isCell != InFlightCells.isCell(seen.route(channel))
            || !isCell && sent.route(channel) != seen.route(channel)) {
            return Law.CONSERVATION;
        }
        if (isCell && (header.applyAsLong(sent.route(channel)) != header.applyAsLong(seen.route(channel))
            || sent.cell(channel) != seen.cell(channel))) {
            return Law.PAYLOAD;
        }
        return sent.feedback(channel) == seen.feedback(channel) ? null : Law.TOKEN;
    }
}
