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

/** A port to a device of this machine, which is looked at from time to time and may go down. One thread. */
public abstract class DevicePort implements LivePort {
    /** Interval between looks at the device. */
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
     * A port that is down.
     *
     * @param kind     of port on the command line.
     * @param name     of the device.
     * @param what     it is, in a sentence.
     * @param downStatus what is said when it goes down.
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

    /** Whether the device is up; throws if it is gone. */
    abstract boolean look();

    /** Closes the descriptors. */
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

    /** Takes note of the state of the device; returns whether it has changed. */
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
            // Mapped memory goes before its descriptor.
            arena.close();
            release();
        }
    }

    /**
     * A port to the network stack of this machine: a Linux TAP device, at which the system sends and receives Ethernet
     * frames. Each packet is one system call. The device has no offloads (no IFF_VNET_HDR), so the system computes all
     * checksums and cuts what it sends into packets of the device's MTU. One thread.
     *
     * <p>The port is up while the device is ({@code ip link set NAME up}). The system removes the device when the port
     * or its process ends, in whatever network namespace it is then; a persistent device ({@code ip tuntap add}) stays.
     * If somebody removes the device, the port fails.
     */
    public static final class TapPort extends DevicePort {
        private static final String DEVICE = "/dev/net/tun";
        private static final long TUNSETIFF = 0x4004_54caL;
        private static final short IFF_TAP = 2;
        private static final short IFF_NO_PI = 0x1000;
        private static final int HEADER_BYTES = 14;
        /** Longest frame that the system sends at a TAP device, and a byte to see that it was longer. */
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
                        "run it as root or with the right to open this device");
                    case Libc.ENOENT, Libc.ENODEV, Libc.ENXIO -> refused(settings, "there is no " + DEVICE,
                        "load the module with: modprobe tun");
                    default -> refused(settings, DEVICE + " cannot be opened: errno=" + -fd, "see what it says");
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
                    case Libc.EPERM, Libc.EACCES -> refused(settings, "you may not make network devices",
                        "run it as root or with CAP_NET_ADMIN");
                    case Libc.EBUSY -> refused(settings, "another process has this device", "choose another name");
                    case Libc.EINVAL -> refused(settings, "there is an interface of this name of another kind",
                        "choose another name");
                    default -> refused(settings, "the system refuses to make it: errno=" + -result, "see what it says");
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
            return wrong(result == -Libc.EBADFD ? "somebody removed the device" : "it failed: errno=" + -result,
                "the others go on without it");
        }

        /** The system says that the device may be written while it is up, and only then. */
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
         * A TAP device of the command line: {@code tap:NAME}.
         *
         * @param name name of the device, see {@link #checkedName}.
         */
        public record TapSettings(String name) {
            /** Kind of port on the command line. */
            public static final String KIND = "tap";

            private static final String ADVICE = "write tap:NAME, for example tap:skerry0";

            /**
             * Parses settings.
             *
             * @throws InputException if they are wrong.
             */
            public static TapSettings parse(final String text) {
                final PortText line = new PortText(KIND, text, ADVICE);
                return line.read(() -> {
                    line.value(PacketFilter.KEY);
                    return new TapSettings(checkedName(line, "device"));
                });
            }

            /**
             * The first part as the name of a network interface: 1 to 15 printable ASCII characters, but no slash,
             * colon, percent sign or space, and not {@code .} or {@code ..}. The system would take a percent sign as a
             * pattern.
             *
             * @throws InputException if it is none.
             */
            static String checkedName(final PortText line, final String what) {
                final String name = line.first();
                line.refuseIf(name.isEmpty(), "it names no " + what);
                line.refuseIf(name.length() > Libc.MAX_NAME, "the name of an interface has at most " + Libc.MAX_NAME
                    + " characters: '" + name + "'");
                line.refuseIf(!name.matches("[!-~&&[^/:%=]]+") || name.equals(".") || name.equals(".."),
                    "'" + name + "' is no name of an interface");
                return name;
            }
        }
    }
}
