package dev.skerry.nic.shoal;

import dev.skerry.codec.ControlFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.shoal.Reports.OneReport;
import dev.skerry.nic.shoal.ShoalFailures.ControlCells;
import dev.skerry.nic.shoal.ShoalFailures.Presence;

import java.util.Arrays;

/**
 * The state of each connection of a bank's nodes (docs/spec/shoal.md §5): the effects of silence, of a probe, of a
 * message, of too much damage, and of the stop and start of a node itself (§5.2). When a connection goes down, a node's
 * own cells go back to their flows if they waited for the neighbour or their arrival there is unknown; cells of other
 * nodes are dropped. One thread.
 *
 * <pre>
 *   from    to      when
 *   UP      DOWN    silence for M epochs; too many reports of damage in a row; a probe "I do not hear you"
 *   DOWN    HEARD   a probe; from then on a probe "I hear you" goes out in every epoch
 *   HEARD   UP      a probe "I hear you", or any other cell: at the start of the next epoch
 *   HEARD   DOWN    silence for longer than a down node leaves between its probes
 *   any     HEARD   a probe of a neighbour that has restarted
 * </pre>
 *
 * <p>An end that was down accepts only cells that the other end sent after it must have noticed. With older cells, two
 * ends could set each other up and down forever if their distance in epochs equals the time that they take to notice.
 */
final class NeighbourProtocol extends ShoalStage {
    private final int links;
    private final Resilience rules;
    private final RelayReachability reachability;
    private final Presence presence;
    private final FaultState faults;
    private final int maxFeedback;
    private final boolean[] changed;
    /** Epochs after which a neighbour must have noticed that a node sends nothing. */
    private final int noticedEpochs;
    /** Connections that come up in the next epoch, as pairs of link and node. */
    private int[] ready = new int[16];
    private int readies;
    NeighbourProtocol(final ShoalBank.Parts parts, final FaultState faults) {
        super(parts);
        this.links = nodes - 1;
        this.rules = parts.shoal().resilience();
        this.reachability = state.reachability();
        this.presence = state.presence();
        this.faults = faults;
        this.maxFeedback = ReportWord.maxFeedback(nodes);
        this.changed = new boolean[range.size()];
        this.noticedEpochs = Math.ceilDiv(parts.shoal().propagationSlots(), plan.epochSlots())
            + rules.missedEpochs() + 1;
    }

    /**
     * Stops and starts nodes at the start of a slot. In the first slot of an epoch, connections of neighbours that
     * heard each other come up, and messages without a path are abandoned.
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

    /** Records that nothing came on a link of a node in an epoch; returns whether the connection is still up. */
    boolean silence(final int node, final int link, final int epoch) {
        final long line = neighbours.line(link, node);
        final int before = neighbours.state(line);
        if (before == NeighbourTable.UP && neighbours.miss(line) >= rules.missedEpochs()) {
            goDown(node, link);
        } else if (before == NeighbourTable.HEARD
            && epoch - neighbours.heardEpoch(line) > rules.probeEpochs() + rules.missedEpochs()) {
            forget(node, link);
            neighbours.reset(line, NeighbourTable.DOWN);
            neighbours.setFresh(line, presence.epoch + noticedEpochs);
        }
        return neighbours.state(line) == NeighbourTable.UP;
    }

    /** Records a valid cell other than a probe, sent in an epoch: its sender has the connection up. */
    void receive(final int node, final int link, final int epoch) {
        final long line = neighbours.line(link, node);
        if (neighbours.state(line) == NeighbourTable.HEARD && neighbours.isFresh(line, epoch)) {
            setReady(node, link, line);
        }
    }

    /** Handles a message that came with a valid cell, at a place of the link. */
    void read(final int node, final int link, final int epoch, final long at) {
        final ControlCells control = state.control();
        if (!control.isValid(at)) {
            state.tally().increment(NicCounter.NOTICES_IGNORED);
        } else if (ShoalControl.type(control.bytes(), control.offset(at)) == ShoalControl.PROBE) {
            probe(node, link, epoch, ShoalControl.hears(control.bytes(), control.offset(at)),
                ShoalControl.incarnation(control.bytes(), control.offset(at)));
        } else {
            receive(node, link, epoch);
            final int known = neighbours.state(neighbours.line(link, node));
            final ControlFault fault = known == NeighbourTable.DOWN ? ControlFault.OLDER
                : reachability.read(node, link, control.bytes(), control.offset(at), known == NeighbourTable.UP);
            changed[node] |= fault == ControlFault.NONE;
            state.tally().add(NicCounter.NOTICES_IGNORED, fault == ControlFault.OLDER ? 1 : 0);
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
            forget(node, link);
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
        state.tally().increment(NicCounter.NEIGHBOURS_UP);
    }

    /** Sets the connection with an up neighbour down, in the order of docs/spec/shoal.md §5.2. */
    void goDown(final int node, final int link) {
        final long line = neighbours.line(link, node);
        reachability.down(node, link, peer(node, link));
        presence.lose(node);
        notifyAll(node);
        clear(node, link);
        neighbours.reset(line, NeighbourTable.DOWN);
        neighbours.setFresh(line, presence.epoch + noticedEpochs);
        changed[node] = true;
        state.tally().increment(NicCounter.NEIGHBOURS_DOWN);
    }

    /** Schedules notices of a change to every up neighbour, for some epochs. */
    private void notifyAll(final int node) {
        for (int link = 0; link < links; link++) {
            final long line = neighbours.line(link, node);
            if (neighbours.state(line) == NeighbourTable.UP) {
                neighbours.setNotices(line, rules.noticeEpochs() * reachability.chunks());
            }
        }
    }

    /** Stops a node: its cells are lost, its flows are abandoned, and its state is reset. */
    private void stop(final int node) {
        for (int link = 0; link < links; link++) {
            if (neighbours.state(neighbours.line(link, node)) == NeighbourTable.UP) {
                reachability.down(node, link, peer(node, link));
            }
        }
        drop(node);
        for (int link = 0; link < links; link++) {
            neighbours.reset(neighbours.line(link, node), NeighbourTable.DOWN);
        }
        presence.stop(node);
        reachability.restart(node);
        scheduler.failRefused(node);
    }

    /** Returns a cell of a node to its flow, which may have been abandoned since. */
    private void requeue(final int node, final long word, final long cell) {
        final int row = node * ofClass.length + ClassedCell.trafficClass(word);
        scheduler.requeue(row, ShoalCell.destination(word), cell);
        changed[node] = true;
    }

    /** Clears a connection that goes down; of the cells that go back, the oldest becomes the first of its flow. */
    private void clear(final int node, final int link) {
        for (final ShoalQueues queues : ofClass) {
            final int queue = queues.queue(link, node);
            while (takeFirst(queues, queue, node)) {
                if (isOwn(node, queues.word())) {
                    requeue(node, queues.word(), queues.cell());
                    state.tally().increment(NicCounter.CELLS_RETURNED);
                } else {
                    state.tally().increment(NicCounter.DROPPED_WITH_LINK);
                }
            }
        }
        for (int back = 0; back < state.copies().kept(); back++) {
            final long copy = state.copies().at(presence.epoch - back, link, node);
            reroute(node, state.copies().route(copy), state.copies().cell(copy));
        }
        while (neighbours.takeResend(neighbours.line(link, node))) {
            reroute(node, neighbours.word(), neighbours.cell());
        }
        forget(node, link);
        release(node, link);
    }

    /** Takes the first cell from a queue of a node; if the queue is empty, no local cell is left in it. */
    private boolean takeFirst(final ShoalQueues queues, final int queue, final int node) {
        if (queues.length(queue) == 0) {
            queues.setLocal(queue, ShoalQueues.NONE);
            return false;
        }
        queues.pop(queue);
        maxima.onDequeue(node);
        return true;
    }

    /** Allows all flows of a node to use a link at once. */
    private void release(final int node, final int link) {
        for (int flow = scheduler.flowsOf(node) - 1; flow >= 0; flow--) {
            throttles.set(node, flow, link, 0);
        }
    }

    private void reroute(final int node, final long word, final long cell) {
        if (InFlightCells.isCell(word) && isOwn(node, word)) {
            requeue(node, word, cell);
            state.tally().increment(NicCounter.CELLS_REROUTED);
        }
    }

    /** Forgets all that was sent to a neighbour and all that came from it. */
    private void forget(final int node, final int link) {
        for (int back = 0; back < state.copies().kept(); back++) {
            state.copies().put(state.copies().at(back, link, node), InFlightCells.NO_CELL, InFlightCells.NO_CELL);
            sent.set(sent.offset(sent.row(back, link), node), SentCells.NONE);
        }
        joined.clear(link, node);
        state.accepted().clear(link, node);
        reachability.forget(node, link);
    }

    /** Drops everything that a stopping node holds. */
    private void drop(final int node) {
        for (int link = 0; link < links; link++) {
            for (final ShoalQueues queues : ofClass) {
                while (takeFirst(queues, queues.queue(link, node), node)) {
                    state.tally().increment(NicCounter.DROPPED_NODE_DOWN);
                }
            }
            neighbours.dropResends(neighbours.line(link, node));
            forget(node, link);
            release(node, link);
        }
    }

    /** Counts a cell that came to a node that is down. */
    void loseAtNode() {
        state.tally().increment(NicCounter.DROPPED_NODE_DOWN);
    }

    private boolean isOwn(final int node, final long word) {
        return ClassedCell.source(word) == range.first() + node;
    }

    /** Samples reports, as {@link dev.skerry.nic.shoal.Reports#sample}. */
    void sampleReports(final int link, final int first, final int end, final long[] into) {
        for (int node = first; node < end; node++) {
            into[node] = sampleReport(node, link);
        }
    }

    private long sampleReport(final int node, final int link) {
        final int about = joined.latest(link, node);
        return switch (neighbours.mark(neighbours.line(link, node))) {
            case NeighbourTable.TAKEN -> ReportWord.of(load(node, about), false);
            case NeighbourTable.DAMAGED -> ReportWord.of(0, true);
            case NeighbourTable.NO_WAY -> ReportWord.of(maxFeedback, true);
            default -> ReportWord.of(Math.max(1, load(node, about)), true);
        };
    }

    private int load(final int node, final int about) {
        final int towards = JoinedQueues.linkOf(about);
        // Eq. 2 assumes that every epoch serves the queue, so what goes before the queue counts.
        int load = neighbours.ahead(neighbours.line(towards, node));
        for (int number = JoinedQueues.classOf(about); number >= 0; number--) {
            final ShoalQueues queues = ofClass[number];
            load += queues.load(queues.queue(towards, node));
        }
        return Math.min(load, maxFeedback);
    }

    /**
     * Acts on a report where cells can be damaged or refused and have classes (docs/spec/shoal.md §6), by the rules of
     * {@link OneReport} and the last-cell-dropped bit. A report on a cell of a class covers the queues of that class
     * and of all higher ones, and the cells that go before all queues. The bit of a damaged cell cannot be trusted:
     *
     * <pre>
     *   the report      the cell it is about      its flow
     *   damaged         sent again                freed by the report, unless the bit reads "dropped"
     *   dropped, 0      sent again                waits for the report on the copy
     *   dropped, more   given back to its flow    freed by the report
     * </pre>
     *
     * @param node    number in the bank, of the row set by {@link Reports#turnTo}.
     * @param word    the report.
     * @param damaged whether it came with a damaged cell.
     */
    void takeReport(final int node, final long word, final boolean damaged) {
        final boolean dropped = ReportWord.isDropped(word);
        final int feedback = Math.min(ReportWord.feedback(word), maxFeedback);
        final boolean refusal = !damaged && dropped && feedback > 0;
        final boolean frees = !dropped || refusal;
        final boolean again = damaged || dropped && !refusal;
        if (!settle(node, again, refusal, !frees)) {
            return;
        }
        if (frees) {
            reports.takeOne(node, feedback);
        } else if (reports.simultaneous) {
            ((OneReport) reports).freeDirect(node);
        }
        if (!frees || refusal) {
            // The cell joined no queue, or its fate is unknown; its copy will get another report.
            sent.set(sent.offset(reports.turnsBack[0], node), SentCells.NONE);
        }
    }

    /** Settles the copy that a report is about; returns whether the neighbour is still up. */
    private boolean settle(final int node, final boolean again, final boolean refusal, final boolean awaits) {
        final int link = reports.linkBack;
        final long copy = state.copies().at(reports.acknowledged, link, node);
        final long route = state.copies().route(copy);
        if (route == InFlightCells.NO_CELL) {
            return true;
        }
        final long line = neighbours.line(link, node);
        if (again) {
            if (neighbours.countResend(line) > rules.maxResends()) {
                goDown(node, link);
                return false;
            }
            repeat(line, route, state.copies().cell(copy), awaits && reports.sentBefore(node, 0) >= 0);
        } else {
            neighbours.endResends(line);
            if (refusal && ClassedCell.source(route) == range.first() + node) {
                requeue(node, route, state.copies().cell(copy));
                state.tally().increment(NicCounter.CELLS_REFUSED);
            }
        }
        state.copies().put(copy, InFlightCells.NO_CELL, InFlightCells.NO_CELL);
        return true;
    }

    /** Repeats a cell; of a message, all parts are repeated. */
    private void repeat(final long line, final long route, final long cell, final boolean awaited) {
        if (InFlightCells.isCell(route)) {
            neighbours.addResend(line, ClassedCell.waiting(route, awaited), cell);
        } else {
            neighbours.setNotices(line, Math.max(neighbours.notices(line), reachability.chunks()));
        }
    }

    private int peer(final int node, final int link) {
        return plan.peer(range.first() + node, link);
    }
}
