package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.port.GeneratorPort.Pacer;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PacerTest {
    @Test
    void shouldHaveOnePacketDueAtATime() {
        final Pacer pacer = new Pacer(new PacketRate.Packets(1e6), 1);
        pacer.start(-500);
        assertFalse(pacer.isDue(-501));
        for (int i = 0; i < 10; i++) {
            assertTrue(pacer.isDue(-500 + i * 1_000));
            pacer.sent(64);
            assertFalse(pacer.isDue(-500 + i * 1_000 + 999));
        }
    }

    @Test
    void shouldHaveGroupsDueAtOnce() {
        final Pacer pacer = new Pacer(new PacketRate.Packets(1e6), 4);
        pacer.start(0);
        for (int i = 0; i < 4; i++) {
            assertTrue(pacer.isDue(0));
            pacer.sent(64);
        }
        assertFalse(pacer.isDue(3_999));
        assertTrue(pacer.isDue(4_000));
    }

    @Test
    void shouldAlwaysBeDueWithoutARate() {
        final Pacer pacer = new Pacer(new PacketRate.Unlimited(), 1);
        pacer.start(7);
        for (int i = 0; i < 1_000_000; i++) {
            pacer.sent(9_000);
        }
        assertTrue(pacer.isDue(7));
    }

    /** A million packets take the time of their rate, to one part in a million. */
    @ParameterizedTest
    @CsvSource({
        "packets, 3e6, 64, 333.3333333", "packets, 14880952, 64, 67.2000002", "packets, 0.01, 64, 1e11",
        "bits, 1e10, 1250, 1000", "bits, 1e13, 64, 0.0512", "bits, 1e3, 16384, 1.31072e11",
        "line, 1e10, 60, 67.2", "line, 1e11, 1514, 123.04"})
    void shouldKeepTheRate(final String unit, final double rate, final int bytes, final double expectedNs) {
        final Pacer pacer = new Pacer(switch (unit) {
            case "packets" -> new PacketRate.Packets(rate);
            case "bits" -> new PacketRate.Bits(rate);
            default -> new PacketRate.Line(100, rate);
        }, 1);
        pacer.start(0);
        final int packets = 1_000_000;
        for (int i = 0; i < packets; i++) {
            pacer.sent(bytes);
        }
        assertEquals(expectedNs * packets, pacer.dueNs, expectedNs * packets * 1e-6 + 1);
    }
}
