package dev.skerry.tools.port;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * Writes to a FIFO or a device without ever waiting for it, which a channel of the JVM does already when it opens one.
 * One thread.
 */
public final class PipeChannel implements WritableByteChannel {
    private final Path file;
    private int fd;

    private PipeChannel(final Path file, final int fd) {
        this.file = file;
        this.fd = fd;
    }

    /**
     * Opens a FIFO or a device.
     *
     * @throws IOException if it cannot be written, or is a FIFO that no process has open for reading.
     */
    public static PipeChannel open(final Path file) throws IOException {
        final int fd = Libc.openToWrite(file.toString());
        if (fd < 0) {
            throw switch (-fd) {
                case Libc.EACCES, Libc.EPERM -> new AccessDeniedException(file.toString());
                case Libc.ENXIO -> new FileSystemException(file.toString(), null,
                    "no process reads from it: start that one first");
                default -> new FileSystemException(file.toString(), null, "errno=" + -fd);
            };
        }
        return new PipeChannel(file, fd);
    }

    /**
     * Writes the rest of a direct buffer, as much as fits now.
     *
     * @return 0 if nothing does.
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
                case Libc.EPIPE -> "the process that read from it has gone";
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
