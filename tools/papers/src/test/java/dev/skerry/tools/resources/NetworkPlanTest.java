package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figure 2 (docs/spec/stardust.md §9). */
final class NetworkPlanTest {
    @ParameterizedTest
    @CsvSource({"1, 10240, 1310720, 167772160", "2, 5120, 327680, 20971520", "4, 2560, 81920, 2621440",
        "8, 1280, 20480, 327680"})
    void shouldReachAsManyHosts(final int bundle, final long one, final long two, final long three) {
        final NetworkPlan plan = NetworkPlan.figure2(bundle, 1);
        assertEquals(one, plan.maxHosts(1));
        assertEquals(two, plan.maxHosts(2));
        assertEquals(three, plan.maxHosts(3));
        assertEquals(1, NetworkPlan.figure2(bundle, one).tiers());
        assertEquals(2, NetworkPlan.figure2(bundle, one + 1).tiers());
        assertEquals(3, NetworkPlan.figure2(bundle, three).tiers());
        for (int tiers = 1; tiers <= 3; tiers++) {
            final long hosts = plan.maxHosts(tiers);
            assertEquals((2 * tiers - 1) * 0.3125, NetworkPlan.figure2(bundle, hosts).elementsPerAdapter(), 1e-12);
        }
    }

    @ParameterizedTest
    @CsvSource({"10000, 1, 250, 79, 20000", "10000, 2, 250, 235, 40000", "10000, 4, 250, 235, 40000",
        "10000, 8, 250, 235, 40000", "100000, 1, 2500, 2344, 400000", "100000, 2, 2500, 2344, 400000",
        "100000, 4, 2500, 3907, 600000", "100000, 8, 2500, 3907, 600000", "1000000, 1, 25000, 23438, 4000000",
        "1000000, 2, 25000, 39063, 6000000", "1000000, 4, 25000, 39063, 6000000",
        "1000000, 8, 25000, 54688, 8000000"})
    void shouldCountDevicesAndLinks(final long hosts, final int bundle, final long adapters, final long elements,
        final long links) {
        final NetworkPlan plan = NetworkPlan.figure2(bundle, hosts);
        assertEquals(adapters, plan.adapters());
        assertEquals(elements, plan.elements());
        assertEquals(links, plan.serialLinks());
    }

    @Test
    void shouldNeedFiveTiersForManyHosts() {
        assertEquals(5, NetworkPlan.figure2(8, 80_000_000).tiers());
    }
}
