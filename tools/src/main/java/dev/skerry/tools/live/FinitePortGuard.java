package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.tools.port.FinitePort;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Publishes the state of a finite port to other threads: whether it is exhausted, and why it failed. The port's thread
 * calls the methods of {@link PacketPort}.
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
    public void holdBack(final int node, final int number, final boolean held) {
        port.holdBack(node, number, held);
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
            failure.set(port.failure().replaceAll("\\p{Cntrl}+", " "));
        }
        return work;
    }

    @Override
    public long unread() {
        return port.unread();
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
        failure.set(port.failure().replaceAll("\\p{Cntrl}+", " "));
    }

    @Override
    public void discard() {
        port.discard();
    }

    /** Whether no packet will come any more. Any thread. */
    boolean isExhausted() {
        return exhausted.get();
    }

    /** Why the port failed, one line; empty if it has not. Any thread. */
    String failure() {
        return failure.get();
    }

    /** The guarded port. Call only after its thread has ended. */
    FinitePort port() {
        return port;
    }
}
