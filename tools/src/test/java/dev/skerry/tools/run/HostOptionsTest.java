package dev.skerry.tools.run;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostOptionsTest {
    /** Slots of a byte at 100 Tb/s, of a byte at 25 Gb/s, and of almost a second. */
    @ParameterizedTest
    @ValueSource(doubles = {8e-5, 0.32, 9e8})
    void shouldHaveTimersForSlotsOfAnyLength(final double slotNs) {
        for (final String hosts : new String[] {"tcp", "dctcp", "mptcp", "dcqcn", "ndp"}) {
            assertDoesNotThrow(() -> new HostOptions().model(slotNs, hosts), hosts);
        }
    }
}
