package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;

/** A port to a device of this machine. The state of the device is checked regularly. Not thread-safe. */
public abstract class DevicePort implements LivePort {
    /** Interval between checks of the device. */
    static final long LOOK_NS = 5_000_000;

    final PortCounts counts = new PortCounts();
    final Arena arena = Arena.ofShared();
    private final String kind;
    private final String name;
    private final String upStatus;
    private final String downStatus;
    private final AtomicReference<String> status;
    private long nextLookNs;
    private boolean looked;
    private boolean up;
    private boolean closed;

    /**
     * Creates a port that is down.
     *
     * @param kind       kind of port on the command line.
     * @param name       name of the device.
     * @param what       noun for the device in messages.
     * @param downStatus message when the device goes down.
     */
    DevicePort(final String kind, final String name, final String what, final String downStatus) {
        this.kind = kind;
        this.name = name;
        this.upStatus = what + " is up";
        this.downStatus = downStatus;
        this.status = new AtomicReference<>(what + " is down, raise it with: ip link set " + name + " up");
    }

    final InputException wrong(final String why, final String advice) {
        return new InputException(kind, name, why, advice);
    }

    final void refuseIf(final boolean wrong, final String why, final String advice) {
        Choices.refuseIf(wrong, kind, name, why, advice);
    }

    /** Tells whether the device is up; throws an exception if it has been removed. */
    abstract boolean look();

    /** Closes the file descriptors. */
    abstract void release();

    @Override
    public final int poll(final long nowNs) {
        if (closed || looked && nowNs - nextLookNs < 0) {
            return 0;
        }
        looked = true;
        nextLookNs = nowNs + LOOK_NS;
        return up(look());
    }

    /** Records the state of the device; returns the number of changes. */
    final int up(final boolean now) {
        if (now == up) {
            return 0;
        }
        up = now;
        status.set(now ? upStatus : downStatus);
        counts.add(now ? PortCounter.LINKS_UP : PortCounter.LINKS_DOWN, 1);
        return 1;
    }

    final boolean isClosed() {
        return closed;
    }

    @Override
    public final boolean isUp() {
        return up;
    }

    @Override
    public final String status() {
        return status.get();
    }

    @Override
    public final int interfaceMtu() {
        return Libc.mtu(name);
    }

    @Override
    public final PortCounts counts() {
        return counts;
    }

    @Override
    public final void close() {
        if (!closed) {
            closed = true;
            up(false);
            // Unmap memory before closing its descriptor.
            arena.close();
            release();
        }
    }

    /**
     * A port to the network stack of this machine: a Linux TAP device, through which the system sends and receives
     * Ethernet frames. Each packet takes one system call. The device has no offloads (no IFF_VNET_HDR), so the system
     * computes all checksums and segments its packets to the MTU of the device. Not thread-safe.
     *
     * <p>The port is up while the device is up ({@code ip link set NAME up}). The system removes the device when the
     * port or its process ends, in whatever network namespace the device is; a persistent device ({@code ip tuntap
     * add}) remains. If the device is removed by another process, the port fails.
     */
    public static final class TapPort extends DevicePort {
        private static final String DEVICE = "/dev/net/tun";
        private static final long TUNSETIFF = 0x4004_54caL;
        private static final short IFF_TAP = 2;
        private static final short IFF_NO_PI = 0x1000;
        private static final int HEADER_BYTES = 14;
        /** Maximum frame that the system sends through a TAP device, plus a byte that detects longer ones. */
        private static final int MOST_BYTES = (1 << 16) + 64;

        private final int fd;
        private final MemorySegment frame = arena.allocate(MOST_BYTES, Long.BYTES);
        private final MemorySegment question = arena.allocate(Long.BYTES, Long.BYTES);

        private TapPort(final TapSettings settings, final int fd) {
            super(TapSettings.KIND, settings.name(), "the device", "the device is down");
            this.fd = fd;
        }

        /**
         * Creates the device, or attaches to a persistent one.
         *
         * @throws InputException if the system refuses.
         */
        public static TapPort open(final TapSettings settings) {
            Choices.refuseIf(!Libc.IS_LINUX, TapSettings.KIND, settings.name(), "TAP devices need Linux",
                "use another kind of port");
            final int fd = Libc.open(DEVICE, Libc.O_RDWR);
            if (fd < 0) {
                throw switch (-fd) {
                    case Libc.EPERM, Libc.EACCES -> refused(settings, DEVICE + " may not be opened",
                        "run live as root or with permission to open this device");
                    case Libc.ENOENT, Libc.ENODEV, Libc.ENXIO -> refused(settings, "there is no " + DEVICE,
                        "load the module with: modprobe tun");
                    default -> refused(settings, DEVICE + " cannot be opened: errno=" + -fd, "look up the error "
                        + "number");
                };
            }
            final int result;
            try (Arena arena = Arena.ofConfined()) {
                final MemorySegment request = Libc.request(arena, settings.name());
                request.set(JAVA_SHORT, Libc.REQUEST_UNION, (short) (IFF_TAP | IFF_NO_PI));
                result = Libc.ioctl(fd, TUNSETIFF, request);
            }
            if (result < 0) {
                Libc.close(fd);
                throw switch (-result) {
                    case Libc.EPERM, Libc.EACCES -> refused(settings, "you may not create network devices",
                        "run it as root or with CAP_NET_ADMIN");
                    case Libc.EBUSY -> refused(settings, "another process uses this device", "choose another name");
                    case Libc.EINVAL -> refused(settings, "there is an interface of this name of another kind",
                        "choose another name");
                    default -> refused(settings, "the system refuses to create it: errno=" + -result, "look up the "
                        + "error number");
                };
            }
            return new TapPort(settings, fd);
        }

        private static InputException refused(final TapSettings settings, final String why, final String advice) {
            return new InputException(TapSettings.KIND, settings.name(), why, advice);
        }

        @Override
        public int rxBurst(final PacketBurst into) {
            if (isClosed()) {
                return 0;
            }
            final int before = into.size();
            while (into.room() > 0) {
                final int length = Libc.read(fd, frame);
                if (length == -Libc.EAGAIN || length == -Libc.EIO) {
                    break;
                }
                if (length < 0) {
                    throw gone(length);
                }
                if (length == 0) {
                    counts.add(PortCounter.RX_DROPPED_EMPTY, 1);
                } else if (!into.append(frame, 0, length)) {
                    counts.addTooLong(length);
                }
            }
            counts.addReceived(into, before);
            return into.size() - before;
        }

        @Override
        public int txBurst(final PacketBurst from, final int first) {
            if (!isUp()) {
                counts.add(PortCounter.TX_DOWN, 1);
                return 0;
            }
            final int size = from.size();
            long total = 0;
            int dropped = 0;
            int packet = first;
            for (; packet < size; packet++) {
                final int length = from.length(packet);
                final int result = length < HEADER_BYTES ? -Libc.EINVAL
                    : Libc.write(fd, from.bytes().address() + from.offset(packet), length);
                if (result == -Libc.EIO) {
                    up(false);
                    break;
                }
                if (result == -Libc.EAGAIN || result == -Libc.ENOBUFS) {
                    counts.add(PortCounter.TX_FULL, 1);
                    break;
                }
                if (result == -Libc.EBADFD) {
                    throw gone(result);
                }
                if (result < 0) {
                    dropped++;
                } else {
                    total += length;
                }
            }
            counts.addSent(packet - first - dropped, total);
            counts.add(PortCounter.TX_DROPPED_REFUSED, dropped);
            return packet - first;
        }

        private InputException gone(final int result) {
            return wrong(result == -Libc.EBADFD ? "the device was removed" : "it failed: errno=" + -result,
                "the other ports continue");
        }

        /** The system reports the device as writable only while it is up. */
        @Override
        boolean look() {
            final int events = Libc.poll(fd, question);
            if (events < 0 || (events & Libc.POLLERR) != 0) {
                throw gone(events < 0 ? events : -Libc.EBADFD);
            }
            return (events & Libc.POLLOUT) != 0;
        }

        @Override
        void release() {
            Libc.close(fd);
        }

        /**
         * A TAP device on the command line: {@code tap:NAME}.
         *
         * @param name name of the device, see {@link #checkedName}.
         */
        public record TapSettings(String name) {
            /** Kind of port on the command line. */
            public static final String KIND = "tap";

            private static final String ADVICE = "write tap:NAME, for example tap:skerry0";

            /**
             * Parses the settings.
             *
             * @throws InputException if they are invalid.
             */
            public static TapSettings parse(final String text) {
                final PortText line = new PortText(KIND, text, ADVICE);
                return line.read(() -> {
                    line.value(PacketFilter.KEY);
                    return new TapSettings(checkedName(line, "device"));
                });
            }

            /**
             * Returns the first part as the name of a network interface: 1 to 15 printable ASCII characters without
             * slash, colon, percent sign and space, and not {@code .} or {@code ..}. The system would interpret a
             * percent sign as a pattern.
             *
             * @throws InputException if it is not a valid name.
             */
            static String checkedName(final PortText line, final String what) {
                final String name = line.first();
                line.refuseIf(name.isEmpty(), "it names no " + what);
                line.refuseIf(name.length() > Libc.MAX_NAME, "the name of an interface has at most " + Libc.MAX_NAME
                    + " characters: '" + name + "'");
                line.refuseIf(!name.matches("[!-~&&[^/:%=]]+") || name.equals(".") || name.equals(".."),
                    "'" + name + "' is not the name of an interface");
                return name;
            }
        }
    }
}
