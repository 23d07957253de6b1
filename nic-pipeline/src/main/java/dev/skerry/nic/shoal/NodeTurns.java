package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.shoal.ShoalSlotPlan.Place;

/**
 * Runs the turns of single nodes on a link (docs/spec/shoal.md §4.4 SEND). In a row in which few nodes have work, only
 * these are handled and all others are left idle. A node has work if its queue holds a cell or had ready flows, if a
 * flow of it is active, or if it may have a queue to report; the turn of any other node changes nothing. Where
 * something can fail or flows have classes, the hindered nodes are handled one by one.
 */
abstract sealed class NodeTurns extends ShoalStage permits ShoalTransmitter {
    private static final int NONE = ShoalQueues.NONE;

    /** Slots for which a flow must have been active before it may join a queue of a given length. */
    private final long[] ageNeeded;
    /** Number of flows of a row above which the index of the throttles is searched, which ignores failures. */
    private final int few;
    /** Flows of a row that Eq. 2 releases, bits as of {@link ActiveFlows#bits}. */
    private final long[] released;
    /**
     * Results of the last search: the number of flows that Eq. 2 releases and that were not chosen, and the place where
     * the next search begins.
     */
    int ready;
    int turn;
    final ActiveFlows active;
    private final boolean isBasic;
    private final int probeEpochs;
    private final ShoalBank.Density density;
    /** Nodes that have work, by channel; and their number, or -1 if they are not few. */
    private final int[][] busyNodes;
    private final int[] count;
    /** One bit for each node that has a turn and work, by word. */
    private final long[] busy;
    /** The flow whose cell joins the queue in the turn of a hindered node, by class; {@link #NONE} if none does. */
    private final int[] joining;
    /** The last slot in which a node had work and may have put something on the link. */
    private long lastBusy = Long.MIN_VALUE / 2;
    /** Cells of other nodes sent on. */
    long forwarded;
    /** The row being sent: its nodes, the barred ones in between that meet a failed node, and its place on the link. */
    long slot;
    int epoch;
    Place place;
    int onLink;
    /** Row of {@link SentCells} of this link and epoch. */
    int sentRow;
    int first;
    int end;
    int barred;
    int barredTo;
    long linkAt;

    NodeTurns(final ShoalBank.Parts parts) {
        super(parts);
        this.ageNeeded = ageNeeded(parts.shoal());
        this.few = state == null ? Throttles.FEW : Integer.MAX_VALUE;
        this.released = new long[Throttles.words(nodes)];
        this.active = scheduler.active;
        this.isBasic = parts.shoal().rule() == ReleaseRule.BASIC;
        this.probeEpochs = parts.shoal().resilience().probeEpochs();
        this.density = parts.density();
        this.busyNodes = new int[parts.shoal().channels()][range.size()];
        this.count = new int[parts.shoal().channels()];
        this.busy = new long[NodeSets.wordOf(range.size() - 1) + 1];
        this.joining = new int[ofClass.length];
        this.place = plan.place(0, 0);
    }

    /** Returns the offset of the place of a node on the link. */
    final long at(final int node) {
        return linkAt + Region.offset(node, InFlightCells.PLACE_BYTES);
    }

    /**
     * Finds the nodes of the row that have work and samples their reports if they are few.
     *
     * @param feedback gets the reports, by node.
     * @return whether they are few.
     */
    final boolean sampleFew(final int channel, final long[] feedback) {
        int working = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            busy[word] = (queues.waiting(onLink, word) | active.some(word) | joined.reporting(onLink, word))
                & NodeSets.within(word, first, end) & ~NodeSets.within(word, barred, barredTo);
            working += Long.bitCount(busy[word]);
        }
        if (working > 0) {
            lastBusy = slot;
        }
        count[channel] = density.isSparse(working, end - first - barredTo + barred) ? 0 : -1;
        if (count[channel] < 0) {
            return false;
        }
        for (int word = NodeSets.wordOf(first); working > 0 && word * NodeSets.WORD_NODES < end; word++) {
            final long reporting = joined.reporting(onLink, word);
            for (long left = busy[word]; left != 0; left &= left - 1) {
                final int node = word * NodeSets.WORD_NODES + Long.numberOfTrailingZeros(left);
                busyNodes[channel][count[channel]++] = node;
                feedback[node] = (reporting >>> node & 1) == 0 ? 0 : reports.sample(onLink, node);
            }
        }
        return true;
    }

    /** Tells whether all nodes have left the link idle for some slots before this one; only where nothing can fail. */
    final boolean isLinkIdle(final long ofSlot, final int slots) {
        return ofSlot - lastBusy > slots;
    }

    /** Tells whether few nodes of the row of a channel have work, as found by {@link #sampleFew}. */
    final boolean areFew(final int channel) {
        return count[channel] >= 0;
    }

    /** Sends the row of a channel in which few nodes have work. */
    final void sendFew(final int channel, final long[] feedback) {
        link.leaveIdle(at(first), end - first, 0);
        sent.begin(sentRow, first, end);
        final int[] those = busyNodes[channel];
        for (int k = 0; k < count[channel]; k++) {
            if (isBasic) {
                turnBasic(those[k], feedback[those[k]]);
            } else {
                turn(those[k], feedback[those[k]]);
            }
        }
    }

    /**
     * Runs the turn of a node where nothing can fail and there is one traffic class. It does for one node what
     * {@link ShoalTransmitter} does for a row. A local cell that finds its queue empty leaves without joining it.
     */
    private void turn(final int node, final long feedback) {
        final int queue = queues.queue(onLink, node);
        final int length = queues.length(queue);
        int local = queues.local(queue);
        parts.samples().count(length);
        final int flow = choose(node, node, length, local == NONE, queues.turn(queue));
        if (length > 0) {
            if (flow != NONE) {
                local = ActiveFlows.number(flow);
                join(node, 0, flow);
            } else {
                maxima.onDequeue(node);
            }
            local = sendFirst(node, 0, feedback) ? NONE : local;
        } else if (flow != NONE) {
            scheduler.take(node, flow);
            leave(node, ActiveFlows.number(flow), ShoalCell.of(range.first() + node, ActiveFlows.destination(flow)),
                scheduler.cell, feedback);
        } else {
            link.sendIdle(at(node), feedback);
        }
        queues.settle(onLink, node, ready, turn, local);
    }

    /** Returns the slots needed by length of the queue: none up to 1, then epochs until 2^epochs reaches the length. */
    private static long[] ageNeeded(final Shoal shoal) {
        final long[] slots = new long[shoal.nodes() + 1];
        for (int length = 2; length < slots.length && shoal.ageRule(); length++) {
            final int epochs = Integer.SIZE - Integer.numberOfLeadingZeros(length - 1);
            slots[length] = (long) epochs * shoal.schedule().epochSlots();
        }
        return slots;
    }

    /** Tells whether a flow has been active for as long as the 2^age rule requires for a queue of this length. */
    final boolean isOld(final int row, final int flow, final int length) {
        final long needed = ageNeeded[Math.min(length, nodes)];
        return needed == 0 || scheduler.startSlot(row, flow) <= slot - needed;
    }

    /** Tells whether the relay of the row's link reaches the destination of a flow of a node. */
    private boolean isUsable(final int node, final int flow) {
        final int destination = ActiveFlows.destination(flow);
        return destination == (range.first() + node + onLink + 1) % nodes
            || state.reachability().reaches(onLink, node, destination);
    }

    /**
     * Searches the active flows of a row for the one whose next cell joins a queue: the first in round-robin order that
     * Eq. 2 releases and that is old enough. The others that Eq. 2 releases are ready (docs/spec/shoal.md §4.4 SEND 2,
     * 3). Few flows are tested one by one, more by the index of the {@link Throttles}.
     *
     * @param node   number in the bank.
     * @param row    the node and traffic class whose flows are searched.
     * @param length cells for which a new cell would wait.
     * @param isOpen whether a cell may join the queue: no local cell is in it.
     * @param from   place in the row where the search begins.
     * @return the flow, {@link #NONE} if none may go; also sets {@code ready} and {@code turn}.
     */
    final int choose(final int node, final int row, final int length, final boolean isOpen, final int from) {
        final int count = active.size(row);
        if (count > few) {
            return chooseOfMany(node, length, isOpen, from);
        }
        int chosen = NONE;
        int free = 0;
        boolean open = isOpen;
        int next = from;
        int at = from < count ? from : 0;
        for (int i = 0; i < count; i++) {
            final int flow = active.get(row, at);
            at = at + 1 < count ? at + 1 : 0;
            if (throttles.freeFrom(node, ActiveFlows.number(flow), onLink) <= length + epoch
                && (state == null || isUsable(node, flow))) {
                if (open && isOld(row, flow, length)) {
                    chosen = flow;
                    open = false;
                    next = at;
                } else {
                    free++;
                }
            }
        }
        ready = free;
        turn = next;
        return chosen;
    }

    /**
     * Chooses by the index of the throttles: flows that Eq. 2 releases are counted, and tried until one is old enough.
     */
    private int chooseOfMany(final int node, final int length, final boolean isOpen, final int from) {
        throttles.index(node, scheduler.flowsOf(node));
        ready = 0;
        turn = from;
        final int count = active.size(node);
        final long[] those = active.bits(node);
        for (int word = Throttles.words(scheduler.flowsOf(node)) - 1; word >= 0; word--) {
            released[word] = throttles.free(node, onLink, word, length + epoch) & those[word];
            ready += Long.bitCount(released[word]);
        }
        int left = isOpen ? ready : 0;
        for (int at = turn < count ? turn : 0; left > 0;) {
            final int flow = active.get(node, at);
            at = at + 1 < count ? at + 1 : 0;
            if (ActiveFlows.isIn(released, flow)) {
                left--;
                if (isOld(node, flow, length)) {
                    ready--;
                    turn = at;
                    return flow;
                }
            }
        }
        return NONE;
    }

    /** Lets the next cell of a flow join the queue of its class. */
    private void join(final int node, final int number, final int flow) {
        scheduler.take(node * ofClass.length + number, flow);
        throttles.set(node, ActiveFlows.number(flow), onLink, Throttles.HELD);
        ofClass[number].append(onLink, node,
            ClassedCell.of(range.first() + node, ActiveFlows.destination(flow), number), scheduler.cell);
    }

    /** Sends the first cell of the queue of a class; returns whether it was a local one. */
    private boolean sendFirst(final int node, final int number, final long feedback) {
        final ShoalQueues from = ofClass[number];
        from.pop(from.queue(onLink, node));
        final long word = from.word();
        if (ClassedCell.source(word) != range.first() + node) {
            link.send(at(node), word, from.cell(), feedback);
            forwarded++;
            return false;
        }
        leave(node, scheduler.numberOf(node * ofClass.length + number, ShoalCell.destination(word)), word, from.cell(),
            feedback);
        return true;
    }

    /** Sends a local cell of a flow. */
    private void leave(final int node, final int flow, final long word, final long cell, final long feedback) {
        throttles.set(node, flow, onLink, Throttles.AWAIT);
        noteSent(node, SentCells.entry(flow, place.services(range.first() + node, ShoalCell.destination(word))));
        link.send(at(node), ShoalCell.sent(word, slot), cell, feedback);
    }

    private void noteSent(final int node, final int entry) {
        sent.add(sentRow, node, entry);
        if (place.simultaneous && entry >= 0) {
            sent.setJustSent(node, SentCells.flow(entry));
        }
    }

    /**
     * Runs the turn of a node by the basic mechanism (docs/spec/shoal.md §4.2 Eq. 1 to 3): the cells of all flows that
     * Eq. 2 and the 2^age rule release join the queue, in the order in which the flows became active; then its first
     * cell leaves. No flow is ready afterwards, so reports contain only the length.
     */
    private void turnBasic(final int node, final long feedback) {
        final int queue = queues.queue(onLink, node);
        final int before = queues.length(queue);
        parts.samples().count(before);
        int place = 0;
        while (place < active.size(node)) {
            final int flow = active.get(node, place);
            final int size = active.size(node);
            if (throttles.freeFrom(node, ActiveFlows.number(flow), onLink) <= before + epoch
                && isOld(node, flow, before)) {
                join(node, 0, flow);
            }
            // If the flow sent its last cell, the others have moved up.
            place += active.size(node) == size ? 1 : 0;
        }
        if (queues.length(queue) == 0) {
            link.sendIdle(at(node), feedback);
        } else {
            sendFirst(node, 0, feedback);
        }
        // Counts by how many cells the queue is longer than before; it is at most one shorter.
        if (queues.length(queue) < before) {
            maxima.onDequeue(node);
        }
        for (int length = before + 1; length <= queues.length(queue); length++) {
            maxima.onEnqueue(node, length);
        }
        queues.settle(onLink, node, 0, 0, NONE);
    }

    /** Tells whether a failure, a class, or cells before all queues hinder a node in its turn. */
    final boolean isHindered(final int node) {
        final long line = neighbours.line(onLink, node);
        final int only = active.only(node);
        return joining.length > 1 || neighbours.state(line) != NeighbourTable.UP || neighbours.ahead(line) > 0
            || only != NONE && !isUsable(node, only);
    }

    /** Runs the turn of a hindered node. */
    final void sendHindered(final int node, final long feedback) {
        final long copy = state.copies().at(epoch, onLink, node);
        final long line = neighbours.line(onLink, node);
        sent.set(sent.offset(sentRow, node), SentCells.NONE);
        if (neighbours.state(line) == NeighbourTable.UP) {
            sendUp(node, line, feedback);
            state.copies().put(copy, link.route(at(node)), link.cell(at(node)));
        } else {
            state.copies().put(copy, InFlightCells.NO_CELL, InFlightCells.NO_CELL);
            sendDown(node, line, feedback);
        }
    }

    /** Sends a probe at intervals, otherwise nothing. */
    private void sendDown(final int node, final long line, final long feedback) {
        final boolean hears = neighbours.state(line) == NeighbourTable.HEARD;
        if (!state.presence().isDown(node)) {
            state.tally().increment(NicCounter.TURNS_UNUSED);
            if (hears || (epoch + range.first() + node) % probeEpochs == 0) {
                link.sendControl(at(node), feedback);
                state.control().probe(at(node), hears, state.presence().incarnation(node));
                state.tally().increment(NicCounter.PROBES_SENT);
                return;
            }
        }
        link.silence(at(node));
    }

    /** Lets local cells join the queues, then sends one cell (docs/spec/shoal.md §4.4 SEND 2 to 5). */
    private void sendUp(final int node, final long line, final long feedback) {
        final int highest = admit(node);
        boolean oneLeaves = false;
        if (neighbours.takeResend(line)) {
            resend(node, feedback);
        } else if (neighbours.notices(line) > 0) {
            sendNotice(node, line, feedback);
        } else if (highest == NONE) {
            link.sendIdle(at(node), feedback);
        } else {
            oneLeaves = true;
            if (sendFirst(node, highest, feedback)) {
                ofClass[highest].setLocal(queues.queue(onLink, node), NONE);
            }
        }
        settle(node, oneLeaves);
    }

    /** Sends a cell again; its age counts from its first transmission. */
    private void resend(final int node, final long feedback) {
        final long again = ClassedCell.unwaiting(neighbours.word());
        final int id = range.first() + node;
        state.tally().increment(NicCounter.CELLS_RESENT);
        link.send(at(node), again, neighbours.cell(), feedback);
        if (ClassedCell.source(again) == id) {
            final int destination = ShoalCell.destination(again);
            final int entry = SentCells.entry(
                scheduler.numberOf(node * ofClass.length + ClassedCell.trafficClass(again), destination),
                place.services(id, destination));
            noteSent(node, ClassedCell.isAwaited(neighbours.word()) ? entry
                : SentCells.joins(entry) ? SentCells.UNAWAITED : SentCells.NONE);
        }
    }

    private void sendNotice(final int node, final long line, final long feedback) {
        final int left = neighbours.notices(line) - 1;
        neighbours.setNotices(line, left);
        link.sendControl(at(node), feedback);
        state.reachability().write(node, left % state.reachability().chunks(), state.control().bytes(),
            state.control().offset(at(node)));
        state.tally().increment(NicCounter.NOTICES_SENT);
    }

    /**
     * Lets the cells of a node join; returns the class of the cell that is to leave, {@link #NONE} if there is none.
     */
    private int admit(final int node) {
        final int queue = queues.queue(onLink, node);
        int length = 0;
        for (int number = 0; number < joining.length; number++) {
            final ShoalQueues in = ofClass[number];
            length += in.length(queue);
            joining[number] = choose(node, node * joining.length + number, length, in.local(queue) == NONE,
                in.turn(queue));
            in.setSearched(queue, ready, turn);
        }
        parts.samples().count(length);
        int highest = NONE;
        for (int number = joining.length - 1; number >= 0; number--) {
            if (joining[number] != NONE) {
                join(node, number, joining[number]);
                ofClass[number].setLocal(queue, ActiveFlows.number(joining[number]));
            }
            highest = ofClass[number].length(queue) > 0 ? number : highest;
        }
        return highest;
    }

    /**
     * Ends the turn of a node and counts the cells that it holds. A cell that joins and a cell that leaves cancel out,
     * so a cell that only passes is not counted.
     *
     * @param oneLeft whether a cell has left a queue.
     */
    private void settle(final int node, final boolean oneLeft) {
        boolean left = oneLeft;
        for (int number = 0; number < joining.length; number++) {
            ofClass[number].settle(onLink, node);
            if (joining[number] != NONE && left) {
                left = false;
            } else if (joining[number] != NONE) {
                maxima.onEnqueue(node, ofClass[number].length(queues.queue(onLink, node)));
            }
        }
        if (left) {
            maxima.onDequeue(node);
        }
    }
}
