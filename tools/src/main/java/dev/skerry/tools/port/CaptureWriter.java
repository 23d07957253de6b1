package dev.skerry.tools.port;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.CaptureReader.CapturedPacket;
import dev.skerry.tools.port.CaptureReader.PcapRecords;
import dev.skerry.tools.port.CaptureReader.PcapngBlocks;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import dev.skerry.tools.port.PcapPort.PcapSettings.CaptureFormat;
import dev.skerry.tools.port.PcapPort.PcapSettings.Output;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes a capture of whole Ethernet frames with time stamps in nanoseconds, little-endian, in the layouts that {@link
 * CaptureReader} reads. Records are collected in buffers, and a separate thread writes full buffers to the file. A disk
 * or FIFO that stalls therefore never blocks the caller; {@link #append} then reports that there is no room. On a full
 * disk, the file ends after the last packet that fits. Used by one thread, except for methods that any thread may call;
 * does not allocate per packet.
 * <pre>
 *    caller: append -- a buffer -- full -- writing thread: file
 *                 ^-------------- free ---------'
 * </pre>
 */
public final class CaptureWriter {
    /** Bytes before each packet of a pcap capture, at most as many as before the first one. */
    public static final int HEADER_BYTES = PcapRecords.FILE_HEADER;

    /** Number of buffers, which limits how far a file can fall behind. */
    static final int BUFFERS = 16;
    static final int BUFFER_BYTES = 1 << 18;

    /** Time for which {@link #finish} waits for a file that accepts no data. */
    private static final long GIVE_UP_NS = 5_000_000_000L;
    private static final long LOOK_MS = 20;
    private static final long LAST_MS = 1_000;
    private static final int ENHANCED_HEADER = 28;
    private static final int ENHANCED_BYTES = ENHANCED_HEADER + 4;
    private static final int RECORD_KEPT = 8;
    private static final int BLOCK_LENGTH = 4;
    private static final int BLOCK_CAPTURED = 20;
    private static final int NANO_POWER = 9;
    private static final int VERSION = 2 | 4 << 16;
    private static final int USER_APPLICATION = 4;
    private static final long SECOND_NS = 1_000_000_000;
    private static final String APPLICATION = "skerry";
    /** Suffix of a file name that follows the number in a series of files. */
    private static final Pattern NUMBERED = Pattern.compile("((?:\\.[^.]*)?(?:\\.gz)?)$");
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Output output;
    private final boolean blocks;
    private final AtomicReference<CaptureFile> file = new AtomicReference<>();
    /** Complete files; used by the writing thread. */
    private final Deque<Path> complete = new ArrayDeque<>();
    private int number = 1;
    private boolean isOpen = true;
    private final Arena arena = Arena.ofShared();
    private final ArrayBlockingQueue<Chunk> free = new ArrayBlockingQueue<>(BUFFERS);
    /** Has one more place, for the end marker. */
    private final ArrayBlockingQueue<Chunk> full = new ArrayBlockingQueue<>(BUFFERS + 1);
    private final Chunk end;
    private final Thread thread;
    private final AtomicReference<IOException> failure = new AtomicReference<>();
    private final AtomicBoolean discarded = new AtomicBoolean();
    /** Complete packets in the file. */
    private final AtomicLong writtenPackets = new AtomicLong();
    private final AtomicLong writtenBytes = new AtomicLong();
    /** Packets that have been handed to the writing thread. */
    private final AtomicLong handedPackets = new AtomicLong();
    private Chunk chunk;
    private long packets;
    private long bytes;
    /** Bytes of the current file including those not written yet, and the time of its first packet. */
    private long fileBytes;
    private long fileNs;
    private int headerBytes;
    private boolean closed;

    /** A buffer of records that are written together. */
    private static final class Chunk {
        private final MemorySegment buffer;
        private final ByteBuffer view;
        private int used;
        private int headerBytes;
        private long packets;
        private long bytes;
        private boolean isLast;

        Chunk(final MemorySegment buffer) {
            this.buffer = buffer;
            this.view = buffer.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        }

        void clear() {
            used = 0;
            headerBytes = 0;
            packets = 0;
            bytes = 0;
            isLast = false;
        }
    }

    /**
     * Opens a file and buffers its header.
     *
     * @throws InputException if the file cannot be created.
     */
    CaptureWriter(final Output output) {
        this.output = output;
        open();
        blocks = output.format() == CaptureFormat.PCAPNG;
        for (int i = 0; i < BUFFERS; i++) {
            free.add(new Chunk(arena.allocate(BUFFER_BYTES + CapturedPacket.MAX_BYTES + ENHANCED_BYTES + Long.BYTES,
                Long.BYTES)));
        }
        end = new Chunk(arena.allocate(Long.BYTES));
        chunk = free.remove();
        begin();
        thread = new Thread(this::write, "skerry-capture");
        thread.setDaemon(true);
        thread.start();
    }

    private void open() {
        final String name = output.file().getFileName().toString();
        file.set(CaptureFile.create(output.isRotated() ? output.file().resolveSibling(NUMBERED.matcher(name)
            .replaceFirst(String.format("_%05d$1", number++))) : output.file(),
            output.file().toString().endsWith(PcapSettings.GZIP), output.overwrite()));
        isOpen = true;
    }

    /** Starts a file in an empty buffer. */
    private void begin() {
        chunk.used = (blocks ? sections(chunk.view, output.snap()) : begin(chunk.view.clear(), output.snap()))
            .position();
        chunk.headerBytes = chunk.used;
        headerBytes = chunk.used;
        fileBytes = chunk.used;
    }

    /**
     * Writes the file header of a pcap capture of Ethernet frames with time stamps in ns; returns the buffer.
     *
     * @param snap maximum bytes captured of a packet.
     */
    public static ByteBuffer begin(final ByteBuffer into, final int snap) {
        return into.order(ByteOrder.LITTLE_ENDIAN).putInt(PcapRecords.NANOSECONDS).putInt(VERSION).putLong(0)
            .putInt(snap).putInt(CapturedPacket.ETHERNET);
    }

    /**
     * Writes the record header of a packet in a pcap capture; the bytes of the packet follow.
     *
     * @param ns     time stamp in ns since 1970.
     * @param kept   captured bytes, which follow.
     * @param length length of the packet in bytes.
     */
    public static void record(final ByteBuffer into, final long ns, final int kept, final int length) {
        into.order(ByteOrder.LITTLE_ENDIAN).putInt((int) (ns / SECOND_NS)).putInt((int) (ns % SECOND_NS)).putInt(kept)
            .putInt(length);
    }

    private static ByteBuffer sections(final ByteBuffer view, final int snap) {
        final int section = 28 + 4 + 8 + 4;
        final int face = 20 + 8 + 4;
        view.clear().putInt(PcapngBlocks.SECTION).putInt(section).putInt(PcapngBlocks.BYTE_ORDER).putInt(1).putLong(-1)
            .putShort((short) USER_APPLICATION).putShort((short) APPLICATION.length())
            .put(APPLICATION.getBytes(US_ASCII)).position(section - 4).putInt(section);
        return view.putInt(PcapngBlocks.INTERFACE).putInt(face).putInt(CapturedPacket.ETHERNET)
            .putInt(snap).putShort((short) PcapngBlocks.TSRESOL).putShort((short) 1)
            .putInt(NANO_POWER).putInt(0).putInt(face);
    }

    /**
     * Appends a packet.
     *
     * @param source memory of the packet.
     * @param offset offset of its first byte.
     * @param length 1 to {@link CaptureReader.CapturedPacket#MAX_BYTES}.
     * @param ns     time stamp in ns since 1970.
     * @return false if there is no room because the file has fallen behind.
     */
    boolean append(final MemorySegment source, final long offset, final int length, final long ns) {
        final int kept = Math.min(length, output.snap());
        final int padded = kept + 3 & ~3;
        final int record = blocks ? ENHANCED_BYTES + padded : PcapRecords.RECORD_HEADER + kept;
        if (fileBytes > headerBytes && isOver(ns, record) && !handOver(true)
            || chunk.used >= BUFFER_BYTES && !handOver(false)) {
            return false;
        }
        if (fileBytes == 0) {
            begin();
        }
        if (fileBytes == headerBytes) {
            fileNs = ns;
        }
        final Chunk to = chunk;
        final int at = to.used;
        if (blocks) {
            to.view.clear().position(at).putInt(PcapngBlocks.ENHANCED).putInt(record).putInt(0)
                .putInt((int) (ns >>> Integer.SIZE)).putInt((int) ns).putInt(kept).putInt(length);
            // Zeroes the padding. If there is none, the packet overwrites this zero.
            to.buffer.set(INT, at + ENHANCED_HEADER + padded - 4, 0);
            MemorySegment.copy(source, offset, to.buffer, at + ENHANCED_HEADER, kept);
            to.buffer.set(INT, at + ENHANCED_HEADER + padded, record);
        } else {
            record(to.view.clear().position(at), ns, kept, length);
            MemorySegment.copy(source, offset, to.buffer, at + PcapRecords.RECORD_HEADER, kept);
        }
        to.used = at + record;
        fileBytes += record;
        to.packets++;
        to.bytes += length;
        packets++;
        bytes += length;
        return true;
    }

    /** Tells whether the current file ends before a record. */
    private boolean isOver(final long ns, final int record) {
        return fileBytes + record > output.rotateBytes() || ns - fileNs >= output.rotateNs();
    }

    /**
     * Hands the buffer to the writing thread, and ends the file if its time is over. Returns false if the buffer is
     * empty, or no other one is free.
     */
    boolean flush(final long ns) {
        final boolean isOver = fileBytes > headerBytes && isOver(ns, 0);
        return (chunk.used > 0 || isOver) && handOver(isOver);
    }

    /** Hands the buffer to the writing thread; returns false if no other one is free. {@code isLast} ends the file. */
    private boolean handOver(final boolean isLast) {
        final Chunk next = free.poll();
        if (next == null) {
            return false;
        }
        chunk.isLast = isLast;
        hand(chunk);
        chunk = next;
        chunk.clear();
        fileBytes = isLast ? 0 : fileBytes;
        return true;
    }

    private void hand(final Chunk to) {
        handedPackets.addAndGet(to.packets);
        full.add(to);
    }

    /** The writing thread, which owns the file and finally frees the buffers. */
    private void write() {
        try (arena) {
            for (Chunk next = full.take(); next != end; next = full.take()) {
                // After a failure, buffers are not reused; the caller can still fill and hand over the ones that it
                // has.
                if (failure.get() == null) {
                    write(next);
                    free.add(next);
                }
            }
            if (discarded.get()) {
                file.get().discard();
            } else if (failure.get() == null && isOpen) {
                complete();
            }
        } catch (final IOException e) {
            failure.compareAndSet(null, e);
        } catch (final InterruptedException never) {
            // This thread is never interrupted.
            Thread.currentThread().interrupt();
        }
    }

    private void write(final Chunk next) {
        CaptureFile to = file.get();
        long before = to.fileBytes;
        next.view.limit(next.used).position(0);
        try {
            if (!isOpen) {
                open();
                to = file.get();
                before = 0;
            }
            to.write(next.view);
            written(next.packets, next.bytes);
            if (next.isLast) {
                complete();
            }
        } catch (final IOException e) {
            to.abandon(before + count(next, to.isPlain() ? next.view.position() : 0));
            failure.compareAndSet(null, e);
        } catch (final InputException e) {
            failure.compareAndSet(null, new IOException(e.getMessage(), e));
        }
    }

    /** Completes the current file, and deletes the oldest one if there are too many. */
    private void complete() throws IOException {
        isOpen = false;
        file.get().finish();
        complete.add(file.get().file);
        if (complete.size() > output.keep()) {
            Files.deleteIfExists(complete.remove());
        }
    }

    private void written(final long packetsMore, final long bytesMore) {
        writtenBytes.addAndGet(bytesMore);
        writtenPackets.addAndGet(packetsMore);
    }

    /**
     * Counts the packets of a buffer of which only {@code to} bytes reached the file. Returns the end of the last
     * complete packet.
     */
    private long count(final Chunk of, final int to) {
        int at = of.headerBytes;
        int whole = to < at ? 0 : at;
        while (at < of.used) {
            final int length = of.buffer.get(INT, at + Integer.BYTES + (blocks ? BLOCK_CAPTURED : RECORD_KEPT));
            at += blocks ? of.buffer.get(INT, at + BLOCK_LENGTH)
                : PcapRecords.RECORD_HEADER + of.buffer.get(INT, at + RECORD_KEPT);
            if (at > to) {
                break;
            }
            written(1, length);
            whole = at;
        }
        return whole;
    }

    /**
     * Returns the number of packets waiting to be written, without those in the current buffer. Any thread may call
     * this.
     */
    long behind() {
        return handedPackets.get() - writtenPackets.get();
    }

    /** Returns the error that prevents further writing; null if there is none. Any thread may call this. */
    IOException failed() {
        return failure.get();
    }

    /** Returns the number of appended packets that are not in the file. */
    long lostPackets() {
        return packets - writtenPackets.get();
    }

    /** Returns the bytes of the appended packets that are not in the file. */
    long lostBytes() {
        return bytes - writtenBytes.get();
    }

    /** Returns the error message for a failed write. */
    String failure(final IOException e) {
        return new InputException(PcapSettings.KIND, file.get().name().toString(),
            "writing failed (" + CaptureFile.reason(e) + ")",
            "free space or choose another place; the file keeps what was written").getMessage();
    }

    /**
     * Completes the file, unless writing has failed. Waits as long as the file keeps accepting data.
     *
     * @param discards whether to delete the file instead if it has no packets.
     * @throws IOException if writing has failed, before or during this call.
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
        boolean isGivenUp = false;
        while (thread.isAlive() && !isGivenUp) {
            final long now = file.get().fileBytes;
            if (now != last) {
                last = now;
                lastNs = System.nanoTime();
            } else if (System.nanoTime() - lastNs > GIVE_UP_NS) {
                failure.compareAndSet(null, new IOException("it has accepted nothing for 5 s"));
                file.get().giveUp();
                isGivenUp = true;
            }
            try {
                // A thread that has given up still counts the packets that a pipe took; a disk may keep it for longer.
                TimeUnit.MILLISECONDS.timedJoin(thread, isGivenUp ? LAST_MS : LOOK_MS);
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Output file of a capture, optionally compressed with gzip. A new file has the suffix {@code .partial} until it is
     * complete. An existing device or pipe is written to directly; {@link #giveUp} ends waits for it. Used by one
     * thread, except for methods that any thread may call; does not allocate after construction.
     */
    private static final class CaptureFile {
        private static final String PARTIAL = ".partial";
        private static final int MAX_ATTEMPTS = 1_000;
        private static final int MOST_LINKS = 40;
        private static final long PAUSE_NS = 1_000_000;
        private static final int PACKED_BYTES = 1 << 16;
        private static final byte[] GZIP_HEADER = {0x1F, (byte) 0x8B, Deflater.DEFLATED, 0, 0, 0, 0, 0, 4, (byte) 0xFF};

        private final Path file;
        private final boolean overwrite;
        private final Path partial;
        private final WritableByteChannel channel;
        private final AtomicBoolean givenUp = new AtomicBoolean();
        private final Deflater deflater;
        private final CRC32 check = new CRC32();
        private final ByteBuffer packed;
        private long unpackedBytes;
        /** Set by the writing thread; another thread checks whether it increases. */
        private volatile long fileBytes;

        private CaptureFile(final Path file, final boolean gzip, final boolean overwrite, final Path partial)
            throws IOException {
            this.file = file;
            this.overwrite = overwrite;
            this.partial = partial;
            this.channel = partial == null ? special(file) : PrivateFiles.createNew(partial);
            this.deflater = gzip ? new Deflater(Deflater.BEST_SPEED, true) : null;
            this.packed = gzip ? ByteBuffer.allocateDirect(PACKED_BYTES).order(ByteOrder.LITTLE_ENDIAN) : null;
            if (gzip) {
                packed.put(GZIP_HEADER);
            }
        }

        private static WritableByteChannel special(final Path file) throws IOException {
            return Libc.IS_LINUX ? PipeChannel.open(file)
                : FileChannel.open(file, StandardOpenOption.WRITE);
        }

        /** Makes current and later waits for room in a pipe fail. Any thread may call this. */
        void giveUp() {
            givenUp.set(true);
        }

        /**
         * Opens a file for writing.
         *
         * @throws InputException if the file exists and must not be overwritten, or cannot be created.
         */
        static CaptureFile create(final Path named, final boolean gzip, final boolean overwrite) {
            final Path file = target(named);
            final boolean exists = Files.exists(file);
            final boolean special = exists && !Files.isRegularFile(file) && !Files.isDirectory(file);
            Choices.refuseIf(exists && !special && (!overwrite || Files.isDirectory(file)), PcapSettings.KIND, file,
                "already exists and is not overwritten", Files.isDirectory(file) ? "give the name of a file"
                    : "write pcap:in=FILE to read it, pcap:out=FILE,overwrite to replace it, or choose another name");
            try {
                if (special) {
                    return new CaptureFile(file, gzip, overwrite, null);
                }
                for (int attempt = 1;; attempt++) {
                    try {
                        final String number = attempt == 1 ? "" : "-" + attempt;
                        return new CaptureFile(file, gzip, overwrite,
                            file.resolveSibling(file.getFileName() + number + PARTIAL));
                    } catch (final FileAlreadyExistsException e) {
                        // An interrupted run or another port uses this name. Try the next one.
                        if (attempt == MAX_ATTEMPTS) {
                            throw e;
                        }
                    }
                }
            } catch (final AccessDeniedException e) {
                throw new InputException(PcapSettings.KIND, file.toString(), "may not be written",
                    "choose another folder");
            } catch (final IOException e) {
                Choices.refuseIf(special, PcapSettings.KIND, file, "cannot be written (" + reason(e) + ")",
                    "give another one");
                throw InputException.notWritten(PcapSettings.KIND, file, e,
                    "choose an existing folder on a disk with free space");
            }
        }

        /**
         * Resolves symbolic links to a regular file or to a file that does not exist yet. Returns the name itself for
         * devices, pipes and loops of links.
         */
        private static Path target(final Path named) {
            Path file = named;
            for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(file)
                && (!Files.exists(file) || Files.isRegularFile(file)); links++) {
                try {
                    file = file.resolveSibling(Files.readSymbolicLink(file));
                } catch (final IOException e) {
                    // The attempt to create the file reports the cause.
                    return named;
                }
            }
            return Files.isSymbolicLink(file) ? named : file;
        }

        /** Returns the system's message without the name of the file. */
        static String reason(final IOException e) {
            final String text = e instanceof final FileSystemException f ? f.getReason() : e.getMessage();
            return text == null ? e.getClass().getSimpleName() : text;
        }

        /** Returns the current name of the file. */
        Path name() {
            return partial != null ? partial : file;
        }

        /** Tells whether the file contains the written bytes uncompressed. */
        boolean isPlain() {
            return deflater == null;
        }

        /** Writes a direct buffer up to its limit. After an exception, its position is the number of bytes written. */
        void write(final ByteBuffer bytes) throws IOException {
            if (deflater == null) {
                drain(bytes);
                return;
            }
            unpackedBytes += bytes.remaining();
            final int start = bytes.position();
            check.update(bytes);
            bytes.position(start);
            deflater.setInput(bytes);
            // Flush, so that the file has all written packets; a reader of a truncated file then finds them.
            deflate(Deflater.SYNC_FLUSH);
            drainPacked();
        }

        private void deflate(final int flush) throws IOException {
            while (deflater.deflate(packed, flush) > 0 && !packed.hasRemaining()) {
                drainPacked();
            }
        }

        private void drainPacked() throws IOException {
            packed.flip();
            drain(packed);
            packed.clear();
        }

        private void drain(final ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                if (givenUp.get()) {
                    throw new IOException("it has accepted nothing for too long");
                }
                final int written = channel.write(bytes);
                fileBytes += written;
                if (written == 0) {
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }

        /** Completes the file and gives it its final name. */
        void finish() throws IOException {
            try {
                if (deflater != null) {
                    deflater.finish();
                    deflate(Deflater.NO_FLUSH);
                    drainPacked();
                    packed.putInt((int) check.getValue()).putInt((int) unpackedBytes);
                    drainPacked();
                }
            } catch (final IOException e) {
                abandon(fileBytes);
                throw e;
            }
            release();
            if (partial != null) {
                if (overwrite) {
                    Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
                } else if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                    throw new FileAlreadyExistsException(file.toString(), null, "its name now belongs to another file");
                } else {
                    Files.move(partial, file);
                }
            }
        }

        /** Closes a file that is not needed, and deletes it unless it existed before. */
        void discard() throws IOException {
            release();
            if (partial != null) {
                Files.deleteIfExists(partial);
            }
        }

        /**
         * Closes a file that cannot be completed. Its first {@code bytes} bytes remain, under the name with the suffix.
         */
        void abandon(final long bytes) {
            try {
                if (channel instanceof final FileChannel plain && partial != null && bytes < fileBytes) {
                    plain.truncate(bytes);
                }
            } catch (final IOException e) {
                // The capture is known to be incomplete; its last packet remains truncated.
            }
            try {
                release();
            } catch (final IOException e) {
                // A failure to close the file has no further effect.
            }
        }

        private void release() throws IOException {
            if (deflater != null) {
                deflater.end();
            }
            channel.close();
        }
    }

    /**
     * A non-blocking channel to a FIFO or a device. A channel of the JVM would block when it opens one. Not
     * thread-safe.
     */
    private static final class PipeChannel implements WritableByteChannel {
        private final Path file;
        private int fd;

        private PipeChannel(final Path file, final int fd) {
            this.file = file;
            this.fd = fd;
        }

        /**
         * Opens a FIFO or a device.
         *
         * @throws IOException if it cannot be written to, or is a FIFO that no process reads.
         */
        public static PipeChannel open(final Path file) throws IOException {
            final int fd = Libc.open(file.toString(), Libc.O_WRONLY);
            if (fd < 0) {
                throw switch (-fd) {
                    case Libc.EACCES, Libc.EPERM -> new AccessDeniedException(file.toString());
                    case Libc.ENXIO -> new FileSystemException(file.toString(), null,
                        "no process reads from it; start the reader first");
                    default -> new FileSystemException(file.toString(), null, "errno=" + -fd);
                };
            }
            return new PipeChannel(file, fd);
        }

        /**
         * Writes as much of the rest of a direct buffer as fits now.
         *
         * @return 0 if nothing fits.
         */
        @Override
        public int write(final ByteBuffer from) throws IOException {
            final int result = Libc.write(fd, MemorySegment.ofBuffer(from).address(), from.remaining());
            if (result == -Libc.EAGAIN || result == -Libc.EINTR) {
                return 0;
            }
            if (result < 0) {
                throw new FileSystemException(file.toString(), null, switch (-result) {
                    case Libc.ENOSPC -> "No space left on device";
                    case Libc.EPIPE -> "the process that read from it has ended";
                    default -> "errno=" + -result;
                });
            }
            from.position(from.position() + result);
            return result;
        }

        @Override
        public boolean isOpen() {
            return fd >= 0;
        }

        @Override
        public void close() {
            if (isOpen()) {
                Libc.close(fd);
                fd = UnixSocket.NO_FD;
            }
        }
    }
}
