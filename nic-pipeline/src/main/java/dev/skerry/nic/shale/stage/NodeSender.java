package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.util.Arrays;

/**
 * What nodes send that are taken through a slot one by one, see {@link ShaleTransmitter}: only those with a cell, a
 * flow or feedback, found by a bit each. A node asks what a block of nodes asks, in the same order. One thread.
 */
final class NodeSender {
    private final NodeRange range;
    private final Phased schedule;
    private final SlotMath numbers;
    private final Population population;
    private final boolean complete;
    private final int firstSprays;
    private final QueueBank queues;
    private final CongestionControl control;
    private final ShaleFlowScheduler scheduler;
    private final InFlightCells link;
    private final ArrivalFlags flags;
    private final boolean isTold;
    /** By 64 nodes of a block: those with something to do. */
    private final long[] busy;
    /** By row of the link, then 64 nodes of the bank: places that are not idle. */
    private final long[] filled;
    private final int words;
    /** Whether one node has a peer. */
    private final int[] joined = new int[1];
    private long forwarded;
    private int fetched;

    /** A sender that finds every place of the link idle. */
    NodeSender(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final Flight flight) {
        this.range = range;
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, range.size());
        this.population = shale.population();
        this.complete = population.allPresent();
        this.firstSprays = schedule.phases() - 1;
        this.queues = parts.queues();
        this.control = parts.control();
        this.scheduler = parts.scheduler();
        this.link = flight.link();
        this.flags = flight.flags();
        this.isTold = flight.isTold();
        this.busy = new long[wordsOf(CellBatch.block(range.size()))];
        this.words = wordsOf(range.size());
        this.filled = new long[isTold ? words * flight.rows() : words];
        Arrays.fill(filled, isTold ? 0 : -1L);
    }

    private static int wordsOf(final int nodes) {
        return nodes + Long.SIZE - 1 >>> 6;
    }

    /** As many bits as there are nodes left, 64 at most. */
    private static long mask(final int nodes) {
        return nodes < Long.SIZE ? ~(-1L << nodes) : -1L;
    }

    /** Finds the nodes of a block that may have something to send; returns how many. */
    int look(final int inEpoch, final int first, final int count) {
        final int firstQueue = numbers.queue(inEpoch, first);
        int some = 0;
        for (int from = 0; from < count; from += Long.SIZE) {
            final long asking = (queues.waiting().from(firstQueue + from) | scheduler.activeFrom(first + from))
                & ~queues.refused().from(firstQueue + from);
            final long bits = (asking | control.feedbackFrom(firstQueue + from)) & mask(count - from);
            busy[from >>> 6] = bits;
            some += Long.bitCount(bits);
        }
        return some;
    }

    /** Takes the nodes that {@link #look} has found through the sending of a slot; the others send nothing. */
    void send(final long slot, final int inEpoch, final int row, final long linkAt, final int first, final int count) {
        fetch(inEpoch, first, count);
        for (int from = 0; from < count; from += Long.SIZE) {
            long sent = 0;
            for (long left = busy[from >>> 6]; left != 0; left &= left - 1) {
                final int i = Long.numberOfTrailingZeros(left);
                if (send(slot, inEpoch, row, linkAt, first + from + i)) {
                    sent |= 1L << i;
                }
            }
            final int at = placeOf(row, first + from);
            final long before = filled[at] & mask(count - from);
            for (long left = before & ~sent; left != 0; left &= left - 1) {
                link.sendIdle(linkAt + Region.offset(first + from + Long.numberOfTrailingZeros(left),
                    InFlightCells.PLACE_BYTES), InFlightCells.NO_FEEDBACK);
            }
            if (isTold) {
                filled[at] = sent;
            }
        }
    }

    /** Reads the lines that nodes will ask for, in a loop that does nothing else, so that cache misses overlap. */
    private void fetch(final int inEpoch, final int first, final int count) {
        int read = 0;
        for (int from = 0; from < count; from += Long.SIZE) {
            for (long left = busy[from >>> 6]; left != 0; left &= left - 1) {
                final int node = first + from + Long.numberOfTrailingZeros(left);
                final int queue = numbers.queue(inEpoch, node);
                read += queues.queues().length(queue) + control.fetch(queue, node);
            }
        }
        // Kept, or the compiler would drop the reads.
        fetched += read;
    }

    /** A block has sent by itself: every place may hold something. */
    void onBlock(final int row, final int first, final int count) {
        if (isTold) {
            Arrays.fill(filled, placeOf(row, first), placeOf(row, first) + wordsOf(count), -1L);
        }
    }

    /** Where nobody flags what arrives, receivers read every place and others may write them: all count as filled. */
    private int placeOf(final int row, final int node) {
        return (isTold ? row * words : 0) + (node >>> 6);
    }

    /** Cells sent on for others. */
    long forwarded() {
        return forwarded;
    }

    private boolean send(final long slot, final int inEpoch, final int row, final long linkAt, final int node) {
        final int queue = numbers.queue(inEpoch, node);
        final int id = range.first() + node;
        final int phase = numbers.phase(inEpoch);
        final int phaseLink = numbers.link(inEpoch);
        long route = InFlightCells.NO_CELL;
        long cell = 0;
        if (!queues.refused().isSet(queue)) {
            final boolean isJoined = complete || isJoined(id, phase, phaseLink);
            if (isJoined && queues.waiting().isSet(queue) && queues.dequeue(node, inEpoch)) {
                forwarded++;
                route = Route.forwarded(queues.queues().entry());
                cell = queues.queues().payload();
            } else if (isJoined && scheduler.hasFlow(node)
                && scheduler.poll(queue, node, schedule.peerOf(id, phase, phaseLink), control)) {
                route = Route.first(scheduler.destination(), firstSprays, slot);
                cell = scheduler.cell();
            } else {
                queues.refused().set(queue);
            }
        }
        final long feedback = (control.feedbackFrom(queue) & 1) == 0 ? InFlightCells.NO_FEEDBACK
            : control.takeFeedback(queue);
        if ((route & feedback) == InFlightCells.NO_CELL) {
            return false;
        }
        link.send(linkAt + Region.offset(node, InFlightCells.PLACE_BYTES), route, cell, feedback);
        if (isTold) {
            flags.set(row, schedule.peerOf(id, phase, phaseLink));
        }
        return true;
    }

    private boolean isJoined(final int id, final int phase, final int phaseLink) {
        population.joined(id, 1, phase, phaseLink, joined);
        return joined[0] != 0;
    }
}
