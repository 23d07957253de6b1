package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.InterfacePort.ReceivedFrame;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Arbitrary frames with arbitrary offloads. {@code mvn verify} replays the inputs in the test resources; {@code
 * JAZZER_FUZZ=1} in the environment makes the same test search for new ones.
 */
final class ReceivedFrameFuzzTest {
    private static final int HEAD = 14;
    private static final int MOST = 1_600;

    /** The input is a tag, the numbers of an offload, and the frame. */
    @FuzzTest(maxDuration = "60s")
    void shouldGiveOrDropAnyFrame(final byte[] input) {
        if (input.length < HEAD) {
            return;
        }
        final ByteBuffer numbers = ByteBuffer.wrap(input);
        final int tag = numbers.getInt();
        final int flags = numbers.get();
        final int kind = numbers.get() & 0xFF;
        final int part = numbers.getShort() & 0xFFFF;
        final int start = numbers.getShort() & 0xFFFF;
        final int at = numbers.getShort() & 0xFFFF;
        final int network = numbers.getShort();
        final int length = input.length - HEAD;
        try (Arena arena = Arena.ofConfined()) {
            final PacketBurst burst = new PacketBurst(arena, 3, MOST);
            final ReceivedFrame frame = new ReceivedFrame();
            frame.begin(MemorySegment.ofArray(input).asSlice(HEAD), 0, length, tag);
            if (!frame.offload(network, flags, kind, part, start, at)) {
                assertTrue(frame.done);
                return;
            }
            int packets = 0;
            long bytes = 0;
            while (!frame.done) {
                burst.clear();
                final PortCounter what = frame.give(burst);
                if (what != PortCounter.RX_PACKETS) {
                    assertTrue(frame.done);
                    assertEquals(0, burst.size());
                    return;
                }
                assertTrue(burst.size() > 0);
                for (int packet = 0; packet < burst.size(); packet++) {
                    packets++;
                    bytes += burst.length(packet);
                }
            }
            assertTrue(packets <= Math.max(1, length), "packets=" + packets);
            assertTrue(bytes >= length, "bytes=" + bytes + " length=" + length);
        }
    }
}
