package dev.skerry.nic.stardust.adapter;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.packet.CellHandler;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.packet.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow;
import dev.skerry.nic.packet.WindowConfig;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.FlowOutcomes;
import dev.skerry.nic.stardust.host.HostPorts;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.PortSide;
import dev.skerry.nic.stardust.host.RenoHosts;
import dev.skerry.nic.stardust.host.SentPackets;

import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * The egress side of a bank's adapters (docs/spec/stardust.md §5.2): cells go back into the order of their stream,
 * their bytes through a parser, whole packets to the port of their host.
 *
 * <pre>
 *   the parser of one stream    0      4        8              12
 *                               +------+--------+--------------+-------+
 *                               | flow | packet | bytes to go  | place |   of the packet it is in; bit 30 of the bytes:
 *                               +------+--------+--------------+-------+   part of it is lost; 0: none has come
 *
 *   a cell in the window        30                  9 8          0      and with it
 *                               +--------------------+------------+     +---------------------+
 *                               | place modulo 2^22  | bytes - 1  |     | place / 2^22        |
 *                               +--------------------+------------+     +---------------------+
 * </pre>
 *
 * One thread.
 */
public final class AdapterEgress implements CellHandler {
    private static final int PARSER_SHIFT = 4;
    private static final int FLOW = 0;
    private static final int PACKET = 1;
    private static final int LEFT = 2;
    private static final int PLACE = 3;
    private static final int BROKEN = 1 << 30;
    private static final int UNKNOWN = 0;
    private static final int PLACE_BITS = 22;
    private static final int BYTES_BITS = 9;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Stardust fabric;
    private final FlowSet flows;
    private final Packets packets;
    private final BankCounters tally;
    private final HostPorts ports;
    private final Region parsers;
    private final FlowOutcomes flowOutcomes;
    private final ReorderWindow window;
    private final PacketCounts windowCounts = new PacketCounts();
    /** Streams of which cells were given up since the last one came; null if packets miss for no other reason. */
    private final BitSet gapped;
    private final SlotHistogram latency = new SlotHistogram();
    private final int first;
    private final int fas;
    private final int perPair;
    private final int prefix;
    /** Null unless hosts speak TCP, as the two after it. */
    private RenoHosts tcp;
    private SentPackets sent;
    private int[] told;
    private long slot;
    private long digest;
    /** Null but where flows are on demand. */
    private PortSide side;

    /**
     * Nothing has come yet.
     *
     * @param flowOutcomes shared by all banks.
     * @param first        the first adapter of the bank.
     * @param count        adapters of the bank.
     */
    public AdapterEgress(final Arena arena, final Stardust fabric, final FlowSet flows, final Packets packets,
        final BankCounters tally, final FlowOutcomes flowOutcomes, final int first, final int count) {
        this.fabric = fabric;
        this.flows = flows;
        this.packets = packets;
        this.tally = tally;
        this.flowOutcomes = flowOutcomes;
        this.first = first;
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.prefix = fabric.cut().prefixBytes();
        final int streams = count * fas * perPair;
        this.ports = new HostPorts(fabric.hosts(), count * fabric.hosts().ports(), fabric.cut().packetBytes(),
            fabric.pull() ? fas * fabric.hosts().queuesPerPort() : 0,
            fabric.pull() ? fabric.reassemblySlots() : 0);
        this.gapped = VoqPolicer.isNeeded(fabric) ? new BitSet(streams) : null;
        this.parsers = Region.allocate(arena, (long) streams << PARSER_SHIFT);
        this.window = new ReorderWindow(arena, windows(fabric, streams), cell -> { }, this, windowCounts);
        for (int stream = 0; stream < streams; stream++) {
            enter((long) stream << PARSER_SHIFT, packets.first(first * fas * perPair + stream), 0);
        }
    }

    /** Memory in bytes. */
    public static long bytes(final Stardust fabric, final int adapters) {
        final int streams = adapters * fabric.clos().fas() * fabric.hosts().queues();
        return ((long) streams << PARSER_SHIFT) + ReorderWindow.bytes(windows(fabric, streams));
    }

    private static WindowConfig windows(final Stardust fabric, final int streams) {
        final int cells = fabric.reorderCells();
        return new WindowConfig(streams, StardustCell.NUMBER_BITS, cells,
            Integer.highestOneBit(Math.max(Math.min(streams, 1 << 14) << 8, 8 * cells)), fabric.reassemblySlots());
    }

    /** Flows are on demand, and their packets go to ports. */
    public void connect(final PortSide toPorts) {
        this.side = toPorts;
        ports.connect(toPorts, first * fabric.hosts().ports());
    }

    /** Hosts speak TCP: packets go to them, and their logs are told how many. */
    public void connect(final RenoHosts hosts, final SentPackets packetsSent) {
        this.tcp = hosts;
        this.sent = packetsSent;
        final int from = first * fas * perPair;
        final int streams = (int) (parsers.bytes() >> PARSER_SHIFT);
        this.told = IntStream.range(0, streams).filter(stream -> packetsSent.first(from + stream) != Packets.NONE)
            .toArray();
    }

    /** A slot begins. */
    public void begin(final long now) {
        if (tcp != null && sent.isTold(now)) {
            for (final int stream : told) {
                final long at = (long) stream << PARSER_SHIFT;
                sent.tell(now, parsers.getInt(at, FLOW), parsers.getInt(at, PACKET));
            }
        }
    }

    /** The ports of the bank. */
    public HostPorts ports() {
        return ports;
    }

    /** Slots from a cell's first queue to its arrival. */
    public SlotHistogram latency() {
        return latency;
    }

    /** This bank's part of the digest over all packets delivered. */
    public long digest() {
        return digest;
    }

    /** Cells that wait for earlier ones. */
    public long held() {
        return window.held();
    }

    /** Most cells of a stream that ever waited for an earlier one. */
    public int maxWaiting() {
        return window.maxWaiting();
    }

    /** Takes a cell off the fabric. */
    public void receive(final long now, final int adapter, final long firstWord, final long secondWord) {
        slot = now;
        if (StardustCell.to(firstWord) != first + adapter) {
            throw new IllegalStateException("cell for adapter " + StardustCell.to(firstWord) + " came to "
                + (first + adapter) + " in slot " + now);
        }
        latency.record(StardustCell.age(firstWord, now));
        if (!fabric.pull()) {
            takePacket(adapter, firstWord, secondWord);
            return;
        }
        final int stream = (adapter * fas + StardustCell.from(firstWord)) * perPair + StardustCell.queue(secondWord);
        final int place = StardustCell.place(secondWord);
        final int cell = (place & (1 << PLACE_BITS) - 1) << BYTES_BITS | StardustCell.bytes(firstWord) - 1;
        if (window.accept(stream, StardustCell.number(secondWord), cell, place >>> PLACE_BITS, now)) {
            tally.increment(NicCounter.CELLS_DELIVERED);
        } else {
            tally.drop(NicCounter.DROPPED_REORDER, now, first + adapter);
        }
    }

    /** Takes a packet of one cell of a fabric that pushes: no order is kept and nothing is waited for. */
    private void takePacket(final int adapter, final long firstWord, final long secondWord) {
        final int queue = StardustCell.queue(secondWord);
        final int port = adapter * fabric.hosts().ports() + fabric.hosts().port(queue);
        tally.increment(NicCounter.CELLS_DELIVERED);
        tally.increment(ports.send(slot, port, StardustCell.bytes(firstWord) - prefix) == HostPorts.DROPPED
            ? NicCounter.PACKETS_LOST : NicCounter.PACKETS_DELIVERED);
        digest += CounterRandom.mix(CounterRandom.mix(slot * GOLDEN + queue) + (secondWord ^ firstWord));
    }

    /** Gives up what the streams of an adapter have waited for too long. */
    public void sweep(final long now, final int adapter) {
        slot = now;
        for (int stream = adapter * fas * perPair; stream < (adapter + 1) * fas * perPair; stream++) {
            window.expire(stream, now);
        }
    }

    @Override
    public void onCell(final int stream, final int cell, final int flags) {
        final long at = (long) stream << PARSER_SHIFT;
        final int ahead = (flags << PLACE_BITS | cell >>> BYTES_BITS) - parsers.getInt(at, PLACE);
        final int bytes = (cell & (1 << BYTES_BITS) - 1) + 1;
        parsers.setInt(at, PLACE, parsers.getInt(at, PLACE) + ahead + bytes);
        if (ahead > 0) {
            final boolean isLost = gapped == null || gapped.get(stream);
            lose(stream, at, ahead, isLost ? NicCounter.PACKETS_LOST : null);
        }
        if (gapped != null) {
            gapped.clear(stream);
        }
        int more = bytes;
        while (more > 0) {
            final int left = left(at) & BROKEN - 1;
            if (more < left) {
                parsers.setInt(at, LEFT, parsers.getInt(at, LEFT) - more);
                return;
            }
            more -= left;
            end(stream, at, parsers.getInt(at, LEFT) >= BROKEN, NicCounter.PACKETS_LOST);
        }
    }

    @Override
    public void onGap(final int stream, final long cells) {
        tally.add(NicCounter.CELLS_GIVEN_UP, cells);
        if (gapped != null) {
            gapped.set(stream);
        }
    }

    @Override
    public void onReset(final int stream) {
        throw new IllegalStateException("streams are never reset: stream=" + stream);
    }

    /**
     * Goes over bytes that will not come.
     *
     * @param counter of packets that are lost with them; null if they were counted where they did not come in.
     */
    private void lose(final int stream, final long at, final int bytes, final NicCounter counter) {
        int more = bytes;
        while (more > 0) {
            final int left = left(at) & BROKEN - 1;
            if (more < left) {
                parsers.setInt(at, LEFT, left - more | BROKEN);
                return;
            }
            more -= left;
            end(stream, at, true, counter);
        }
    }

    /** The packet that a parser is in ends; the next one begins. */
    private void end(final int stream, final long at, final boolean broken, final NicCounter counter) {
        final int flow = parsers.getInt(at, FLOW);
        final int packet = parsers.getInt(at, PACKET);
        if (tcp != null) {
            hand(stream, sent.packet(flow, packet), broken);
            enter(at, flow, Packets.after(packet));
            return;
        }
        final boolean last = packets.isLast(flow, packet);
        if (broken) {
            if (side != null) {
                side.lose(flow);
            }
            if (counter != null) {
                tally.increment(counter);
            }
            flowOutcomes.lose(flow);
        } else {
            deliver(stream, flow, packet, last);
        }
        if (last && flowOutcomes.fail(flow)) {
            tally.increment(NicCounter.FLOWS_FAILED);
        }
        enter(at, last ? packets.next(flow) : flow, last ? 0 : Packets.after(packet));
    }

    private void deliver(final int stream, final int flow, final int packet, final boolean last) {
        final int length = packets.length(flow, packet);
        final int port = stream / (fas * perPair) * fabric.hosts().ports() + fabric.hosts().port(stream % perPair);
        final long done = ports.send(slot, port, length);
        if (done == HostPorts.DROPPED) {
            tally.increment(NicCounter.PACKETS_LOST);
            flowOutcomes.lose(flow);
            return;
        }
        tally.increment(NicCounter.PACKETS_DELIVERED);
        if (last && flowOutcomes.isOpen(flow)) {
            flowOutcomes.complete(flow, done);
            tally.increment(NicCounter.FLOWS_COMPLETED);
        }
        final long place = CounterRandom.mix(slot * GOLDEN + flows.destination(flow));
        digest += CounterRandom.mix(place + ((long) flow << Integer.SIZE | packet) * GOLDEN + flows.source(flow));
        if (side != null) {
            side.deliver(flow);
        }
    }

    /** A packet of a connection goes to its host. */
    private void hand(final int stream, final long packet, final boolean broken) {
        final int port = stream / (fas * perPair) * fabric.hosts().ports() + fabric.hosts().port(stream % perPair);
        final long done = broken ? HostPorts.DROPPED : ports.send(slot, port, sent.bytes(packet));
        if (done == HostPorts.DROPPED) {
            tally.increment(NicCounter.PACKETS_LOST);
            return;
        }
        tally.increment(NicCounter.PACKETS_DELIVERED);
        tcp.receive(done, port, packet);
        digest += CounterRandom.mix(CounterRandom.mix(slot * GOLDEN + packet) + (first * fas * perPair + stream));
    }

    private void enter(final long at, final int flow, final int packet) {
        parsers.setInt(at, FLOW, flow);
        parsers.setInt(at, PACKET, packet);
        parsers.setInt(at, LEFT, flow == Packets.NONE ? BROKEN - 1 : UNKNOWN);
    }

    /** Bytes to go of the packet that a parser is in; how long it is, is asked when the first of them has come. */
    private int left(final long at) {
        int left = parsers.getInt(at, LEFT);
        if (left == UNKNOWN) {
            left = packets.length(parsers.getInt(at, FLOW), parsers.getInt(at, PACKET)) + prefix;
            parsers.setInt(at, LEFT, left);
        }
        return left;
    }

    /** Cells that the windows did not take, by reason, for the books. */
    long refused(final PacketCounter reason) {
        return windowCounts.get(reason);
    }
}
