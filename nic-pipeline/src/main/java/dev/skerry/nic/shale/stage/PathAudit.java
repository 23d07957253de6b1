package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Phased;
import org.agrona.collections.Long2LongHashMap;

/**
 * Follows every cell on its way (docs/spec/shale.md §5.5 I5): it starts with h - 1 spraying hops to go, leaves the node
 * that it went to, has one spraying hop less after each, then comes closer to its destination with every hop, and makes
 * at most 2h hops. Where links fail, or cut cells are sent again, a cell may start anew. One thread, between slots.
 *
 * <p>It looks at what was sent in a slot and is still on its way: without a propagation delay it sees nothing. A slot
 * that is left out makes it forget; it then takes in cells that started
 * earlier wherever it meets them.
 */
final class PathAudit implements FabricLaws {
    private static final long UNSEEN = -1;
    private static final int HOPS_SHIFT = 32;
    private static final int SPRAYS_SHIFT = 40;

    private final Shale shale;
    private final Phased schedule;
    private final InFlightCells link;
    private final PayloadStore store;
    private final boolean mayStartAnew;
    /** By flow and sequence number: the node that a cell went to, the hops made, the spraying hops to go. */
    private final Long2LongHashMap paths = new Long2LongHashMap(UNSEEN);
    private long from;
    private long next;

    /**
     * Nothing under way.
     *
     * @param shale    the fabric.
     * @param link     what is in flight.
     * @param store    tells cells apart.
     * @param mayFail  whether links may fail.
     * @param mayTrim  whether cells may be cut and sent again.
     */
    PathAudit(final Shale shale, final InFlightCells link, final PayloadStore store, final boolean mayFail,
        final boolean mayTrim) {
        this.shale = shale;
        this.schedule = shale.schedule();
        this.link = link;
        this.store = store;
        this.mayStartAnew = mayFail || mayTrim;
    }

    @Override
    public void check(final long slot) {
        if (slot != next) {
            paths.clear();
            from = slot;
        }
        next = slot + 1;
        if (!shale.share().owns(slot) || shale.propagationSlots() == 0) {
            return;
        }
        final int inEpoch = shale.slotInEpoch(slot);
        for (int id = 0; id < schedule.nodes(); id++) {
            final long at = link.offset(slot) + (long) id * InFlightCells.PLACE_BYTES;
            final long route = link.route(at);
            if (Route.isCell(route)) {
                follow(slot, id, schedule.peerAt(id, 0, inEpoch), route, store.identify(link.cell(at)));
            }
        }
    }

    private void follow(final long slot, final int id, final int peer, final long route, final long cell) {
        final int destination = Route.destination(route);
        final int sprays = Route.sprays(route);
        final boolean isFirst = sprays == schedule.phases() - 1;
        final long before = paths.get(cell);
        final boolean isKnown = before != UNSEEN;
        final boolean wentHere = isKnown && (int) before == id;
        int hops = schedule.phases() - sprays;
        if (wentHere && goesOn(before, sprays, id, peer, destination)) {
            hops = ((int) (before >>> HOPS_SHIFT) & 0xFF) + 1;
        } else if (isKnown) {
            require(mayStartAnew && isFirst, wentHere ? "does not come closer"
                : "leaves a node that it did not go to", slot, id, peer, cell);
        } else {
            require(isFirst || slot - Route.age(route, slot) < from, "starts on its way", slot, id, peer, cell);
        }
        require(hops <= 2 * schedule.phases(), "makes too many hops", slot, id, peer, cell);
        if (peer == destination) {
            paths.remove(cell);
        } else {
            paths.put(cell, (long) sprays << SPRAYS_SHIFT | (long) hops << HOPS_SHIFT | peer);
        }
    }

    private boolean goesOn(final long before, final int sprays, final int id, final int peer, final int destination) {
        final int left = (int) (before >>> SPRAYS_SHIFT);
        return left > 0 ? sprays == left - 1
            : sprays == 0 && agreement(peer, destination) > agreement(id, destination);
    }

    private int agreement(final int node, final int destination) {
        int equal = 0;
        for (int phase = 0; phase < schedule.phases(); phase++) {
            equal += schedule.coordinates().digit(node, phase) == schedule.coordinates().digit(destination, phase)
                ? 1 : 0;
        }
        return equal;
    }

    private static void require(final boolean holds, final String law, final long slot, final int from, final int to,
        final long cell) {
        if (!holds) {
            throw new IllegalStateException("path law (I5) broken, a cell " + law + ": slot=" + slot + " from=" + from
                + " to=" + to + " flow=" + Cell.flow(cell) + " cell=" + Cell.sequence(cell));
        }
    }
}
