package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.tools.ctl.ControlSocket.OrderDispatcher;
import dev.skerry.tools.ctl.Order;
import dev.skerry.tools.port.CaptureWriter;
import dev.skerry.tools.port.LivePort;
import dev.skerry.tools.port.PacketFilter;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The place of a port at a node, in which ports may follow each other while the fabric runs. What it counts goes on
 * from one to the next. A tap copies the packets that pass. The thread of the node calls, except where any may.
 */
final class PortSlot implements PacketPort {
    private static final PortCounter[] COUNTERS = PortCounter.values();

    private final AtomicReference<Taken> taken;
    /** What ports before the present one count, also while they are being closed. */
    private final List<PortCounts> before = new CopyOnWriteArrayList<>();
    private final AtomicReference<PacketTap> tap = new AtomicReference<>();

    /** Who sits there, and what a finite port has said of itself: no packet comes any more, and why it failed. */
    private record Taken(PortChoice choice, LivePort port, PacketFilter filter, AtomicBoolean exhausted,
        AtomicReference<String> failure) {
        Taken(final PortChoice choice, final LivePort port) {
            this(choice, port, PacketFilter.compile(choice.filter()), new AtomicBoolean(), new AtomicReference<>(""));
        }

        /** Takes packets that have come and match the filter. */
        int receive(final PacketBurst into) {
            final int first = into.size();
            final int took = port.rxBurst(into);
            if (filter == null || took == 0) {
                return took;
            }
            final long bytes = bytes(into, first);
            final int removed = into.keepMatching(first, filter);
            port.counts().add(PortCounter.RX_FILTERED, removed);
            port.counts().add(PortCounter.RX_PACKETS, -removed);
            port.counts().add(PortCounter.RX_BYTES, bytes(into, first) - bytes);
            return took - removed;
        }

        private static long bytes(final PacketBurst of, final int first) {
            long bytes = 0;
            for (int packet = first; packet < of.size(); packet++) {
                bytes += of.length(packet);
            }
            return bytes;
        }

        /** Publishes what the port says of itself; its thread calls. */
        void look(final boolean isClosed) {
            if (port.isExhausted() && !exhausted.get()) {
                exhausted.set(true);
            }
            if (isClosed || failure.get().isEmpty() && !port.failure().isEmpty()) {
                failure.set(port.failure().replaceAll("\\p{Cntrl}+", " "));
            }
        }
    }

    PortSlot(final PortChoice choice, final LivePort port) {
        this.taken = new AtomicReference<>(new Taken(choice, port));
    }

    /** What the user said of the present port; any thread. */
    PortChoice choice() {
        return taken.get().choice;
    }

    /** The present port; any thread may ask for it. */
    LivePort port() {
        return taken.get().port;
    }

    /** Whether nothing is there; any thread. */
    boolean isVacant() {
        return port() instanceof VacantPort;
    }

    /** Puts another port in its place; returns the one before, which the caller closes. */
    LivePort replace(final PortChoice choice, final LivePort port) {
        final LivePort old = port();
        before.add(old.counts());
        taken.set(new Taken(choice, port));
        return old;
    }

    /** Says otherwise what the present port is. */
    void rename(final PortChoice choice) {
        final Taken now = taken.get();
        taken.set(new Taken(choice, now.port, now.filter, now.exhausted, now.failure));
    }

    /** Why the present port failed by its own word, one line; empty if it has not. Any thread. */
    String failure() {
        return taken.get().failure.get();
    }

    /** Whether no packet of the present port will come any more. Any thread. */
    boolean isExhausted() {
        return taken.get().exhausted.get();
    }

    /** The tap, null without one; any thread may ask. */
    PacketTap tap() {
        return tap.get();
    }

    /** Begins a tap; false if there is one. Any thread. */
    boolean begin(final PacketTap to) {
        return tap.compareAndSet(null, to);
    }

    /** Ends a tap, if it is the present one. Any thread. */
    void end(final PacketTap of) {
        tap.compareAndSet(of, null);
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        final int first = into.size();
        final int took = taken.get().receive(into);
        final PacketTap copies = tap.get();
        if (copies != null && took > 0) {
            copies.onIn(into, first, first + took);
        }
        return took;
    }

    @Override
    public void holdBack(final int node, final int number, final boolean held) {
        port().holdBack(node, number, held);
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        final int took = port().txBurst(from, first);
        final PacketTap copies = tap.get();
        if (copies != null && took > 0) {
            copies.onOut(from, first, first + took);
        }
        return took;
    }

    @Override
    public PacketBurst txLend(final int packets) {
        return port().txLend(packets);
    }

    @Override
    public int poll(final long nowNs) {
        final Taken now = taken.get();
        final int work = now.port.poll(nowNs);
        now.look(false);
        return work;
    }

    @Override
    public boolean isUp() {
        return port().isUp();
    }

    @Override
    public PortCounts counts() {
        if (before.isEmpty()) {
            return port().counts();
        }
        final PortCounts sum = new PortCounts();
        for (final PortCounter counter : COUNTERS) {
            sum.add(counter, port().counts().get(counter));
            before.forEach(earlier -> sum.add(counter, earlier.get(counter)));
        }
        return sum;
    }

    @Override
    public long unread() {
        return port().unread();
    }

    @Override
    public void close() {
        final Taken now = taken.get();
        now.port.close();
        now.look(true);
    }

    @Override
    public void discard() {
        port().discard();
    }

    /** The port of a node that has none: {@code none} keeps a place for one that comes later. One thread. */
    static final class VacantPort implements LivePort {
        /** Its kind on the command line. */
        static final String KIND = "none";

        private final PortCounts counts = new PortCounts();

        @Override
        public int rxBurst(final PacketBurst into) {
            return 0;
        }

        @Override
        public int txBurst(final PacketBurst from, final int first) {
            return 0;
        }

        @Override
        public boolean isUp() {
            return false;
        }

        @Override
        public PortCounts counts() {
            return counts;
        }

        @Override
        public void close() {
            // It holds nothing.
        }
    }

    /**
     * Copies of the packets of a port, on their way to a capture. The port's thread writes them into a ring and never
     * waits: what finds it full is left out and counted. Another thread reads.
     */
    static final class PacketTap implements OrderDispatcher.Capture {
        private static final int RING_BYTES = 1 << 22;
        private static final int TYPE = 1;
        /** Before the bytes of a packet: when it came, and its whole length. */
        private static final int STAMP = 0;
        private static final int LENGTH = 8;
        private static final int HEAD_BYTES = 16;
        private static final long CLOCK_NS = System.currentTimeMillis() * 1_000_000 - System.nanoTime();

        private final Order.Tap what;
        private final PortSlot portSlot;
        private final SlotEnd slotEnd;
        private final PacketFilter filter;
        private final ByteBuffer memory = ByteBuffer.allocateDirect(RING_BYTES + RingBufferDescriptor.TRAILER_LENGTH);
        private final OneToOneRingBuffer ring = new OneToOneRingBuffer(new UnsafeBuffer(memory));
        private final MemorySegment bytes = MemorySegment.ofBuffer(memory);
        private final AtomicLong left = new AtomicLong();
        private final AtomicBoolean ended = new AtomicBoolean();
        private long seen;
        private long copied;
        /** Of the reader. */
        private boolean isBegun;
        private long read;

        /** Waits until the port's thread has come to the end of a slot, or has ended itself. */
        interface SlotEnd {
            void await() throws InterruptedException;
        }

        /** Nothing has been copied. It is at a port slot once that has {@linkplain PortSlot#begin begun} it. */
        PacketTap(final Order.Tap what, final PortSlot portSlot, final SlotEnd slotEnd) {
            this.what = what;
            this.portSlot = portSlot;
            this.slotEnd = slotEnd;
            this.filter = PacketFilter.compile(what.filter());
        }

        /** Packets were taken from the port. */
        void onIn(final PacketBurst burst, final int from, final int end) {
            if (what.in()) {
                copy(burst, from, end);
            }
        }

        /** Packets were handed to the port. */
        void onOut(final PacketBurst burst, final int from, final int end) {
            if (what.out()) {
                copy(burst, from, end);
            }
        }

        private void copy(final PacketBurst burst, final int from, final int end) {
            final long nowNs = CLOCK_NS + System.nanoTime();
            for (int packet = from; packet < end && copied < what.count(); packet++) {
                final int length = burst.length(packet);
                if ((filter == null || filter.matches(burst.bytes(), burst.offset(packet), length))
                    && seen++ % what.one() == 0) {
                    copied++;
                    final int kept = Math.min(length, what.bytes());
                    final int at = ring.tryClaim(TYPE, HEAD_BYTES + kept);
                    if (at < 0) {
                        left.set(left.get() + 1);
                    } else {
                        ring.buffer().putLong(at + STAMP, nowNs);
                        ring.buffer().putInt(at + LENGTH, length);
                        MemorySegment.copy(burst.bytes(), burst.offset(packet), bytes, at + HEAD_BYTES, kept);
                        ring.commit(at);
                    }
                }
            }
        }

        /** Comes to its end when all that was copied has been read. Any thread. */
        void end() {
            portSlot.end(this);
            ended.set(true);
        }

        @Override
        public boolean fill(final ByteBuffer into) {
            if (!isBegun) {
                isBegun = true;
                CaptureWriter.begin(into, what.bytes());
            }
            // Read before the ring: what was written before the end is read, too.
            final boolean isLast = ended.get() || read + left.get() >= what.count();
            final int most =
                (into.remaining() - CaptureWriter.HEADER_BYTES) / (CaptureWriter.HEADER_BYTES + what.bytes());
            final int records = ring.read((type, buffer, index, length) -> {
                CaptureWriter.record(into, buffer.getLong(index + STAMP), length - HEAD_BYTES,
                    buffer.getInt(index + LENGTH));
                into.put(memory.duplicate().limit(index + length).position(index + HEAD_BYTES));
            }, Math.max(1, most));
            read += records;
            return records > 0 || into.position() > 0 || !isLast;
        }

        /** Gives the ring back at once: a dataplane makes so little garbage that the collector comes by in hours. */
        @Override
        public void close() {
            end();
            try {
                slotEnd.await(); // until then the port's thread may be copying into the ring
                BufferUtil.free(memory);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
