package dev.skerry.nic.stardust.adapter;

import dev.skerry.codec.CellParser;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.StardustHeader;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.PacketBytes;
import dev.skerry.nic.stardust.host.Packets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Puts packets together again from the bytes of cells alone, by the codec, and checks that they are the ones that the
 * adapter delivers, byte by byte (docs/spec/stardust.md §5.2). One thread.
 */
final class CellReader implements CellParser.Sink {
    private final int fas;
    private final int perPair;
    private final CellFrames frames;
    private final Packets packets;
    /** By stream: state of its parser, the packet that it is in, and bytes of that. */
    private final long[] state;
    private final int[] flow;
    private final int[] packet;
    private final int[] done;
    private final MemorySegment expected;
    private final PacketBytes source;
    /** Packets that the last cell ended. */
    private long[] ended = new long[16];
    private int count;
    private int polled;
    private int now;

    CellReader(final Arena arena, final Stardust fabric, final CellFrames frames, final Packets packets,
        final PacketBytes source, final int streams) {
        this.source = source;
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.frames = frames;
        this.packets = packets;
        this.state = new long[streams];
        this.flow = new int[streams];
        this.packet = new int[streams];
        this.done = new int[streams];
        this.expected = arena.allocate(StardustHeader.MAX_PAYLOAD_BYTES);
    }

    /**
     * The next cell of a stream, which is released.
     *
     * @param number  of its frame.
     * @param bytes   of payload.
     * @param atFlow  with {@code atPacket} and {@code left} where the adapter stands: a packet, and bytes of it to go
     *                with its length; 0 if none has come.
     */
    void accept(final int stream, final int number, final int bytes, final int atFlow, final int atPacket,
        final int left) {
        final int from = stream / perPair % fas;
        final int start = frames.firstStart(from, number);
        now = stream;
        count = 0;
        polled = 0;
        final long before = state[stream];
        if ((before == CellParser.NEW || before == CellParser.LOST) && start != StardustHeader.NO_START) {
            if (start != left) {
                throw wrong("a packet starts at " + start + " of a cell, not at " + left);
            }
            final boolean next = left > 0 && packets.isLast(atFlow, atPacket);
            flow[stream] = next ? packets.next(atFlow) : atFlow;
            packet[stream] = next ? 0 : left > 0 ? Packets.after(atPacket) : atPacket;
        }
        state[stream] = CellParser.accept(before, frames.chunk(from, number), frames.payload(number), bytes, start,
            frames.isEnd(from, number), this);
        frames.release(from, number);
    }

    /**
     * A cell comes off the fabric.
     *
     * @return slots since it was born.
     * @throws IllegalStateException if its bytes do not say what its words say.
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

    /** A cell that was checked is dropped. */
    void refuse(final long word) {
        frames.release(word);
    }

    /** Cells of a stream are missing. */
    void gap(final int stream) {
        now = stream;
        state[stream] = CellParser.gap(state[stream], this);
    }

    /** The adapter has a whole packet: the last cell must have ended it. */
    void delivered(final int atFlow, final int atPacket) {
        final long packetNow = (long) atFlow << Integer.SIZE | atPacket;
        if (polled == count || ended[polled] != packetNow) {
            throw wrong("packet " + atPacket + " of flow " + atFlow + " is whole, and its bytes are not");
        }
        polled++;
    }

    @Override
    public void start(final int bytes) {
        if (bytes != packets.length(flow[now], packet[now])) {
            throw wrong("a packet has " + bytes + " bytes and had " + packets.length(flow[now], packet[now]));
        }
        done[now] = 0;
    }

    @Override
    public void part(final MemorySegment cells, final long offset, final int bytes) {
        source.copy(flow[now], packet[now], done[now], expected, 0, bytes);
        if (MemorySegment.mismatch(cells, offset, offset + bytes, expected, 0, bytes) >= 0) {
            throw wrong("bytes from " + done[now] + " on of packet " + packet[now] + " of flow " + flow[now]
                + " are not those that were sent");
        }
        done[now] += bytes;
    }

    @Override
    public void end() {
        if (count == ended.length) {
            ended = Arrays.copyOf(ended, 2 * count);
        }
        ended[count++] = (long) flow[now] << Integer.SIZE | packet[now];
        final boolean last = packets.isLast(flow[now], packet[now]);
        flow[now] = last ? packets.next(flow[now]) : flow[now];
        packet[now] = last ? 0 : Packets.after(packet[now]);
    }

    @Override
    public void abandon() {
        // The adapter counts it as lost.
    }

    @Override
    public void damaged() {
        throw wrong("a cell contradicts those before it");
    }

    private IllegalStateException wrong(final String what) {
        return new IllegalStateException(what + ": stream=" + now);
    }
}
