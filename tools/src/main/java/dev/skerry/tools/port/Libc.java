package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Binds the C library's calls for sockets, descriptors, mappings and network devices; no other class binds any. Methods
 * return the result of the call, or the negated errno if it failed; they do not throw exceptions for system errors.
 * Linux on x86-64 and aarch64. Thread-safe.
 */
final class Libc {
    static final boolean IS_LINUX = System.getProperty("os.name").equals("Linux");

    static final int EAGAIN = 11;
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EACCES = 13;
    static final int EPROTOTYPE = 91;
    static final int ECONNRESET = 104;
    static final int ECONNREFUSED = 111;
    static final int EADDRINUSE = 98;

    static final int AF_UNIX = 1;
    static final int SOCK_SEQPACKET = 5;
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SCM_RIGHTS = 1;
    static final int SO_PEERCRED = 17;
    static final int MSG_CTRUNC = 0x8;
    static final int MSG_TRUNC = 0x20;
    static final int MSG_DONTWAIT = 0x40;
    static final int MSG_NOSIGNAL = 0x4000;
    static final int MSG_CMSG_CLOEXEC = 0x4000_0000;
    static final int MFD_CLOEXEC = 1;
    static final int MFD_ALLOW_SEALING = 2;
    static final int F_SETFL = 4;
    static final int F_ADD_SEALS = 1033;
    static final int F_GET_SEALS = 1034;
    static final int F_SEAL_SHRINK = 2;
    static final int EFD_NONBLOCK = 0x800;
    static final int EFD_CLOEXEC = 0x80000;

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

    /** Maximum length of the name of an interface, without its terminating zero. */
    static final int MAX_NAME = 15;
    /** Size of struct ifreq, and offset of its union. */
    static final int REQUEST_BYTES = 40;
    static final int REQUEST_UNION = 16;
    static final int POLLOUT = 4;
    static final int POLLERR = 8;
    static final int O_WRONLY = 1;
    static final int O_RDWR = 2;

    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final long SIOCGIFMTU = 0x8921;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    /** Size of struct stat: 144 bytes on x86-64, 128 on aarch64. st_size has the same offset in both. */
    private static final long STAT_BYTES = 144;
    private static final long STAT_SIZE = 48;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    /** Memory to which a call writes errno, one per thread. */
    static final ThreadLocal<MemorySegment> STATES =
        ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

    private static final MethodHandle SOCKET = ints("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = ints("bind", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle CONNECT = ints("connect", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle LISTEN = ints("listen", JAVA_INT, JAVA_INT);
    private static final MethodHandle ACCEPT = ints("accept4", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKOPT =
        ints("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SENDMSG = longs("sendmsg", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECVMSG = longs("recvmsg", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle OPEN = ints("open", ADDRESS, JAVA_INT);
    private static final MethodHandle IOCTL = handle("ioctl",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle READ = longs("read", JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle WRITE = longs("write", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle POLL = ints("poll", ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SETSOCKOPT =
        ints("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SENDMMSG = ints("sendmmsg", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle MEMFD_CREATE = ints("memfd_create", ADDRESS, JAVA_INT);
    private static final MethodHandle FTRUNCATE = ints("ftruncate", JAVA_INT, JAVA_LONG);
    private static final MethodHandle FCNTL = handle("fcntl",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle FSTAT = ints("fstat", JAVA_INT, ADDRESS);
    private static final MethodHandle FCHMOD = ints("fchmod", JAVA_INT, JAVA_INT);
    private static final MethodHandle EVENTFD = ints("eventfd", JAVA_INT, JAVA_INT);
    private static final MethodHandle MMAP =
        longs("mmap", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle MUNMAP = ints("munmap", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle CLOSE = ints("close", JAVA_INT);
    private static final MethodHandle GETEUID = ints("geteuid");

    private Libc() {
    }

    /** Creates a socket with SOCK_NONBLOCK and SOCK_CLOEXEC. */
    static int socket(final int family, final int type, final int protocol) {
        return (int) call(SOCKET, family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    }

    static int bind(final int fd, final MemorySegment address, final int length) {
        return (int) call(BIND, fd, address, length);
    }

    static int connect(final int fd, final MemorySegment address, final int length) {
        return (int) call(CONNECT, fd, address, length);
    }

    static int listen(final int fd, final int backlog) {
        return (int) call(LISTEN, fd, backlog);
    }

    /** Accepts the next connection with SOCK_NONBLOCK and SOCK_CLOEXEC. */
    static int accept(final int fd) {
        try {
            return result((int) ACCEPT.invokeExact(
                STATES.get(), fd, MemorySegment.NULL, MemorySegment.NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    /** Returns the user id of the process at the other end of a socket. */
    static int peerUser(final int fd) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment credentials = arena.allocate(3L * Integer.BYTES, Integer.BYTES);
            final MemorySegment length = arena.allocateFrom(JAVA_INT, 3 * Integer.BYTES);
            final int result = (int) call(GETSOCKOPT, fd, SOL_SOCKET, SO_PEERCRED, credentials, length);
            return result < 0 ? result : credentials.get(JAVA_INT, Integer.BYTES);
        }
    }

    static int sendmsg(final int fd, final MemorySegment header, final int flags) {
        return (int) call(SENDMSG, fd, header, flags);
    }

    static int recvmsg(final int fd, final MemorySegment header, final int flags) {
        try {
            return (int) result((long) RECVMSG.invokeExact(STATES.get(), fd, header, flags));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static int memfdCreate(final String name, final int flags) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) call(MEMFD_CREATE, arena.allocateFrom(name), flags);
        }
    }

    static int ftruncate(final int fd, final long bytes) {
        return (int) call(FTRUNCATE, fd, bytes);
    }

    static int fcntl(final int fd, final int command, final int argument) {
        return (int) call(FCNTL, fd, command, argument);
    }

    static int fchmod(final int fd, final int mode) {
        return (int) call(FCHMOD, fd, mode);
    }

    /** Returns the size of a file in bytes. */
    static long fileBytes(final int fd) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment stat = arena.allocate(STAT_BYTES, Long.BYTES);
            final long result = call(FSTAT, fd, stat);
            return result < 0 ? result : stat.get(JAVA_LONG, STAT_SIZE);
        }
    }

    static int eventfd() {
        return (int) call(EVENTFD, 0, EFD_NONBLOCK | EFD_CLOEXEC);
    }

    /** Tells whether a descriptor is an eventfd. If it is, sets its flag O_NONBLOCK. */
    static boolean isEventFd(final int fd) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString().equals("anon_inode:[eventfd]")
                && fcntl(fd, F_SETFL, O_NONBLOCK) >= 0;
        } catch (final IOException e) {
            return false;
        }
    }

    /**
     * Maps the start of a file with MAP_SHARED, readable and writable.
     *
     * @param arena arena that unmaps it when it is closed.
     * @return the mapping, or null if the kernel refuses.
     */
    @SuppressWarnings("restricted")
    static MemorySegment map(final int fd, final long bytes, final Arena arena) {
        final long address = call(MMAP, 0L, bytes, PROT_READ_WRITE, MAP_SHARED, fd, 0L);
        return address < 0 ? null
            : MemorySegment.ofAddress(address).reinterpret(bytes, arena, mapping -> unmap(mapping.address(), bytes));
    }

    static int close(final int fd) {
        return (int) call(CLOSE, fd);
    }

    /** Returns the effective user id of this process. */
    static int user() {
        return (int) call(GETEUID);
    }

    /**
     * Opens a file with O_NONBLOCK and O_CLOEXEC.
     *
     * @param access {@link #O_WRONLY} or {@link #O_RDWR}.
     */
    static int open(final String path, final int access) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) call(OPEN, arena.allocateFrom(path), access | O_NONBLOCK | O_CLOEXEC);
        }
    }

    static int ioctl(final int fd, final long request, final MemorySegment argument) {
        return (int) call(IOCTL, fd, request, argument);
    }

    /** Returns a struct ifreq with the name of an interface; the rest is zero. */
    static MemorySegment request(final Arena arena, final String name) {
        final MemorySegment request = arena.allocate(REQUEST_BYTES, Long.BYTES);
        request.setString(0, name, StandardCharsets.UTF_8);
        return request;
    }

    /** Returns the MTU of an interface; 0 if it cannot be read. */
    static int mtu(final String name) {
        final int fd = socket(AF_INET, SOCK_DGRAM, 0);
        if (fd < 0) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment request = request(arena, name);
            return ioctl(fd, SIOCGIFMTU, request) < 0 ? 0 : request.get(JAVA_INT, REQUEST_UNION);
        } finally {
            close(fd);
        }
    }

    /** Reads into a segment from its start. */
    static int read(final int fd, final MemorySegment into) {
        try {
            return (int) result((long) READ.invokeExact(STATES.get(), fd, into, into.byteSize()));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    /** Writes bytes at an address. The address is a number, so that writing a packet does not allocate a slice. */
    static int write(final int fd, final long address, final long bytes) {
        try {
            return (int) result((long) WRITE.invokeExact(STATES.get(), fd, address, bytes));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    /**
     * Returns the events of a descriptor without waiting.
     *
     * @param question a struct pollfd of 8 bytes, which is overwritten.
     */
    static int poll(final int fd, final MemorySegment question) {
        question.set(JAVA_INT, 0, fd);
        question.set(JAVA_INT, Integer.BYTES, POLLOUT);
        try {
            final int result = result((int) POLL.invokeExact(STATES.get(), question, 1L, 0));
            return result < 0 ? result : question.get(JAVA_SHORT, Integer.BYTES + Short.BYTES);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static int setOption(final int fd, final int level, final int option, final MemorySegment value) {
        return (int) call(SETSOCKOPT, fd, level, option, value, (int) value.byteSize());
    }

    static int setOption(final int fd, final int level, final int option, final int value) {
        try (Arena arena = Arena.ofConfined()) {
            return setOption(fd, level, option, arena.allocateFrom(JAVA_INT, value));
        }
    }

    /**
     * Reads an option.
     *
     * @param length a segment of an int, which is overwritten.
     */
    static int getOption(
        final int fd, final int level, final int option, final MemorySegment into, final MemorySegment length) {
        length.set(JAVA_INT, 0, (int) into.byteSize());
        try {
            return result((int) GETSOCKOPT.invokeExact(STATES.get(), fd, level, option, into, length));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    /** Sends messages in an array of struct mmsghdr; returns the number of messages sent. */
    static int sendMany(final int fd, final MemorySegment messages, final int count, final int flags) {
        try {
            return result((int) SENDMMSG.invokeExact(STATES.get(), fd, messages, count, flags));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    private static void unmap(final long address, final long bytes) {
        final long result = call(MUNMAP, address, bytes);
        assert result == 0 : "munmap failed";
    }

    /** Executes a call that need not be fast; returns its result, or the negated errno. */
    static long call(final MethodHandle function, final Object... arguments) {
        try {
            return result(((Number) function.bindTo(STATES.get()).invokeWithArguments(arguments)).longValue());
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static int result(final int result) {
        return (int) result((long) result);
    }

    static long result(final long result) {
        return result == -1 ? -STATES.get().get(JAVA_INT, ERRNO) : result;
    }

    static RuntimeException failed(final Throwable e) {
        if (e instanceof final Error error) {
            throw error;
        }
        return e instanceof final RuntimeException runtime ? runtime : new IllegalStateException(e);
    }

    static MethodHandle ints(final String name, final MemoryLayout... arguments) {
        return handle(name, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    static MethodHandle longs(final String name, final MemoryLayout... arguments) {
        return handle(name, FunctionDescriptor.of(JAVA_LONG, arguments));
    }

    @SuppressWarnings("restricted")
    static MethodHandle handle(
        final String name, final FunctionDescriptor function, final Linker.Option... more
    ) {
        final List<Linker.Option> options = new ArrayList<>(List.of(more));
        options.add(Linker.Option.captureCallState("errno"));
        return LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow(name), function, options.toArray(Linker.Option[]::new));
    }
}
