package dev.skerry.tools.port.pcap;

import dev.skerry.tools.port.pcap.CaptureReader.CapturedPacket;
import dev.skerry.tools.port.pcap.CaptureReader.PcapRecords;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes a classic capture of Ethernet frames with stamps in ns into buffers: what has no file. Any thread. */
public final class CaptureStream {
    /** Bytes before each packet, and no more than those before the first. */
    public static final int HEADER_BYTES = PcapRecords.FILE_HEADER;

    private static final int VERSION = 2 | 4 << 16;
    private static final long SECOND_NS = 1_000_000_000;

    private CaptureStream() {
    }

    /** Writes what a capture begins with. */
    public static void begin(final ByteBuffer into) {
        into.order(ByteOrder.LITTLE_ENDIAN).putInt(PcapRecords.NANOSECONDS).putInt(VERSION).putLong(0)
            .putInt(CapturedPacket.MAX_BYTES).putInt(CapturedPacket.ETHERNET);
    }

    /**
     * Writes the header of a packet, whose bytes come next.
     *
     * @param ns     when it was seen, since 1970.
     * @param kept   bytes that come next.
     * @param length bytes that it had.
     */
    public static void record(final ByteBuffer into, final long ns, final int kept, final int length) {
        into.order(ByteOrder.LITTLE_ENDIAN).putInt((int) (ns / SECOND_NS)).putInt((int) (ns % SECOND_NS)).putInt(kept)
            .putInt(length);
    }
}
