package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;

import java.util.Arrays;

/**
 * Where on the link stands what few nodes of a block send: at the place of each of them, or side by side at those of
 * the first nodes. Places that were filled a turn of the rows ago, and stay empty now, become idle. One thread.
 */
final class SentPlaces {
    private final int firstNode;
    private final Phased schedule;
    private final SlotMath numbers;
    private final InFlightCells link;
    private final ArrivalFlags flags;
    private final boolean isTold;
    private final boolean packs;
    /** By 64 nodes of a block: who sends. */
    private final long[] sending;
    /** By row of the link, then 64 nodes of the bank: places that are not idle. */
    private final long[] filled;
    private final int words;
    /** By row, where cells stand side by side: places from the first one on that may not be idle. */
    private final int[] packed;
    private final int[] list;
    /** Of the slot: row, place of the bank's first node, phase and link; and the block's first node. */
    private int row;
    private long rowAt;
    private int phase;
    private int phaseLink;
    private int first;
    /** Nodes of the block that have sent something. */
    private int sent;

    /** Every place is idle. */
    SentPlaces(final NodeRange range, final Shale shale, final Flight flight, final int block) {
        this.firstNode = range.first();
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, range.size());
        this.link = flight.link();
        this.flags = flight.flags();
        this.isTold = flight.isTold();
        this.packs = flight.packs();
        this.sending = new long[wordsOf(block)];
        this.words = wordsOf(range.size());
        this.packed = new int[packs ? flight.rows() : 0];
        this.filled = new long[packs ? 0 : isTold ? words * flight.rows() : words];
        this.list = new int[block + QueueBits.SPARE];
        Arrays.fill(filled, isTold ? 0 : -1L);
    }

    static int wordsOf(final int nodes) {
        return nodes + Long.SIZE - 1 >>> 6;
    }

    /** Turns to a block in a slot; {@code linkAt} is the place of the bank's first node. */
    void turnTo(final int inEpoch, final int toRow, final long linkAt, final int firstOfBlock) {
        row = toRow;
        rowAt = linkAt;
        phase = numbers.phase(inEpoch);
        phaseLink = numbers.link(inEpoch);
        first = firstOfBlock;
        Arrays.fill(sending, 0);
        sent = 0;
    }

    /** Which of 64 nodes of the block have sent, a bit each. */
    long sending(final int word) {
        return sending[word];
    }

    /** The place for the next but {@code k} that sends, node {@code i} of the block. */
    long place(final int i, final int k) {
        return rowAt + Region.offset(packs ? sent + k : first + i, InFlightCells.PLACE_BYTES);
    }

    /** The listed nodes of the block have sent; flags the ones that they send to. */
    void tell(final int[] which, final int some) {
        final int from = packs ? sent : 0;
        sent += some;
        for (int k = 0; k < some; k++) {
            sending[which[k] >>> 6] |= 1L << which[k];
        }
        if (!isTold) {
            return;
        }
        final int firstId = firstNode + first;
        for (int k = 0; k < some; k++) {
            flags.set(row, schedule.peerOf(firstId + which[k], phase, phaseLink), packs ? from + k : 0);
        }
    }

    /** A node of the block has sent something to a peer. */
    void tell(final int i, final int peer) {
        if (isTold) {
            flags.set(row, peer, packs ? sent : 0);
        }
        sending[i >>> 6] |= 1L << i;
        sent++;
    }

    /** Places of the block that are not idle from before, and stay empty now, become idle. */
    void leaveIdle(final int count) {
        if (packs) {
            if (packed[row] > sent) {
                link.leaveIdle(place(0, 0), packed[row] - sent, InFlightCells.NO_FEEDBACK);
            }
            packed[row] = sent;
            return;
        }
        int idle = 0;
        for (int from = 0; from < count; from += Long.SIZE) {
            final int at = filledAt(row, first + from);
            idle = QueueBits.list(filled[at] & mask(count - from) & ~sending[from >>> 6], from, list, idle);
            filled[at] = isTold ? sending[from >>> 6] : -1L;
        }
        for (int k = 0; k < idle; k++) {
            link.sendIdle(place(list[k], 0), InFlightCells.NO_FEEDBACK);
        }
    }

    /** As many bits as there are nodes left, 64 at most. */
    static long mask(final int nodes) {
        return nodes < Long.SIZE ? ~(-1L << nodes) : -1L;
    }

    /** A block has sent by itself: every place may hold something. */
    void onBlock(final int ofRow, final int firstOfBlock, final int count) {
        if (packs) {
            packed[ofRow] = count;
        } else if (isTold) {
            final int at = filledAt(ofRow, firstOfBlock);
            Arrays.fill(filled, at, at + wordsOf(count), -1L);
        }
    }

    /** Where nobody flags what arrives, receivers read every place and others may write them: all count as filled. */
    private int filledAt(final int ofRow, final int node) {
        return (isTold ? ofRow * words : 0) + (node >>> 6);
    }
}
