package dev.skerry.nic.shoal.stage;

import dev.skerry.codec.ControlFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.RelayReachability;
import dev.skerry.nic.shoal.Resilience;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalSlotPlan;

import java.util.Arrays;

/**
 * The state of each connection of a bank's nodes (docs/spec/shoal.md §5): what follows from silence, from a probe, from
 * a message, from too much damage, and from the stop and start of a node itself. One thread.
 *
 * <pre>
 *   from    to      when
 *   UP      DOWN    silence for M epochs; too many reports of damage in a row; a probe "I do not hear you"
 *   DOWN    HEARD   a probe; from then on a probe "I hear you" goes out in every epoch
 *   HEARD   UP      a probe "I hear you", or any other cell: at the start of the next epoch
 *   HEARD   DOWN    silence for longer than a down node leaves between its probes
 *   any     HEARD   a probe of a neighbour that has started anew
 * </pre>
 *
 * An end that was down is taken up only by cells that the other one sent after it must have noticed. With older ones
 * two ends that are as many epochs apart as they take to notice would take each other up and down for ever.
 */
final class NeighbourProtocol {
    private final NodeRange range;
    private final int links;
    private final Resilience rules;
    private final ShoalFlowScheduler scheduler;
    private final ShoalSlotPlan plan;
    private final ShoalFailures.State state;
    private final NeighbourTable neighbours;
    private final RelayReachability reachability;
    private final Presence presence;
    private final NeighbourCells cells;
    private final FaultState faults;
    private final boolean[] changed;
    /** Epochs after which a neighbour has noticed that a node sends nothing. */
    private final int noticedEpochs;
    /** Connections that come up in the next epoch: link, then node. */
    private int[] ready = new int[16];
    private int readies;
    private long wentDown;
    private long cameUp;
    private long ignored;

    NeighbourProtocol(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures.State state, final NeighbourCells cells, final FaultState faults) {
        this.range = range;
        this.links = shoal.nodes() - 1;
        this.rules = shoal.resilience();
        this.scheduler = parts.scheduler();
        this.plan = parts.plan();
        this.state = state;
        this.neighbours = state.neighbours();
        this.reachability = state.reachability();
        this.presence = state.presence();
        this.cells = cells;
        this.faults = faults;
        this.changed = new boolean[range.size()];
        this.noticedEpochs = Math.ceilDiv(shoal.propagationSlots(), plan.epochSlots()) + rules.missedEpochs() + 1;
    }

    /**
     * At the start of a slot: nodes stop and start. In the first slot of an epoch, neighbours that heard each other
     * come up, and messages without a way are given up.
     */
    void turnTo(final long slot, final int epoch, final boolean epochBegins) {
        presence.turnTo(epoch);
        if (faults.turnTo(slot)) {
            for (int node = 0; node < range.size(); node++) {
                final boolean stops = faults.isDown(range.first() + node);
                if (stops && !presence.isDown(node)) {
                    stop(node);
                } else if (!stops && presence.isDown(node)) {
                    presence.start(node);
                }
            }
        }
        if (!epochBegins) {
            return;
        }
        for (int i = 0; i < readies; i += 2) {
            final long line = neighbours.line(ready[i], ready[i + 1]);
            if (neighbours.isReady(line)) {
                comeUp(ready[i], ready[i + 1], line);
            }
        }
        readies = 0;
        for (int node = 0; node < range.size(); node++) {
            if (changed[node] || presence.isAlone(node)) {
                scheduler.failRefused(node);
                changed[node] = false;
            }
        }
    }

    /** Nothing came on a link of a node in an epoch; returns whether the connection is up all the same. */
    boolean silence(final int node, final int link, final int epoch) {
        final long line = neighbours.line(link, node);
        final int before = neighbours.state(line);
        if (before == NeighbourTable.UP && neighbours.miss(line) >= rules.missedEpochs()) {
            goDown(node, link);
        } else if (before == NeighbourTable.HEARD
            && epoch - neighbours.heardEpoch(line) > rules.probeEpochs() + rules.missedEpochs()) {
            cells.forget(node, link);
            neighbours.reset(line, NeighbourTable.DOWN);
            neighbours.setFresh(line, presence.epoch() + noticedEpochs);
        }
        return neighbours.state(line) == NeighbourTable.UP;
    }

    /** A cell of a node goes back to its flow, which may have been given up meanwhile. */
    void giveBack(final int node, final long word, final long cell) {
        cells.giveBack(node, word, cell);
        changed[node] = true;
    }

    /** A valid cell that is no probe came, sent in an epoch: its sender has the connection up. */
    void hear(final int node, final int link, final int epoch) {
        final long line = neighbours.line(link, node);
        if (neighbours.state(line) == NeighbourTable.HEARD && neighbours.isFresh(line, epoch)) {
            setReady(node, link, line);
        }
    }

    /** A message came, at a place of the link, with a valid cell. */
    void read(final int node, final int link, final int epoch, final long at) {
        final ControlCells control = state.control();
        if (!control.isValid(at)) {
            ignored++;
        } else if (ShoalControl.type(control.bytes(), control.offset(at)) == ShoalControl.PROBE) {
            probe(node, link, epoch, ShoalControl.hears(control.bytes(), control.offset(at)),
                ShoalControl.incarnation(control.bytes(), control.offset(at)));
        } else {
            hear(node, link, epoch);
            final int known = neighbours.state(neighbours.line(link, node));
            final ControlFault fault = known == NeighbourTable.DOWN ? ControlFault.OLDER
                : reachability.read(node, link, control.bytes(), control.offset(at), known == NeighbourTable.UP);
            changed[node] |= fault == ControlFault.NONE;
            ignored += fault == ControlFault.OLDER ? 1 : 0;
        }
    }

    private void probe(final int node, final int link, final int epoch, final boolean hears, final int incarnation) {
        final long line = neighbours.line(link, node);
        final boolean startedAnew = incarnation != neighbours.incarnation(line);
        if (neighbours.state(line) == NeighbourTable.UP && (startedAnew || !hears)) {
            goDown(node, link);
        }
        if (neighbours.state(line) == NeighbourTable.UP) {
            return;
        }
        if (neighbours.state(line) == NeighbourTable.DOWN || startedAnew) {
            cells.forget(node, link);
            neighbours.reset(line, NeighbourTable.HEARD);
            neighbours.hear(line, epoch, true);
            neighbours.setIncarnation(line, incarnation);
        }
        if (hears && neighbours.isFresh(line, epoch)) {
            setReady(node, link, line);
        }
    }

    private void setReady(final int node, final int link, final long line) {
        if (neighbours.isReady(line)) {
            return;
        }
        neighbours.setReady(line);
        if (readies == ready.length) {
            ready = Arrays.copyOf(ready, 2 * readies);
        }
        ready[readies] = link;
        ready[readies + 1] = node;
        readies += 2;
    }

    private void comeUp(final int link, final int node, final long line) {
        neighbours.setUp(line);
        reachability.up(node, link, peer(node, link));
        notifyAll(node);
        cameUp++;
    }

    /** Takes an up neighbour for down: docs/spec/shoal.md §5.2, in its order. */
    void goDown(final int node, final int link) {
        final long line = neighbours.line(link, node);
        reachability.down(node, link, peer(node, link));
        presence.lose(node);
        notifyAll(node);
        cells.clear(node, link);
        neighbours.reset(line, NeighbourTable.DOWN);
        neighbours.setFresh(line, presence.epoch() + noticedEpochs);
        changed[node] = true;
        wentDown++;
    }

    /** Tells every up neighbour of a change, for some epochs. */
    private void notifyAll(final int node) {
        for (int link = 0; link < links; link++) {
            final long line = neighbours.line(link, node);
            if (neighbours.state(line) == NeighbourTable.UP) {
                neighbours.setNotices(line, rules.noticeEpochs() * reachability.chunks());
            }
        }
    }

    /** A node stops: its cells are lost, its flows are given up, and it forgets all it knew. */
    private void stop(final int node) {
        for (int link = 0; link < links; link++) {
            if (neighbours.state(neighbours.line(link, node)) == NeighbourTable.UP) {
                reachability.down(node, link, peer(node, link));
            }
        }
        cells.drop(node);
        for (int link = 0; link < links; link++) {
            neighbours.reset(neighbours.line(link, node), NeighbourTable.DOWN);
        }
        presence.stop(node);
        reachability.restart(node);
        scheduler.failRefused(node);
    }

    private int peer(final int node, final int link) {
        return plan.peer(range.first() + node, link);
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
