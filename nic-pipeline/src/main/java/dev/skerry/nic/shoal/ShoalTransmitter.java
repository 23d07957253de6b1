package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.KindPartition;
import dev.skerry.nic.shoal.ShoalSlotPlan.Place;

import java.util.Arrays;

/**
 * Sends a slot for every node of a bank (docs/spec/shoal.md §4.4 SEND): at most one local cell joins the queue of the
 * neighbour, if Eq. 2 and the 2^age rule release it; then the first cell of the queue leaves, or a dummy, with a
 * report. One thread.
 *
 * <p>Which of these a node does is unpredictable. So a row of nodes goes through each step together: nodes are sorted
 * by what they do, without a branch ({@link #sortByService}), and each kind of work is a loop over a run of them.
 * Arithmetic is done for all nodes, in loops small enough to be vectorised (bench/results).
 *
 * <p>If few nodes of a row have work, {@link NodeTurns} handles those alone.
 */
final class ShoalTransmitter extends NodeTurns {
    /** Kinds of nodes in the order of {@link #sortByService}. */
    private static final int OWN = 0;
    private static final int OTHERS = 1;
    private static final int BOTH = 2;

    private final int failedNodes;
    private final int channels;
    private final EpochClock clock;
    private final boolean ageRule;
    /** Null if nothing can fail. */
    private final ShoalFailures failures;
    /** Load and search of each node's queue on the link, and the throttle of its first flow. */
    private final int[] load;
    private final int[] search;
    private final int[] freeFrom;
    /** All ones where the only flow is too young, and where Eq. 2 releases it. */
    private final int[] young;
    private final int[] lets;
    /**
     * The flow of each node whose cell joins the queue, all ones where one does, and the load of the queue afterwards.
     */
    private final int[] chosen;
    private final int[] goes;
    private final int[] loadAfter;
    /** The report of each node on each channel. */
    private final long[][] report;
    /** The source in the word of a local cell, by node. */
    private final int[] source;
    private final KindPartition sorted;
    private final int[] order;
    /** 1 for a node whose queue has one cell less afterwards, else 0. */
    private final int[] less;
    /** End of the nodes, in the order, whose queues are empty and that let a cell in. */
    private int letInEnd;
    /** Nodes whose local cells leave. */
    private final int[] leaving;
    /** By node: the cell that it sends, the flow whose cell is let in or leaves, and that cell. */
    private final long[] route;
    private final long[] cell;
    private final int[] number;
    private final int[] ends;
    private final long[] localWord;
    private final long[] local;
    private long entries;
    /** End of the list of nodes whose local cells leave. */
    private int leavingEnd;

    ShoalTransmitter(final ShoalBank.Parts parts, final ShoalFailures failures) {
        super(parts);
        final int size = range.size();
        this.failedNodes = parts.shoal().failedNodes();
        this.channels = parts.shoal().channels();
        this.clock = new EpochClock(plan.epochSlots());
        this.failures = failures;
        this.ageRule = parts.shoal().ageRule();
        this.load = new int[size];
        this.search = new int[size];
        this.freeFrom = new int[size];
        this.young = new int[size];
        this.lets = new int[size];
        this.chosen = new int[size];
        this.goes = new int[size];
        this.loadAfter = new int[size];
        this.report = new long[channels][size];
        this.sorted = new KindPartition(size);
        this.order = sorted.order();
        this.less = new int[size];
        this.leaving = new int[size + 1];
        this.route = new long[size];
        this.cell = new long[size];
        this.number = new int[size];
        this.ends = new int[size];
        this.source = new int[size];
        Arrays.setAll(source, node -> (int) ShoalCell.of(range.first() + node, 0));
        this.localWord = new long[size];
        this.local = new long[size];
    }

    /** Sends one slot for every node of the bank. */
    void send(final long now) {
        clock.turnTo(now);
        slot = now;
        if (failures != null) {
            failures.begin(now);
        }
        epoch = parts.base().turnTo(clock.epoch);
        scheduler.activate(now);
        for (int channel = 0; channel < channels; channel++) {
            turnTo(plan.place(channel, clock.inEpoch));
            if (onLink != ShoalSlotPlan.IDLE && failures != null) {
                failures.protocol.sampleReports(onLink, first, end, report[channel]);
            } else if (onLink != ShoalSlotPlan.IDLE && !sampleFew(channel, report[channel])) {
                reports.sample(onLink, first, end, report[channel]);
            }
        }
        long rowAt = link.offset(now) + Region.offset(range.first(), InFlightCells.PLACE_BYTES);
        for (int channel = 0; channel < channels; channel++) {
            turnTo(plan.place(channel, clock.inEpoch));
            linkAt = rowAt;
            sendRow(channel);
            rowAt += Region.offset(nodes, InFlightCells.PLACE_BYTES);
        }
        if (failures != null) {
            failures.afflict(now);
        }
    }

    /** Returns the number of cells that the nodes sent in the last slots, none of which has arrived. */
    long sentIn(final long from, final long to) {
        long cells = 0;
        for (long of = from; of < to; of++) {
            for (int channel = 0; channel < channels; channel++) {
                final int row = channel * nodes + range.first();
                for (int node = row; node < row + range.size(); node++) {
                    final long at = link.offset(of) + Region.offset(node, InFlightCells.PLACE_BYTES);
                    cells += InFlightCells.isCell(link.route(at)) ? 1 : 0;
                }
            }
        }
        return cells;
    }

    private void turnTo(final Place toPlace) {
        place = toPlace;
        onLink = place.link;
        first = Math.clamp((long) Math.max(failedNodes, place.firstSender) - range.first(), 0, range.size());
        end = Math.clamp((long) place.endSender - range.first(), first, range.size());
        barred = Math.clamp((long) place.firstBarred() - range.first(), first, end);
        barredTo = Math.clamp((long) place.endBarred() - range.first(), barred, end);
    }

    private void leaveIdle(final int from, final int to) {
        link.leaveIdle(at(from), to - from, InFlightCells.NO_FEEDBACK);
    }

    private void sendRow(final int channel) {
        if (onLink == ShoalSlotPlan.IDLE) {
            leaveIdle(0, range.size());
            return;
        }
        leaveIdle(0, first);
        leaveIdle(end, range.size());
        sentRow = sent.row(epoch, onLink);
        if (place.simultaneous) {
            sent.clearJustSent();
        }
        if (failures != null) {
            sendAround(report[channel]);
        } else if (areFew(channel)) {
            sendFew(channel, report[channel]);
        } else {
            sendBlock(first, barred, report[channel]);
            sendBlock(barredTo, end, report[channel]);
        }
        leaveIdle(barred, barredTo);
    }

    /** Sends for hindered nodes one by one, and for those between them in blocks, of whose cells copies are kept. */
    private void sendAround(final long[] feedback) {
        int from = first;
        for (int node = first; node <= end; node++) {
            if (node == end || isHindered(node)) {
                sendBlock(from, node, feedback);
                for (; from < node; from++) {
                    state.copies().put(state.copies().at(epoch, onLink, from), route[from], cell[from]);
                }
                if (node < end) {
                    sendHindered(node, feedback[node]);
                }
                from = node + 1;
            }
        }
    }

    /** Sends for consecutive nodes. */
    private void sendBlock(final int from, final int to, final long[] feedback) {
        if (from >= to) {
            return;
        }
        choose(from, to);
        parts.samples().count(load, from, to);
        entries = sent.offset(sentRow, 0);
        sent.clear(entries + Region.offset(from, Integer.BYTES), to - from);
        sendNodes(from, to, feedback);
        sent.note(sentRow, from, to, leaving, leavingEnd);
        settle(from, to);
    }

    /**
     * Serves consecutive nodes. The method is too long to be inlined on purpose: the compiler unrolls fewer loops of a
     * row in one large method (bench/results).
     */
    private void sendNodes(final int from, final int to, final long[] feedback) {
        sortByService(from, to);
        final int ownEnd = sorted.end(OWN);
        final int lessEnd = sorted.end(OTHERS);
        final int servedEnd = sorted.end(BOTH);
        maxima.onDequeue(from, to, less);
        Arrays.fill(route, from, to, InFlightCells.NO_CELL);
        queues.pop(onLink, order, servedEnd, load, route, cell);
        scheduler.take(order, lessEnd, letInEnd, chosen, local);
        letIn(from, to);
        queues.put(onLink, order, lessEnd, servedEnd, load, localWord, local);
        // Local cells at the heads of queues leave like local cells that did not wait.
        System.arraycopy(order, 0, leaving, 0, ownEnd);
        int last = ownEnd;
        for (int k = ownEnd; k < lessEnd; k++) {
            final int node = order[k];
            leaving[last] = node;
            last += Branchless.ifEqual(ShoalCell.source(route[node]), range.first() + node);
        }
        takeLocal(leaving, last);
        forwarded += servedEnd - last;
        for (int k = servedEnd; k < letInEnd; k++) {
            final int node = order[k];
            leaving[last++] = node;
            route[node] = localWord[node];
            cell[node] = local[node];
        }
        leavingEnd = last;
        leave();
        link.send(at(from), from, to - from, route, cell, feedback);
    }

    /** Computes the words and flows of local cells that are let in; undefined for other nodes. */
    private void letIn(final int from, final int to) {
        final int[] flow = chosen;
        for (int node = from; node < to; node++) {
            number[node] = ActiveFlows.number(flow[node]);
            ends[node] = source[node] | ActiveFlows.destination(flow[node]);
        }
        for (int node = from; node < to; node++) {
            localWord[node] = ends[node] & ShoalCell.ENDS;
        }
    }

    /** Sends the local cells. */
    private void leave() {
        final int firstId = range.first();
        for (int k = 0; k < leavingEnd; k++) {
            final int node = leaving[k];
            sent.set(entries + Region.offset(node, Integer.BYTES), SentCells.entry(number[node],
                place.services(firstId + node, ShoalCell.destination(route[node]))));
            route[node] = ShoalCell.sent(route[node], slot);
        }
        if (place.simultaneous) {
            for (int k = 0; k < leavingEnd; k++) {
                sent.setJustSent(leaving[k], number[leaving[k]]);
            }
        }
    }

    /** Chooses flows for consecutive nodes. */
    private void choose(final int from, final int to) {
        queues.getLoads(onLink, from, to, load);
        queues.getSearches(onLink, from, to, search);
        throttles.getFirst(from, to - from, onLink, freeFrom, from);
        active.only(from, to, chosen);
        if (ageRule) {
            noteYoung(from, to);
        }
        final boolean others = chooseOnly(from, to);
        holdOnly(from, to);
        for (int node = from; others && node < to; node++) {
            if (chosen[node] == ActiveFlows.NONE) {
                chooseAmong(node);
            }
        }
    }

    /**
     * Records the number of the flow of the local cells that leave the queues of some nodes.
     *
     * @param which the nodes, from 0 to {@code count}.
     * @param count number of nodes.
     */
    private void takeLocal(final int[] which, final int count) {
        int others = 0;
        for (int k = 0; k < count; k++) {
            final int node = which[k];
            number[node] = ShoalQueues.localOf(search[node]);
            search[node] = ShoalQueues.search(ShoalQueues.turnOf(search[node]), 0);
            others |= number[node];
        }
        if (others == 0 && !throttles.indexed()) {
            for (int k = 0; k < count; k++) {
                freeFrom[which[k]] = Throttles.AWAIT;
            }
        } else {
            for (int k = 0; k < count; k++) {
                setThrottle(which[k], number[which[k]], Throttles.AWAIT);
            }
        }
    }

    /** Writes back searches, throttles and loads; a served queue has one cell less. */
    private void settle(final int first, final int end) {
        queues.setLoads(onLink, first, end, loadAfter);
        queues.setSearches(onLink, first, end, search);
        throttles.setFirst(first, end - first, onLink, freeFrom, first);
    }

    /** Finds the single flows that the 2^age rule holds back. */
    private void noteYoung(final int first, final int end) {
        for (int i = first; i < end; i++) {
            young[i] = chosen[i] == ActiveFlows.NONE
                || isOld(i, chosen[i], ShoalQueues.lengthOf(load[i])) ? 0 : -1;
        }
    }

    /**
     * Chooses for nodes with one flow, their first; returns whether there are other nodes. The loops are small, so that
     * they are vectorised; all ones stand for true.
     */
    private boolean chooseOnly(final int first, final int end) {
        int anyOther = 0;
        for (int i = first; i < end; i++) {
            final int other = chosen[i] >> Integer.SIZE - 1;
            lets[i] = ~(ShoalQueues.lengthOf(load[i]) + epoch - freeFrom[i] >> Integer.SIZE - 1 | other);
            anyOther |= other;
        }
        for (int i = first; i < end; i++) {
            // No local cell is in the queue, and the flow is old enough.
            final int may = ShoalQueues.localOf(search[i]) >> Integer.SIZE - 1 & ~young[i];
            goes[i] = lets[i] & may;
            lets[i] &= ~may;
        }
        for (int i = first; i < end; i++) {
            final int length = ShoalQueues.lengthOf(load[i]);
            final int waits = -length >> Integer.SIZE - 1;
            loadAfter[i] = ShoalQueues.load(length + (waits & ~goes[i]), lets[i] & 1);
            // The next search begins at the first place again.
            search[i] = ShoalQueues.search(ShoalQueues.turnOf(search[i]) & ~goes[i],
                ShoalQueues.localOf(search[i]) + 1 + (waits & goes[i] & 1));
        }
        return anyOther != 0;
    }

    /** Throttles the flows chosen by {@link #chooseOnly}: their cells wait behind others or leave. */
    private void holdOnly(final int first, final int end) {
        for (int i = first; i < end; i++) {
            final int waits = -ShoalQueues.lengthOf(load[i]) >> Integer.SIZE - 1;
            freeFrom[i] = Throttles.AWAIT - waits & goes[i] | freeFrom[i] & ~goes[i];
        }
        for (int i = first; throttles.indexed() && i < end; i++) {
            if (goes[i] != 0) {
                setThrottle(i, 0, freeFrom[i]);
            }
        }
    }

    private void setThrottle(final int node, final int number, final int value) {
        if (number == 0) {
            freeFrom[node] = value;
        }
        if (number != 0 || throttles.indexed()) {
            throttles.set(node, number, onLink, value);
        }
    }

    /** Chooses for a node with no flow or several. */
    private void chooseAmong(final int i) {
        final int length = ShoalQueues.lengthOf(load[i]);
        final int local = ShoalQueues.localOf(search[i]);
        final boolean isOpen = local == ShoalQueues.NONE;
        chosen[i] = choose(i, i, length, isOpen, ShoalQueues.turnOf(search[i]));
        final boolean isChosen = chosen[i] != ActiveFlows.NONE;
        if (isChosen) {
            setThrottle(i, ActiveFlows.number(chosen[i]), length > 0 ? Throttles.HELD : Throttles.AWAIT);
        }
        final int number = isChosen && length > 0 ? ActiveFlows.number(chosen[i]) : local;
        goes[i] = isChosen ? -1 : 0;
        loadAfter[i] = ShoalQueues.load(length > 0 && !isChosen ? length - 1 : length, ready);
        search[i] = ShoalQueues.search(turn, number + 1);
    }

    /**
     * Sorts consecutive nodes by what their queues do, without a branch.
     *
     * <pre>
     *   order     OWN         OTHERS       BOTH        queue empty
     *           +-----------+------------+-----------+----------+---------+
     *   leaves  | the only  | the first  | the first | the cell | nothing |
     *   queue   | cell, a   | cell       | cell, of  | let in   |         |
     *           | local one |            | others    |          |         |
     *   let in  | none      | none       | waits     | leaves   | none    |
     *           |           |            | behind    | at once  |         |
     *           +-----------+------------+-----------+----------+---------+
     *                    ownEnd       lessEnd    servedEnd   letInEnd
     * </pre>
     *
     * <p>Nodes that do nothing are left out.
     */
    private void sortByService(final int first, final int end) {
        final int[] kind = sorted.kind();
        final int[] less = this.less;
        for (int node = first; node < end; node++) {
            final int length = ShoalQueues.lengthOf(load[node]);
            final int waits = -length >>> 31;
            final int comes = goes[node] & 1;
            // A local cell that is the only one.
            final int own = ~ShoalQueues.localOf(search[node]) >>> 31 & length - 2 >>> 31 & ~comes;
            kind[node] = OTHERS + (waits & comes) - (waits & own) + (waits ^ 1) + (waits ^ 1);
        }
        for (int node = first; node < end; node++) {
            less[node] = kind[node] - BOTH >>> 31;
        }
        sorted.sort(first, end);
        final int servedEnd = sorted.end(BOTH);
        int fresh = servedEnd;
        for (int k = servedEnd; k < end - first; k++) {
            final int node = order[k];
            order[fresh] = node;
            fresh += goes[node] & 1;
        }
        letInEnd = fresh;
    }
}
