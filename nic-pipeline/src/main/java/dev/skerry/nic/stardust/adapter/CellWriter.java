package dev.skerry.nic.stardust.adapter;

import dev.skerry.codec.CellPacker;
import dev.skerry.codec.StardustHeader;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.PacketBytes;
import dev.skerry.nic.stardust.host.Packets;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Writes the cells that a bank's adapters cut into their frames: lengths and bytes of packets, header and CRC
 * (docs/spec/stardust.md §3.4, §3.5). One thread.
 */
final class CellWriter {
    private final CellFrames frames;
    private final Packets packets;
    private final int first;
    /** By adapter: the packet that the next cell goes on with, and bytes of it, with its length, that are in cells. */
    private final int[] flow;
    private final int[] packet;
    private final int[] done;
    private PacketBytes source = PacketBytes.MADE_UP;

    CellWriter(final CellFrames frames, final Packets packets, final int first, final int adapters) {
        this.frames = frames;
        this.packets = packets;
        this.first = first;
        this.flow = new int[adapters];
        this.packet = new int[adapters];
        this.done = new int[adapters];
    }

    /** Packets have bytes of their own. */
    void connect(final PacketBytes real) {
        source = real;
    }

    /** A burst begins with a packet. */
    void begin(final int adapter, final int of, final int number) {
        flow[adapter] = of;
        packet[adapter] = number;
        done[adapter] = 0;
    }

    /**
     * Writes the next cell of a burst.
     *
     * @param word its first word.
     * @return the word with the number of its frame.
     */
    long write(final long slot, final int adapter, final long word, final long second) {
        final int number = frames.open(first + adapter, slot);
        final MemorySegment chunk = frames.chunk(first + adapter, number);
        final long payload = frames.payload(number);
        final int bytes = StardustCell.bytes(word);
        int start = StardustHeader.NO_START;
        int filled = 0;
        while (filled < bytes) {
            final int length = packets.length(flow[adapter], packet[adapter]);
            if (done[adapter] == 0 && start == StardustHeader.NO_START) {
                start = filled;
            }
            filled += fill(adapter, length, chunk, payload + filled, bytes - filled);
            if (done[adapter] == length + CellPacker.PREFIX_BYTES) {
                final boolean last = packets.isLast(flow[adapter], packet[adapter]);
                flow[adapter] = last ? packets.next(flow[adapter]) : flow[adapter];
                packet[adapter] = last ? 0 : Packets.after(packet[adapter]);
                done[adapter] = 0;
            }
        }
        final long framed = StardustCell.framed(word, number);
        frames.seal(framed, second, start);
        return framed;
    }

    /** Writes a byte of the length of a packet, or what of its bytes there is room for; returns how many. */
    private int fill(final int adapter, final int length, final MemorySegment chunk, final long at, final int room) {
        final int before = done[adapter];
        int part = 1;
        if (before < CellPacker.PREFIX_BYTES) {
            chunk.set(ValueLayout.JAVA_BYTE, at, (byte) (before == 0 ? length >>> Byte.SIZE : length));
        } else {
            part = Math.min(length + CellPacker.PREFIX_BYTES - before, room);
            source.copy(flow[adapter], packet[adapter], before - CellPacker.PREFIX_BYTES, chunk, at, part);
        }
        done[adapter] = before + part;
        return part;
    }
}
