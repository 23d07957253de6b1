package dev.skerry.nic.stardust.adapter;

import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.Packets;

import java.util.Arrays;

/**
 * The burst that each adapter of a bank is cutting into cells: the packets that one credit released, as one run of
 * bytes or one after another (docs/spec/stardust.md §3.4). One thread.
 */
public final class Bursts {
    private final Packets packets;
    private final CellCut cut;
    private final boolean simple;
    private final boolean each;
    private final int fas;
    private final int perPair;
    private final int[] queue;
    private final int[] flow;
    private final int[] packet;
    private final int[] number;
    private final int[] place;
    /** Bytes left of the burst, and of the run that must end with a cell. */
    private final int[] left;
    private final int[] runLeft;

    /** Nothing to cut. */
    Bursts(final Stardust fabric, final Packets packets, final int adapters) {
        this.packets = packets;
        this.cut = fabric.cut();
        this.simple = cut.simple();
        this.each = !simple && !cut.continuous();
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.queue = new int[adapters];
        this.flow = new int[adapters];
        this.packet = new int[adapters];
        this.number = new int[adapters];
        this.place = new int[adapters];
        this.left = new int[adapters];
        this.runLeft = new int[adapters];
        Arrays.fill(queue, -1);
    }

    /** Begins a burst of a queue of the bank with its next packet, cell number and place. */
    void begin(final int adapter, final int of, final int firstFlow, final int firstPacket, final int nextNumber,
        final int nextPlace) {
        queue[adapter] = of;
        flow[adapter] = firstFlow;
        packet[adapter] = firstPacket;
        number[adapter] = nextNumber;
        place[adapter] = nextPlace;
        runLeft[adapter] = 0;
    }

    /** Says how long the burst is, prefixes and all. */
    void length(final int adapter, final int run) {
        left[adapter] = run;
        runLeft[adapter] = cut.continuous() ? run : 0;
    }

    /** The flow that the burst begins with, before its first cell is cut. */
    public int flow(final int adapter) {
        return flow[adapter];
    }

    /** The packet that the burst begins with, before its first cell is cut. */
    public int packet(final int adapter) {
        return packet[adapter];
    }

    /** Bytes of the burst that are not in cells yet. */
    public int left(final int adapter) {
        return left[adapter];
    }

    /** Whether the cell that was cut last ends the burst or, where packets do not share cells, a packet. */
    public boolean ends(final int adapter) {
        return left[adapter] == 0 || each && runLeft[adapter] == 0;
    }

    /** The adapter that the cells of the burst go to. */
    public int to(final int adapter) {
        return queue[adapter] / perPair % fas;
    }

    /** The number of the queue that the burst is of. */
    public int queue(final int adapter) {
        return queue[adapter] % perPair;
    }

    /** The number of the next cell in its stream. */
    public int number(final int adapter) {
        return number[adapter];
    }

    /** The place of the next cell in its stream. */
    public int place(final int adapter) {
        return place[adapter];
    }

    /** Cuts the next cell off the burst, after its number and place were asked for: its bytes. */
    public int cut(final int adapter) {
        if (runLeft[adapter] == 0) {
            nextPacket(adapter);
        }
        int bytes = Math.min(runLeft[adapter], cut.cellBytes());
        runLeft[adapter] -= bytes;
        left[adapter] -= bytes;
        if (simple && runLeft[adapter] == 0 && left[adapter] > 0) {
            bytes += fill(adapter, cut.cellBytes() - bytes);
        }
        number[adapter]++;
        place[adapter] += bytes;
        return bytes;
    }

    /** Puts the start of the next packet into the rest of a cell. */
    private int fill(final int adapter, final int room) {
        nextPacket(adapter);
        final int bytes = Math.min(runLeft[adapter], room);
        runLeft[adapter] -= bytes;
        left[adapter] -= bytes;
        return bytes;
    }

    private void nextPacket(final int adapter) {
        final int of = flow[adapter];
        final int at = packet[adapter];
        runLeft[adapter] = packets.length(of, at) + cut.prefixBytes();
        final boolean last = packets.isLast(of, at);
        flow[adapter] = last ? packets.next(of) : of;
        packet[adapter] = last ? 0 : Packets.after(at);
    }
}
