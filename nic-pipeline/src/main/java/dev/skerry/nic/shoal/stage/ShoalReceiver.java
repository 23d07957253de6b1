package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.KindPartition;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.JoinedQueues;
import dev.skerry.nic.shoal.NodeSets;
import dev.skerry.nic.shoal.Reports;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;
import dev.skerry.nic.shoal.stage.ShoalBank.EpochBase;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Receives a slot for every node of a bank (docs/spec/shoal.md §4.4 RECEIVE): acts on the report; delivers a cell at
 * its destination and queues any other for its destination; notes the queue that it joined. One thread.
 *
 * <p>A row of nodes goes through each step together, as in {@link ShoalTransmitter} and for the same reasons; where few
 * nodes receive something that matters, they are taken one by one.
 */
final class ShoalReceiver {
    /** Places of a sparse row that are looked at together. */
    private static final int GROUP = 8;

    private final NodeRange range;
    private final int nodes;
    private final int channels;
    private final EpochClock clock;
    private final int propagationSlots;
    private final ShoalSlotPlan plan;
    private final ShoalQueues queues;
    private final JoinedQueues joined;
    private final Reports reports;
    private final DeliveryLedger deliveries;
    private final NodeMaxima maxima;
    private final EpochBase base;
    /** Null where nothing can fail. */
    private final ShoalFailures failures;
    private final ArrivalMap circuits;
    private final ShoalBank.Density density;
    /** What each node receives. */
    private final ArrivalMap.Received received;
    private final long[] route;
    private final long[] cell;
    private final long[] feedback;
    /** Where on the link it lies, where something can fail. */
    private final long[] arrived;
    /** The link whose queue it joins, and how long that is then. */
    private final int[] towards;
    private final int[] length;
    /** The lower half of the route, negative where there is no cell. */
    private final int[] lower;
    /** 0, 1, 2, ..: a compiler vectorizes a column of them, not a counter. */
    private final int[] numbers;
    private final KindPartition sorted;
    /** Of cells at their destinations: node id, cell word, age in slots. */
    private final int[] home;
    private final long[] homeCell;
    private final int[] age;
    /** Sparse row: nodes with something that matters, and whether the report that each gets may be about a cell. */
    private final int[] busyNodes;
    private final boolean[] awaits;
    /** Row currently being received. */
    private long slot;
    private int place;
    private int acknowledged;
    private int next;

    ShoalReceiver(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures failures, final InFlightCells link, final ArrivalMap circuits) {
        this.range = range;
        this.nodes = shoal.nodes();
        this.channels = shoal.channels();
        this.propagationSlots = shoal.propagationSlots();
        this.plan = parts.plan();
        this.clock = new EpochClock(plan.epochSlots());
        this.queues = parts.queues()[0];
        this.joined = parts.joined();
        this.reports = parts.reports();
        this.deliveries = parts.deliveries();
        this.maxima = parts.maxima();
        this.base = parts.base();
        this.failures = failures;
        this.circuits = circuits;
        this.received = new ArrivalMap.Received(link, range.size());
        this.density = parts.density();
        this.route = received.route();
        this.cell = received.cell();
        this.feedback = received.feedback();
        this.arrived = new long[range.size()];
        this.towards = new int[range.size()];
        this.length = new int[range.size()];
        this.lower = new int[range.size()];
        this.numbers = IntStream.range(0, range.size()).toArray();
        this.sorted = new KindPartition(range.size());
        this.home = new int[range.size()];
        this.homeCell = new long[range.size()];
        this.age = new int[range.size()];
        this.busyNodes = new int[range.size()];
        this.awaits = new boolean[range.size()];
    }

    /** Handles, for every node of the bank, the cell sent to it one propagation delay before a slot. */
    void receive(final long handlingSlot) {
        final long sentIn = handlingSlot - propagationSlots;
        if (sentIn < 0) {
            return;
        }
        slot = handlingSlot;
        clock.turnTo(sentIn);
        final int epoch = base.of(clock.epoch());
        for (int channel = 0; channel < channels; channel++) {
            place = plan.place(channel, clock.inEpoch());
            if (plan.link(place) != ShoalSlotPlan.IDLE) {
                receiveRow(sentIn, channel, epoch);
            }
        }
    }

    private void receiveRow(final long sentIn, final int channel, final int epoch) {
        final int id = Math.max(range.first(), plan.firstReceiver(place));
        final int count = Math.min(range.end(), plan.endReceiver(place)) - id;
        if (count > 0 && failures != null) {
            receiveAround(failures.arrivals(), sentIn, channel, epoch, id, count);
        } else if (count > 0) {
            circuits.read(sentIn, channel, id, count, received);
            if (!receiveSparse(epoch, id - range.first(), count)) {
                receiveBlock(id, count, epoch);
            }
        }
    }

    /** Hindered nodes receive one by one, and those between them in blocks. */
    private void receiveAround(final HinderedArrivals hindered, final long sentIn, final int channel, final int epoch,
        final int id, final int count) {
        final int first = id - range.first();
        final int end = first + count;
        hindered.turnTo(slot, epoch, place);
        circuits.arrivals(sentIn, channel, id, count, arrived);
        int node = first;
        while (node < end) {
            final int next = hindered.next(node, end, first, arrived);
            if (node < next) {
                circuits.read(sentIn, channel, range.first() + node, next - node, received);
                receiveBlock(range.first() + node, next - node, epoch);
            }
            if (next < end) {
                hindered.receive(next, arrived[next - first]);
            }
            node = next + 1;
        }
    }

    private void receiveBlock(final int id, final int count, final int epoch) {
        final int first = id - range.first();
        final int linkBack = plan.linkBack(place);
        reports.take(first, count, feedback, linkBack,
            epoch - plan.acknowledgedBack(place), epoch + plan.nextAhead(place), plan.simultaneous(place));
        aim(id, count);
        joined.note(linkBack, first, count, towards);
        sort(count);
        deliver(id);
        join(first, count);
    }

    /** Finds the link that each cell goes on to; no link for a cell at its destination and an empty place. */
    private void aim(final int firstId, final int count) {
        final int none = joined.noLink();
        final int around = nodes;
        final int next = firstId + 1;
        for (int i = 0; i < count; i++) {
            lower[i] = (int) route[i];
        }
        for (int i = 0; i < count; i++) {
            final int by = ShoalCell.destination(lower[i]) - next - numbers[i];
            // At its destination a cell is one short of the first link: around, at the link that stands for none.
            final int on = by + (around & by >> Integer.SIZE - 1);
            final int isNone = lower[i] >> Integer.SIZE - 1;
            towards[i] = on & ~isNone | none & isNone;
        }
    }

    /** Sorts places: cells that go on, cells at their destinations, empty places. */
    private void sort(final int count) {
        final int[] kind = sorted.kind();
        final int none = joined.noLink();
        for (int i = 0; i < count; i++) {
            final int isAtNone = none - 1 - towards[i] >>> Integer.SIZE - 1;
            kind[i] = isAtNone + (isAtNone & lower[i] >>> Integer.SIZE - 1);
        }
        sorted.sort(0, count);
    }

    private void deliver(final int firstId) {
        final int[] order = sorted.order();
        final int from = sorted.end(0);
        final int count = sorted.end(1) - from;
        for (int k = 0; k < count; k++) {
            final int i = order[from + k];
            home[k] = firstId + i;
            homeCell[k] = cell[i];
            age[k] = ShoalCell.age(route[i], slot);
        }
        deliveries.deliver(slot, count, home, homeCell, age);
    }

    private void join(final int first, final int count) {
        Arrays.fill(length, first, first + count, 0);
        queues.append(sorted.order(), sorted.end(0), first, towards, route, cell, length);
        maxima.onEnqueue(first, first + count, length);
    }

    /**
     * Handles the row if few of its nodes receive something that matters: a cell, a report on a cell, or, where queues
     * are to be told of, the next turn. Takes these nodes one by one.
     *
     * @param epoch the epoch in which the row was sent.
     * @param first the first node that receives; what it receives is at 0 of the columns.
     * @param count nodes that receive.
     * @return whether it has handled the row.
     */
    private boolean receiveSparse(final int epoch, final int first, final int count) {
        acknowledged = epoch - plan.acknowledgedBack(place);
        next = epoch + plan.nextAhead(place);
        final int linkBack = plan.linkBack(place);
        final int end = first + count;
        int busy = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            busy += Long.bitCount((joined.telling(linkBack, word) | awaited(linkBack, word))
                & NodeSets.within(word, first, end));
        }
        if (!density.isSparse(busy, count)) {
            return false;
        }
        busy = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            final int base = word * NodeSets.WORD_NODES;
            final long awaited = awaited(linkBack, word);
            long left = (joined.telling(linkBack, word) | awaited) & NodeSets.within(word, first, end)
                | arrivals(Math.max(base, first), Math.min(base + NodeSets.WORD_NODES, end), first);
            for (; left != 0; left &= left - 1) {
                final int node = base + Long.numberOfTrailingZeros(left);
                awaits[busy] = (awaited >>> node & 1) != 0;
                busyNodes[busy++] = node;
            }
        }
        if (!density.isSparse(busy, count)) {
            return false;
        }
        for (int k = 0; k < busy; k++) {
            if (awaits[k]) {
                reports.takeOne(busyNodes[k], feedback[busyNodes[k] - first], linkBack, acknowledged, next,
                    plan.simultaneous(place));
            }
        }
        for (int k = 0; k < busy; k++) {
            receiveOne(busyNodes[k], busyNodes[k] - first, linkBack);
        }
        return true;
    }

    private long awaited(final int linkBack, final int word) {
        return reports.awaited(linkBack, acknowledged, next, plan.simultaneous(place), word);
    }

    /** The nodes of [from, to), all in one word, that receive cells, a bit each. */
    private long arrivals(final int from, final int to, final int first) {
        long bits = 0;
        int i = from - first;
        final int end = to - first;
        for (; i + GROUP <= end; i += GROUP) {
            final long all = route[i] & route[i + 1] & route[i + 2] & route[i + 3] & route[i + 4] & route[i + 5]
                & route[i + 6] & route[i + 7];
            for (int k = 0; (int) all >= 0 && k < GROUP; k++) {
                bits |= (route[i + k] >>> Integer.SIZE - 1 & 1 ^ 1) << first + i + k;
            }
        }
        for (; i < end; i++) {
            bits |= (route[i] >>> Integer.SIZE - 1 & 1 ^ 1) << first + i;
        }
        return bits;
    }

    private void receiveOne(final int node, final int i, final int linkBack) {
        int on = joined.noLink();
        final long word = route[i];
        if ((int) word >= 0) {
            on = plan.linkTo(range.first() + node, ShoalCell.destination(word));
            if (on == joined.noLink()) {
                deliveries.deliver(slot, range.first() + node, cell[i], ShoalCell.age(word, slot));
            } else {
                maxima.onEnqueue(node, queues.append(on, node, word, cell[i]));
            }
        }
        joined.note(linkBack, node, on);
    }
}
