package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * Binds the C library's calls for network devices: TAP devices and packet sockets. Results are those of {@link Libc}: a
 * negative value is a negated errno. Linux on x86-64 and aarch64. Any thread.
 */
final class DeviceCalls {
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int ENXIO = 6;
    static final int EBUSY = 16;
    static final int ENODEV = 19;
    static final int EINVAL = 22;
    static final int ENOSPC = 28;
    static final int EPIPE = 32;
    static final int EBADFD = 77;
    static final int EMSGSIZE = 90;
    static final int ENETDOWN = 100;
    static final int ENOBUFS = 105;

    /** Longest name of an interface, without its terminating zero. */
    static final int MAX_NAME = 15;
    /** Bytes of struct ifreq, and where its union begins. */
    static final int REQUEST_BYTES = 40;
    static final int REQUEST_UNION = 16;
    static final int POLLOUT = 4;
    static final int POLLERR = 8;

    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final long SIOCGIFMTU = 0x8921;
    private static final int O_WRONLY = 1;
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;

    private static final MethodHandle OPEN = Libc.ints("open", ADDRESS, JAVA_INT);
    private static final MethodHandle IOCTL = Libc.handle("ioctl",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle READ = Libc.longs("read", JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle WRITE = Libc.longs("write", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle POLL = Libc.ints("poll", ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SETSOCKOPT =
        Libc.ints("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKOPT =
        Libc.ints("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SENDMMSG = Libc.ints("sendmmsg", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);

    private DeviceCalls() {
    }

    /** Opens a file for reading and writing with O_NONBLOCK and O_CLOEXEC. */
    static int open(final String path) {
        return open(path, O_RDWR);
    }

    /** Opens a file for writing with O_NONBLOCK and O_CLOEXEC. */
    static int openToWrite(final String path) {
        return open(path, O_WRONLY);
    }

    private static int open(final String path, final int access) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) Libc.call(OPEN, arena.allocateFrom(path), access | O_NONBLOCK | O_CLOEXEC);
        }
    }

    static int ioctl(final int fd, final long request, final MemorySegment argument) {
        return (int) Libc.call(IOCTL, fd, request, argument);
    }

    /** A zeroed struct ifreq with the name of an interface. */
    static MemorySegment request(final Arena arena, final String name) {
        final MemorySegment request = arena.allocate(REQUEST_BYTES, Long.BYTES);
        request.setString(0, name, StandardCharsets.UTF_8);
        return request;
    }

    /** The MTU of an interface, 0 if it cannot be read. */
    static int mtu(final String name) {
        final int fd = Libc.socket(AF_INET, SOCK_DGRAM, 0);
        if (fd < 0) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment request = request(arena, name);
            return ioctl(fd, SIOCGIFMTU, request) < 0 ? 0 : request.get(JAVA_INT, REQUEST_UNION);
        } finally {
            Libc.close(fd);
        }
    }

    /** Reads into a segment from its start. */
    static int read(final int fd, final MemorySegment into) {
        try {
            return (int) Libc.result((long) READ.invokeExact(Libc.STATES.get(), fd, into, into.byteSize()));
        } catch (final Throwable e) {
            throw Libc.failed(e);
        }
    }

    /** Writes bytes at an address, which is a number so that none of many packets needs a slice. */
    static int write(final int fd, final long address, final long bytes) {
        try {
            return (int) Libc.result((long) WRITE.invokeExact(Libc.STATES.get(), fd, address, bytes));
        } catch (final Throwable e) {
            throw Libc.failed(e);
        }
    }

    /**
     * Which events a descriptor has, without waiting.
     *
     * @param question a struct pollfd of 8 bytes, overwritten.
     */
    static int poll(final int fd, final MemorySegment question) {
        question.set(JAVA_INT, 0, fd);
        question.set(JAVA_INT, Integer.BYTES, POLLOUT);
        try {
            final int result = Libc.result((int) POLL.invokeExact(Libc.STATES.get(), question, 1L, 0));
            return result < 0 ? result : question.get(JAVA_SHORT, Integer.BYTES + Short.BYTES);
        } catch (final Throwable e) {
            throw Libc.failed(e);
        }
    }

    static int setOption(final int fd, final int level, final int option, final MemorySegment value) {
        return (int) Libc.call(SETSOCKOPT, fd, level, option, value, (int) value.byteSize());
    }

    static int setOption(final int fd, final int level, final int option, final int value) {
        try (Arena arena = Arena.ofConfined()) {
            return setOption(fd, level, option, arena.allocateFrom(JAVA_INT, value));
        }
    }

    /**
     * Reads an option.
     *
     * @param length a segment of an int, overwritten.
     */
    static int getOption(
        final int fd, final int level, final int option, final MemorySegment into, final MemorySegment length) {
        length.set(JAVA_INT, 0, (int) into.byteSize());
        try {
            return Libc.result((int) GETSOCKOPT.invokeExact(Libc.STATES.get(), fd, level, option, into, length));
        } catch (final Throwable e) {
            throw Libc.failed(e);
        }
    }

    /** Sends messages of an array of struct mmsghdr; returns how many went. */
    static int sendMany(final int fd, final MemorySegment messages, final int count, final int flags) {
        try {
            return Libc.result((int) SENDMMSG.invokeExact(Libc.STATES.get(), fd, messages, count, flags));
        } catch (final Throwable e) {
            throw Libc.failed(e);
        }
    }
}
