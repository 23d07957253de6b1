package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code live --queue-target} and {@code --ecn}. */
@Timeout(120)
final class LiveQueueTest {
    private static final int PACKETS = 400;
    private static final int BYTES = 600;
    private static final int IP_AT = 14;

    @TempDir
    private Path folder;

    private Invocation live(final String line) {
        return Invocation.ofLine("live --warm-up 0 --dir " + folder.resolve("counters") + " " + line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--queue-target 0", "--queue-target 1", "--queue-target -1ms", "--queue-target 2h",
        "--queue-target 7200s", "--queue-target", "--queue-target off --ecn"})
    void shouldRefuseInOneLine(final String how) {
        final Invocation run = live("--port 0=loop --port 1=loop " + how);
        assertEquals(2, run.code());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: "), run.err());
    }

    /** A burst of a capture takes longer than the target: packets that may be marked are, and their checksums right. */
    @Test
    void shouldMarkPacketsThatTookLongerThanTheTarget() throws IOException {
        final Path in = capture();
        final Path out = folder.resolve("out.pcap");
        final Invocation run = live("--json --ecn --queue-target 1us --map 0:1 --port 0=pcap:in=" + in
            + ",speed=max,loops=10 --port 1=pcap:" + out);
        assertEquals(0, run.code(), run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
        assertTrue(json.get("conserved").asBoolean());
        final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(out)).order(ByteOrder.BIG_ENDIAN);
        int marked = 0;
        int packets = 0;
        for (int at = 24 + 16; at + BYTES <= bytes.limit(); at += 16 + BYTES) {
            final int field = bytes.get(at + IP_AT + 1) & 3;
            // The first packet of a pair does not understand ECN.
            assertEquals(packets++ % 2 == 0, field == 0);
            marked += field == 3 ? 1 : 0;
            int sum = 0;
            for (int word = 0; word < 20; word += 2) {
                sum += bytes.getShort(at + IP_AT + word) & 0xFFFF;
            }
            assertEquals(0xFFFF, (sum & 0xFFFF) + (sum >> 16), "checksum of packet " + packets);
        }
        assertEquals(10 * PACKETS, packets);
        assertEquals(json.get("ports").get(1).get("ecn_marked").asInt(), marked);
        assertTrue(marked > 0, run.out());
    }

    private Path capture() throws IOException {
        final ByteBuffer file = ByteBuffer.allocate(24 + PACKETS * (16 + BYTES)).order(ByteOrder.BIG_ENDIAN);
        file.putInt(0xA1B23C4D).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(65_535).putInt(1);
        for (int packet = 0; packet < PACKETS; packet++) {
            file.putInt(0).putInt(0).putInt(BYTES).putInt(BYTES);
            final int at = file.position();
            file.putShort(at + 12, (short) 0x0800);
            file.putShort(at + IP_AT, (short) (0x4500 | packet % 2));
            file.putShort(at + IP_AT + 2, (short) (BYTES - IP_AT));
            final int sum = (0x4500 | packet % 2) + BYTES - IP_AT;
            file.putShort(at + IP_AT + 10, (short) ~sum);
            file.position(at + BYTES);
        }
        final Path path = folder.resolve("in.pcap");
        Files.write(path, file.array());
        return path;
    }
}
