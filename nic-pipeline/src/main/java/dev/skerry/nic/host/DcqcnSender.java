package dev.skerry.nic.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.schedule.check.Bounds;
import org.agrona.collections.IntArrayList;

/**
 * Senders of connections with a rate ({@link Congestion.Dcqcn}), and go-back-N for lost segments. A connection starts
 * at the rate of its port and has no timers before its first notification. The next segment is due when the previous
 * one has been sent at the connection's rate; it waits longer while the port of its host is not free, and the delay is
 * not made up.
 *
 * <pre>
 *   one sender   0     4      8      12       16         20         24      28      32
 *                +-----+------+------+--------+----------+----------+-------+-------+
 *                | una | next | most | rewind | T events | B events | alpha | flags |
 *                +-----+------+------+--------+----------+----------+-------+-------+
 *                | rate RC        | target RT        | next is due   | bytes since B |
 *                +----------------+------------------+---------------+---------------+
 *                | alpha's period | period of T      | lost after    |    96 of 128 bytes
 *                +----------------+------------------+---------------+
 *
 *   una: first segment not acknowledged    next: next to send    most: first never sent
 *   rewind: una when segments were last sent again on a NAK, -1 at first    alpha: in 1/2^30
 *   flags: which events of the connection wait in the wheel
 *   rates in 1/2^20 bytes a slot, due in 1/2^16 slots; times in slots, 0 for none
 * </pre>
 *
 * One thread.
 */
public final class DcqcnSender extends Sender {
    private static final int UNA = 0;
    private static final int NEXT = 1;
    private static final int MOST = 2;
    private static final int REWIND = 3;
    private static final int T_EVENTS = 4;
    private static final int B_EVENTS = 5;
    private static final int ALPHA = 6;
    private static final int FLAGS = 7;
    private static final int RATE = 4;
    private static final int TARGET = 5;
    private static final int DUE = 6;
    private static final int BYTES = 7;
    /** Offset of the times of events other than {@link #SEND}, by event. */
    private static final int TIMES = 64;

    private static final int ALPHA_EVENT = 0;
    private static final int INCREASE = 1;
    private static final int LOST = 2;
    private static final int SEND = 3;
    private static final int EVENT_BITS = 2;

    private static final int RATE_BITS = 20;
    private static final int DUE_BITS = 16;
    private static final int ONE = 1 << 30;
    private static final int BUCKETS = 4096;

    private final Congestion.Dcqcn law;
    private final long lineRate;
    private final long add;
    private final long hyper;
    private final int packetSlots;
    /** Wheel of connections and events. */
    private final SlotWheel wheel = new SlotWheel(BUCKETS);

    DcqcnSender(final Region senders, final Connections connections, final Reno rules, final Congestion.Dcqcn law,
        final double bytesPerSlot, final Line line) {
        super(senders, connections, rules, line);
        Bounds.refuseIf(connections.count() >= 1 << Integer.SIZE - 1 - EVENT_BITS,
            "connections have numbers below 2^29: ", connections.count());
        this.law = law;
        this.lineRate = fixed(bytesPerSlot);
        this.add = fixed(law.addBytes());
        this.hyper = fixed(law.hyperBytes());
        this.packetSlots = (int) Math.max(1, connections.packetBytes() / bytesPerSlot);
    }

    private static long fixed(final double bytesPerSlot) {
        return Math.round(bytesPerSlot * (1 << RATE_BITS));
    }

    @Override
    public void start(final long slot, final int flow) {
        final long at = at(flow);
        set(at, REWIND, -1);
        set(at, ALPHA, ONE);
        senders.setLong(at, RATE, lineRate);
        senders.setLong(at, TARGET, lineRate);
        send(slot, flow, at);
    }

    @Override
    public void turn(final long slot) {
        final IntArrayList now = wheel.due(slot);
        for (int i = 0; i < now.size(); i++) {
            final int flow = now.getInt(i) >>> EVENT_BITS;
            final int event = now.getInt(i) & (1 << EVENT_BITS) - 1;
            final long at = at(flow);
            set(at, FLAGS, get(at, FLAGS) & ~(1 << event));
            if (event == SEND) {
                send(slot, flow, at);
                continue;
            }
            final long time = senders.getLong(at + TIMES, event);
            if (time > slot) {
                await(slot, flow, at, event, time);
            } else if (time > 0) {
                senders.setLong(at + TIMES, event, 0);
                end(slot, flow, at, event);
            }
        }
        waiting -= now.size();
        now.clear();
    }

    @Override
    public void onAck(final long slot, final int flow, final long packet) {
        final long at = at(flow);
        if (TcpPacket.isMarked(packet)) {
            cut(slot, flow, at);
        }
        final int una = get(at, UNA);
        final int expected = TcpPacket.number(packet);
        if (expected > una) {
            set(at, UNA, expected);
            set(at, NEXT, Math.max(get(at, NEXT), expected));
            if (expected == connections.segments(flow)) {
                for (int event = ALPHA_EVENT; event <= LOST; event++) {
                    senders.setLong(at + TIMES, event, 0);
                }
                return;
            }
            start(slot, flow, at, LOST, expected == get(at, NEXT) ? 0 : rules.minRtoSlots());
        }
        if (expected >= una && TcpPacket.isNak(packet) && get(at, REWIND) != expected) {
            set(at, REWIND, expected);
            set(at, NEXT, expected);
        }
        send(slot, flow, at);
    }

    @Override
    public double rate(final int flow) {
        return (double) senders.getLong(at(flow), RATE) / (1 << RATE_BITS);
    }

    @Override
    public double markedShare(final int flow) {
        return (double) get(at(flow), ALPHA) / ONE;
    }

    /** Handles a notification: the rate falls by half of alpha, and all periods of increase restart. */
    private void cut(final long slot, final int flow, final long at) {
        final long rate = senders.getLong(at, RATE);
        final long alpha = get(at, ALPHA);
        senders.setLong(at, TARGET, rate);
        senders.setLong(at, RATE, Math.max(add, rate - (rate * (alpha >>> RATE_BITS / 2) >> RATE_BITS + 1)));
        set(at, ALPHA, (int) (alpha + (ONE - alpha >> law.gainBits())));
        set(at, T_EVENTS, 0);
        set(at, B_EVENTS, 0);
        senders.setLong(at, BYTES, 0);
        start(slot, flow, at, ALPHA_EVENT, law.periodSlots());
        start(slot, flow, at, INCREASE, law.periodSlots());
    }

    /** Handles the end of a period, or a time without acknowledgements that is too long. */
    private void end(final long slot, final int flow, final long at, final int event) {
        switch (event) {
            case ALPHA_EVENT -> set(at, ALPHA, get(at, ALPHA) - (get(at, ALPHA) >> law.gainBits()));
            case INCREASE -> increase(at, T_EVENTS);
            default -> {
                timeouts++;
                set(at, REWIND, -1);
                set(at, NEXT, get(at, UNA));
                send(slot, flow, at);
                return;
            }
        }
        start(slot, flow, at, event, law.periodSlots());
    }

    /** Moves the rate half of the way to its target, which itself grows once recovery is over. */
    private void increase(final long at, final int counter) {
        set(at, counter, Math.min(get(at, counter) + 1, 1 << DUE_BITS));
        final int least = Math.min(get(at, T_EVENTS), get(at, B_EVENTS));
        final int most = Math.max(get(at, T_EVENTS), get(at, B_EVENTS));
        if (most >= law.steps()) {
            final long more = least > law.steps() ? (least - law.steps() + 1) * hyper : add;
            senders.setLong(at, TARGET, Math.min(lineRate, senders.getLong(at, TARGET) + more));
        }
        senders.setLong(at, RATE, senders.getLong(at, RATE) + senders.getLong(at, TARGET) + 1 >> 1);
    }

    /** Sends the next segment if it is due, its port is free and the receiver has room for it. */
    private void send(final long slot, final int flow, final long at) {
        final int next = get(at, NEXT);
        if ((get(at, FLAGS) & 1 << SEND) != 0
            || next >= Math.min((long) get(at, UNA) + rules.windowPackets(), connections.segments(flow))) {
            return;
        }
        final long now = slot << DUE_BITS;
        final long when = senders.getLong(at, DUE);
        if (when > now) {
            await(slot, flow, at, SEND, when + (1 << DUE_BITS) - 1 >> DUE_BITS);
            return;
        }
        if (!line.isFree(slot, flow)) {
            await(slot, flow, at, SEND, slot + packetSlots);
            return;
        }
        final int bytes = connections.bytes(flow, next);
        final long rate = senders.getLong(at, RATE);
        final long after = (now - when < 1 << DUE_BITS ? when : now) + ((long) bytes << RATE_BITS + DUE_BITS) / rate;
        senders.setLong(at, DUE, after);
        set(at, NEXT, next + 1);
        resent += next < get(at, MOST) ? 1 : 0;
        set(at, MOST, Math.max(get(at, MOST), next + 1));
        if (senders.getLong(at + TIMES, LOST) == 0) {
            start(slot, flow, at, LOST, rules.minRtoSlots());
        }
        await(slot, flow, at, SEND, Math.max(slot + 1, after + (1 << DUE_BITS) - 1 >> DUE_BITS));
        count(at, bytes);
        line.segment(slot, flow, next);
    }

    /** Counts bytes sent towards periods of increase, after the first notification. */
    private void count(final long at, final int bytes) {
        if (senders.getLong(at + TIMES, INCREASE) == 0) {
            return;
        }
        final long counted = senders.getLong(at, BYTES) + bytes;
        senders.setLong(at, BYTES, counted >= law.counterBytes() ? 0 : counted);
        if (counted >= law.counterBytes()) {
            increase(at, B_EVENTS);
        }
    }

    /** Resets the time of an event, or turns the event off with 0 slots. */
    private void start(final long slot, final int flow, final long at, final int event, final int slots) {
        senders.setLong(at + TIMES, event, slots == 0 ? 0 : slot + slots);
        if (slots > 0 && (get(at, FLAGS) & 1 << event) == 0) {
            await(slot, flow, at, event, slot + slots);
        }
    }

    /** Adds an event to the bucket of a later slot, or to the last bucket before it. */
    private void await(final long slot, final int flow, final long at, final int event, final long time) {
        set(at, FLAGS, get(at, FLAGS) | 1 << event);
        wheel.add(Math.min(time, slot + BUCKETS - 1), flow << EVENT_BITS | event);
        waiting++;
    }

    private static long at(final int flow) {
        return (long) flow << RATE_SHIFT;
    }
}
