package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.tools.port.FinitePort;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A finite port that says to other threads how it is: whether it has come to its end, and why it failed. The port's
 * thread calls the methods of a port.
 */
final class FinitePortGuard implements PacketPort {
    private final FinitePort port;
    private final AtomicBoolean exhausted = new AtomicBoolean();
    private final AtomicReference<String> failure = new AtomicReference<>("");

    FinitePortGuard(final FinitePort port) {
        this.port = port;
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        return port.rxBurst(into);
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        return port.txBurst(from, first);
    }

    @Override
    public int poll(final long nowNs) {
        final int work = port.poll(nowNs);
        if (port.isExhausted() && !exhausted.get()) {
            exhausted.set(true);
        }
        if (failure.get().isEmpty() && !port.failure().isEmpty()) {
            failure.set(port.failure());
        }
        return work;
    }

    @Override
    public boolean isUp() {
        return port.isUp();
    }

    @Override
    public PortCounts counts() {
        return port.counts();
    }

    @Override
    public void close() {
        port.close();
        failure.set(port.failure());
    }

    /** Whether no packet will come any more. Any thread may call. */
    boolean isExhausted() {
        return exhausted.get();
    }

    /** Why it failed, one line; empty if it has not. Any thread may call. */
    String failure() {
        return failure.get();
    }

    /** The port itself, when its thread has ended. */
    FinitePort port() {
        return port;
    }
}
