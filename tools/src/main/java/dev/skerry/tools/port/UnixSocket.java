package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A non-blocking Unix socket of type SOCK_SEQPACKET that passes file descriptors (docs/spec/memif.md §2, §13). Results
 * are those of {@link Libc}: a negative value is a negated errno. Not thread-safe.
 */
final class UnixSocket implements AutoCloseable {
    /** No descriptor. */
    static final int NO_FD = -1;

    /** Maximum length of a path, without its terminating zero. */
    static final int MAX_PATH = 107;

    private static final int BACKLOG = 16;
    private static final int OWNER_ONLY = 0600;
    private static final int ADDRESS_BYTES = 110;
    private static final int PATH_OFFSET = 2;

    private static final int HEADER_BYTES = 56;
    private static final int HEADER_IOV = 16;
    private static final int HEADER_IOV_COUNT = 24;
    private static final int HEADER_CONTROL = 32;
    private static final int HEADER_CONTROL_BYTES = 40;
    private static final int HEADER_FLAGS = 48;
    private static final int CONTROL_HEADER_BYTES = 16;
    /**
     * Has room for credentials and a few descriptors. The kernel drops descriptors that do not fit and sets MSG_CTRUNC.
     */
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

    /** Wraps the descriptor of a connected socket, which this object then owns. */
    UnixSocket(final int fd) {
        this.fd = fd;
    }

    /** Listens at a path. Returns a descriptor, which {@link Libc#close} closes, or a negated errno. */
    static int listen(final String path, final boolean isAbstract) {
        return open(path, isAbstract, true);
    }

    /** Connects to a listener. Returns a descriptor or a negated errno. */
    static int connect(final String path, final boolean isAbstract) {
        return open(path, isAbstract, false);
    }

    /** Describes why listening or connecting failed. */
    static String reason(final int error) {
        return switch (-error) {
            case Libc.EPERM, Libc.EACCES -> "permission denied";
            case Libc.ENOENT -> "there is no such file or folder";
            case Libc.ECONNREFUSED -> "no process listens there";
            case Libc.EPROTOTYPE -> "it is a socket of another kind";
            default -> "errno=" + -error;
        };
    }

    private static int open(final String path, final boolean isAbstract, final boolean server) {
        final int fd = Libc.socket(Libc.AF_UNIX, Libc.SOCK_SEQPACKET, 0);
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
                // Linux creates the file with the mode of the descriptor, so other users can never connect to it.
                final int restricted = Libc.fchmod(fd, OWNER_ONLY);
                final int bound = restricted < 0 ? restricted : Libc.bind(fd, address, length);
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
     * Sends a message.
     *
     * @param what     message.
     * @param passedFd descriptor to pass, or {@link #NO_FD}; the caller still owns it.
     * @return bytes sent, or a negated errno.
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
     * Receives a packet into {@link #message}. {@link #takeFd} returns its descriptors; the next call closes those that
     * have not been taken.
     *
     * @return bytes received, 0 at the end of the connection, or a negated errno, which is {@code -EAGAIN} if there is
     *     no packet.
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

    /** Returns the last packet. It has room for one byte more than a message, to detect packets that are too long. */
    MemorySegment message() {
        return message;
    }

    /** Tells whether the last packet or its descriptors were truncated. */
    boolean isTruncated() {
        return truncated;
    }

    /** Returns the number of descriptors of the last packet that have not been taken. */
    int fdCount() {
        return fdCount;
    }

    /** Returns a descriptor, which the caller then owns; {@link #NO_FD} if there is none. */
    int takeFd() {
        return fdCount == 0 ? NO_FD : fds[--fdCount];
    }

    /** Returns the user id of the peer, or a negated errno. */
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

    /** Walks all control messages, because a peer may send credentials before the descriptors. */
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

    /**
     * The control messages of memif, 128 bytes each (docs/spec/memif.md §2). Fields are packed and in host byte order:
     * <pre>
     *            0   2            4        6        8                9               13
     *   ACK        1
     *   HELLO      2 name[32]     34 min version    36 max version   38 max region   40 max S2C   42 max C2S   44 log2
     *   INIT       3 version      id (4)            mode             9 secret[24]    33 name[32]
     *   ADD_REGION 4 index        size (8)
     *   ADD_RING   5 flags        index    region   8 offset (4)     12 log2 size    13 private header size (2)
     *   CONNECT    6 name[32]
     *   CONNECTED  7 name[32]
     *   DISCONNECT 8 code (4)              6 reason[96]
     * </pre>
     * Strings end at the first zero, or at the end of their field. Decoding accepts any bytes; the state machine checks
     * the values.
     */
    sealed interface MemifMessage {
        /** Length of every message. */
        int BYTES = 128;

        /** Version 2.0. */
        int VERSION = 0x0200;

        /** Length of the name of a peer or interface; shorter names end with a zero. */
        int NAME_BYTES = 32;

        /** Length of a secret. */
        int SECRET_BYTES = 24;

        /** Length of a reason. */
        int REASON_BYTES = 96;

        /** Server: acknowledges a message. */
        record Ack() implements MemifMessage {
        }

        /** Server, first message: its limits. The limits of regions and rings are the highest indices. */
        record Hello(String name, int minVersion, int maxVersion, int maxRegion, int maxS2c, int maxC2s, int maxLog2)
            implements MemifMessage {
        }

        /** Client: requests an interface. */
        record Init(int version, int id, int mode, String secret, String name) implements MemifMessage {
            /** Omits the secret. */
            @Override
            public String toString() {
                return "Init[version=" + version + ", id=" + id + ", mode=" + mode + ", name=" + name + "]";
            }
        }

        /** Client, with a descriptor: shares a region. */
        record AddRegion(int index, long size) implements MemifMessage {
        }

        /** Client, with a descriptor: describes a ring in a region. */
        record AddRing(boolean c2s, int index, int region, long offset, int log2Size, int privateBytes)
            implements MemifMessage {
        }

        /** Client: completes the description. */
        record Connect(String name) implements MemifMessage {
        }

        /** Server: the connection carries packets after this message. */
        record Connected(String name) implements MemifMessage {
        }

        /** Either side: ends the connection. */
        record Disconnect(int code, String reason) implements MemifMessage {
        }

        /** Writes the message into all 128 bytes. */
        default void encode(final MemorySegment bytes) {
            final ByteBuffer out = bytes.asSlice(0, BYTES).fill((byte) 0).asByteBuffer().order(ByteOrder.nativeOrder());
            switch (this) {
                case Ack _ -> shorts(out, 1);
                case final Hello hello -> shorts(string(shorts(out, 2), NAME_BYTES, hello.name), hello.minVersion,
                    hello.maxVersion, hello.maxRegion, hello.maxS2c, hello.maxC2s).put((byte) hello.maxLog2);
                case final Init init -> string(string(shorts(out, 3, init.version).putInt(init.id)
                    .put((byte) init.mode), SECRET_BYTES, init.secret), NAME_BYTES, init.name);
                case final AddRegion region -> shorts(out, 4, region.index).putLong(region.size);
                case final AddRing ring -> shorts(shorts(out, 5, ring.c2s ? 1 : 0, ring.index, ring.region)
                    .putInt((int) ring.offset).put((byte) ring.log2Size), ring.privateBytes);
                case final Connect connect -> string(shorts(out, 6), NAME_BYTES, connect.name);
                case final Connected connected -> string(shorts(out, 7), NAME_BYTES, connected.name);
                case final Disconnect end -> string(shorts(out, 8).putInt(end.code), REASON_BYTES, end.reason);
            }
        }

        /** Decodes 128 bytes. Returns null for an unknown type. */
        static MemifMessage decode(final MemorySegment bytes) {
            final ByteBuffer in = bytes.asSlice(0, BYTES).asByteBuffer().order(ByteOrder.nativeOrder());
            return switch (u16(in)) {
                case 1 -> new Ack();
                case 2 -> new Hello(string(in, NAME_BYTES), u16(in), u16(in), u16(in), u16(in), u16(in), u8(in));
                case 3 -> new Init(u16(in), in.getInt(), u8(in), string(in, SECRET_BYTES), string(in, NAME_BYTES));
                case 4 -> new AddRegion(u16(in), in.getLong());
                case 5 -> new AddRing((u16(in) & 1) != 0, u16(in), u16(in), in.getInt() & 0xffff_ffffL, u8(in),
                    u16(in));
                case 6 -> new Connect(string(in, NAME_BYTES));
                case 7 -> new Connected(string(in, NAME_BYTES));
                case 8 -> new Disconnect(in.getInt(), string(in, REASON_BYTES));
                default -> null;
            };
        }

        private static int u8(final ByteBuffer in) {
            return in.get() & 0xff;
        }

        private static int u16(final ByteBuffer in) {
            return in.getShort() & 0xffff;
        }

        private static ByteBuffer shorts(final ByteBuffer out, final int... values) {
            for (final int value : values) {
                out.putShort((short) value);
            }
            return out;
        }

        private static String string(final ByteBuffer in, final int field) {
            final byte[] characters = new byte[field];
            in.get(characters);
            final String text = new String(characters, StandardCharsets.ISO_8859_1);
            return text.indexOf('\0') < 0 ? text : text.substring(0, text.indexOf('\0'));
        }

        private static ByteBuffer string(final ByteBuffer out, final int field, final String value) {
            final byte[] characters = value.getBytes(StandardCharsets.ISO_8859_1);
            final int at = out.position();
            return out.put(at, characters, 0, Math.min(characters.length, field - 1)).position(at + field);
        }
    }
}
