package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketBurst;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongSupplier;

/** A port that brings packets as they are due, to its destinations in turn, and takes as many as it is told. */
final class PacedPort extends TestPort {
    private static final int BYTES = 700;

    private final int node;
    private final int[] to;
    /** Whether it holds packets back when it is told to, and brings them later. */
    private final boolean isChoosing;
    private final boolean[] held = new boolean[16];
    private final int[] owed = new int[16];
    private final int[] numbers = new int[16];
    /** Packets it has room for so far. */
    private LongSupplier room = () -> Long.MAX_VALUE;
    /** Packets due so far. */
    private LongSupplier due = () -> 0;
    private int turn;

    PacedPort(final int node, final boolean isChoosing, final int... to) {
        super(List.of());
        this.node = node;
        this.isChoosing = isChoosing;
        this.to = to;
    }

    void setRoom(final LongSupplier packets) {
        room = packets;
    }

    void setDue(final LongSupplier packets) {
        due = packets;
    }

    @Override
    long room() {
        return room.getAsLong();
    }

    /** Packets brought for a node. */
    int brought(final int destination) {
        return numbers[destination];
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        final int before = into.size();
        for (final int destination : to) {
            while (owed[destination] > 0 && !held[destination] && into.room() > 0) {
                owed[destination]--;
                bring(destination, into);
            }
        }
        while (turn < due.getAsLong() && into.room() > 0) {
            final int destination = to[turn++ % to.length];
            if (held[destination]) {
                owed[destination]++;
            } else {
                bring(destination, into);
            }
        }
        return into.size() - before;
    }

    private void bring(final int destination, final PacketBurst into) {
        final byte[] packet = Rig.packet(node, destination, numbers[destination]++, BYTES);
        into.append(MemorySegment.ofArray(packet), 0, packet.length);
    }

    @Override
    public void holdBack(final int destination, final int number, final boolean isHeld) {
        held[destination] = isChoosing && isHeld;
    }
}
