package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A port at a node of the fabric.
 *
 * @param node       endpoint of the port; several ports may share one.
 * @param number     index of the port at its node, from 0.
 * @param name       name given by the user, for messages.
 * @param port       the port; once the fabric runs, the node's thread owns it.
 * @param forwarding forwards the port's packets.
 */
public record EdgePort(int node, int number, String name, PacketPort port, PortForwarding forwarding) {
    /**
     * Forwards the packets of a port, and learns addresses from packets that leave the fabric there. One object per
     * port; only the port's thread calls, so it needs no locks. It must not allocate or wait.
     */
    public interface PortForwarding {
        /** Send to every other port. */
        int FLOOD = -1;
        /** Drop: the packet is too short for addresses. */
        int NO_ADDRESS = -2;
        /** Drop: the rules yield no port. */
        int NOWHERE = -3;

        /**
         * Determines the destination of a packet that entered at the port.
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
     * Isolates the fabric from the failure of a port. A port that throws is closed and reported once; afterwards it
     * neither delivers nor accepts packets. Called by the port's thread, except where any thread may call.
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

        /** Whether packets are exchanged with the port. Any thread may call. */
        boolean isServed() {
            return served.get();
        }

        /** Enables or disables the exchange of packets with the port. Any thread may call. */
        void serve(final boolean isServed) {
            served.set(isServed);
        }

        /** Notes that a failed port has been replaced. */
        void revive() {
            dead = false;
            failure.set(null);
        }

        /** Whether the port had a peer at the last check. Any thread may call. */
        boolean wasUp() {
            return up.get();
        }

        /** Cause of the port's failure, null if it has not failed. Any thread may call. */
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
