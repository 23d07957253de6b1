package dev.skerry.nic.packet;

import java.lang.foreign.MemorySegment;

/** What a {@link PacketReassembler} hands packets to. The receiver's thread calls. */
public interface PacketHandler {
    /**
     * A whole packet. The bytes are the handler's until it returns.
     *
     * @param stream  the stream it came in.
     * @param segment where it lies.
     * @param offset  its first byte.
     * @param length  its bytes, 0 up to the MTU.
     */
    void onPacket(int stream, MemorySegment segment, long offset, int length);

    /**
     * A packet was lost, or, after cells that never came, at least one.
     *
     * @param stream the stream it was in.
     * @param why    one of the counters {@code PACKETS_RESET} to {@code PACKETS_NO_BUFFER}; it has been counted.
     */
    void onLoss(int stream, PacketCounter why);
}
