package dev.skerry.nic.fattree;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.host.LongFifo;

/**
 * Output queues that trim segments (docs/spec/ndp.md §2). A port of a switch has a buffer for segments, including the
 * one being sent, and a buffer of the same size for control packets of {@link #CONTROL_BYTES} each. One thread.
 */
final class NdpQueues extends PacketQueues {
    /** Size of a control packet and of a trimmed segment. */
    static final int CONTROL_BYTES = 64;
    /** Number of control packets that a port sends per segment while both are queued. */
    private static final int CONTROL_TURNS = 10;

    private final Returns returns;
    private final long seed;
    /** By port: control packets sent since the last segment while both were queued. */
    private final byte[] turns;

    /** Receives headers for which a switch has no room. */
    @FunctionalInterface
    interface Returns {
        /** Forwards a packet at a device. */
        void forward(int device, long first, long second);
    }

    /** Creates empty queues. */
    NdpQueues(final FatTree fabric, final boolean[] isOwn, final BankCounters tally, final Links links,
        final Returns returns) {
        super(fabric, isOwn, tally, links);
        this.returns = returns;
        this.seed = CounterRandom.mix(fabric.seed() + 1);
        this.turns = new byte[fabric.clos().ports()];
    }

    @Override
    boolean join(final long slot, final int port, final long first, final long second) {
        if (PacketWord.kind(second) != PacketWord.SEGMENT) {
            return joinControl(slot, port, first, second);
        }
        final boolean fits = segmentBytes(slot, port) + PacketWord.bytes(second) <= rules.queueBytes();
        if (!fits && (segments[port].isEmpty() || CounterRandom.bits(seed, port, slot ^ first, 0) < 0)) {
            trim(slot, port, first, second);
            return true;
        }
        final long lastSecond = fits ? 0 : cutTail(port, true);
        final long lastFirst = fits ? 0 : cutTail(port, false);
        enqueue(slot, port, first, second);
        if (!fits) {
            trim(slot, port, lastFirst, lastSecond);
        }
        return true;
    }

    private boolean joinControl(final long slot, final int port, final long first, final long second) {
        final boolean fits = (control[port].size() / 2 + 1L) * CONTROL_BYTES <= rules.queueBytes();
        if (fits) {
            enqueue(slot, port, first, second);
        }
        return fits;
    }

    /** Trims a segment; its header joins the control packets or is returned. */
    private void trim(final long slot, final int port, final long first, final long second) {
        final long header = PacketWord.as(second, PacketWord.HEADER, CONTROL_BYTES);
        tally.increment(NicCounter.CELLS_TRIMMED);
        tally.add(NicCounter.DROPPED_TAIL, fabric.cells(second));
        if (!joinControl(slot, port, first, header)) {
            returns.forward(fabric.clos().deviceOf(port), first,
                PacketWord.as(header, PacketWord.RETURNED, CONTROL_BYTES));
        }
    }

    /** Control packets first, but one segment after every ten of them if both are queued. */
    @Override
    LongFifo next(final int port) {
        if (control[port].isEmpty() || segments[port].isEmpty()) {
            return super.next(port);
        }
        turns[port] = (byte) (turns[port] == CONTROL_TURNS ? 0 : turns[port] + 1);
        return turns[port] == 0 ? segments[port] : control[port];
    }
}
