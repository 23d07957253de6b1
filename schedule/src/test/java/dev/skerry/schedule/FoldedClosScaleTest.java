package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Table 2 as it follows from its own rows, and as printed (docs/spec/stardust.md §2, errata E3). */
final class FoldedClosScaleTest {
    @ParameterizedTest
    @CsvSource({"8, 4, 1, 8, 4, 32, 0", "8, 4, 2, 32, 48, 256, 128", "8, 4, 3, 128, 320, 1536, 1536",
        "8, 4, 4, 512, 1792, 8192, 14336", "128, 32, 1, 128, 32, 4096, 0", "128, 32, 2, 8192, 6144, 524288, 262144",
        "128, 32, 3, 524288, 655360, 50331648, 50331648"})
    void shouldCountDevicesAndBundles(final int radix, final int links, final int tiers, final long adapters,
        final long elements, final long bundles, final long printed) {
        final FoldedClosScale scale = new FoldedClosScale(radix, links, tiers, 1);

        assertEquals(adapters, scale.maxAdapters());
        assertEquals(elements, scale.maxElements());
        assertEquals(bundles, scale.maxBundles());
        assertEquals(printed, scale.maxBundles(true));
        assertEquals((double) elements / adapters, scale.elementsPerAdapter(), 1e-12);
        assertEquals((double) bundles / adapters, scale.linksPerAdapter(), 1e-12);
    }

    @ParameterizedTest
    @CsvSource({"1, 4, 0", "2, 8, 4", "3, 12, 12", "4, 16, 28"})
    void shouldCountLinksOfAnAdapter(final int tiers, final long links, final long printed) {
        for (int bundle = 1; bundle <= 8; bundle *= 2) {
            final FoldedClosScale scale = new FoldedClosScale(8, 4, tiers, bundle);
            assertEquals(links * bundle, scale.linksPerAdapter());
            assertEquals(printed * bundle, scale.linksPerAdapter(true));
        }
    }

    /** Stardust §5.1: lanes of their own instead of bundles of eight take 8^n times as many FAs. */
    @Test
    void shouldGainEightToTheTiersWithoutBundles() {
        for (int tiers = 1; tiers <= 4; tiers++) {
            final long bundled = new FoldedClosScale(256 / 8, 10, tiers, 8).maxAdapters();
            final long single = new FoldedClosScale(256, 80, tiers, 1).maxAdapters();
            assertEquals(bundled << 3 * tiers, single);
            assertEquals(40 * single, new FoldedClosScale(256, 80, tiers, 1).maxHosts(40));
        }
    }

    @Test
    void shouldSizeReachabilityTables() {
        assertEquals(4 << 10, UpDownReach.tableBits(256, 128) / 8);
        assertEquals(1 << 20, UpDownReach.tableBits(32_768, 256) / 8);
    }

    @ParameterizedTest
    @CsvSource({"7, 4, 2, 1, radix=7", "0, 4, 1, 1, radix=0", "8, 0, 1, 1, faPorts=0", "8, 4, 0, 1, tiers=0",
        "8, 4, 1, 0, bundle=0", "256, 80, 9, 1, more than 2^63 links"})
    void shouldRefuseFabricsThatDoNotExist(final int radix, final int ports, final int tiers, final int bundle,
        final String what) {
        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
            () -> new FoldedClosScale(radix, ports, tiers, bundle));
        assertTrue(refusal.getMessage().contains(what), refusal.getMessage());
    }
}
