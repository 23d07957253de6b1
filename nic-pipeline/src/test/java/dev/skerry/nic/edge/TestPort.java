package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A port within the test: the packets that it brings are made beforehand, the packets that it takes are kept. */
class TestPort implements PacketPort {
    private final List<byte[]> script;
    private final List<byte[]> received = new ArrayList<>();
    private final AtomicLong brought = new AtomicLong();
    private final AtomicLong took = new AtomicLong();
    private final PortCounts counts = new PortCounts();
    /** Packets that it still accepts. */
    private final AtomicLong room = new AtomicLong(Long.MAX_VALUE);
    private volatile boolean up = true;
    /** Packets that it takes before it fails. */
    private volatile long healthy = Long.MAX_VALUE;
    private volatile boolean closed;

    TestPort(final List<byte[]> script) {
        this.script = script;
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        failIfTold();
        int count = 0;
        while (up && into.room() > 0 && brought.get() < script.size()) {
            final byte[] packet = script.get((int) brought.get());
            if (!into.append(MemorySegment.ofArray(packet), 0, packet.length)) {
                throw new AssertionError("packet of " + packet.length);
            }
            brought.incrementAndGet();
            count++;
        }
        counts.add(PortCounter.RX_PACKETS, count);
        return count;
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        failIfTold();
        int count = 0;
        while (up && first + count < from.size() && took.get() < room()) {
            received.add(from.bytes().asSlice(from.offset(first + count), from.length(first + count))
                .toArray(ValueLayout.JAVA_BYTE));
            took.incrementAndGet();
            counts.add(PortCounter.TX_PACKETS, 1);
            counts.add(PortCounter.TX_BYTES, from.length(first + count));
            count++;
        }
        return count;
    }

    @Override
    public boolean isUp() {
        return up && !closed;
    }

    @Override
    public PortCounts counts() {
        return counts;
    }

    @Override
    public void close() {
        closed = true;
    }

    void setUp(final boolean now) {
        up = now;
    }

    void setRoom(final long packets) {
        room.set(packets);
    }

    /** From the first call on after more packets were taken, every call fails. */
    void failAfter(final long packets) {
        healthy = packets;
    }

    /** Packets that it accepts in all. */
    long room() {
        return room.get();
    }

    boolean isClosed() {
        return closed;
    }

    /** Packets taken so far; any thread may call. */
    long took() {
        return took.get();
    }

    /** Packets brought so far; any thread may call. */
    long brought() {
        return brought.get();
    }

    /** Packets taken, in order. Only when no thread uses the port any more. */
    List<byte[]> received() {
        return received;
    }

    private void failIfTold() {
        if (took.get() > healthy) {
            throw new IllegalArgumentException("the disk is full");
        }
    }
}
