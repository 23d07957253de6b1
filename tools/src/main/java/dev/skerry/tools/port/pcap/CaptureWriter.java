package dev.skerry.tools.port.pcap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Writes a capture of whole Ethernet frames with stamps in nanoseconds, little-endian. {@link PcapRecords} and {@link
 * PcapngBlocks} draw the layouts. Records gather in buffers, which a thread of their own writes to the file, so that a
 * disk or a FIFO that stalls never stops the caller: {@link #append} then finds no room. On a full disk, the file ends
 * after the last packet that fits. One thread calls, except where any may; no allocation per packet.
 * <pre>
 *    caller: append -- a buffer -- full -- writing thread: file
 *                 ^-------------- free ---------'
 * </pre>
 */
final class CaptureWriter {
    /** Number of buffers: what a file may fall behind. */
    static final int BUFFERS = 16;
    static final int BUFFER_BYTES = 1 << 18;

    /** How long the end waits for a file that takes nothing. */
    private static final long GIVE_UP_NS = 5_000_000_000L;
    private static final long LOOK_MS = 20;
    private static final int ENHANCED_HEADER = 28;
    private static final int ENHANCED_BYTES = ENHANCED_HEADER + 4;
    private static final int RECORD_LENGTH = 8;
    private static final int BLOCK_LENGTH = 4;
    private static final int BLOCK_CAPTURED = 20;
    private static final int NANO_POWER = 9;
    private static final int USER_APPLICATION = 4;
    private static final long SECOND_NS = 1_000_000_000;
    private static final String APPLICATION = "skerry";
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final CaptureFile file;
    private final boolean blocks;
    private final Arena arena = Arena.ofShared();
    private final ArrayBlockingQueue<Chunk> free = new ArrayBlockingQueue<>(BUFFERS);
    /** One place more for the end. */
    private final ArrayBlockingQueue<Chunk> full = new ArrayBlockingQueue<>(BUFFERS + 1);
    private final Chunk end;
    private final Thread thread;
    private final AtomicReference<IOException> failure = new AtomicReference<>();
    private final AtomicBoolean discarded = new AtomicBoolean();
    /** What is whole in the file. */
    private final AtomicLong writtenPackets = new AtomicLong();
    private final AtomicLong writtenBytes = new AtomicLong();
    /** What was handed to the thread. */
    private final AtomicLong handedPackets = new AtomicLong();
    private Chunk chunk;
    private long packets;
    private long bytes;
    private boolean closed;

    /** Records that are written together. */
    private static final class Chunk {
        private final MemorySegment buffer;
        private final ByteBuffer view;
        private int used;
        private int headerBytes;
        private long packets;
        private long bytes;

        Chunk(final MemorySegment buffer) {
            this.buffer = buffer;
            this.view = buffer.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        }

        void clear() {
            used = 0;
            headerBytes = 0;
            packets = 0;
            bytes = 0;
        }
    }

    /**
     * Opens a file and buffers its header.
     *
     * @throws InputException if it cannot be created.
     */
    CaptureWriter(final PcapSettings settings) {
        file = CaptureFile.create(settings.out(),
            settings.out().toString().endsWith(PcapSettings.GZIP), settings.overwrite());
        blocks = settings.format() == CaptureFormat.PCAPNG;
        for (int i = 0; i < BUFFERS; i++) {
            free.add(new Chunk(arena.allocate(BUFFER_BYTES + CapturedPacket.MAX_BYTES + ENHANCED_BYTES + Long.BYTES,
                Long.BYTES)));
        }
        end = new Chunk(arena.allocate(Long.BYTES));
        chunk = free.remove();
        chunk.used = blocks ? sections(chunk.view) : header(chunk.view);
        chunk.headerBytes = chunk.used;
        thread = new Thread(this::write, "skerry-capture");
        thread.setDaemon(true);
        thread.start();
    }

    private static int header(final ByteBuffer view) {
        CaptureStream.begin(view);
        return view.position();
    }

    private static int sections(final ByteBuffer view) {
        final int section = 28 + 4 + 8 + 4;
        final int face = 20 + 8 + 4;
        view.putInt(PcapngBlocks.SECTION).putInt(section).putInt(PcapngBlocks.BYTE_ORDER).putInt(1).putLong(-1)
            .putShort((short) USER_APPLICATION).putShort((short) APPLICATION.length())
            .put(APPLICATION.getBytes(US_ASCII)).position(section - 4).putInt(section);
        return view.putInt(PcapngBlocks.INTERFACE).putInt(face).putInt(CapturedPacket.ETHERNET)
            .putInt(CapturedPacket.MAX_BYTES).putShort((short) PcapngBlocks.TSRESOL).putShort((short) 1)
            .putInt(NANO_POWER).putInt(0).putInt(face).position();
    }

    /**
     * Appends a packet.
     *
     * @param source  memory of the packet.
     * @param offset  offset of its first byte.
     * @param length  1 to {@link CapturedPacket#MAX_BYTES}.
     * @param seconds of its stamp, since 1970.
     * @param nanos   of its stamp, below a second.
     * @return false if there is no room, as the file has fallen behind.
     */
    boolean append(final MemorySegment source, final long offset, final int length, final long seconds,
        final int nanos) {
        if (chunk.used >= BUFFER_BYTES && !flush()) {
            return false;
        }
        final Chunk to = chunk;
        final int at = to.used;
        if (blocks) {
            final int padded = length + 3 & ~3;
            final long stamp = seconds * SECOND_NS + nanos;
            to.view.clear().position(at).putInt(PcapngBlocks.ENHANCED).putInt(padded + ENHANCED_BYTES).putInt(0)
                .putInt((int) (stamp >>> Integer.SIZE)).putInt((int) stamp).putInt(length).putInt(length);
            // Zeroes the padding. Without padding, the packet overwrites this zero.
            to.buffer.set(INT, at + ENHANCED_HEADER + padded - 4, 0);
            MemorySegment.copy(source, offset, to.buffer, at + ENHANCED_HEADER, length);
            to.buffer.set(INT, at + ENHANCED_HEADER + padded, padded + ENHANCED_BYTES);
            to.used = at + ENHANCED_BYTES + padded;
        } else {
            CaptureStream.record(to.view.clear().position(at), seconds * SECOND_NS + nanos, length, length);
            MemorySegment.copy(source, offset, to.buffer, at + PcapRecords.RECORD_HEADER, length);
            to.used = at + PcapRecords.RECORD_HEADER + length;
        }
        to.packets++;
        to.bytes += length;
        packets++;
        bytes += length;
        return true;
    }

    /** Hands the buffer to the writing thread. Returns false if it is empty, or if there is no other one. */
    boolean flush() {
        if (chunk.used == 0) {
            return false;
        }
        final Chunk next = free.poll();
        if (next == null) {
            return false;
        }
        hand(chunk);
        chunk = next;
        chunk.clear();
        return true;
    }

    private void hand(final Chunk to) {
        handedPackets.addAndGet(to.packets);
        full.add(to);
    }

    /** The writing thread, which owns the file and, in the end, the buffers. */
    private void write() {
        try (arena) {
            for (Chunk next = full.take(); next != end; next = full.take()) {
                // After a failure the caller may still append to what it has, and hand it over.
                if (failure.get() == null) {
                    write(next);
                    free.add(next);
                }
            }
            if (discarded.get()) {
                file.discard();
            } else if (failure.get() == null) {
                file.finish();
            }
        } catch (final IOException e) {
            failure.compareAndSet(null, e);
        } catch (final InterruptedException never) {
            // Nobody interrupts this thread.
            Thread.currentThread().interrupt();
        }
    }

    private void write(final Chunk next) {
        final long before = file.fileBytes();
        next.view.limit(next.used).position(0);
        try {
            file.write(next.view);
            written(next.packets, next.bytes);
        } catch (final IOException e) {
            file.abandon(before + count(next, file.isPlain() ? next.view.position() : 0));
            failure.compareAndSet(null, e);
        }
    }

    private void written(final long packetsMore, final long bytesMore) {
        writtenBytes.addAndGet(bytesMore);
        writtenPackets.addAndGet(packetsMore);
    }

    /**
     * Counts the packets of a buffer of which only {@code to} bytes reached the file. Returns the end of the last whole
     * packet.
     */
    private long count(final Chunk of, final int to) {
        int at = of.headerBytes;
        int whole = to < at ? 0 : at;
        while (at < of.used) {
            final int length = of.buffer.get(INT, at + (blocks ? BLOCK_CAPTURED : RECORD_LENGTH));
            at += blocks ? of.buffer.get(INT, at + BLOCK_LENGTH) : PcapRecords.RECORD_HEADER + length;
            if (at > to) {
                break;
            }
            written(1, length);
            whole = at;
        }
        return whole;
    }

    /** Packets that wait for the file, without those of the buffer that is being filled. Any thread. */
    long behind() {
        return handedPackets.get() - writtenPackets.get();
    }

    /** Why the file cannot be written on; null if it can. Any thread. */
    IOException failed() {
        return failure.get();
    }

    /** Appended packets that are not in the file. */
    long lostPackets() {
        return packets - writtenPackets.get();
    }

    /** Bytes of those packets. */
    long lostBytes() {
        return bytes - writtenBytes.get();
    }

    /** Error message for a failed write. */
    String failure(final IOException e) {
        return new InputException(PcapSettings.KIND, file.name().toString(),
            "writing failed (" + CaptureFile.reason(e) + ")",
            "make room or choose another place; what was written stays in this file").getMessage();
    }

    /**
     * Completes the file, unless it has failed. Waits for it as long as it goes on taking something.
     *
     * @param discards whether to delete it instead if it has no packet.
     * @throws IOException if it has failed, before or now.
     */
    void finish(final boolean discards) throws IOException {
        if (!closed) {
            closed = true;
            discarded.set(discards && packets == 0);
            if (chunk.used > 0 && !discarded.get()) {
                hand(chunk);
            }
            full.add(end);
            await();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private void await() {
        boolean isInterrupted = false;
        long last = -1;
        long lastNs = System.nanoTime();
        while (thread.isAlive()) {
            final long now = file.fileBytes();
            if (now != last) {
                last = now;
                lastNs = System.nanoTime();
            } else if (System.nanoTime() - lastNs > GIVE_UP_NS) {
                failure.compareAndSet(null, new IOException("it has taken nothing for 5 s"));
                file.giveUp();
                break;
            }
            try {
                TimeUnit.MILLISECONDS.timedJoin(thread, LOOK_MS);
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
