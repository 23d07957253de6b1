package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.ctl.ControlSocket.OrderDesk;
import dev.skerry.tools.ctl.Order;
import dev.skerry.tools.port.CaptureWriter;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies of the packets of a port, on their way to a capture. The port's thread writes them into a ring and never
 * waits: what finds it full is left out and counted. Another thread reads.
 */
final class PacketTap implements OrderDesk.Capture {
    private static final int RING_BYTES = 1 << 22;
    private static final int TYPE = 1;
    /** Before the bytes of a packet: when it came, and its whole length. */
    private static final int STAMP = 0;
    private static final int LENGTH = 8;
    private static final int HEAD_BYTES = 16;
    private static final long CLOCK_NS = System.currentTimeMillis() * 1_000_000 - System.nanoTime();

    private final Order.Tap what;
    private final PortSeat seat;
    private final SlotEnd slotEnd;
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

    /** Nothing has been copied. It is at a seat once that has {@linkplain PortSeat#begin begun} it. */
    PacketTap(final Order.Tap what, final PortSeat seat, final SlotEnd slotEnd) {
        this.what = what;
        this.seat = seat;
        this.slotEnd = slotEnd;
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
            if (seen++ % what.one() == 0) {
                copied++;
                final int length = burst.length(packet);
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
        seat.end(this);
        ended.set(true);
    }

    @Override
    public boolean fill(final ByteBuffer into) {
        if (!isBegun) {
            isBegun = true;
            CaptureWriter.begin(into);
        }
        // Read before the ring: what was written before the end is read, too.
        final boolean isLast = ended.get() || read + left.get() >= what.count();
        final int most = (into.remaining() - CaptureWriter.HEADER_BYTES) / (CaptureWriter.HEADER_BYTES + what.bytes());
        final int records = ring.read((type, buffer, index, length) -> {
            CaptureWriter.record(into, buffer.getLong(index + STAMP), length - HEAD_BYTES,
                buffer.getInt(index + LENGTH));
            into.put(memory.duplicate().limit(index + length).position(index + HEAD_BYTES));
        }, Math.max(1, most));
        read += records;
        return records > 0 || into.position() > 0 || !isLast;
    }

    @Override
    public String leftOut() {
        return left.get() == 0 ? "" : left.get() + " packets were left out of the capture, as its reader was too slow";
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
