package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.tools.input.InputException;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicReference;

/** A port to a device of this machine, which is looked at from time to time and may go down. One thread. */
abstract class DevicePort implements LivePort {
    /** Interval between looks at the device. */
    static final long LOOK_NS = 5_000_000;

    final PortCounts counts = new PortCounts();
    final Arena arena = Arena.ofShared();
    private final String kind;
    private final String name;
    private final String upNews;
    private final String downNews;
    private final AtomicReference<String> news;
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
     * @param downNews what is said when it goes down.
     */
    DevicePort(final String kind, final String name, final String what, final String downNews) {
        this.kind = kind;
        this.name = name;
        this.upNews = what + " is up";
        this.downNews = downNews;
        this.news = new AtomicReference<>(what + " is down, raise it with: ip link set " + name + " up");
    }

    final InputException wrong(final String why, final String advice) {
        return new InputException(kind, name, why, advice);
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
        news.set(now ? upNews : downNews);
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
    public final String news() {
        return news.get();
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
}
