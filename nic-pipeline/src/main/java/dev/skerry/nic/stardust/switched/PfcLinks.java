package dev.skerry.nic.stardust.switched;

import dev.skerry.nic.stardust.fabric.LongFifo;
import dev.skerry.nic.stardust.host.TcpPacket;
import org.agrona.collections.IntArrayList;

import java.util.Arrays;

/**
 * Links that switches pause (PFC, IEEE 802.1Qbb): a switch that holds more of a link into it than a mark pauses that
 * link, until it holds two packets less than the mark. Above the mark there is room for what is under way by then
 * and what is sent before the pause comes, {@link SwitchRules#headroom}; a segment beyond that is dropped.
 * Acknowledgements are a class of their own, as the notifications of DCQCN are: they go first and are never paused.
 *
 * <p>A port sends a packet after the other, so when a packet leaves is known once it is first in its queue. Times of a
 * port are in 1/65536 of its bytes. One thread.
 */
final class PfcLinks implements Links {
    private static final int ARRIVAL = 0;
    private static final int SENT = 1;
    private static final int PAUSE = 2;
    private static final int GO = 3;
    private static final int KIND_BITS = 2;
    private static final int FRACTION_BITS = FreeLinks.FRACTION_BITS;

    private final SwitchRules rules;
    private final Routes routes;
    private final long[] perSlot;
    private final long[] mark;
    private final IntArrayList[] wheel;
    /** By port, and segments after acknowledgements: packets with their bytes and, above these, the port before. */
    private final LongFifo[] waiting;
    private final long[] waitingBytes;
    /** By port: packets on its link with the slots in which they arrive. */
    private final LongFifo[] crossing;
    /** By port: when it has sent the packet that it sends, bytes of that if it is a segment, the port it came by. */
    private final long[] doneAt;
    private final int[] sending;
    private final int[] sendingFrom;
    private final boolean[] paused;
    /** By port: bytes of segments that came over its link and are held at the end of it, and whether that said so. */
    private final long[] held;
    private final boolean[] full;
    private long pauses;

    PfcLinks(final SwitchRules rules, final Routes routes) {
        final int ports = routes.ports();
        this.rules = rules;
        this.routes = routes;
        this.perSlot = FreeLinks.perSlot(routes);
        this.mark = new long[ports];
        Arrays.setAll(mark, port -> rules.queueBytes() - rules.headroom(routes.bytesPerSlot(port)));
        this.wheel = FreeLinks.wheel(rules, perSlot);
        this.waiting = new LongFifo[2 * ports];
        Arrays.setAll(waiting, queue -> new LongFifo());
        this.waitingBytes = new long[ports];
        this.crossing = new LongFifo[ports];
        Arrays.setAll(crossing, port -> new LongFifo());
        this.doneAt = new long[ports];
        this.sending = new int[ports];
        this.sendingFrom = new int[ports];
        this.paused = new boolean[ports];
        this.held = new long[ports];
        this.full = new boolean[ports];
        if (Arrays.stream(mark).anyMatch(bytes -> bytes < 2L * rules.packetBytes())) {
            throw new IllegalArgumentException("a switch that pauses has room for two packets of a link and for what "
                + "comes before it stops: queueBytes=" + rules.queueBytes() + " of them above the mark="
                + (rules.queueBytes() - Arrays.stream(mark).min().orElseThrow()));
        }
    }

    @Override
    public void turn(final long slot, final Arrivals arrivals) {
        final IntArrayList due = wheel[(int) slot & wheel.length - 1];
        for (int i = 0; i < due.size(); i++) {
            final int port = due.getInt(i) >>> KIND_BITS;
            switch (due.getInt(i) & (1 << KIND_BITS) - 1) {
                case ARRIVAL -> arrivals.arrive(port, crossing[port].poll());
                case SENT -> pump(slot, port);
                case PAUSE -> paused[port] = true;
                default -> {
                    paused[port] = false;
                    wake(slot, port);
                    pump(slot, port);
                }
            }
        }
        due.clear();
    }

    @Override
    public boolean add(final long slot, final int from, final int port, final long packet, final int bytes) {
        final boolean isAck = TcpPacket.isAck(packet);
        if (from != NONE && !isAck) {
            if (held[from] + bytes > rules.queueBytes()) {
                return false;
            }
            held[from] += bytes;
            if (held[from] > mark[from] && !full[from]) {
                full[from] = true;
                pauses++;
                await(slot + rules.linkSlots(), from, PAUSE);
            }
        }
        pump(slot, port);
        wake(slot, port);
        waiting[2 * port + (isAck ? 0 : 1)].add((long) (from + 1) << Integer.SIZE | bytes, packet);
        waitingBytes[port] += bytes;
        pump(slot, port);
        return true;
    }

    /** A port that sends nothing can not have begun before a slot. */
    private void wake(final long slot, final int port) {
        if (sending[port] == 0) {
            doneAt[port] = Math.max(doneAt[port], slot * perSlot[port]);
        }
    }

    /** Whatever a port can have sent by a slot leaves it. */
    private void pump(final long slot, final int port) {
        final long now = slot * perSlot[port];
        while (doneAt[port] <= now) {
            if (sending[port] > 0 && sendingFrom[port] != NONE) {
                release(slot, sendingFrom[port], sending[port]);
            }
            sending[port] = 0;
            final int queue = waiting[2 * port].size() > 0 ? 2 * port : 2 * port + 1;
            if (waiting[queue].size() == 0 || paused[port] && queue % 2 == 1) {
                return;
            }
            start(slot, port, queue);
        }
    }

    private void start(final long slot, final int port, final int queue) {
        final long entry = waiting[queue].first();
        final int bytes = (int) entry;
        sending[port] = bytes;
        sendingFrom[port] = queue % 2 == 0 ? NONE : (int) (entry >>> Integer.SIZE) - 1;
        waitingBytes[port] -= bytes;
        doneAt[port] += (long) bytes << FRACTION_BITS;
        final long done = Math.ceilDiv(doneAt[port], perSlot[port]);
        crossing[port].add(done, waiting[queue].poll());
        await(done + rules.linkSlots(), port, ARRIVAL);
        await(Math.max(slot + 1, done), port, SENT);
    }

    private void release(final long slot, final int from, final int bytes) {
        held[from] -= bytes;
        if (full[from] && held[from] <= mark[from] - 2L * rules.packetBytes()) {
            full[from] = false;
            await(slot + rules.linkSlots(), from, GO);
        }
    }

    private void await(final long slot, final int port, final int kind) {
        wheel[(int) slot & wheel.length - 1].addInt(port << KIND_BITS | kind);
    }

    @Override
    public long backlog(final long slot, final int port) {
        return waitingBytes[port] + (Math.max(0, doneAt[port] - slot * perSlot[port]) >> FRACTION_BITS);
    }

    @Override
    public long held() {
        return Arrays.stream(waiting).mapToLong(LongFifo::size).sum()
            + Arrays.stream(crossing).mapToLong(LongFifo::size).sum();
    }

    @Override
    public long pauses() {
        return pauses;
    }
}
