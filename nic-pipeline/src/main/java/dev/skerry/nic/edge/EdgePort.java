package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A port at a node of the fabric.
 *
 * @param node       endpoint that the port is at; several ports may be at one.
 * @param number     which of the ports at its node it is, from 0.
 * @param name       name given by the user, for messages.
 * @param port       the port; once the fabric runs, the node's thread owns it.
 * @param forwarding decides where the port's packets go.
 */
public record EdgePort(int node, int number, String name, PacketPort port, PortForwarding forwarding) {
    /**
     * Decides where the packets of a port go, and learns addresses from packets that leave the fabric there. One object
     * per port; only the port's thread calls, so it needs no locks. It must not allocate or wait.
     */
    public interface PortForwarding {
        /** Send to every other port. */
        int FLOOD = -1;
        /** Drop: the packet is too short for addresses. */
        int NO_ADDRESS = -2;
        /** Drop: the rules give no port. */
        int NOWHERE = -3;

        /**
         * Decides where a packet goes that entered at the port.
         *
         * @param bytes  memory of the packet.
         * @param offset offset of its first byte.
         * @param length bytes of the packet, at least 1.
         * @param nowNs  the current time, by {@link System#nanoTime()}.
         * @return the number of the destination port, {@link #FLOOD}, {@link #NO_ADDRESS} or {@link #NOWHERE}.
         */
        int route(MemorySegment bytes, long offset, int length, long nowNs);

        /**
         * Learns from a packet that leaves the fabric at this port.
         *
         * @param source the number of the port at which it entered.
         * @param bytes  memory of the packet.
         * @param offset offset of its first byte.
         * @param length bytes of the packet, at least 1.
         * @param nowNs  the current time, by {@link System#nanoTime()}.
         */
        void learn(int source, MemorySegment bytes, long offset, int length, long nowNs);
    }

    /**
     * Keeps the failure of a port from the rest of the fabric. A port that throws is closed and reported once; from
     * then on it gives and takes no packets. The port's thread calls, except where any thread may.
     */
    static final class PortGuard {
        private final PacketPort port;
        private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
        private final AtomicBoolean up = new AtomicBoolean();
        private final AtomicBoolean served = new AtomicBoolean(true);
        /** Whether the port has failed. */
        boolean dead;

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
}
