package dev.skerry.nic.stardust.adapter;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.packet.CellHandler;
import dev.skerry.nic.packet.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow;
import dev.skerry.nic.packet.WindowConfig;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.FlowOutcomes;
import dev.skerry.nic.stardust.host.HostPorts;
import dev.skerry.nic.stardust.host.PacketBytes;
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
    /** Where the number of a frame begins in what the window keeps beside a cell. */
    private static final int ASIDE_BITS = Integer.SIZE - PLACE_BITS;

    private final Stardust fabric;
    private final Packets packets;
    private final BankCounters tally;
    private final PacketDelivery delivery;
    private final Region parsers;
    private final ReorderWindow window;
    private final PacketCounts windowCounts = new PacketCounts();
    /** Streams whose cells were given up since the last one came; null if packets are missing for no other reason. */
    private final BitSet gapped;
    private final SlotHistogram latency = new SlotHistogram();
    private final int first;
    private final int fas;
    private final int perPair;
    private final int prefix;
    /** Null unless hosts speak TCP, as the streams that its logs are told of. */
    private SentPackets sent;
    private int[] told;
    /** Null where cells are no bytes. */
    private CellReader reader;
    private long slot;

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
        this.packets = packets;
        this.tally = tally;
        this.first = first;
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.prefix = fabric.cut().prefixBytes();
        final int streams = count * fas * perPair;
        this.delivery = new PacketDelivery(fabric, flows, packets, tally, flowOutcomes, first, count);
        this.gapped = VoqPolicer.isNeeded(fabric, flows) || fabric.credits().voqs().givesUp()
            ? new BitSet(streams) : null;
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
        return new WindowConfig(streams, StardustCell.NUMBER_BITS, fabric.reorderCells(), Integer.highestOneBit(
            Math.max(Math.min(streams, 1 << 14) << 8, 8 * fabric.reorderCells())), fabric.reassemblySlots());
    }

    /** Flows are on demand, and their packets go to ports. */
    public void connect(final PortSide toPorts) {
        delivery.connect(toPorts);
    }

    /** Cells are bytes: packets are put together from them, and must be those of their source. */
    public void read(final Arena arena, final CellFrames frames, final PacketBytes source) {
        reader = new CellReader(arena, fabric, frames, packets, source, (int) (parsers.bytes() >> PARSER_SHIFT));
    }

    /** Hosts speak TCP: packets go to them, and their logs are told how many. */
    public void connect(final RenoHosts hosts, final SentPackets packetsSent) {
        delivery.connect(hosts, packetsSent);
        this.sent = packetsSent;
        this.told = IntStream.range(0, (int) (parsers.bytes() >> PARSER_SHIFT))
            .filter(stream -> packetsSent.first(first * fas * perPair + stream) != Packets.NONE).toArray();
    }

    /** A slot begins. */
    public void begin(final long now) {
        if (sent != null && sent.isTold(now)) {
            for (final int stream : told) {
                final long at = (long) stream << PARSER_SHIFT;
                sent.tell(now, parsers.getInt(at, FLOW), parsers.getInt(at, PACKET));
            }
        }
    }

    /** The ports of the bank. */
    public HostPorts ports() {
        return delivery.ports();
    }

    /** Slots from a cell's first queue to its arrival. */
    public SlotHistogram latency() {
        return latency;
    }

    /** This bank's part of the digest over all packets delivered. */
    public long digest() {
        return delivery.digest();
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
        latency.record(reader == null ? StardustCell.age(firstWord, now) : reader.check(now, firstWord, secondWord));
        if (!fabric.pull()) {
            delivery.deliverCell(now, adapter, firstWord, secondWord);
            return;
        }
        final int stream = (adapter * fas + StardustCell.from(firstWord)) * perPair + StardustCell.queue(secondWord);
        final int place = StardustCell.place(secondWord);
        final int cell = (place & (1 << PLACE_BITS) - 1) << BYTES_BITS | StardustCell.bytes(firstWord) - 1;
        final int frame = reader == null ? 0 : CellFrames.number(firstWord) << ASIDE_BITS;
        if (window.accept(stream, StardustCell.number(secondWord), cell, frame | place >>> PLACE_BITS, now)) {
            tally.increment(NicCounter.CELLS_DELIVERED);
        } else {
            tally.drop(NicCounter.DROPPED_REORDER, now, first + adapter);
            if (reader != null) {
                reader.refuse(firstWord);
            }
        }
    }

    /** Gives up the cells that streams of an adapter have waited for too long. */
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
            lose(stream, at, ahead, gapped == null || gapped.get(stream) ? NicCounter.PACKETS_LOST : null);
        }
        if (reader != null) {
            reader.accept(stream, flags >>> ASIDE_BITS, bytes, parsers.getInt(at, FLOW), parsers.getInt(at, PACKET),
                parsers.getInt(at, LEFT) & BROKEN - 1);
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
        if (reader != null) {
            reader.gap(stream);
        }
        if (gapped != null) {
            gapped.set(stream);
        }
    }

    @Override
    public void onReset(final int stream) {
        throw new IllegalStateException("streams are never reset: stream=" + stream);
    }

    /** Goes over bytes that will not come; no counter where their packets were counted where they did not come in. */
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
        if (sent != null) {
            delivery.hand(slot, stream, sent.packet(flow, packet), broken);
            enter(at, flow, Packets.after(packet));
            return;
        }
        final boolean last = packets.isLast(flow, packet);
        if (reader != null && !broken) {
            reader.delivered(flow, packet);
        }
        if (broken) {
            delivery.lose(flow, last, counter);
        } else {
            delivery.deliver(slot, stream, flow, packet, last);
        }
        enter(at, last ? packets.next(flow) : flow, last ? 0 : Packets.after(packet));
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
}
