package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.tools.ctl.ControlSocket.OrderDispatcher;
import dev.skerry.tools.ctl.Order;
import dev.skerry.tools.port.CaptureWriter;
import dev.skerry.tools.port.GeneratorPort;
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
 * A place for a port at a node. Ports can replace each other there while the fabric runs; the counts continue across
 * replacements. A tap copies the packets that pass. Used by the thread of the node, except for methods that any thread
 * may call.
 */
final class PortSlot implements PacketPort {
    private static final PortCounter[] COUNTERS = PortCounter.values();

    private final AtomicReference<Taken> taken;
    /** Counts of all ports before the present one: the sum of the closed ones, and the last, which may be closing. */
    private final AtomicReference<List<PortCounts>> before = new AtomicReference<>(List.of());
    private final AtomicReference<PacketTap> tap = new AtomicReference<>();
    /** Past and present generators, without those whose flows a later one continues. */
    private final List<GeneratorPort> generators = new CopyOnWriteArrayList<>();

    /** The port at the place, and the state that it reports: whether it is exhausted, and the cause of its failure. */
    private record Taken(PortChoice choice, LivePort port, PacketFilter filter, AtomicBoolean exhausted,
        AtomicReference<String> failure) {
        Taken(final PortChoice choice, final LivePort port) {
            this(choice, port, PacketFilter.compile(choice.filter()), new AtomicBoolean(), new AtomicReference<>(""));
        }

        /** Receives packets that match the filter. */
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

        /** Publishes the state that the port reports. Called by its own thread. */
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
        if (port instanceof final GeneratorPort generator) {
            generators.add(generator);
        }
    }

    /** Returns the settings of the present port. Any thread may call this. */
    PortChoice choice() {
        return taken.get().choice;
    }

    /** Returns the present port. Any thread may call this. */
    LivePort port() {
        return taken.get().port;
    }

    /** Tells whether the place is vacant. Any thread may call this. */
    boolean isVacant() {
        return port() instanceof VacantPort;
    }

    /** Replaces the port; returns the previous one, which the caller closes. */
    LivePort replace(final PortChoice choice, final LivePort port) {
        final LivePort old = port();
        before.set(List.of(sum(before.get(), new PortCounts()), old.counts()));
        if (old instanceof final GeneratorPort generator) {
            generator.end();
        }
        if (port instanceof final GeneratorPort generator) {
            generators.removeIf(generator::follow);
            generators.add(generator);
        }
        taken.set(new Taken(choice, port));
        return old;
    }

    /**
     * Returns the past and present generators in order, without those whose flows a later one continues. Any thread may
     * call this.
     */
    List<GeneratorPort> generators() {
        return generators;
    }

    /** Returns the present or last generator, which has the received flows; null if none. Any thread may call this. */
    GeneratorPort generator() {
        return generators.isEmpty() ? null : generators.getLast();
    }

    /** Returns the packets that the generator with an id has sent in a flow. */
    long sent(final int id, final int flow) {
        for (int i = 0; i < generators.size(); i++) {
            if (generators.get(i).id() == id) {
                return generators.get(i).sent(flow);
            }
        }
        return 0;
    }

    /** Changes the settings under which the present port is shown. */
    void rename(final PortChoice choice) {
        final Taken now = taken.get();
        taken.set(new Taken(choice, now.port, now.filter, now.exhausted, now.failure));
    }

    /**
     * Returns the cause of a failure that the present port has reported, in one line; empty if there is none. Any
     * thread may call this.
     */
    String failure() {
        return taken.get().failure.get();
    }

    /** Tells whether the present port will not receive any more packets. Any thread may call this. */
    boolean isExhausted() {
        return taken.get().exhausted.get();
    }

    /** Returns the tap; null if there is none. Any thread may call this. */
    PacketTap tap() {
        return tap.get();
    }

    /** Starts a tap; returns false if there is one already. Any thread may call this. */
    boolean begin(final PacketTap to) {
        return tap.compareAndSet(null, to);
    }

    /** Ends a tap if it is the present one. Any thread may call this. */
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
        final List<PortCounts> earlier = before.get();
        return earlier.isEmpty() ? port().counts() : sum(earlier, port().counts());
    }

    /** Adds counts. Loops by index because an iterator allocates. */
    private static PortCounts sum(final List<PortCounts> earlier, final PortCounts last) {
        final PortCounts sum = new PortCounts();
        for (final PortCounter counter : COUNTERS) {
            long count = last.get(counter);
            for (int i = 0; i < earlier.size(); i++) {
                count += earlier.get(i).get(counter);
            }
            sum.add(counter, count);
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

    /** A vacant place, which {@code none} reserves for a port that is added later. Not thread-safe. */
    static final class VacantPort implements LivePort {
        /** Kind of the port on the command line. */
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
            // There is nothing to close.
        }
    }

    /**
     * Copies the packets of a port to a capture. The thread of the port writes them to a ring buffer and never waits:
     * if the ring is full, the packet is omitted and counted. Another thread reads the ring.
     */
    static final class PacketTap implements OrderDispatcher.Capture {
        private static final int RING_BYTES = 1 << 22;
        private static final int TYPE = 1;
        /** Layout of a record: the time stamp and the original length precede the bytes of the packet. */
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
        /** Used by the reader only. */
        private boolean isBegun;
        private long read;

        /** Waits until the thread of the port has finished a slot, or has ended. */
        interface SlotEnd {
            void await() throws InterruptedException;
        }

        /** Creates a tap, which starts when it is attached to a place with {@linkplain PortSlot#begin begin}. */
        PacketTap(final Order.Tap what, final PortSlot portSlot, final SlotEnd slotEnd) {
            this.what = what;
            this.portSlot = portSlot;
            this.slotEnd = slotEnd;
            this.filter = PacketFilter.compile(what.filter());
        }

        /** Copies packets that were received from the port. */
        void onIn(final PacketBurst burst, final int from, final int end) {
            if (what.in()) {
                copy(burst, from, end);
            }
        }

        /** Copies packets that were sent to the port. */
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

        /** Ends the tap: the reader ends when it has read all copies. Any thread may call this. */
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
            // Read before the ring, so that all records written before the end are read, too.
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

        /**
         * Frees the ring explicitly, because a dataplane produces so little garbage that the collector may not run for
         * hours.
         */
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
