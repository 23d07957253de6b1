package dev.skerry.nic.stardust.adapter;

import static dev.skerry.nic.stardust.credit.VoqLayout.BALANCE;
import static dev.skerry.nic.stardust.credit.VoqLayout.BYTES;
import static dev.skerry.nic.stardust.credit.VoqLayout.FLOW;
import static dev.skerry.nic.stardust.credit.VoqLayout.FROZEN;
import static dev.skerry.nic.stardust.credit.VoqLayout.NUMBER;
import static dev.skerry.nic.stardust.credit.VoqLayout.PACKET;
import static dev.skerry.nic.stardust.credit.VoqLayout.PLACE;
import static dev.skerry.nic.stardust.credit.VoqLayout.STATE;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.credit.Requests;
import dev.skerry.nic.stardust.credit.VoqLayout;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.Packets;

/**
 * Queues of a bank's adapters that got no credit for too long (docs/spec/stardust.md §3.2, state DELETE): their packets
 * are given up and counted, and they ask for no more. Receivers see by the places of the next cells what is missing.
 *
 * <pre>
 *   one queue    bytes of its stream that were given up in a row | number of the cell that follows them
 * </pre>
 *
 * A debt stays; what comes later joins a new stream of bytes. Endless flows are never given up: their hosts have more.
 * One thread.
 */
final class StarvedVoqs {
    /** Slots between two looks at a queue. */
    private static final int LOOK_SLOTS = 256;
    /** Places in a stream are told modulo 2^32: no more than this may be missing in a row. */
    private static final long LONGEST_GAP = 1L << 30;

    private final Region queues;
    private final Packets packets;
    private final Requests requests;
    private final BankCounters tally;
    private final Gaps gaps;
    private final int first;
    private final int queuesPerAdapter;
    private final int prefix;
    private final long waitSlots;
    private final long[] missing;
    private final int[] numbers;

    /**
     * Nobody waits.
     *
     * @param gaps  packets that never joined a queue; null if all do.
     * @param first the first adapter of the bank.
     * @param count adapters of the bank.
     */
    StarvedVoqs(final Stardust fabric, final Region queues, final Packets packets, final Requests requests,
        final BankCounters tally, final Gaps gaps, final int first, final int count) {
        this.queues = queues;
        this.packets = packets;
        this.requests = requests;
        this.tally = tally;
        this.gaps = gaps;
        this.first = first;
        this.queuesPerAdapter = fabric.clos().fas() * fabric.hosts().queues();
        this.prefix = fabric.cut().prefixBytes();
        this.waitSlots = fabric.credits().voqs().waitSlots();
        this.missing = new long[count * queuesPerAdapter];
        this.numbers = new int[missing.length];
    }

    /** Whether it is an adapter's turn to be looked at; that depends on the adapter alone, not on the bank. */
    boolean isTurn(final long slot, final int adapter) {
        return (slot + first + adapter) % LOOK_SLOTS == 0;
    }

    /**
     * Gives up what queues of an adapter hold that have waited too long.
     *
     * @return bytes that the adapter holds no more.
     */
    long giveUp(final long slot, final int adapter) {
        long freed = 0;
        for (int queue = adapter * queuesPerAdapter; queue < (adapter + 1) * queuesPerAdapter; queue++) {
            final long at = (long) queue << VoqLayout.SHIFT;
            final long bytes = queues.getLong(at, BYTES);
            if (bytes == 0 || bytes == AdapterIngress.MOST_BYTES || slot - requests.waitsSince(queue) < waitSlots) {
                continue;
            }
            if (numbers[queue] != queues.getInt(at, NUMBER)) {
                // It sent since, so its receiver knows what was missing.
                numbers[queue] = queues.getInt(at, NUMBER);
                missing[queue] = 0;
            }
            if (missing[queue] + 2 * bytes < LONGEST_GAP) {
                drop(queue, bytes);
                requests.stop(slot, queue);
                freed += bytes;
            }
        }
        return freed;
    }

    private void drop(final int queue, final long bytes) {
        final long at = (long) queue << VoqLayout.SHIFT;
        int flow = queues.getInt(at, FLOW);
        int packet = queues.getInt(at, PACKET);
        long stream = 0;
        long number = 0;
        for (long left = bytes; left > 0; number++) {
            while (gaps != null && gaps.startsAt(queue, flow, packet)) {
                flow = gaps.flowAfter(queue);
                packet = gaps.packetAfter(queue);
                stream += gaps.remove(queue);
            }
            final int length = packets.length(flow, packet);
            left -= length;
            stream += length + prefix;
            final boolean last = packets.isLast(flow, packet);
            packet = last ? 0 : Packets.after(packet);
            flow = last ? packets.next(flow) : flow;
        }
        tally.add(NicCounter.PACKETS_AGED, number);
        missing[queue] += stream;
        queues.setInt(at, FLOW, flow);
        queues.setInt(at, PACKET, packet);
        queues.setInt(at, PLACE, (int) (queues.getInt(at, PLACE) + stream));
        queues.setLong(at, BYTES, 0);
        queues.setInt(at, BALANCE, Math.min(0, queues.getInt(at, BALANCE)));
        queues.setInt(at, STATE, queues.getInt(at, STATE) & ~FROZEN);
    }
}
