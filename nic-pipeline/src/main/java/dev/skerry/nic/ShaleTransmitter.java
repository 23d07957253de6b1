package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.nic.fabric.Admission;
import dev.skerry.nic.fabric.shale.Detours;
import dev.skerry.nic.fabric.shale.FailureAware;
import dev.skerry.nic.fabric.shale.Route;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shale.ShaleRouter;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

/**
 * What every node of a bank sends in a slot (Shale §4.1 TX path, spec/shale §5.3): the first forwarded cell that the
 * admission lets go, else the next cell of a local flow, else nothing but what rides along. One thread.
 *
 * <p>A block of nodes goes through each step together, as in {@link ShaleReceiver} and for the same reasons.
 */
final class ShaleTransmitter {
    private static final int BLOCK = 64;

    private final NodeRange range;
    private final Phased schedule;
    private final Population population;
    private final boolean complete;
    private final int firstSprays;
    private final EligibilityQueues queues;
    private final Admission admission;
    private final ShaleSegmenter segmenter;
    private final ShaleRouter router;
    private final NodeMaxima maxima;
    private final CellLink link;
    /** Which links are up, and the cells that start anew; null where nothing ever fails. */
    private final FailureAware failures;
    private final Detours detours;
    /** Nodes of a block with cells to send on, and those without or with none that may go. */
    private final int[] waiting = new int[BLOCK + 1];
    private final int[] others = new int[BLOCK + 1];
    private int otherCount;
    /** Cells to send on: node, the two words of the entry. */
    private final int[] sender = new int[BLOCK];
    private final long[] entry = new long[BLOCK];
    private final long[] cell = new long[BLOCK];
    private final Prefetcher lines = new Prefetcher(BLOCK);
    private long forwarded;

    ShaleTransmitter(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final CellLink link) {
        this.range = range;
        this.schedule = shale.schedule();
        this.population = shale.population();
        this.failures = parts.failures();
        this.detours = failures == null ? null : failures.detours();
        this.complete = population.allPresent() && failures == null;
        this.firstSprays = schedule.phases() - 1;
        this.queues = parts.queues();
        this.admission = parts.admission();
        this.segmenter = parts.segmenter();
        this.router = parts.router();
        this.maxima = parts.maxima();
        this.link = link;
    }

    /** Sends one slot for every node of the bank. */
    void send(final long slot) {
        final int inEpoch = schedule.slotInEpoch(slot);
        final int nodes = range.size();
        final int firstQueue = inEpoch * nodes;
        final long linkAt = link.offset(slot) + (long) range.first() * CellLink.CELL_BYTES;
        router.turnToSending(inEpoch);
        segmenter.activate(slot);
        for (int first = 0; first < nodes; first += BLOCK) {
            final int chosen = choose(firstQueue, sort(inEpoch, linkAt, first, Math.min(first + BLOCK, nodes)));
            for (int i = 0; i < chosen; i++) {
                forward(firstQueue, i, linkAt);
            }
            if (detours != null) {
                restart(inEpoch, linkAt);
            }
            sendLocal(slot, inEpoch, linkAt);
        }
    }

    /** Cells sent on for others. */
    long forwarded() {
        return forwarded;
    }

    /** Sorts the nodes of a block by whether cells wait at this link; returns at how many they do. */
    private int sort(final int inEpoch, final long linkAt, final int first, final int end) {
        final int firstQueue = inEpoch * range.size();
        int some = 0;
        int none = 0;
        for (int node = first; node < end; node++) {
            if (!complete && !connected(node, inEpoch)) {
                link.sendIdle(linkAt + (long) node * CellLink.CELL_BYTES, CellLink.NO_FEEDBACK);
                continue;
            }
            final boolean waits = queues.length(firstQueue + node) > 0;
            waiting[some] = node;
            some += waits ? 1 : 0;
            others[none] = node;
            none += waits ? 0 : 1;
        }
        otherCount = none;
        return some;
    }

    /** Takes out the first cell that may go at each node where some wait; returns how many there are. */
    private int choose(final int firstQueue, final int some) {
        int chosen = 0;
        for (int i = 0; i < some; i++) {
            final int node = waiting[i];
            if (queues.dequeue(firstQueue + node, admission)) {
                admission.onDequeue(firstQueue + node, queues.entry());
                admission.prefetchForward(node, queues.entry(), lines);
                sender[chosen] = node;
                entry[chosen] = queues.entry();
                cell[chosen++] = queues.payload();
            } else {
                others[otherCount++] = node;
            }
        }
        lines.fetch();
        return chosen;
    }

    /** Sends a cell of their own, or an idle one, for the nodes that send on none. */
    private void sendLocal(final long slot, final int inEpoch, final long linkAt) {
        final int firstQueue = inEpoch * range.size();
        final int phase = inEpoch / schedule.linksPerPhase();
        final int phaseLink = inEpoch - phase * schedule.linksPerPhase();
        for (int i = 0; i < otherCount; i++) {
            final int node = others[i];
            final int queue = firstQueue + node;
            final long at = linkAt + (long) node * CellLink.CELL_BYTES;
            if (segmenter.hasFlow(node)
                && segmenter.poll(queue, node, schedule.peerOf(range.first() + node, phase, phaseLink), admission)) {
                link.send(at, Route.first(segmenter.destination(), firstSprays, slot), segmenter.cell(),
                    admission.takeFeedback(queue));
            } else {
                link.sendIdle(at, admission.takeFeedback(queue));
            }
        }
    }

    /** Sends cells that start anew here, for nodes that send on none (spec/shale §5.3 step 3). */
    private void restart(final int inEpoch, final long linkAt) {
        int left = 0;
        for (int i = 0; i < otherCount; i++) {
            final int node = others[i];
            if (detours.poll(node, inEpoch)) {
                forwarded++;
                link.send(linkAt + (long) node * CellLink.CELL_BYTES, detours.route(), detours.cell(),
                    admission.takeFeedback(inEpoch * range.size() + node));
            } else {
                others[left++] = node;
            }
        }
        otherCount = left;
    }

    private boolean connected(final int node, final int inEpoch) {
        if (failures != null) {
            return failures.isUp(inEpoch * range.size() + node);
        }
        final int id = range.first() + node;
        return population.present(id) && population.present(schedule.peerOf(id, inEpoch));
    }

    private void forward(final int firstQueue, final int i, final long linkAt) {
        final int node = sender[i];
        final int queue = firstQueue + node;
        admission.onForward(node, entry[i]);
        maxima.onDequeue(node);
        router.onDequeue(node, queues.length(queue));
        forwarded++;
        link.send(linkAt + (long) node * CellLink.CELL_BYTES, Route.forwarded(entry[i]), cell[i],
            admission.takeFeedback(queue));
    }
}
