package dev.skerry.nic.fabric.stardust;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.FlowSet;
import dev.skerry.nic.NicCounter;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The ingress side of a bank's adapters: queues by destination, what they ask for and what a credit releases
 * (spec/stardust §3.1 to §3.4). A queue is a record; the packets in it are arithmetic ({@link Packets}).
 *
 * <pre>
 *   one queue    0           4             8            16        20       24      28
 *                +-----------+-------------+------------+---------+--------+-------+-------+
 *                | head flow | head packet | bytes held | balance | number | place | state |   32 bytes
 *                +-----------+-------------+------------+---------+--------+-------+-------+
 *
 *   number, place: those of the next cell in the stream       state: 1 if it asked for credits, else 0
 * </pre>
 *
 * One thread.
 */
final class Ingress {
    private static final int QUEUE_SHIFT = 5;
    private static final int FLOW = 0;
    private static final int PACKET = 1;
    private static final int BYTES = 1;
    private static final int BALANCE = 4;
    private static final int NUMBER = 5;
    private static final int PLACE = 6;
    private static final int STATE = 7;
    private static final long MOST_BYTES = 1L << 60;

    private final Stardust fabric;
    private final FlowSet flows;
    private final Packets packets;
    private final Control control;
    private final Tally tally;
    private final Region queues;
    private final int first;
    private final int count;
    private final int fas;
    private final int perPair;
    private final int classes;
    private final int[] arrivals;
    private int arrived;
    private final IntFifo[] grants;
    private final long[] maxHeld;
    private final long[] held;
    private final Bursts bursts;
    private final PacedHosts hosts;
    /** Null where nothing ever fails. */
    private StardustReach reach;
    private final PacedHosts.Taker taker = this::take;

    /**
     * Empty queues.
     *
     * @param first the first adapter of the bank.
     * @param count how many.
     */
    Ingress(final Arena arena, final Stardust fabric, final FlowSet flows, final Packets packets, final Control control,
        final Tally tally, final int first, final int count) {
        this.fabric = fabric;
        this.flows = flows;
        this.packets = packets;
        this.control = control;
        this.tally = tally;
        this.first = first;
        this.count = count;
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.classes = fabric.hosts().classes();
        this.queues = Region.allocate(arena, bytes(count, fas, perPair));
        this.grants = new IntFifo[count * classes];
        Arrays.setAll(grants, i -> new IntFifo());
        this.held = new long[count];
        this.maxHeld = new long[count];
        this.bursts = new Bursts(fabric, packets, count);
        this.arrivals = own();
        this.hosts = fabric.hosts().paced() ? new PacedHosts(fabric.hosts(), packets, count * fabric.hosts().ports(),
            count * fas * perPair) : null;
        for (int queue = 0; queue < count * fas * perPair; queue++) {
            queues.setInt((long) queue << QUEUE_SHIFT, FLOW, packets.first(stream(queue)));
        }
    }

    /** Memory in bytes. */
    static long bytes(final int adapters, final int fas, final int perPair) {
        return (long) adapters * fas * perPair << QUEUE_SHIFT;
    }

    /** What is cut into cells now. */
    Bursts bursts() {
        return bursts;
    }

    /** Most bytes that an adapter held. */
    long maxHeld(final int adapter) {
        return maxHeld[adapter];
    }

    /** Credits that wait for the ones before them, over all adapters. */
    long waitingGrants() {
        long sum = 0;
        for (final IntFifo grant : grants) {
            sum += grant.size();
        }
        return sum;
    }

    /** Takes in the flows that start. */
    void arrive(final long slot) {
        while (arrived < arrivals.length && flows.startSlot(arrivals[arrived]) <= slot) {
            final int flow = arrivals[arrived++];
            final int from = flows.source(flow) / fabric.hosts().ports();
            final int to = flows.destination(flow) / fabric.hosts().ports();
            final int number = fabric.hosts().queue(flows.source(flow), flows.destination(flow), flows.id(flow),
                flows.trafficClass(flow));
            final int queue = ((from - first) * fas + to) * perPair + number;
            tally.increment(NicCounter.FLOWS_STARTED);
            if (hosts == null) {
                take(slot, queue, Math.min(flows.bytes(flow), MOST_BYTES));
            } else {
                hosts.start(flows.source(flow) - first * fabric.hosts().ports(), queue, flow);
            }
        }
        if (hosts != null) {
            hosts.send(slot, taker);
        }
    }

    /** Bytes for a queue come from a host. */
    private void take(final long slot, final int queue, final long bytes) {
        final long at = (long) queue << QUEUE_SHIFT;
        final int adapter = queue / (fas * perPair);
        final long before = queues.getLong(at, BYTES);
        queues.setLong(at, BYTES, Math.min(before + bytes, MOST_BYTES));
        held[adapter] = Math.min(held[adapter] + bytes, MOST_BYTES);
        maxHeld[adapter] = Math.max(maxHeld[adapter], held[adapter]);
        if (!fabric.pull()) {
            if (before == 0) {
                grants[adapter * classes + queue % classes].add(queue);
            }
            return;
        }
        ask(slot, queue, at);
        if (before == 0 && queues.getInt(at, BALANCE) > 0) {
            grants[adapter * classes + queue % classes].add(queue);
        }
    }

    /** Queues of an adapter send nothing to those that it does not reach. */
    void freeze(final StardustReach byReach) {
        this.reach = byReach;
    }

    /** Asks again for all queues of an adapter that should have asked: the message, or a credit, may be lost. */
    void refresh(final long slot, final int adapter) {
        for (int queue = adapter * fas * perPair; queue < (adapter + 1) * fas * perPair; queue++) {
            final long at = (long) queue << QUEUE_SHIFT;
            if (queues.getInt(at, STATE) == 1) {
                tell(slot, queue, Control.WANT);
            }
        }
    }

    /** A credit came for a queue of an adapter. */
    void credit(final long slot, final int adapter, final int issuer, final int number) {
        final int queue = ((adapter - first) * fas + issuer) * perPair + number;
        final long at = (long) queue << QUEUE_SHIFT;
        int balance = queues.getInt(at, BALANCE) + fabric.credits().bytes();
        if (queues.getLong(at, BYTES) == 0) {
            balance = Math.min(balance, fabric.credits().capBytes());
        }
        queues.setInt(at, BALANCE, balance);
        settle(slot, queue, at);
        if (balance > 0 && queues.getLong(at, BYTES) > 0) {
            grants[(adapter - first) * classes + number % classes].add(queue);
        }
    }

    /**
     * Begins the burst of the next credit of an adapter.
     *
     * @return false if no credit is left.
     */
    boolean begin(final long slot, final int adapter) {
        for (int level = 0; level < classes; level++) {
            final IntFifo fifo = grants[adapter * classes + level];
            while (fifo.size() > 0) {
                if (release(slot, adapter, fifo.poll())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Releases whole packets for what a queue has in hand; false if it has nothing. */
    private boolean release(final long slot, final int adapter, final int queue) {
        final long at = (long) queue << QUEUE_SHIFT;
        final CellCut cut = fabric.cut();
        final int adjust = fabric.credits().adjustBytes();
        int balance = fabric.pull() ? queues.getInt(at, BALANCE) : fabric.credits().bytes();
        long bytes = queues.getLong(at, BYTES);
        if (balance <= 0 || bytes == 0
            || reach != null && !reach.reaches(first + adapter, queue / perPair % fas)) {
            return false;
        }
        int flow = queues.getInt(at, FLOW);
        int packet = queues.getInt(at, PACKET);
        bursts.begin(adapter, queue, flow, packet, queues.getInt(at, NUMBER), queues.getInt(at, PLACE));
        int run = 0;
        int cells = 0;
        while (balance > 0 && bytes > 0) {
            final int length = packets.length(flow, packet);
            balance -= length + adjust;
            bytes -= bytes == MOST_BYTES ? 0 : length;
            run += length + cut.prefixBytes();
            cells += cut.continuous() ? 0 : cells(length + cut.prefixBytes());
            final boolean last = packets.isLast(flow, packet);
            packet = last ? 0 : Packets.after(packet);
            flow = last ? packets.next(flow) : flow;
        }
        held[adapter] -= Math.min(held[adapter], queues.getLong(at, BYTES) - bytes);
        queues.setInt(at, FLOW, flow);
        queues.setInt(at, PACKET, packet);
        queues.setLong(at, BYTES, bytes);
        queues.setInt(at, NUMBER, queues.getInt(at, NUMBER) + (cut.continuous() ? cells(run) : cells));
        queues.setInt(at, PLACE, queues.getInt(at, PLACE) + run);
        bursts.length(adapter, run);
        if (fabric.pull()) {
            queues.setInt(at, BALANCE, bytes == 0 ? Math.min(balance, fabric.credits().capBytes()) : balance);
            settle(slot, queue, at);
        } else if (bytes > 0) {
            grants[adapter * classes + queue % classes].add(queue);
        }
        return true;
    }

    private int cells(final int bytes) {
        return (bytes + fabric.cut().cellBytes() - 1) / fabric.cut().cellBytes();
    }

    /** Asks for credits if a queue has more than it may send and has not asked yet. */
    private void ask(final long slot, final int queue, final long at) {
        if (queues.getInt(at, STATE) == 0 && queues.getLong(at, BYTES) > queues.getInt(at, BALANCE)) {
            queues.setInt(at, STATE, 1);
            tell(slot, queue, Control.WANT);
        }
    }

    /** Asks for no more credits if a queue is empty and owes nothing, or has credits for more than it holds. */
    private void settle(final long slot, final int queue, final long at) {
        final int balance = queues.getInt(at, BALANCE);
        final long bytes = queues.getLong(at, BYTES);
        if (queues.getInt(at, STATE) == 1
            && (bytes == 0 && balance >= 0 || balance - bytes >= fabric.credits().bytes())) {
            queues.setInt(at, STATE, 0);
            tell(slot, queue, Control.ENOUGH);
        }
    }

    private void tell(final long slot, final int queue, final int kind) {
        final int pair = queue / perPair;
        control.send(slot, pair % fas, first + pair / fas, queue % perPair, kind);
        tally.increment(NicCounter.REQUESTS_SENT);
    }

    /** The stream that a queue of the bank sends: queues counted by destination, source and number. */
    private int stream(final int queue) {
        final int pair = queue / perPair;
        return (pair % fas * fas + first + pair / fas) * perPair + queue % perPair;
    }

    /** The flows whose sources are in the bank, in order of their start. */
    private int[] own() {
        final int[] own = new int[flows.size()];
        int size = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            final int from = flows.source(flow) / fabric.hosts().ports();
            if (from >= first && from < first + count) {
                own[size++] = flow;
            }
        }
        return Arrays.copyOf(own, size);
    }
}
