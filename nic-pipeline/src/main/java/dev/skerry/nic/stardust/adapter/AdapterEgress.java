package dev.skerry.nic.stardust.adapter;

import dev.skerry.codec.CellParser;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.StardustHeader;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.FlowOutcomes;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow;
import dev.skerry.nic.packet.ReorderWindow.CellHandler;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.HostPorts;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.Packets.PacketBytes;
import dev.skerry.nic.stardust.host.PortSide;
import dev.skerry.nic.stardust.host.RenoHosts;
import dev.skerry.nic.stardust.host.SentPackets;
import org.agrona.collections.LongArrayList;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * The egress side of a bank's adapters (docs/spec/stardust.md §5.2): cells are put into the order of their stream,
 * their bytes go through a parser, and whole packets go to the port of their host.
 *
 * <pre>
 *   the parser of one stream    0               8              12
 *                               +---------------+--------------+-------+
 *                               | packet        | bytes to go  | place |   of the packet it is in; bit 30 of the bytes:
 *                               +---------------+--------------+-------+   part of it is lost; 0: none has come
 *
 *   a cell in the window        30                  9 8          0      and with it
 *                               +--------------------+------------+     +---------------------+
 *                               | place modulo 2^22  | bytes - 1  |     | place / 2^22        |
 *                               +--------------------+------------+     +---------------------+
 * </pre>
 *
 * <p>One thread.
 */
public final class AdapterEgress implements CellHandler {
    private static final int PARSER_SHIFT = 4;
    /** Index of a long in the record of a parser: the packet that it is in. */
    private static final int HEAD = 0;
    private static final int LEFT = 2;
    private static final int PLACE = 3;
    private static final int BROKEN = 1 << 30;
    private static final int UNKNOWN = 0;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int PLACE_BITS = 22;
    private static final int BYTES_BITS = 9;
    /** Position of the number of a frame in the word that the window keeps beside a cell. */
    private static final int ASIDE_BITS = Integer.SIZE - PLACE_BITS;

    private final Stardust fabric;
    private final Packets packets;
    private final BankCounters tally;
    private final FlowSet flows;
    private final FlowOutcomes flowOutcomes;
    private final HostPorts ports;
    private final MarkLaw marks;
    private final Region parsers;
    private final ReorderWindow window;
    /** Streams whose cells timed out since the last one came; null if packets are missing for no other reason. */
    private final BitSet gapped;
    private final SlotHistogram latency = new SlotHistogram();
    private final int first;
    private final int fas;
    private final int perPair;
    private final int prefix;
    /** Tells whether the next flow of a stream may start after the last packet of the one before has come. */
    private final boolean startsLate;
    /** Null unless hosts speak TCP, like the hosts and the streams whose logs are sent to their sources. */
    private SentPackets sent;
    private RenoHosts tcp;
    private int[] streams;
    /** Null if cells carry no bytes. */
    private CellReader reader;
    /** Null unless flows are on demand. */
    private PortSide side;
    private long digest;
    private long slot;

    /**
     * Creates the egress side before anything has come.
     *
     * @param flowOutcomes outcomes shared by all banks.
     * @param first        the first adapter of the bank.
     * @param count        number of adapters of the bank.
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
        this.flows = flows;
        this.flowOutcomes = flowOutcomes;
        this.startsLate = flowOutcomes.releases() != null;
        this.marks = fabric.hosts().signals().marks();
        this.ports = new HostPorts(fabric.hosts(), count * fabric.hosts().ports(), fabric.cut().packetBytes(),
            fabric.pull() ? fas * fabric.hosts().queuesPerPort() : 0,
            fabric.pull() ? fabric.reassemblySlots() : 0);
        this.gapped = VoqPolicer.isNeeded(fabric, flows) || fabric.credits().voqs().givesUp()
            ? new BitSet(streams) : null;
        this.parsers = Region.allocate(arena, (long) streams << PARSER_SHIFT);
        this.window = new ReorderWindow(arena, new WindowConfig(streams, StardustCell.NUMBER_BITS,
            fabric.reorderCells(), fabric.reassemblySlots()), cell -> { }, this, new PacketCounts());
        for (int stream = 0; stream < streams; stream++) {
            enter((long) stream << PARSER_SHIFT, Packets.word(packets.first(first * fas * perPair + stream), 0));
        }
    }

    /** Returns the memory in bytes. */
    public static long bytes(final Stardust fabric, final int adapters) {
        final int streams = adapters * fabric.clos().fas() * fabric.hosts().queues();
        return ((long) streams << PARSER_SHIFT) + ReorderWindow.bytes(streams);
    }

    /** Connects ports; flows are on demand, and their packets go to these ports. */
    public void connect(final PortSide toPorts) {
        this.side = toPorts;
        ports.connect(toPorts, first * fabric.hosts().ports());
    }

    /** Makes the adapters reassemble packets from the bytes of cells and compare them with those of their source. */
    public void read(final Arena arena, final CellFrames frames, final PacketBytes source) {
        reader = new CellReader(arena, frames, source, (int) (parsers.bytes() >> PARSER_SHIFT));
    }

    /** Connects hosts that speak TCP: packets go to them, and their logs get the number of packets received. */
    public void connect(final RenoHosts hosts, final SentPackets packetsSent) {
        this.tcp = hosts;
        this.sent = packetsSent;
        this.streams = IntStream.range(0, (int) (parsers.bytes() >> PARSER_SHIFT))
            .filter(stream -> packetsSent.first(first * fas * perPair + stream) != Packets.NONE).toArray();
    }

    /** Begins a slot. */
    public void begin(final long now) {
        if (sent != null && sent.isReported(now)) {
            for (final int stream : streams) {
                final long packet = parsers.getLong((long) stream << PARSER_SHIFT, HEAD);
                sent.report(now, Packets.flow(packet), Packets.number(packet));
            }
        }
    }

    /** Returns the ports of the bank. */
    public HostPorts ports() {
        return ports;
    }

    /** Returns the slots from a cell's first queue to its arrival. */
    public SlotHistogram latency() {
        return latency;
    }

    /** Returns this bank's part of the digest over all packets delivered. */
    public long digest() {
        return digest;
    }

    /** Returns the number of cells that wait for earlier ones. */
    public long held() {
        return window.held();
    }

    /** Returns the largest number of cells of a stream that ever waited for an earlier one. */
    public int maxWaiting() {
        return window.maxWaiting();
    }

    /** Receives a cell from the fabric. */
    public void receive(final long now, final int adapter, final long firstWord, final long secondWord) {
        slot = now;
        if (StardustCell.to(firstWord) != first + adapter) {
            throw new IllegalStateException("cell for adapter " + StardustCell.to(firstWord) + " came to "
                + (first + adapter) + " in slot " + now);
        }
        latency.record(reader == null ? StardustCell.age(firstWord, now) : reader.check(now, firstWord, secondWord));
        if (!fabric.pull()) {
            deliverCell(adapter, firstWord, secondWord);
            return;
        }
        final int stream = (adapter * fas + StardustCell.from(firstWord)) * perPair + StardustCell.queue(secondWord);
        final int place = StardustCell.place(secondWord);
        final int cell = (place & (1 << PLACE_BITS) - 1) << BYTES_BITS | StardustCell.bytes(firstWord) - 1;
        final int frame = reader == null ? 0 : StardustCell.frame(firstWord) << ASIDE_BITS;
        if (window.accept(stream, StardustCell.number(secondWord), cell, frame | place >>> PLACE_BITS, now)) {
            tally.increment(NicCounter.CELLS_DELIVERED);
        } else {
            tally.drop(NicCounter.DROPPED_REORDER, now, first + adapter);
            if (reader != null) {
                reader.refuse(firstWord);
            }
        }
    }

    /** Gives up the cells for which streams of an adapter have waited too long. */
    public void sweep(final long now, final int adapter) {
        slot = now;
        for (int stream = adapter * fas * perPair; stream < (adapter + 1) * fas * perPair; stream++) {
            window.expire(stream, now);
        }
    }

    @Override
    public void onCell(final int stream, final int cell, final int flags) {
        final long at = (long) stream << PARSER_SHIFT;
        if (startsLate) {
            parsers.setLong(at, HEAD, packets.begun(parsers.getLong(at, HEAD)));
        }
        final int ahead = (flags << PLACE_BITS | cell >>> BYTES_BITS) - parsers.getInt(at, PLACE);
        final int bytes = (cell & (1 << BYTES_BITS) - 1) + 1;
        parsers.setInt(at, PLACE, parsers.getInt(at, PLACE) + ahead + bytes);
        if (ahead > 0) {
            walk(stream, at, ahead, BROKEN, gapped == null || gapped.get(stream) ? NicCounter.PACKETS_LOST : null);
        }
        if (reader != null) {
            reader.accept(stream, flags >>> ASIDE_BITS, bytes, parsers.getLong(at, HEAD),
                parsers.getInt(at, LEFT) & BROKEN - 1);
        }
        if (gapped != null) {
            gapped.clear(stream);
        }
        walk(stream, at, bytes, 0, NicCounter.PACKETS_LOST);
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

    /**
     * Skips bytes of a stream.
     *
     * @param broken  {@link #BROKEN} if the bytes will not come, else 0.
     * @param counter counter of lost packets; null if these were counted at their ingress.
     */
    private void walk(final int stream, final long at, final int bytes, final int broken, final NicCounter counter) {
        int more = bytes;
        while (more > 0) {
            final int left = left(at) | broken;
            if (more < (left & BROKEN - 1)) {
                parsers.setInt(at, LEFT, left - more);
                return;
            }
            more -= left & BROKEN - 1;
            end(stream, at, left >= BROKEN, counter);
        }
    }

    /** Ends the packet that a parser is in; the next one begins. */
    private void end(final int stream, final long at, final boolean broken, final NicCounter counter) {
        final long packet = parsers.getLong(at, HEAD);
        if (sent != null) {
            hand(stream, sent.packet(packet), broken);
        } else if (broken) {
            loseOne(Packets.flow(packet), packets.isLast(packet), counter);
        } else {
            if (reader != null) {
                reader.delivered(packet);
            }
            deliver(stream, packet, packets.isLast(packet));
        }
        enter(at, packets.after(packet));
    }

    private void enter(final long at, final long packet) {
        parsers.setLong(at, HEAD, packet);
        parsers.setInt(at, LEFT, Packets.flow(packet) == Packets.NONE ? BROKEN - 1 : UNKNOWN);
    }

    /**
     * Returns the remaining bytes of the packet that a parser is in; its length is read when the first of them has
     * come.
     */
    private int left(final long at) {
        int left = parsers.getInt(at, LEFT);
        if (left == UNKNOWN) {
            if (startsLate) {
                parsers.setLong(at, HEAD, packets.begun(parsers.getLong(at, HEAD)));
            }
            left = packets.length(parsers.getLong(at, HEAD)) + prefix;
            parsers.setInt(at, LEFT, left);
        }
        return left;
    }

    /** Sends a packet of one cell to its port: a fabric that pushes has no order to restore. */
    private void deliverCell(final int adapter, final long firstWord, final long secondWord) {
        final int queue = StardustCell.queue(secondWord);
        final int port = adapter * fabric.hosts().ports() + fabric.hosts().port(queue);
        tally.increment(NicCounter.CELLS_DELIVERED);
        tally.increment(ports.send(slot, port, StardustCell.bytes(firstWord) - prefix) == HostPorts.DROPPED
            ? NicCounter.PACKETS_LOST : NicCounter.PACKETS_DELIVERED);
        digest += CounterRandom.mix(CounterRandom.mix(slot * GOLDEN + queue) + (secondWord ^ firstWord));
    }

    /**
     * Sends a whole packet of a flow to its port.
     *
     * @param last whether it is the last of its flow.
     */
    private void deliver(final int stream, final long packet, final boolean last) {
        final int flow = Packets.flow(packet);
        final long done = ports.send(slot, portOf(stream), packets.length(packet));
        if (done == HostPorts.DROPPED) {
            tally.increment(NicCounter.PACKETS_LOST);
            flowOutcomes.lose(flow);
            close(flow, last);
            return;
        }
        tally.increment(NicCounter.PACKETS_DELIVERED);
        if (last && flowOutcomes.isOpen(flow)) {
            flowOutcomes.complete(flow, done);
            tally.increment(NicCounter.FLOWS_COMPLETED);
        }
        final long place = CounterRandom.mix(slot * GOLDEN + flows.destination(flow));
        digest += CounterRandom.mix(place + packet * GOLDEN + flows.source(flow));
        if (side != null) {
            side.deliver(flow);
        }
        close(flow, last);
    }

    /** Sends a packet of a connection to its host. */
    private void hand(final int stream, final long packet, final boolean broken) {
        final int port = portOf(stream);
        final boolean isLong = marks.marks() && marks.isMarked(ports.backlog(slot, port), ~fabric.seed(), slot,
            packet);
        final long done = broken ? HostPorts.DROPPED : ports.send(slot, port, sent.bytes(packet));
        if (done == HostPorts.DROPPED) {
            tally.increment(NicCounter.PACKETS_LOST);
            return;
        }
        tally.increment(NicCounter.PACKETS_DELIVERED);
        final boolean isNew = isLong && !TcpPacket.isAck(packet) && !TcpPacket.isMarked(packet);
        if (isNew) {
            tally.increment(NicCounter.PACKETS_MARKED);
        }
        tcp.receive(done, port, isNew ? TcpPacket.marked(packet) : packet);
        digest += CounterRandom.mix(CounterRandom.mix(slot * GOLDEN + packet) + (first * fas * perPair + stream));
    }

    /**
     * Records that a packet of a flow is lost.
     *
     * @param last    whether it is the last of its flow.
     * @param counter counter of lost packets; null if it was counted at its ingress.
     */
    private void loseOne(final int flow, final boolean last, final NicCounter counter) {
        if (side != null) {
            side.lose(flow);
        }
        if (counter != null) {
            tally.increment(counter);
        }
        flowOutcomes.lose(flow);
        close(flow, last);
    }

    private void close(final int flow, final boolean last) {
        if (last && flowOutcomes.fail(flow)) {
            tally.increment(NicCounter.FLOWS_FAILED);
        }
    }

    private int portOf(final int stream) {
        return stream / (fas * perPair) * fabric.hosts().ports() + fabric.hosts().port(stream % perPair);
    }

    /**
     * Reassembles packets from the bytes of cells alone, by the codec, and checks byte by byte that they are the
     * packets that the adapter delivers (docs/spec/stardust.md §5.2). One thread.
     */
    private final class CellReader implements CellParser.Sink {
        private final CellFrames frames;
        /** State of the parser of each stream, the packet that it is in, and bytes of that packet. */
        private final long[] state;
        private final long[] packet;
        private final int[] done;
        private final MemorySegment expected;
        private final PacketBytes source;
        /** Packets that the last cell ended. */
        private final LongArrayList ended = new LongArrayList();
        private int polled;
        private int now;

        CellReader(final Arena arena, final CellFrames frames, final PacketBytes source, final int streams) {
            this.source = source;
            this.frames = frames;
            this.state = new long[streams];
            this.packet = new long[streams];
            this.done = new int[streams];
            this.expected = arena.allocate(StardustHeader.MAX_PAYLOAD_BYTES);
        }

        /**
         * Parses the next cell of a stream and releases its frame.
         *
         * @param number number of its frame.
         * @param bytes  bytes of payload.
         * @param at     with {@code left} the position of the adapter: a packet.
         * @param left   remaining bytes of that packet with its length; 0 if none has come.
         */
        void accept(final int stream, final int number, final int bytes, final long at, final int left) {
            final int from = stream / perPair % fas;
            final int start = frames.firstStart(from, number);
            now = stream;
            ended.clear();
            polled = 0;
            final long before = state[stream];
            if ((before == CellParser.NEW || before == CellParser.LOST) && start != StardustHeader.NO_START) {
                if (start != left) {
                    throw wrong("a packet starts at " + start + " of a cell, not at " + left);
                }
                packet[stream] = left > 0 ? packets.after(at) : at;
            }
            state[stream] = CellParser.accept(before, frames.chunk(from, number), frames.payload(number), bytes, start,
                frames.isEnd(from, number), this);
            frames.release(from, number);
        }

        /**
         * Checks a cell from the fabric.
         *
         * @return slots since it was born.
         * @throws IllegalStateException if its bytes contradict its words.
         */
        int check(final long slot, final long word, final long second) {
            final HeaderFault fault = frames.fault(word);
            if (fault != HeaderFault.NONE) {
                throw new IllegalStateException("a cell from adapter " + StardustCell.from(word) + " to "
                    + StardustCell.to(word) + " fails its check in slot " + slot + ": " + fault);
            }
            frames.agree(word, second);
            return frames.age(word, slot);
        }

        /** Releases the frame of a cell that was checked and is dropped. */
        void refuse(final long word) {
            frames.release(word);
        }

        /** Records that cells of a stream are missing. */
        void gap(final int stream) {
            now = stream;
            state[stream] = CellParser.gap(state[stream], this);
        }

        /** Checks that the last cell ended the whole packet that the adapter has. */
        void delivered(final long at) {
            if (polled == ended.size() || ended.getLong(polled) != at) {
                throw wrong(name(at) + " is whole, and its bytes are not");
            }
            polled++;
        }

        @Override
        public void start(final int bytes) {
            packet[now] = packets.begun(packet[now]);
            if (bytes != packets.length(packet[now])) {
                throw wrong("a packet has " + bytes + " bytes and had " + packets.length(packet[now]));
            }
            done[now] = 0;
        }

        @Override
        public void part(final MemorySegment cells, final long offset, final int bytes) {
            source.copy(packet[now], done[now], expected, 0, bytes);
            if (MemorySegment.mismatch(cells, offset, offset + bytes, expected, 0, bytes) >= 0) {
                throw wrong("bytes from " + done[now] + " on of " + name(packet[now])
                    + " are not those that were sent");
            }
            done[now] += bytes;
        }

        @Override
        public void end() {
            ended.addLong(packet[now]);
            packet[now] = packets.after(packet[now]);
        }

        @Override
        public void abandon() {
            // The adapter counts it as lost.
        }

        @Override
        public void damaged() {
            throw wrong("a cell contradicts those before it");
        }

        private static String name(final long packet) {
            return "packet " + Packets.number(packet) + " of flow " + Packets.flow(packet);
        }

        private IllegalStateException wrong(final String what) {
            return new IllegalStateException(what + ": stream=" + now);
        }
    }
}
