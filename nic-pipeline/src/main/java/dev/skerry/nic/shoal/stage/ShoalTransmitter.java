package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.QueueSamples;
import dev.skerry.nic.shoal.Reports;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;

import java.util.Arrays;

/**
 * Sends a slot for every node of a bank (docs/spec/shoal.md §4.4 SEND): at most one local cell joins the queue of the
 * neighbour, if Eq. 2 and the 2^age rule release it; then the first cell of the queue leaves, or a dummy; a report
 * rides with either. One thread.
 *
 * <p>Which of these a node does nobody can predict. So a row of nodes goes through each step together: nodes are sorted
 * by what they do, without a branch ({@link ServiceOrder}), and each kind of work is a loop over a run of them.
 * Arithmetic is done for all nodes, in loops small enough to become vectors (bench/results).
 *
 * <p>Where few nodes of a row have something to do, {@link SparseSends} takes those alone.
 */
final class ShoalTransmitter {
    private final NodeRange range;
    private final int nodes;
    private final int failedNodes;
    private final int channels;
    private final EpochClock clock;
    private final ShoalSlotPlan plan;
    private final ShoalQueues queues;
    private final SentCells sent;
    private final Reports reports;
    private final ShoalFlowScheduler scheduler;
    private final ShoalAdmission admission;
    private final NodeMaxima maxima;
    private final QueueSamples samples;
    private final EpochBase base;
    /** Null where nothing can fail. */
    private final ShoalFailures failures;
    private final InFlightCells link;
    private final SparseSends sparse;
    /** What each node reports on each channel. */
    private final long[][] report;
    /** By node: the source in the word of a local cell. */
    private final int[] source;
    private final ServiceOrder sorted;
    private final int[] order;
    /** Nodes whose local cells leave. */
    private final int[] leaving;
    /** By node: the cell that it sends; the flow whose cell is let in or leaves, and that cell. */
    private final long[] route;
    private final long[] cell;
    private final int[] number;
    private final int[] ends;
    private final long[] localWord;
    private final long[] local;
    private long forwarded;
    /** Of the row being sent. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;
    private int first;
    private int end;
    /** Where the nodes in between begin and end that meet a failed one. */
    private int barred;
    private int barredTo;
    private boolean simultaneous;
    private long linkAt;
    private long entries;
    /** Where the list of nodes whose local cells leave ends. */
    private int leavingEnd;

    ShoalTransmitter(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures failures, final InFlightCells link) {
        this.range = range;
        this.nodes = shoal.nodes();
        this.failedNodes = shoal.failedNodes();
        this.channels = shoal.channels();
        this.plan = parts.plan();
        this.clock = new EpochClock(plan.epochSlots());
        this.queues = parts.queues()[0];
        this.sent = parts.sent();
        this.reports = parts.reports();
        this.scheduler = parts.scheduler();
        this.failures = failures;
        this.admission = new ShoalAdmission(shoal, range.size(), queues, parts.throttles(), scheduler,
            new FlowSearch(shoal, range.first(), parts.throttles(), scheduler,
                failures == null ? null : failures.state().reachability()));
        this.maxima = parts.maxima();
        this.samples = parts.samples();
        this.base = parts.base();
        this.link = link;
        this.sparse = failures == null ? new SparseSends(range, shoal, parts, link) : null;
        this.report = new long[channels][range.size()];
        this.sorted = new ServiceOrder(range.size());
        this.order = sorted.nodes();
        this.leaving = new int[range.size() + 1];
        this.route = new long[range.size()];
        this.cell = new long[range.size()];
        this.number = new int[range.size()];
        this.ends = new int[range.size()];
        this.source = new int[range.size()];
        for (int node = 0; node < range.size(); node++) {
            source[node] = (int) ShoalCell.of(range.first() + node, 0);
        }
        this.localWord = new long[range.size()];
        this.local = new long[range.size()];
    }

    /** Sends one slot for every node of the bank. */
    void send(final long now) {
        clock.turnTo(now);
        slot = now;
        if (failures != null) {
            failures.begin(now);
        }
        epoch = base.turnTo(clock.epoch());
        scheduler.activate(now);
        for (int channel = 0; channel < channels; channel++) {
            turnTo(plan.place(channel, clock.inEpoch()));
            if (onLink != ShoalSlotPlan.IDLE
                && (failures != null || !sparse.sample(now, channel, onLink, first, end, barred, barredTo,
                report[channel]))) {
                sample(report[channel]);
            }
        }
        long rowAt = link.offset(now) + Region.offset(range.first(), InFlightCells.PLACE_BYTES);
        for (int channel = 0; channel < channels; channel++) {
            turnTo(plan.place(channel, clock.inEpoch()));
            linkAt = rowAt;
            sendRow(channel);
            rowAt += Region.offset(nodes, InFlightCells.PLACE_BYTES);
        }
        if (failures != null) {
            failures.afflict(now);
        }
    }

    private void sample(final long[] into) {
        if (failures == null) {
            reports.sample(onLink, first, end, into);
        } else {
            failures.reports().sample(onLink, first, end, into);
        }
    }

    /** Whether all nodes have left the link idle for some slots before this one; where nothing can fail. */
    boolean isLinkIdle(final long ofSlot, final int slots) {
        return sparse.isLinkIdle(ofSlot, slots);
    }

    /** Cells of other nodes sent on. */
    long forwarded() {
        return failures == null ? forwarded + sparse.forwarded() : forwarded;
    }

    private void turnTo(final int toPlace) {
        place = toPlace;
        onLink = plan.link(toPlace);
        simultaneous = onLink != ShoalSlotPlan.IDLE && plan.simultaneous(toPlace);
        first = Math.clamp((long) Math.max(failedNodes, plan.firstSender(place)) - range.first(), 0, range.size());
        end = Math.clamp((long) plan.endSender(place) - range.first(), first, range.size());
        barred = Math.clamp((long) plan.firstBarred(place) - range.first(), first, end);
        barredTo = Math.clamp((long) plan.endBarred(place) - range.first(), barred, end);
    }

    private void leaveIdle(final int from, final int to) {
        link.leaveIdle(linkAt + Region.offset(from, InFlightCells.PLACE_BYTES), to - from, InFlightCells.NO_FEEDBACK);
    }

    private void sendRow(final int channel) {
        if (onLink == ShoalSlotPlan.IDLE) {
            leaveIdle(0, range.size());
            return;
        }
        leaveIdle(0, first);
        leaveIdle(end, range.size());
        if (simultaneous) {
            sent.clearJustSent();
        }
        if (failures != null) {
            sendAround(failures.sends(), report[channel]);
        } else if (sparse.isChosen(channel)) {
            sparse.send(channel, slot, epoch, place, first, end, linkAt, report[channel]);
        } else {
            sendBlock(first, barred, report[channel]);
            if (barredTo < end) {
                sendBlock(barredTo, end, report[channel]);
            }
        }
        leaveIdle(barred, barredTo);
    }

    /** Sends hindered nodes one by one, and those between them in blocks. */
    private void sendAround(final HinderedSends hindered, final long[] feedback) {
        hindered.turnTo(slot, epoch, place);
        int node = first;
        while (node < end) {
            final int next = hindered.next(node, end);
            if (node < next) {
                sendBlock(node, next, feedback);
                hindered.keep(node, next, route, cell);
            }
            if (next < end) {
                hindered.send(next, linkAt + Region.offset(next, InFlightCells.PLACE_BYTES), feedback[next]);
            }
            node = next + 1;
        }
    }

    /** Sends for nodes that follow each other. */
    private void sendBlock(final int from, final int to, final long[] feedback) {
        admission.choose(slot, epoch, onLink, from, to);
        samples.count(admission.load(), from, to);
        entries = sent.offset(epoch, onLink);
        sent.clear(entries + Region.offset(from, Integer.BYTES), to - from);
        sendNodes(from, to, feedback);
        sent.note(epoch, onLink, from, to, leaving, leavingEnd);
        admission.settle(from, to);
    }

    /**
     * Serves nodes that follow each other. Too long to be inlined: a compiler unrolls less of a row that is one method
     * (bench/results).
     */
    private void sendNodes(final int from, final int to, final long[] feedback) {
        sorted.sort(from, to, admission.load(), admission.search(), admission.goes());
        final int ownEnd = sorted.ownEnd();
        final int lessEnd = sorted.lessEnd();
        final int servedEnd = sorted.servedEnd();
        final int letInEnd = sorted.letInEnd();
        maxima.onDequeue(from, to, sorted.less());
        Arrays.fill(route, from, to, InFlightCells.NO_CELL);
        queues.pop(onLink, order, servedEnd, admission.load(), route, cell);
        scheduler.take(order, lessEnd, letInEnd, admission.chosen(), local);
        letIn(from, to);
        queues.put(onLink, order, lessEnd, servedEnd, admission.load(), localWord, local);
        // Local cells at the heads of queues leave like local cells that did not wait.
        System.arraycopy(order, 0, leaving, 0, ownEnd);
        int last = ownEnd;
        for (int k = ownEnd; k < lessEnd; k++) {
            final int node = order[k];
            leaving[last] = node;
            last += Branchless.ifEqual(ShoalCell.source(route[node]), range.first() + node);
        }
        admission.takeLocal(leaving, last, number);
        forwarded += servedEnd - last;
        for (int k = servedEnd; k < letInEnd; k++) {
            final int node = order[k];
            leaving[last++] = node;
            route[node] = localWord[node];
            cell[node] = local[node];
        }
        leavingEnd = last;
        leave();
        link.send(linkAt + Region.offset(from, InFlightCells.PLACE_BYTES), from, to - from, route, cell, feedback);
    }

    /** Works out the words and flows of local cells that are let in; undefined for other nodes. */
    private void letIn(final int from, final int to) {
        final int[] flow = admission.chosen();
        for (int node = from; node < to; node++) {
            number[node] = ActiveFlows.number(flow[node]);
            ends[node] = source[node] | ActiveFlows.destination(flow[node]);
        }
        for (int node = from; node < to; node++) {
            localWord[node] = ends[node] & ShoalCell.ENDS;
        }
    }

    /** Local cells leave their nodes. */
    private void leave() {
        final int firstId = range.first();
        for (int k = 0; k < leavingEnd; k++) {
            final int node = leaving[k];
            sent.set(entries + Region.offset(node, Integer.BYTES), SentCells.entry(number[node],
                plan.services(place, firstId + node, ShoalCell.destination(route[node]))));
            route[node] = ShoalCell.sent(route[node], slot);
        }
        if (simultaneous) {
            for (int k = 0; k < leavingEnd; k++) {
                sent.setJustSent(leaving[k], number[leaving[k]]);
            }
        }
    }
}
