package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Keeps the failure of a port from the rest of the fabric. A port that throws is closed and reported once; from then on
 * it gives and takes no packets. The port's thread calls, except where any thread may.
 */
final class PortGuard {
    private final PacketPort port;
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private final AtomicBoolean up = new AtomicBoolean();
    private final AtomicBoolean served = new AtomicBoolean(true);
    private boolean dead;

    PortGuard(final PacketPort port) {
        this.port = port;
    }

    int rxBurst(final PacketBurst into) {
        if (dead) {
            return 0;
        }
        try {
            return port.rxBurst(into);
        } catch (final RuntimeException e) {
            fail(e);
            return 0;
        }
    }

    void holdBack(final int node, final int number, final boolean held) {
        if (!dead) {
            try {
                port.holdBack(node, number, held);
            } catch (final RuntimeException e) {
                fail(e);
            }
        }
    }

    int txBurst(final PacketBurst from, final int first) {
        if (dead) {
            return 0;
        }
        try {
            return port.txBurst(from, first);
        } catch (final RuntimeException e) {
            fail(e);
            return 0;
        }
    }

    void poll(final long nowNs) {
        if (!dead) {
            try {
                port.poll(nowNs);
            } catch (final RuntimeException e) {
                fail(e);
            }
            final boolean now = !dead && port.isUp();
            if (now != up.get()) {
                up.set(now);
            }
        }
    }

    boolean isUp() {
        return !dead && port.isUp();
    }

    /** Whether packets are taken from the port and sent to it; any thread may call. */
    boolean isServed() {
        return served.get();
    }

    /** From now on packets are taken from the port and sent to it, or not. Any thread may call. */
    void serve(final boolean isServed) {
        served.set(isServed);
    }

    /** A port that failed has been replaced by another one. */
    void revive() {
        dead = false;
        failure.set(null);
    }

    boolean isDead() {
        return dead;
    }

    /** Whether the port had a peer at the last look; any thread may call. */
    boolean wasUp() {
        return up.get();
    }

    /** Why the port failed, null if it did not; any thread may call. */
    RuntimeException failure() {
        return failure.get();
    }

    private void fail(final RuntimeException e) {
        dead = true;
        up.set(false);
        failure.set(e);
        try {
            port.close();
        } catch (final RuntimeException more) {
            e.addSuppressed(more);
        }
    }
}
