package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.skerry.tools.port.UnixSocket.MemifMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

final class MemifMessageTest {
    private final MemorySegment bytes = MemorySegment.ofArray(new byte[MemifMessage.BYTES]);

    static List<MemifMessage> messages() {
        return List.of(
            new MemifMessage.Ack(),
            new MemifMessage.Hello("a server", 0x0200, 0x02ff, 255, 254, 65_535, 14),
            new MemifMessage.Init(0x0200, 0xfeed_beef, 0, "open sesame", "a client"),
            new MemifMessage.AddRegion(3, 0x0123_4567_89ab_cdefL),
            new MemifMessage.AddRing(true, 7, 1, 0xffff_fff0L, 14, 0xbeef),
            new MemifMessage.AddRing(false, 65_535, 65_535, 0, 255, 0),
            new MemifMessage.Connect("if0"),
            new MemifMessage.Connected(""),
            new MemifMessage.Disconnect(-2, "no more"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldComeBackAsItWent(final MemifMessage message) {
        bytes.fill((byte) 0x55);
        message.encode(bytes);
        assertEquals(message, MemifMessage.decode(bytes));
    }

    @Test
    void shouldLieWhereTheProtocolSays() {
        lies("0100", new MemifMessage.Ack());
        lies("0200" + "61".repeat(31) + "00" + "0102" + "0302" + "0500" + "0700" + "0900" + "0b",
            new MemifMessage.Hello("a".repeat(40), 0x0201, 0x0203, 5, 7, 9, 11));
        lies("0300" + "0002" + "04030201" + "00" + "7365" + "00".repeat(22) + "6e", new MemifMessage.Init(
            0x0200, 0x0102_0304, 0, "se", "n"));
        lies("0400" + "0201" + "0807060504030201", new MemifMessage.AddRegion(0x0102, 0x0102_0304_0506_0708L));
        lies("0500" + "0100" + "0201" + "0403" + "80400000" + "0a" + "0102",
            new MemifMessage.AddRing(true, 0x0102, 0x0304, 16_512, 10, 0x0201));
        lies("0600" + "6966", new MemifMessage.Connect("if"));
        lies("0700" + "6966", new MemifMessage.Connected("if"));
        lies("0800" + "04030201" + "627965", new MemifMessage.Disconnect(0x0102_0304, "bye"));
    }

    private void lies(final String hex, final MemifMessage message) {
        bytes.fill((byte) 0x55);
        message.encode(bytes);
        final String all = HexFormat.of().formatHex(bytes.toArray(ValueLayout.JAVA_BYTE));
        assertEquals(hex + "0".repeat(2 * MemifMessage.BYTES - hex.length()), all);
    }

    @Test
    void shouldTakeAStringWithoutAnEnd() {
        bytes.fill((byte) 'x');
        bytes.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) 8);
        final MemifMessage.Disconnect message =
            assertInstanceOf(MemifMessage.Disconnect.class, MemifMessage.decode(bytes));
        assertEquals("x".repeat(MemifMessage.REASON_BYTES), message.reason());
    }

    @Test
    void shouldDecodeAnyBytes() {
        final Random random = new Random(128);
        final byte[] noise = new byte[MemifMessage.BYTES];
        for (int i = 0; i < 10_000; i++) {
            random.nextBytes(noise);
            noise[0] = (byte) random.nextInt(11);
            noise[1] = 0;
            final MemifMessage message = MemifMessage.decode(MemorySegment.ofArray(noise));
            assertEquals(noise[0] < 1 || noise[0] > 8, message == null, "type " + noise[0]);
        }
        noise[1] = 1;
        assertNull(MemifMessage.decode(MemorySegment.ofArray(noise)));
    }

    @Test
    void shouldNotPrintTheSecret() {
        assertFalse(new MemifMessage.Init(0x0200, 0, 0, "hush", "n").toString().contains("hush"));
    }
}
