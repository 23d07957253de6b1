package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * A Unix socket of whole packets that can carry file descriptors and never blocks (docs/spec/memif.md §2, §13). Results
 * are as {@link Libc} gives them: negative is an error number. One thread at a time.
 */
final class UnixSocket implements AutoCloseable {
    /** No descriptor. */
    static final int NO_FD = -1;

    /** Longest path of an address, without its terminating zero. */
    static final int MAX_PATH = 107;

    private static final int BACKLOG = 16;
    private static final int ADDRESS_BYTES = 110;
    private static final int PATH_OFFSET = 2;

    private static final int HEADER_BYTES = 56;
    private static final int HEADER_IOV = 16;
    private static final int HEADER_IOV_COUNT = 24;
    private static final int HEADER_CONTROL = 32;
    private static final int HEADER_CONTROL_BYTES = 40;
    private static final int HEADER_FLAGS = 48;
    private static final int CONTROL_HEADER_BYTES = 16;
    /** Room for credentials and a few descriptors; of more than fit the kernel keeps the rest and says so. */
    private static final int CONTROL_BYTES = 128;
    private static final int MAX_FDS = CONTROL_BYTES / Integer.BYTES;

    private final int fd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment message = arena.allocate(MemifMessage.BYTES + 1L, Long.BYTES);
    private final MemorySegment header = arena.allocate(HEADER_BYTES, Long.BYTES);
    private final MemorySegment vector = arena.allocate(2L * Long.BYTES, Long.BYTES);
    private final MemorySegment control = arena.allocate(CONTROL_BYTES, Long.BYTES);
    private final int[] fds = new int[MAX_FDS];
    private int fdCount;
    private boolean truncated;
    private boolean closed;

    private UnixSocket(final int fd) {
        this.fd = fd;
    }

    /** A descriptor, or a negative error: a socket bound to a path and listening; close it with {@link Libc#close}. */
    static int listen(final String path, final boolean isAbstract) {
        return open(path, isAbstract, true);
    }

    /** A descriptor, or a negative error: a socket connected to a listener. */
    static int connect(final String path, final boolean isAbstract) {
        return open(path, isAbstract, false);
    }

    /** Why a path could not be listened at or connected to, in words. */
    static String reason(final int error) {
        return switch (-error) {
            case Libc.EPERM, Libc.EACCES -> "permission denied";
            case Libc.ENOENT -> "there is no such file or folder";
            case Libc.ECONNREFUSED -> "nobody listens there";
            case Libc.EPROTOTYPE -> "it is a socket of another kind";
            default -> "errno=" + -error;
        };
    }

    /**
     * The socket of a connected descriptor, which it owns from now on.
     *
     * @throws IllegalArgumentException if it is the error of {@link #connect} in place of one.
     */
    static UnixSocket of(final int fd) {
        if (fd < 0) {
            throw new IllegalArgumentException("not connected: " + reason(fd));
        }
        return new UnixSocket(fd);
    }

    private static int open(final String path, final boolean isAbstract, final boolean server) {
        final int fd = Libc.socket();
        if (fd < 0) {
            return fd;
        }
        final int result;
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment address = arena.allocate(ADDRESS_BYTES, Long.BYTES);
            final byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
            final int first = isAbstract ? 1 : 0;
            if (bytes.length + first > MAX_PATH) {
                throw new IllegalArgumentException("path too long: path=" + path);
            }
            address.set(JAVA_SHORT, 0, (short) Libc.AF_UNIX);
            MemorySegment.copy(bytes, 0, address, JAVA_BYTE, PATH_OFFSET + first, bytes.length);
            final int length = isAbstract ? PATH_OFFSET + 1 + bytes.length : ADDRESS_BYTES;
            if (server) {
                final int bound = Libc.bind(fd, address, length);
                result = bound < 0 ? bound : Libc.listen(fd, BACKLOG);
            } else {
                result = Libc.connect(fd, address, length);
            }
        }
        if (result < 0) {
            Libc.close(fd);
            return result;
        }
        return fd;
    }

    /**
     * Sends one message.
     *
     * @param what     the message.
     * @param passedFd a descriptor to go with it, or {@link #NO_FD}; it stays the caller's.
     * @return its size, or a negative error.
     */
    int send(final MemifMessage what, final int passedFd) {
        what.encode(message);
        header.fill((byte) 0);
        point(MemifMessage.BYTES);
        if (passedFd != NO_FD) {
            control.fill((byte) 0);
            control.set(JAVA_LONG, 0, CONTROL_HEADER_BYTES + Integer.BYTES);
            control.set(JAVA_INT, 8, Libc.SOL_SOCKET);
            control.set(JAVA_INT, 12, Libc.SCM_RIGHTS);
            control.set(JAVA_INT, CONTROL_HEADER_BYTES, passedFd);
            header.set(ADDRESS, HEADER_CONTROL, control);
            header.set(JAVA_LONG, HEADER_CONTROL_BYTES, CONTROL_HEADER_BYTES + Long.BYTES);
        }
        return Libc.sendmsg(fd, header, Libc.MSG_NOSIGNAL | Libc.MSG_DONTWAIT);
    }

    /**
     * Receives one packet into {@link #message}, and its descriptors, which {@link #takeFd} hands out; those not taken
     * are closed by the next call.
     *
     * @return its size, 0 at the end of the connection, or a negative error, {@code -EAGAIN} if none is there.
     */
    int receive() {
        closeFds();
        header.fill((byte) 0);
        point(MemifMessage.BYTES + 1);
        header.set(ADDRESS, HEADER_CONTROL, control);
        header.set(JAVA_LONG, HEADER_CONTROL_BYTES, CONTROL_BYTES);
        final int size = Libc.recvmsg(fd, header, Libc.MSG_CMSG_CLOEXEC | Libc.MSG_DONTWAIT);
        truncated = false;
        if (size >= 0) {
            collectFds();
            truncated = (header.get(JAVA_INT, HEADER_FLAGS) & (Libc.MSG_TRUNC | Libc.MSG_CTRUNC)) != 0;
        }
        return size;
    }

    /** The packet received last; one byte longer than a message, so that too long a one shows. */
    MemorySegment message() {
        return message;
    }

    /** Whether parts of the packet received last, or of its descriptors, were lost. */
    boolean isTruncated() {
        return truncated;
    }

    /** Descriptors that came with the packet received last and have not been taken. */
    int fdCount() {
        return fdCount;
    }

    /** The caller's now, {@link #NO_FD} if there is none. */
    int takeFd() {
        return fdCount == 0 ? NO_FD : fds[--fdCount];
    }

    /** User id of the process at the other end, or a negative error. */
    int peerUser() {
        return Libc.peerUser(fd);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            closeFds();
            Libc.close(fd);
            arena.close();
        }
    }

    private void point(final long bytes) {
        vector.set(ADDRESS, 0, message);
        vector.set(JAVA_LONG, Long.BYTES, bytes);
        header.set(ADDRESS, HEADER_IOV, vector);
        header.set(JAVA_LONG, HEADER_IOV_COUNT, 1);
    }

    /** All control messages are looked at: a peer may put credentials before the descriptors. */
    private void collectFds() {
        final long end = Math.min(header.get(JAVA_LONG, HEADER_CONTROL_BYTES), CONTROL_BYTES);
        long at = 0;
        while (at + CONTROL_HEADER_BYTES <= end) {
            final long length = control.get(JAVA_LONG, at);
            if (length < CONTROL_HEADER_BYTES || length > end - at) {
                return;
            }
            if (control.get(JAVA_INT, at + 8) == Libc.SOL_SOCKET
                && control.get(JAVA_INT, at + 12) == Libc.SCM_RIGHTS) {
                for (long i = CONTROL_HEADER_BYTES; i + Integer.BYTES <= length; i += Integer.BYTES) {
                    fds[fdCount++] = control.get(JAVA_INT, at + i);
                }
            }
            at += length + Long.BYTES - 1 & -Long.BYTES;
        }
    }

    private void closeFds() {
        while (fdCount > 0) {
            Libc.close(fds[--fdCount]);
        }
    }
}
