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

/**
 * A port through which this process sends packets across a {@link Live} fabric and receives them. Packets are Ethernet
 * frames. Any number of threads may offer packets; one thread at a time polls. Neither waits and neither allocates.
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
 * <p>Close the port after the fabric. Packets that the fabric has delivered can be polled until then.
 */
public final class QueuePort implements AutoCloseable {
    private static final int USUAL_PACKETS = 1024;
    private static final int USUAL_BYTES = 1536;

    private final int node;
    private final Arena arena = Arena.ofShared();
    private final PacketQueue in;
    private final PacketQueue out;
    private volatile boolean ended;

    /** Receives a packet. */
    @FunctionalInterface
    public interface PacketHandler {
        /**
         * A packet has come.
         *
         * @param bytes  holds it, valid until the method returns.
         * @param offset of its first byte.
         * @param length its bytes.
         */
        void onPacket(MemorySegment bytes, long offset, int length);
    }

    /** A port at a node with room for 1,024 packets of up to 1,536 bytes in each direction. */
    public QueuePort(final int node) {
        this(node, USUAL_PACKETS, USUAL_BYTES);
    }

    /**
     * A port at a node.
     *
     * @param node     its node, at least 0.
     * @param packets  room in each direction, a power of two up to 2^20.
     * @param maxBytes longest packet, 14 to 65,536 bytes.
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
     * Sends a packet. Any thread.
     *
     * @return false if the port is full: the fabric is slower than its senders. Nothing has changed then.
     * @throws IllegalArgumentException  if the packet is empty or longer than the port allows.
     * @throws IndexOutOfBoundsException if it is not inside the segment.
     */
    public boolean offer(final MemorySegment from, final long offset, final int length) {
        return in.offer(from, offset, length);
    }

    /** The same for a packet on the heap. */
    public boolean offer(final byte[] from, final int offset, final int length) {
        return in.offer(from, offset, length);
    }

    /**
     * Receives packets. One thread at a time.
     *
     * @param limit most packets to receive.
     * @return packets received; 0 if none has come.
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
     * Receives a packet into an array. The thread that polls.
     *
     * @return its bytes; 0 if none has come.
     * @throws IndexOutOfBoundsException if the array is too short; the packet stays.
     */
    public int poll(final byte[] into) {
        final int length = out.peek();
        if (length != PacketQueue.NONE) {
            MemorySegment.copy(out.bytes(), ValueLayout.JAVA_BYTE, out.offset(), into, 0, length);
            out.release();
        }
        return length;
    }

    /** No packet will be offered any more: a fabric whose ports have all ended delivers what it holds and ends. */
    public void end() {
        ended = true;
    }

    /** Frees the memory. The fabric has ended by then. */
    @Override
    public void close() {
        arena.close();
    }

    /**
     * The end of the port that a fabric has.
     *
     * @param running counted down when the fabric first asks for packets.
     */
    LivePort fabricEnd(final CountDownLatch running) {
        return new FabricEnd(running);
    }

    /** Belongs to the thread of the node. */
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
