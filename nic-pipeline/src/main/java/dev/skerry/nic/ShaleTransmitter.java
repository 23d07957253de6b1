package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Bits;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.Flag;
import dev.skerry.nic.fabric.Admission;
import dev.skerry.nic.fabric.shale.Detours;
import dev.skerry.nic.fabric.shale.FailureAware;
import dev.skerry.nic.fabric.shale.Route;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shale.ShaleRouter;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.util.Arrays;

/**
 * What every node of a bank sends in a slot (Shale §4.1 TX path, spec/shale §5.3): the first forwarded cell that the
 * admission lets go, else the next cell of a local flow, else nothing but what rides along. One thread.
 *
 * <p>A block of nodes goes through each step together, as in {@link ShaleReceiver} and for the same reasons.
 */
final class ShaleTransmitter {
    private static final int BLOCK = CellBatch.CELLS;

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
    /** Cells that are sent on. */
    private final CellBatch batch = new CellBatch();
    /** Of each node of a block: oldest cell, what it sends, the flow it would send from first, to whom. */
    private final long[] oldest = new long[BLOCK];
    private final long[] route = new long[BLOCK];
    private final long[] cell = new long[BLOCK];
    private final long[] feedback = new long[BLOCK];
    private final int[] flow = new int[BLOCK];
    private final int[] destination = new int[BLOCK];
    private final int[] list = new int[BLOCK];
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
        final long linkAt = link.offset(slot) + Region.offset(range.first(), CellLink.PLACE_BYTES);
        router.turnToSending(inEpoch);
        segmenter.activate(slot);
        for (int first = 0; first < nodes; first += BLOCK) {
            final int count = Math.min(BLOCK, nodes - first);
            final long present = complete ? -1L >>> -count : connected(inEpoch, first, count);
            Arrays.fill(route, CellLink.NO_CELL);
            long others = choose(firstQueue, first, count, present);
            forward(first);
            if (detours != null) {
                others = restart(inEpoch, first, others);
            }
            sendLocal(slot, inEpoch, first, others);
            giveFeedback(firstQueue, first, count, present);
            link.send(linkAt + Region.offset(first, CellLink.PLACE_BYTES), 0, count, route, cell, feedback);
        }
    }

    /** Cells sent on for others. */
    long forwarded() {
        return forwarded;
    }

    /** Which nodes of a block are joined to another in this slot; the others send nothing. */
    private long connected(final int inEpoch, final int first, final int count) {
        long connected = 0;
        for (int i = 0; i < count; i++) {
            if (connected(first + i, inEpoch)) {
                connected |= 1L << i;
            }
        }
        return connected;
    }

    /**
     * Takes out the first cell that may go at each node where some wait. That nearly always is the oldest one, and a
     * look at all of them tells; only where it may not go the queue is searched.
     *
     * @return the nodes that send on none.
     */
    private long choose(final int firstQueue, final int first, final int count, final long present) {
        batch.clear();
        if (queues.held() == 0) {
            return present;
        }
        final long waiting = queues.oldest(firstQueue + first, count, oldest) & present;
        final long paid = admission.payOldest(firstQueue + first, waiting, oldest);
        queues.dequeueOldest(firstQueue + first, first, paid, batch);
        long others = present & ~waiting;
        for (long rest = waiting & ~paid; rest != 0; rest &= rest - 1) {
            final int node = first + Long.numberOfTrailingZeros(rest);
            if (queues.dequeue(firstQueue + node, admission)) {
                admission.onDequeue(firstQueue + node, queues.entry());
                batch.add(node, firstQueue + node, queues.length(firstQueue + node), queues.entry(), queues.payload());
            } else {
                others |= rest & -rest;
            }
        }
        return others;
    }

    /** Sends the chosen cells on. */
    private void forward(final int first) {
        admission.onForward(batch);
        maxima.onDequeue(batch);
        router.onDequeue(batch);
        forwarded += batch.count();
        final int count = batch.count();
        final int[] node = batch.node();
        final long[] word = batch.word();
        final long[] chosen = batch.cell();
        for (int i = 0; i < count; i++) {
            route[node[i] - first] = Route.forwarded(word[i]);
            cell[node[i] - first] = chosen[i];
        }
    }

    /** Sends cells that start anew here (spec/shale §5.3 step 3); returns the nodes that still send none. */
    private long restart(final int inEpoch, final int first, final long others) {
        long left = others;
        for (long rest = others; rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            if (detours.poll(first + i, inEpoch)) {
                forwarded++;
                route[i] = detours.route();
                cell[i] = detours.cell();
                left &= ~(rest & -rest);
            }
        }
        return left;
    }

    /** Sends a cell of their own, if they have one that may go, for the nodes that send on none. */
    private void sendLocal(final long slot, final int inEpoch, final int first, final long others) {
        final int firstQueue = inEpoch * range.size() + first;
        final int phase = inEpoch / schedule.linksPerPhase();
        final int phaseLink = inEpoch - phase * schedule.linksPerPhase();
        final int firstId = range.first() + first;
        final long asking = segmenter.ask(firstQueue, first, others, flow, destination);
        long go = 0;
        final int askers = Bits.list(asking, list);
        for (int k = 0; k < askers; k++) {
            final int i = list[k];
            go |= (long) Flag.ifEqual(destination[i], schedule.peerOf(firstId + i, phase, phaseLink)) << i;
        }
        go |= admission.payLocal(firstQueue, first, asking & ~go, destination);
        segmenter.take(firstQueue, first, go, flow, cell);
        addressLocal(slot, go);
        for (long rest = asking & ~go; rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            if (segmenter.poll(firstQueue + i, first + i, schedule.peerOf(firstId + i, phase, phaseLink), admission)) {
                route[i] = Route.first(segmenter.destination(), firstSprays, slot);
                cell[i] = segmenter.cell();
            }
        }
    }

    /** Writes the route words of cells that were taken. */
    private void addressLocal(final long slot, final long which) {
        final int cells = Bits.list(which, list);
        for (int k = 0; k < cells; k++) {
            final int i = list[k];
            route[i] = Route.first(destination[i], firstSprays, slot);
        }
    }

    /** Puts on what rides along with the slot of every node. */
    private void giveFeedback(final int firstQueue, final int first, final int count, final long present) {
        if (complete) {
            admission.takeFeedback(firstQueue + first, count, feedback);
        } else {
            for (int i = 0; i < count; i++) {
                feedback[i] = (present >>> i & 1) == 0 ? CellLink.NO_FEEDBACK
                    : admission.takeFeedback(firstQueue + first + i);
            }
        }
    }

    private boolean connected(final int node, final int inEpoch) {
        if (failures != null) {
            return failures.isUp(inEpoch * range.size() + node);
        }
        final int id = range.first() + node;
        return population.present(id) && population.present(schedule.peerOf(id, inEpoch));
    }
}
