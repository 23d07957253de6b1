package dev.skerry.nic.stardust.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import org.junit.jupiter.api.Test;

/** When queues ask for credits (docs/spec/stardust.md §3.2). */
class VoqRulesTest {
    /** What a port of 10 Gb/s sends in 1 us is less than a credit, of 50 Gb/s in 10 us it is 15.3. */
    @Test
    void shouldKeepInHandWhatAPortSendsWhileACellCrosses() {
        assertEquals(2, VoqRules.inHand(1.25, 1_000, 4_096));
        assertEquals(16, VoqRules.inHand(6.25, 10_000, 4_096));
        final VoqRules ahead = VoqRules.ahead(4_096, 2);
        assertEquals(-12_288, ahead.onBytes());
        assertEquals(12_288, ahead.offBytes());
        assertThrows(IllegalArgumentException.class, ahead::sizedByBacklog);
    }
}
