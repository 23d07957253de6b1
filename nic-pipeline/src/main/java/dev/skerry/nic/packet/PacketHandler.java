package dev.skerry.nic.packet;

import java.lang.foreign.MemorySegment;

/** Receives packets from a {@link PacketReassembler}. The receiver's thread calls. */
public interface PacketHandler {
    /**
     * A whole packet. The handler may read its bytes until it returns.
     *
     * @param stream  the stream of the packet.
     * @param segment memory of the packet.
     * @param offset  offset of its first byte.
     * @param length  bytes of the packet, 0 up to the MTU.
     */
    void onPacket(int stream, MemorySegment segment, long offset, int length);

    /**
     * A packet was lost. After cells that never came, at least one packet was lost.
     *
     * @param stream the stream of the packet.
     * @param why    one of the counters {@code PACKETS_RESET} to {@code PACKETS_NO_BUFFER}; it is already counted.
     */
    void onLoss(int stream, PacketCounter why);
}
