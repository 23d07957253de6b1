package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The networks of docs/spec/stardust.md §2: sizes, the wiring rule, every invariant of it, every refusal. */
final class FoldedClosTest {
    private static final long SEED = 0x57A2_D057L;

    static Stream<FoldedClosConfig> fabrics() {
        final List<FoldedClosConfig> all = new ArrayList<>(List.of(FoldedClosConfig.N62, FoldedClosConfig.N432,
            FoldedClosConfig.N612, FoldedClosConfig.largest(8, 4, 1), FoldedClosConfig.largest(8, 4, 2),
            FoldedClosConfig.largest(8, 4, 3), FoldedClosConfig.largest(4, 2, 4), FoldedClosConfig.largest(7, 3, 1),
            FoldedClosConfig.largest(16, 4, 2, 4), new FoldedClosConfig(16, 4, 1, 4, 8, List.of(2, 4)),
            new FoldedClosConfig(3, 2, 1, 3, 0, List.of()), new FoldedClosConfig(4, 1, 1, 4, 0, List.of())));
        final SplittableRandom random = new SplittableRandom(SEED);
        while (all.size() < 60) {
            final int radix = 2 * random.nextInt(1, 12);
            final int lanes = random.nextInt(1, 3);
            final List<Integer> pods = new ArrayList<>();
            for (int level = random.nextInt(3); level > 0; level--) {
                pods.add(random.nextInt(1, 7));
            }
            try {
                all.add(new FoldedClosConfig(radix, lanes * random.nextInt(1, 8), lanes, random.nextInt(1, radix),
                    pods.isEmpty() ? 0 : random.nextInt(1, radix), pods));
            } catch (final IllegalArgumentException e) {
                assertTrue(e.getMessage().contains("="), e.getMessage());
            }
        }
        return all.stream();
    }

    @Test
    void shouldBeTheNetworkOfFigureNine() {
        final FoldedClos clos = new FoldedClos(FoldedClosConfig.N62);

        assertEquals(256, clos.fas());
        assertEquals(128, clos.tierStart(2) - clos.tierStart(1));
        assertEquals(64, clos.devices() - clos.tierStart(2));
        assertEquals(8_192, clos.links(0));
        assertEquals(8_192, clos.links(1));
        assertEquals(16_384, clos.links());
        assertEquals(64, clos.links() / clos.fas());
        assertEquals(0.75, FoldedClosScale.elementsPerAdapter(128, 32, 2));
        assertEquals(0.75, (double) FoldedClosConfig.N62.elements() / clos.fas());
        assertEquals(64, clos.downPorts(256));
        assertEquals(128, clos.downPorts(383 + 1));
        for (int lower = clos.tierStart(1); lower < clos.tierStart(2); lower++) {
            for (int upper = clos.tierStart(2); upper < clos.devices(); upper++) {
                assertEquals(1, links(clos, lower, upper), "every FE1 has one link to every FE2");
            }
        }
    }

    @Test
    void shouldBeTheFatTreeOfFigureTen() {
        final FoldedClos clos = new FoldedClos(FoldedClosConfig.N432);

        assertEquals(72, clos.fas());
        assertEquals(72, clos.tierStart(2) - clos.tierStart(1));
        assertEquals(36, clos.devices() - clos.tierStart(2));
        assertEquals(108, FoldedClosConfig.N432.elements());
        for (int pod = 0; pod < 12; pod++) {
            for (int j = 0; j < 6; j++) {
                for (int v = 0; v < 6; v++) {
                    final int up = clos.firstPort(72 + pod * 6 + j) + 6 + v;
                    assertEquals(144 + 6 * j + v, clos.deviceOf(clos.peer(up)));
                    assertEquals(pod, clos.peer(up) - clos.firstPort(144 + 6 * j + v), "a port for every pod");
                }
            }
        }
    }

    @Test
    void shouldBeTheSystemOfOneTier() {
        final FoldedClos clos = new FoldedClos(FoldedClosConfig.N612);

        assertEquals(24, clos.fas());
        assertEquals(12, clos.devices() - clos.fas());
        assertEquals(60, clos.ports(0));
        for (int fa = 0; fa < 24; fa++) {
            for (int element = 24; element < 36; element++) {
                assertEquals(5, links(clos, fa, element));
            }
        }
        int used = 0;
        for (int port = clos.firstPort(35); port < clos.firstPort(36); port++) {
            used += clos.peer(port) == FoldedClos.NONE ? 0 : 1;
        }
        assertEquals(120, used);
        assertEquals(128, clos.ports(35));
    }

    @ParameterizedTest
    @CsvSource({"8, 4, 1, 8, 4, 32", "8, 4, 2, 32, 48, 256", "8, 4, 3, 128, 320, 1536", "8, 4, 4, 512, 1792, 8192",
        "128, 32, 1, 128, 32, 4096", "128, 32, 2, 8192, 6144, 524288"})
    void shouldBuildTheLargestFabricsOfTableTwo(final int radix, final int links, final int tiers, final int fas,
        final int elements, final int bundles) {
        final FoldedClosConfig config = FoldedClosConfig.largest(radix, links, tiers);
        final FoldedClos clos = new FoldedClos(config);

        assertEquals(fas, clos.fas());
        assertEquals(elements, clos.devices() - clos.fas());
        assertEquals(elements, config.elements());
        assertEquals(bundles, clos.links());
    }

    @ParameterizedTest
    @CsvSource({"128, 32, 32, 12288, 5120", "128, 32, 64, 8192, 6144", "8, 4, 2, 48, 40"})
    void shouldBuildOverSubscribedFabrics(final int radix, final int links, final int up, final int fas,
        final int elements) {
        final FoldedClosConfig config = FoldedClosConfig.largest(radix, links, 2, up);

        assertEquals(radix * (radix - up), fas);
        assertEquals(links * (radix + up), elements);
        assertEquals(fas, config.fas());
        assertEquals(elements, config.elements());
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void shouldConnectEveryLinkOnceBetweenNeighbouringTiers(final FoldedClosConfig config) {
        final FoldedClos clos = new FoldedClos(config);
        int connected = 0;
        for (int port = 0; port < clos.ports(); port++) {
            final int other = clos.peer(port);
            if (other != FoldedClos.NONE) {
                connected++;
                assertEquals(port, clos.peer(other));
                final int device = clos.deviceOf(port);
                final boolean up = port - clos.firstPort(device) >= clos.downPorts(device);
                assertEquals(clos.tierOf(device) + (up ? 1 : -1), clos.tierOf(clos.deviceOf(other)));
                assertTrue(port >= clos.firstPort(device) && port < clos.firstPort(device + 1));
                assertTrue(other - clos.firstPort(clos.deviceOf(other)) < clos.ports(clos.deviceOf(other)));
            }
        }
        assertEquals(2 * clos.links(), connected);
        assertEquals(config.fas() * config.faLinks(), clos.links(0));
        final int spare = config.elements(1) * (config.downLinks(1) - config.fasPerPod() * config.linksPerPair());
        assertEquals(clos.ports(), connected + spare);
    }

    /** Sub-trees share no FE below their common ones, and each has as many links to every FE above it. */
    @ParameterizedTest
    @MethodSource("fabrics")
    void shouldGiveEverySubTreeTheSameLinksToEveryElementAboveIt(final FoldedClosConfig config) {
        final FoldedClos clos = new FoldedClos(config);
        for (int tier = 0; tier < clos.tiers(); tier++) {
            for (int upper = clos.tierStart(tier + 1); upper < clos.tierStart(tier + 2); upper++) {
                final int trees = tier == 0 ? config.fasPerPod() : config.pods().get(tier - 1);
                final int share = tier == 0 ? config.linksPerPair() : config.downLinks(tier + 1) / trees;
                final int[] links = new int[trees];
                for (int port = 0; port < clos.downPorts(upper); port++) {
                    final int other = clos.peer(clos.firstPort(upper) + port);
                    if (other != FoldedClos.NONE) {
                        final int lower = clos.deviceOf(other);
                        assertEquals(clos.subTreeOf(upper, tier + 1), clos.subTreeOf(lower, tier + 1));
                        final int child = tier == 0 ? lower % trees : clos.subTreeOf(lower, tier) % trees;
                        assertEquals(port / share, child, "links to one sub-tree are neighbours");
                        links[child]++;
                    }
                }
                for (final int count : links) {
                    assertEquals(share, count);
                }
            }
        }
        assertTrue(ShortestPaths.connectAll(new UpDownReach(Deployment.full(clos))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "7; 2; 1; 2; 3; 7; the radix is even in more than one tier, radix=7",
        "0; 2; 1; 2; 0; ; an FE has 1 to 4096 links, radix=0",
        "4097; 2; 1; 2; 0; ; an FE has 1 to 4096 links, radix=4097",
        "8; 0; 1; 2; 0; ; an FA has 1 to 4096 links, faLinks=0",
        "8; 5; 2; 2; 0; ; as many links to every FE of its pod: faLinks=5, linksPerPair=2",
        "8; 4; 0; 2; 0; ; as many links to every FE of its pod: faLinks=4, linksPerPair=0",
        "8; 4; 1; 4; 2; ; up-links, of one tier none: radix=8, upLinks=2",
        "8; 4; 1; 4; 0; 8; 1 to radix - 1 up-links, of one tier none: radix=8, upLinks=0",
        "8; 4; 1; 4; 8; 8; 1 to radix - 1 up-links, of one tier none: radix=8, upLinks=8",
        "8; 4; 1; 5; 4; 8; match the down-links of its FEs: radix=8 upLinks=4 linksPerPair=1, fasPerPod=5",
        "8; 4; 1; 9; 0; ; match the down-links of its FEs: radix=8 upLinks=0 linksPerPair=1, fasPerPod=9",
        "8; 4; 2; 3; 4; 8; match the down-links of its FEs: radix=8 upLinks=4 linksPerPair=2, fasPerPod=3",
        "8; 4; 1; 0; 0; ; match the down-links of its FEs: radix=8 upLinks=0 linksPerPair=1, fasPerPod=0",
        "8; 4; 1; 4; 4; 3; so that each has as many: downLinks=8, pods[0]=3",
        "8; 4; 1; 4; 4; 16; so that each has as many: downLinks=8, pods[0]=16",
        "8; 3; 1; 4; 3; 4; the FEs of tier 2, links / downLinks, are a whole number: downLinks=8, links=36",
        "4096; 1; 1; 2048; 2048; 4096; a fabric has 65535 FAs at most, fas=8388608",
        "512; 2048; 1; 64; 256; 512; a fabric has 2^28 ends of links at most, ports="})
    void shouldNameTheRuleThatDoesNotHold(final int radix, final int faLinks, final int linksPerPair,
        final int fasPerPod, final int upLinks, final String pods, final String what) {
        final List<Integer> list = pods == null ? List.of()
            : Stream.of(pods.split(" ")).map(Integer::valueOf).toList();
        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
            () -> new FoldedClosConfig(radix, faLinks, linksPerPair, fasPerPod, upLinks, list));
        assertTrue(refusal.getMessage().contains(what), refusal.getMessage());
    }

    @Test
    void shouldRefuseMoreTiersThanFit() {
        assertThrows(IllegalArgumentException.class, () -> FoldedClosConfig.largest(128, 32, 3));
        assertThrows(IllegalArgumentException.class, () -> FoldedClosConfig.largest(8, 4, 0));
        assertNotEquals(FoldedClosConfig.N62, FoldedClosConfig.largest(128, 32, 2));
    }

    private static int links(final FoldedClos clos, final int one, final int other) {
        int links = 0;
        for (int port = clos.firstPort(one); port < clos.firstPort(one + 1); port++) {
            links += clos.peer(port) != FoldedClos.NONE && clos.deviceOf(clos.peer(port)) == other ? 1 : 0;
        }
        return links;
    }

    /** Every rule at its bound: the last number that is allowed. */
    @Test
    void shouldAllowTheBounds() {
        final int most = FoldedClosConfig.MAX_RADIX;
        assertEquals(1, new FoldedClosConfig(1, 1, 1, 1, 0, List.of()).fas());
        assertEquals(most, new FoldedClosConfig(most, most, 1, most, 0, List.of()).fas());
        assertEquals(3, new FoldedClosConfig(4, 4, 1, 1, 3, List.of(1)).elements(2));
        assertEquals(1, new FoldedClosConfig(4, 4, 1, 3, 1, List.of(1)).elements(2));
        assertEquals(FoldedClosConfig.MAX_FAS, new FoldedClosConfig(510, 2, 1, 257, 253, List.of(255)).fas());
        assertEquals(129_600 / 2, FoldedClosConfig.largest(360, 1_024, 2).fas());
        final FoldedClosConfig config = FoldedClosConfig.largest(8, 4, 2);
        assertEquals(config, new FoldedClos(config).config());
    }

    /** One step past the bounds of a fabric's size. */
    @Test
    void shouldRefuseFabricsThatAreTooLarge() {
        assertTrue(refusal(() -> new FoldedClosConfig(512, 2, 1, 256, 256, List.of(256))).contains("fas=65536"));
        assertTrue(refusal(() -> new FoldedClosConfig(4_096, 4_096, 1, 1, 2_048, List.of(4_096)))
            .contains("ports=68719476736"));
        assertTrue(refusal(() -> FoldedClosConfig.largest(360, 2_048, 2)).contains("ports=530841600"));
        assertTrue(refusal(() -> FoldedClosConfig.largest(4, 2, 0)).contains("1 to 32 tiers"));
        assertTrue(refusal(() -> FoldedClosConfig.largest(4, 2, 33)).contains("1 to 32 tiers"));
        assertFalse(refusal(() -> FoldedClosConfig.largest(4, 2, 32)).contains("1 to 32 tiers"));
    }

    private static String refusal(final Executable config) {
        return assertThrows(IllegalArgumentException.class, config).getMessage();
    }
}
