package dev.skerry;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.dataplane.ring.PacketQueue;
import dev.skerry.tools.port.LivePort;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A port through which this process sends packets across a {@link Live} fabric and receives packets from it. Packets
 * are Ethernet frames; the fabric forwards them by destination MAC address, or by the option {@code map}. {@code offer}
 * and {@code poll} are non-blocking and do not allocate memory. A port serves one fabric at a time, and may be used by
 * another one after that.
 *
 * <pre>{@code
 * try (QueuePort in = new QueuePort(0); QueuePort out = new QueuePort(5);
 *     Live live = Shoal.nodes(8).set("map", "0:5,5:0").set("warm-up", 0).live(in, out)) {
 *     byte[] frame = new byte[64];
 *     while (!in.offer(frame, 0, frame.length)) {
 *         Thread.onSpinWait();                       // the fabric is slower than this thread
 *     }
 *     while (out.poll((bytes, offset, length) -> System.out.println(length + " bytes"), 1) == 0) {
 *         Thread.onSpinWait();
 *     }
 * }
 * }</pre>
 *
 * <p>Any number of threads may call {@code offer}, and one thread at a time may call {@code poll}. The port holds
 * memory outside the heap until you close it, after the fabric. Until then, you can still poll packets that the fabric
 * has delivered; a closed port throws {@link IllegalStateException}. A thread that waits for packets should also check
 * {@link Live#isRunning}.
 */
public final class QueuePort implements AutoCloseable {
    private static final int USUAL_PACKETS = 1024;
    private static final int USUAL_BYTES = 1536;

    private final int node;
    private final Arena arena = Arena.ofShared();
    private final PacketQueue in;
    private final PacketQueue out;
    private final AtomicBoolean inUse = new AtomicBoolean();
    private volatile boolean ended;
    private volatile boolean fabricEnded;

    /** Receives a packet. */
    @FunctionalInterface
    public interface PacketHandler {
        /**
         * Handles a packet.
         *
         * @param bytes  memory that holds the packet; valid until the method returns.
         * @param offset position of its first byte.
         * @param length length of the packet in bytes.
         */
        void onPacket(MemorySegment bytes, long offset, int length);
    }

    /** Creates a port at a node, with room for 1,024 packets of up to 1,536 bytes in each direction. */
    public QueuePort(final int node) {
        this(node, USUAL_PACKETS, USUAL_BYTES);
    }

    /**
     * Creates a port at a node.
     *
     * @param node     node of the fabric, at least 0.
     * @param packets  capacity in each direction in packets, a power of two up to 2^20.
     * @param maxBytes maximum packet length, 14 to 65,536 bytes.
     */
    public QueuePort(final int node, final int packets, final int maxBytes) {
        if (node < 0 || maxBytes < 14) {
            throw new IllegalArgumentException("no such port: node=" + node + " maxBytes=" + maxBytes);
        }
        this.node = node;
        this.in = new PacketQueue(arena, packets, maxBytes);
        this.out = new PacketQueue(arena, packets, maxBytes);
    }

    /** The node of the port. */
    public int node() {
        return node;
    }

    /**
     * Sends a packet. May be called by any thread.
     *
     * @return false if the port is full, because the fabric is slower than its senders; the packet is then not sent.
     * @throws IllegalArgumentException  if the packet is empty or longer than the port allows.
     * @throws IllegalStateException     if the port is full and its fabric has ended.
     * @throws IndexOutOfBoundsException if the packet is not within the segment.
     */
    public boolean offer(final MemorySegment from, final long offset, final int length) {
        return in.offer(from, offset, length) || refuse();
    }

    /** Sends a packet from an array; see {@link #offer(MemorySegment, long, int)}. */
    public boolean offer(final byte[] from, final int offset, final int length) {
        return in.offer(from, offset, length) || refuse();
    }

    /** Returns false, or throws an exception if the fabric has ended, so that senders do not wait forever. */
    private boolean refuse() {
        if (fabricEnded) {
            throw new IllegalStateException("the port of node " + node + " is full and its fabric has ended");
        }
        return false;
    }

    /**
     * Receives packets. Only one thread at a time may poll. If the handler throws an exception, the packet stays in the
     * port.
     *
     * @param limit maximum number of packets to receive.
     * @return number of packets received.
     */
    public int poll(final PacketHandler handler, final int limit) {
        int received = 0;
        while (received < limit) {
            final int length = out.peek();
            if (length == PacketQueue.NONE) {
                break;
            }
            handler.onPacket(out.bytes(), out.offset(), length);
            out.release();
            received++;
        }
        return received;
    }

    /**
     * Receives a packet into an array. Only one thread at a time may poll.
     *
     * @return length of the packet in bytes, or 0 if there is no packet.
     * @throws IndexOutOfBoundsException if the array is too short; the packet stays in the port.
     */
    public int poll(final byte[] into) {
        final int length = out.peek();
        if (length != PacketQueue.NONE) {
            MemorySegment.copy(out.bytes(), ValueLayout.JAVA_BYTE, out.offset(), into, 0, length);
            out.release();
        }
        return length;
    }

    /**
     * Declares that no more packets will be offered. When all ports of a fabric have ended, the fabric delivers the
     * packets in flight and ends.
     */
    public void end() {
        ended = true;
    }

    /**
     * Frees the memory of the port. Closing it again has no effect.
     *
     * @throws IllegalStateException if its fabric is running.
     */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            claim("is closed before its fabric");
            arena.close();
        }
    }

    /**
     * Returns the fabric's side of the port.
     *
     * @param running counted down when the fabric first polls for packets.
     * @throws IllegalStateException if another fabric uses the port, or it is closed.
     */
    LivePort fabricEnd(final CountDownLatch running) {
        claim("is closed or in use by another fabric");
        fabricEnded = false;
        return new FabricEnd(running);
    }

    private void claim(final String otherwise) {
        if (!inUse.compareAndSet(false, true)) {
            throw new IllegalStateException("the port of node " + node + " " + otherwise);
        }
    }

    /** Releases the port after its fabric has ended. */
    void release() {
        fabricEnded = true;
        inUse.set(false);
    }

    /** The fabric's side of the port; used only by the thread of the node. */
    private final class FabricEnd implements LivePort {
        private final PortCounts counts = new PortCounts();
        private final CountDownLatch running;
        private boolean isRunning;

        FabricEnd(final CountDownLatch running) {
            this.running = running;
        }

        @Override
        public int rxBurst(final PacketBurst into) {
            if (!isRunning) {
                isRunning = true;
                running.countDown();
            }
            final int before = into.size();
            for (int length = in.peek(); length != PacketQueue.NONE && into.room() > 0; length = in.peek()) {
                if (length > into.maxBytes()) {
                    counts.addTooLong(length);
                } else {
                    into.append(in.bytes(), in.offset(), length);
                }
                in.release();
            }
            counts.addReceived(into, before);
            return into.size() - before;
        }

        @Override
        public int txBurst(final PacketBurst from, final int first) {
            long bytes = 0;
            int sent = 0;
            int packet = first;
            for (; packet < from.size(); packet++) {
                final int length = from.length(packet);
                if (length > out.maxBytes()) {
                    counts.add(PortCounter.TX_DROPPED_TOO_LONG, 1);
                } else if (out.offer(from.bytes(), from.offset(packet), length)) {
                    bytes += length;
                    sent++;
                } else {
                    counts.add(PortCounter.TX_FULL, 1);
                    break;
                }
            }
            counts.addSent(sent, bytes);
            return packet - first;
        }

        @Override
        public boolean isExhausted() {
            return ended && in.peek() == PacketQueue.NONE;
        }

        @Override
        public PortCounts counts() {
            return counts;
        }

        @Override
        public void close() {
            counts.add(PortCounter.RX_LEFT, in.offered() - in.released() - counts.get(PortCounter.RX_LEFT));
        }
    }
}
