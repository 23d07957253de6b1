package dev.skerry.nic.shoal.stage;

import dev.skerry.codec.ControlFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.Resilience;
import dev.skerry.nic.shoal.Shoal;

import java.util.Arrays;

/**
 * The connections of a bank's nodes, as they go down and come up (docs/spec/shoal.md §5): what follows from silence,
 * from a probe, from a neighbour's message, from too much damage, and from the stop and start of a node itself. One
 * thread.
 *
 * <pre>
 *   from    to      when
 *   UP      DOWN    silence for M epochs; too many reports of damage in a row; a probe "I do not hear you"
 *   DOWN    HEARD   a probe: answered by one in every epoch, "I hear you", where before there was one in many
 *   HEARD   UP      a probe "I hear you", or any other cell: at the start of the next epoch
 *   HEARD   DOWN    silence for longer than a node that is down leaves between its probes
 *   any     HEARD   a probe of a neighbour that has started anew
 * </pre>
 */
final class NeighbourProtocol {
    private final NodeRange range;
    private final int nodes;
    private final int links;
    private final Resilience rules;
    private final GuardedBank.Parts parts;
    private final NeighbourCells cells;
    private final FaultState faults;
    private final boolean[] changed;
    /** Connections that come up in the next epoch: link, then node. */
    private int[] ready = new int[16];
    private int readies;
    private long wentDown;
    private long cameUp;
    private long ignored;

    NeighbourProtocol(final NodeRange range, final Shoal shoal, final GuardedBank.Parts parts,
        final NeighbourCells cells,
        final FaultState faults) {
        this.range = range;
        this.nodes = shoal.nodes();
        this.links = nodes - 1;
        this.rules = shoal.resilience();
        this.parts = parts;
        this.cells = cells;
        this.faults = faults;
        this.changed = new boolean[range.size()];
    }

    /**
     * At the start of a slot: nodes stop and start, and in the first slot of an epoch, neighbours that heard each other
     * come together, and messages that have no way any more are given up.
     */
    void turnTo(final long slot, final int epoch, final boolean epochBegins) {
        parts.presence().turnTo(epoch);
        if (faults.turnTo(slot)) {
            for (int node = 0; node < range.size(); node++) {
                final boolean stops = faults.isDown(range.first() + node);
                if (stops && !parts.presence().isDown(node)) {
                    stop(node);
                } else if (!stops && parts.presence().isDown(node)) {
                    parts.presence().start(node);
                }
            }
        }
        if (!epochBegins) {
            return;
        }
        for (int i = 0; i < readies; i += 2) {
            final long line = parts.pairs().line(ready[i], ready[i + 1]);
            if (parts.pairs().isReady(line)) {
                comeUp(ready[i], ready[i + 1], line);
            }
        }
        readies = 0;
        for (int node = 0; node < range.size(); node++) {
            if (changed[node] || parts.presence().isAlone(node)) {
                parts.scheduler().failRefused(node);
                changed[node] = false;
            }
        }
    }

    /** Nothing came on a link of a node in an epoch; returns whether the connection is up all the same. */
    boolean silence(final int node, final int link, final int epoch) {
        final long line = parts.pairs().line(link, node);
        final int state = parts.pairs().state(line);
        if (state == NeighbourTable.UP && parts.pairs().miss(line) >= rules.missedEpochs()) {
            goDown(node, link);
        } else if (state == NeighbourTable.HEARD
            && epoch - parts.pairs().heardEpoch(line) > rules.probeEpochs() + rules.missedEpochs()) {
            cells.forget(node, link);
            parts.pairs().reset(line, NeighbourTable.DOWN);
        }
        return parts.pairs().state(line) == NeighbourTable.UP;
    }

    /** A cell of a node goes back to its flow, which may have been given up meanwhile. */
    void giveBack(final int node, final long word, final long cell) {
        cells.giveBack(node, word, cell);
        changed[node] = true;
    }

    /** A valid cell that is no probe came: whoever sends those has the connection up. */
    void hear(final int node, final int link) {
        final long line = parts.pairs().line(link, node);
        if (parts.pairs().state(line) == NeighbourTable.HEARD) {
            setReady(node, link, line);
        }
    }

    /** A message came, at a place of the link, with a valid cell. */
    void read(final int node, final int link, final int epoch, final long at) {
        final ControlCells control = parts.control();
        if (!control.isValid(at)) {
            ignored++;
        } else if (ShoalControl.type(control.bytes(), control.offset(at)) == ShoalControl.PROBE) {
            probe(node, link, epoch, ShoalControl.hears(control.bytes(), control.offset(at)),
                ShoalControl.incarnation(control.bytes(), control.offset(at)));
        } else {
            hear(node, link);
            final int state = parts.pairs().state(parts.pairs().line(link, node));
            final ControlFault fault = state == NeighbourTable.DOWN ? ControlFault.OLDER
                : parts.reachability().read(node, link, control.bytes(), control.offset(at),
                    state == NeighbourTable.UP);
            changed[node] |= fault == ControlFault.NONE;
            ignored += fault == ControlFault.OLDER ? 1 : 0;
        }
    }

    private void probe(final int node, final int link, final int epoch, final boolean hears, final int incarnation) {
        final NeighbourTable pairs = parts.pairs();
        final long line = pairs.line(link, node);
        final boolean startedAnew = incarnation != pairs.incarnation(line);
        if (pairs.state(line) == NeighbourTable.UP && (startedAnew || !hears)) {
            goDown(node, link);
        }
        if (pairs.state(line) == NeighbourTable.UP) {
            return;
        }
        if (pairs.state(line) == NeighbourTable.DOWN || startedAnew) {
            cells.forget(node, link);
            pairs.reset(line, NeighbourTable.HEARD);
            pairs.hear(line, epoch, true);
            pairs.setIncarnation(line, incarnation);
        }
        if (hears) {
            setReady(node, link, line);
        }
    }

    private void setReady(final int node, final int link, final long line) {
        if (parts.pairs().isReady(line)) {
            return;
        }
        parts.pairs().setReady(line);
        if (readies == ready.length) {
            ready = Arrays.copyOf(ready, 2 * readies);
        }
        ready[readies] = link;
        ready[readies + 1] = node;
        readies += 2;
    }

    private void comeUp(final int link, final int node, final long line) {
        parts.pairs().setUp(line);
        parts.reachability().up(node, link, peer(node, link));
        notifyAll(node);
        cameUp++;
    }

    /** Takes a neighbour whose connection is up for down: what docs/spec/shoal.md §5.2 says, in its order. */
    void goDown(final int node, final int link) {
        final long line = parts.pairs().line(link, node);
        parts.reachability().down(node, link, peer(node, link));
        parts.presence().lose(node);
        notifyAll(node);
        cells.clear(node, link);
        parts.pairs().reset(line, NeighbourTable.DOWN);
        changed[node] = true;
        wentDown++;
    }

    /** Every neighbour that is up is told of a change, for some epochs. */
    private void notifyAll(final int node) {
        for (int link = 0; link < links; link++) {
            final long line = parts.pairs().line(link, node);
            if (parts.pairs().state(line) == NeighbourTable.UP) {
                parts.pairs().setNotices(line, rules.noticeEpochs() * parts.reachability().chunks());
            }
        }
    }

    /** A node stops: what it holds is lost, what it was to send is not sent, and it knows nothing any more. */
    private void stop(final int node) {
        for (int link = 0; link < links; link++) {
            if (parts.pairs().state(parts.pairs().line(link, node)) == NeighbourTable.UP) {
                parts.reachability().down(node, link, peer(node, link));
            }
        }
        cells.drop(node);
        for (int link = 0; link < links; link++) {
            parts.pairs().reset(parts.pairs().line(link, node), NeighbourTable.DOWN);
        }
        parts.presence().stop(node);
        parts.reachability().restart(node);
        parts.scheduler().failRefused(node);
    }

    private int peer(final int node, final int link) {
        return (range.first() + node + link + 1) % nodes;
    }

    /** Times a neighbour was taken for down. */
    long wentDown() {
        return wentDown;
    }

    /** Times a neighbour came up. */
    long cameUp() {
        return cameUp;
    }

    /** Messages that were outdated or not understood. */
    long ignored() {
        return ignored;
    }
}
