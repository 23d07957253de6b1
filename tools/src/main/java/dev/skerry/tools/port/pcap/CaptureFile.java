package dev.skerry.tools.port.pcap;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PipeChannel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Output file of a capture. A new file has the suffix {@code .partial} until it is complete. An existing device or pipe
 * is written directly, and is never waited for longer than {@link #giveUp} allows. Optionally compresses with gzip. One
 * thread, except where any may call; no allocation after construction.
 */
final class CaptureFile {
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
    /** The writing thread sets it; another one looks whether it grows. */
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
        return System.getProperty("os.name").equals("Linux") ? PipeChannel.open(file)
            : FileChannel.open(file, StandardOpenOption.WRITE);
    }

    /** From now on whoever waits for room in a pipe fails. Any thread. */
    void giveUp() {
        givenUp.set(true);
    }

    /**
     * Opens a file for writing.
     *
     * @throws InputException if it exists and must not be overwritten, or cannot be created.
     */
    static CaptureFile create(final Path named, final boolean gzip, final boolean overwrite) {
        final Path file = target(named);
        final boolean exists = Files.exists(file);
        final boolean special = exists && !Files.isRegularFile(file) && !Files.isDirectory(file);
        if (exists && !special && (!overwrite || Files.isDirectory(file))) {
            throw new InputException(PcapSettings.KIND, file.toString(), "already exists and is not overwritten",
                Files.isDirectory(file) ? "give the name of a file"
                    : "write pcap:in=FILE to read it, pcap:out=FILE,overwrite to replace it, or choose another name");
        }
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
                    // The name belongs to an interrupted run or to another port. Try the next one.
                    if (attempt == MAX_ATTEMPTS) {
                        throw e;
                    }
                }
            }
        } catch (final AccessDeniedException e) {
            throw new InputException(PcapSettings.KIND, file.toString(), "may not be written", "choose another folder");
        } catch (final IOException e) {
            if (special) {
                throw new InputException(PcapSettings.KIND, file.toString(), "cannot be written (" + reason(e) + ")",
                    "give another one");
            }
            throw InputException.notWritten(PcapSettings.KIND, file, e, "choose a folder that exists, on a disk with "
                + "room");
        }
    }

    /** Where symbolic links lead, also if nothing is there yet; the name itself of a device, a pipe and a loop. */
    private static Path target(final Path named) {
        Path file = named;
        for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(file)
            && (!Files.exists(file) || Files.isRegularFile(file)); links++) {
            try {
                file = file.resolveSibling(Files.readSymbolicLink(file));
            } catch (final IOException e) {
                // Whoever creates the file says why.
                return named;
            }
        }
        return Files.isSymbolicLink(file) ? named : file;
    }

    /** The system's message without the name of the file. */
    static String reason(final IOException e) {
        final String text = e instanceof final java.nio.file.FileSystemException f ? f.getReason() : e.getMessage();
        return text == null ? e.getClass().getSimpleName() : text;
    }

    /** Current name of the file. */
    Path name() {
        return partial != null ? partial : file;
    }

    /** Whether the file holds the written bytes uncompressed. */
    boolean isPlain() {
        return deflater == null;
    }

    /** Size of the file in bytes. */
    long fileBytes() {
        return fileBytes;
    }

    /** Writes a direct buffer to its limit. After an exception, its position is the number of bytes taken. */
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
        // Flushed, so that the file has all that was written: a reader of a file that was cut then finds it.
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
                throw new IOException("it has taken nothing for too long");
            }
            final int written = channel.write(bytes);
            fileBytes += written;
            if (written == 0) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /** Completes the file and renames it to its final name. */
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
                throw new FileAlreadyExistsException(file.toString(), null, "another file has taken its name");
            } else {
                Files.move(partial, file);
            }
        }
    }

    /** Closes a file that is not wanted, and deletes it unless it was there before. */
    void discard() throws IOException {
        release();
        if (partial != null) {
            Files.deleteIfExists(partial);
        }
    }

    /** Closes a file that cannot be completed. Its first bytes stay, under the name with the suffix. */
    void abandon(final long bytes) {
        try {
            if (channel instanceof final FileChannel plain && partial != null && bytes < fileBytes) {
                plain.truncate(bytes);
            }
        } catch (final IOException e) {
            // The capture is known to be incomplete; its last packet stays truncated.
        }
        try {
            release();
        } catch (final IOException e) {
            // A failure to close loses nothing more.
        }
    }

    private void release() throws IOException {
        if (deflater != null) {
            deflater.end();
        }
        channel.close();
    }
}
