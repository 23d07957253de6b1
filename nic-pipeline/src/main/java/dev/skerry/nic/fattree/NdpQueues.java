package dev.skerry.nic.fattree;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.host.LongFifo;

/**
 * The queues of a bank's ports that trim what they have no room for (docs/spec/ndp.md §2). A port of a switch has room
 * for some bytes of segments, the one that it sends included, and for as many of control packets, all of which are
 * {@link #CONTROL_BYTES} long. One thread.
 */
final class NdpQueues extends PacketQueues {
    /** Length of a control packet, and of the header that is left of a segment. */
    static final int CONTROL_BYTES = 64;
    /** Control packets that a port sends for each segment while both wait. */
    private static final int CONTROL_TURNS = 10;

    private final Returns returns;
    private final long seed;
    /** By port: control packets sent since the last segment while both waited. */
    private final byte[] turns;

    /** Takes headers that a switch has no room for. */
    @FunctionalInterface
    interface Returns {
        /** A device sends a packet the way that its words say. */
        void forward(int device, long first, long second);
    }

    /** Empty queues. */
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

    /** A segment loses its payload; its header joins the control packets, or goes back. */
    private void trim(final long slot, final int port, final long first, final long second) {
        final long header = PacketWord.as(second, PacketWord.HEADER, CONTROL_BYTES);
        tally.increment(NicCounter.CELLS_TRIMMED);
        tally.add(NicCounter.DROPPED_TAIL, fabric.cells(second));
        if (!joinControl(slot, port, first, header)) {
            returns.forward(fabric.clos().deviceOf(port), first,
                PacketWord.as(header, PacketWord.RETURNED, CONTROL_BYTES));
        }
    }

    /** Control packets first, but a segment after ten of them. */
    @Override
    LongFifo next(final int port) {
        if (control[port].isEmpty() || segments[port].isEmpty()) {
            return super.next(port);
        }
        turns[port] = (byte) (turns[port] == CONTROL_TURNS ? 0 : turns[port] + 1);
        return turns[port] == 0 ? segments[port] : control[port];
    }
}
