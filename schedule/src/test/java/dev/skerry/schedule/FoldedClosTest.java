package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The networks of docs/spec/stardust.md §2: sizes, the wiring rule, every invariant of it, every refusal. */
final class FoldedClosTest {
    private static final long SEED = 0x57A2_D057L;
    private static final FoldedClos N62 = new FoldedClos(FoldedClosConfig.N62);
    private static final FoldedClos N432 = new FoldedClos(FoldedClosConfig.N432);
    private static final FoldedClos N612 = new FoldedClos(FoldedClosConfig.N612);

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "7; 2; 1; 2; 3; 7; the radix must be even with more than one tier, radix=7",
        "0; 2; 1; 2; 0; ; an FE has 1 to 4096 links, radix=0",
        "4097; 2; 1; 2; 0; ; an FE has 1 to 4096 links, radix=4097",
        "8; 0; 1; 2; 0; ; an FA has 1 to 4096 links, faLinks=0",
        "8; 5; 2; 2; 0; ; evenly over the FEs of its pod: faLinks=5, linksPerPair=2",
        "8; 4; 0; 2; 0; ; evenly over the FEs of its pod: faLinks=4, linksPerPair=0",
        "8; 4; 1; 4; 2; ; up-links, of one tier none: radix=8, upLinks=2",
        "8; 4; 1; 4; 0; 8; 1 to radix - 1 up-links, of one tier none: radix=8, upLinks=0",
        "8; 4; 1; 4; 8; 8; 1 to radix - 1 up-links, of one tier none: radix=8, upLinks=8",
        "8; 4; 1; 5; 4; 8; match the down-links of its FEs: radix=8 upLinks=4 linksPerPair=1, fasPerPod=5",
        "8; 4; 1; 9; 0; ; match the down-links of its FEs: radix=8 upLinks=0 linksPerPair=1, fasPerPod=9",
        "8; 4; 2; 3; 4; 8; match the down-links of its FEs: radix=8 upLinks=4 linksPerPair=2, fasPerPod=3",
        "8; 4; 1; 0; 0; ; match the down-links of its FEs: radix=8 upLinks=0 linksPerPair=1, fasPerPod=0",
        "8; 4; 1; 4; 4; 3; down-links of the FEs above them: downLinks=8, pods[0]=3",
        "8; 4; 1; 4; 4; 16; down-links of the FEs above them: downLinks=8, pods[0]=16",
        "8; 3; 1; 4; 3; 4; the FEs of tier 2, links / downLinks, are a whole number: downLinks=8, links=36",
        "4096; 1; 1; 2048; 2048; 4096; a fabric has 65535 FAs at most, fas=8388608",
        "512; 2048; 1; 64; 256; 512; a fabric has 2^28 ends of links at most, ports="})
    void shouldNameTheRuleThatDoesNotHold(final int radix, final int faLinks, final int linksPerPair,
        final int fasPerPod, final int upLinks, final String pods, final String what) {
        final List<Integer> list = pods == null ? List.of() : Stream.of(pods.split(" ")).map(Integer::valueOf).toList();
        refused(what, () -> new FoldedClosConfig(radix, faLinks, linksPerPair, fasPerPod, upLinks, list));
    }

    @ParameterizedTest
    @CsvSource({"7, 4, 2, 1, radix=7", "0, 4, 1, 1, radix=0", "8, 0, 1, 1, faPorts=0", "8, 4, 0, 1, tiers=0",
        "8, 4, 1, 0, bundle=0", "256, 80, 9, 1, more than 2^63 links"})
    void shouldRefuseFabricsThatDoNotExist(final int radix, final int ports, final int tiers, final int bundle,
        final String what) {
        refused(what, () -> new FoldedClosScale(radix, ports, tiers, bundle));
    }

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
        assertArrayEquals(new int[] {256, 128, 64, 8_192, 8_192, 16_384, 64, 64, 128}, new int[] {clos.fas(),
            clos.tierStart(2) - clos.tierStart(1), clos.devices() - clos.tierStart(2), clos.links(0), clos.links(1),
            clos.links(), clos.links() / clos.fas(), clos.downPorts(256), clos.downPorts(383 + 1)});
        assertEquals(0.75, FoldedClosScale.elementsPerAdapter(128, 32, 2));
        assertEquals(0.75, (double) FoldedClosConfig.N62.elements() / clos.fas());
        for (int lower = clos.tierStart(1); lower < clos.tierStart(2); lower++) {
            for (int upper = clos.tierStart(2); upper < clos.devices(); upper++) {
                assertEquals(1, links(clos, lower, upper), "every FE1 has one link to every FE2");
            }
        }
    }

    @Test
    void shouldBeTheFatTreeOfFigureTen() {
        final FoldedClos clos = new FoldedClos(FoldedClosConfig.N432);
        assertArrayEquals(new int[] {72, 72, 36, 108}, new int[] {clos.fas(), clos.tierStart(2) - clos.tierStart(1),
            clos.devices() - clos.tierStart(2), FoldedClosConfig.N432.elements()});
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
        assertArrayEquals(new int[] {24, 12, 60}, new int[] {clos.fas(), clos.devices() - clos.fas(), clos.ports(0)});
        for (int fa = 0; fa < 24; fa++) {
            for (int element = 24; element < 36; element++) {
                assertEquals(5, links(clos, fa, element));
            }
        }
        final int used = IntStream.range(clos.firstPort(35), clos.firstPort(36))
            .map(port -> clos.peer(port) == FoldedClos.NONE ? 0 : 1).sum();
        assertEquals(120, used);
        assertEquals(128, clos.ports(35));
    }

    @ParameterizedTest
    @CsvSource({"128, 32, 32, 12288, 5120", "128, 32, 64, 8192, 6144", "8, 4, 2, 48, 40"})
    void shouldBuildOverSubscribedFabrics(final int radix, final int links, final int up, final int fas,
        final int elements) {
        final FoldedClosConfig config = FoldedClosConfig.largest(radix, links, 2, up);
        assertEquals(List.of(radix * (radix - up), links * (radix + up)), List.of(fas, elements));
        assertEquals(List.of(fas, elements), List.of(config.fas(), config.elements()));
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

    @Test
    void shouldRefuseMoreTiersThanFit() {
        assertThrows(IllegalArgumentException.class, () -> FoldedClosConfig.largest(128, 32, 3));
        assertThrows(IllegalArgumentException.class, () -> FoldedClosConfig.largest(8, 4, 0));
        assertNotEquals(FoldedClosConfig.N62, FoldedClosConfig.largest(128, 32, 2));
    }

    private static int links(final FoldedClos clos, final int one, final int other) {
        return IntStream.range(clos.firstPort(one), clos.firstPort(one + 1))
            .map(port -> clos.peer(port) != FoldedClos.NONE && clos.deviceOf(clos.peer(port)) == other ? 1 : 0).sum();
    }

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
        assertEquals(1, new FoldedClosScale(1, 1, 1, 1).maxAdapters());
    }

    @Test
    void shouldRefuseFabricsThatAreTooLarge() {
        refused("fas=65536", () -> new FoldedClosConfig(512, 2, 1, 256, 256, List.of(256)));
        refused("ports=68719476736", () -> new FoldedClosConfig(4_096, 4_096, 1, 1, 2_048, List.of(4_096)));
        refused("ports=530841600", () -> FoldedClosConfig.largest(360, 2_048, 2));
        refused("1 to 32 tiers", () -> FoldedClosConfig.largest(4, 2, 0));
        refused("1 to 32 tiers", () -> FoldedClosConfig.largest(4, 2, 33));
        assertFalse(refusal(() -> FoldedClosConfig.largest(4, 2, 32)).contains("1 to 32 tiers"));
    }

    private static String refusal(final Executable config) {
        return assertThrows(IllegalArgumentException.class, config).getMessage();
    }

    private static void refused(final String words, final Executable config) {
        final String said = refusal(config);
        assertTrue(said.contains(words), said);
    }

    /** Table 2 as it follows from its own rows, and as printed (docs/spec/stardust.md §2, errata E3). */
    @ParameterizedTest
    @CsvSource({"8, 4, 1, 8, 4, 32, 0", "8, 4, 2, 32, 48, 256, 128", "8, 4, 3, 128, 320, 1536, 1536",
        "8, 4, 4, 512, 1792, 8192, 14336", "128, 32, 1, 128, 32, 4096, 0", "128, 32, 2, 8192, 6144, 524288, 262144",
        "128, 32, 3, 524288, 655360, 50331648, 50331648"})
    void shouldCountDevicesAndBundles(final int radix, final int links, final int tiers, final long adapters,
        final long elements, final long bundles, final long printed) {
        final FoldedClosScale scale = new FoldedClosScale(radix, links, tiers, 1);
        assertArrayEquals(new long[] {adapters, elements, bundles, printed}, new long[] {scale.maxAdapters(),
            scale.maxElements(), scale.maxBundles(), scale.maxBundles(true)});
        assertEquals((double) elements / adapters, scale.elementsPerAdapter(), 1e-12);
        assertEquals((double) bundles / adapters, scale.linksPerAdapter(), 1e-12);
        if (adapters <= FoldedClosConfig.MAX_FAS) {
            final FoldedClosConfig config = FoldedClosConfig.largest(radix, links, tiers);
            final FoldedClos clos = new FoldedClos(config);
            assertEquals(List.of(adapters, elements, elements, bundles),
                List.of((long) clos.fas(), (long) clos.devices() - clos.fas(), (long) config.elements(),
                    (long) clos.links()));
        }
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

    @Test
    void shouldCountShortestPaths() {
        final long[] toN62 = ShortestPaths.to(255, Deployment.full(N62));
        assertArrayEquals(new long[] {65_536, 32, 1}, new long[] {toN62[0], toN62[192], toN62[255]});
        final long[] toN432 = ShortestPaths.to(0, Deployment.full(N432));
        assertArrayEquals(new long[] {36, 6}, new long[] {toN432[71], toN432[5]});
        assertEquals(5 * 12 * 5, ShortestPaths.to(3, Deployment.full(N612))[20]);
    }

    @Test
    void shouldShareSetsOfLinks() {
        final UpDownReach reach = new UpDownReach(Deployment.full(N62));
        final LinkSets adapter = reach.linkSets(70);
        assertArrayEquals(new int[] {1, 32, LinkSets.NONE, 0},
            new int[] {adapter.count(), adapter.size(0), adapter.setOf(70), adapter.setOf(71)});
        final LinkSets low = reach.linkSets(256 + 33);
        assertEquals(64 + 1, low.count(), "one for every FA of its pod, one for up");
        assertArrayEquals(new long[] {0, -1L}, low.links(low.setOf(0)));
        assertArrayEquals(new long[] {1L << 6, 0}, low.links(low.setOf(70)));
        final LinkSets high = reach.linkSets(384 + 5);
        assertEquals(4, high.count(), "one for every pod");
        for (int fa = 0; fa < 256; fa++) {
            assertEquals(fa / 64, high.setOf(fa));
        }
        assertArrayEquals(new long[] {0xFFFF_FFFFL << 32, 0}, high.links(1));
        assertEquals(32, high.size(3));
    }

    /** One FE1-FA link of N62 is cut: its FE2s withdraw it, remote FAs keep all links (docs/spec/stardust.md §6). */
    @Test
    void shouldWithdrawACutLinkWhereTheSpecSaysSo() {
        final UpDownReach wide = new UpDownReach(Deployment.full(N62).withoutLink(N62.firstPort(200) + 7));
        assertEquals(31, wide.linkSets(200).size(0));
        assertEquals(31, wide.linkSets(384).size(wide.linkSets(384).setOf(200)));
        assertEquals(32, wide.linkSets(384).size(wide.linkSets(384).setOf(201)));
        assertEquals(32, wide.linkSets(0).size(wide.linkSets(0).setOf(200)));
        assertEquals(64, wide.linkSets(256).size(wide.linkSets(256).setOf(200)));
        assertTrue(ShortestPaths.connectAll(wide));
        final UpDownReach thin = new UpDownReach(Deployment.full(N432).withoutLink(N432.firstPort(71) + 2));
        final int lost = 72 + 66 + 2;
        assertFalse(thin.reachesDown(lost, 71));
        for (int element = 144; element < 180; element++) {
            assertEquals((element - 144) / 6 != 2, thin.reaches(element, 71));
        }
        assertEquals(5, thin.linkSets(0).size(thin.linkSets(0).setOf(71)), "the news reaches the far FAs");
        assertEquals(6, thin.linkSets(0).size(thin.linkSets(0).setOf(70)));
        assertEquals(30, ShortestPaths.to(71, thin.deployment())[0]);
        assertTrue(ShortestPaths.connectAll(thin));
    }

    @Test
    void shouldGrowByElements() {
        for (int stage = 0; stage <= 32; stage += 8) {
            final Deployment grown = lacking(416 + stage);
            final UpDownReach reach = new UpDownReach(grown);
            assertTrue(ShortestPaths.connectAll(reach));
            assertEquals(32 * (32L + stage) * 32, ShortestPaths.to(255, reach.deployment())[0]);
            assertEquals(32 + stage, reach.linkSets(256).size(reach.linkSets(256).setOf(255)));
        }
        assertThrows(IllegalArgumentException.class, () -> Deployment.full(N62).without(-1));
        assertThrows(IllegalArgumentException.class, () -> Deployment.full(N62).without(448));
        assertThrows(IllegalArgumentException.class, () -> Deployment.full(N62).withoutLink(-1));
        assertThrows(IllegalArgumentException.class, () -> Deployment.full(N612).withoutLink(N612.firstPort(24) + 127));
    }

    private static Deployment lacking(final int first) {
        Deployment some = Deployment.full(N62);
        for (int element = first; element < 448; element++) {
            some = some.without(element);
        }
        return some;
    }

    @Test
    void shouldCutLinksInBothDirections() {
        final int port = N62.firstPort(300) + 70;
        final Deployment cut = Deployment.full(N62).withoutLink(port);
        assertFalse(cut.isLive(port));
        assertFalse(cut.isLive(N62.peer(port)));
        assertTrue(cut.isLive(port + 1));
        assertFalse(cut.without(300).isLive(port + 1));
        assertFalse(cut.without(300).isPresent(300));
        assertEquals(N62.ports(300) - 1, cut.live(300));
        assertFalse(cut.without(0).without(N62.devices() - 1).isPresent(0));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldAgreeWithAWalkOverEveryWay(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FoldedClos clos = new FoldedClos(seed % 2 == 0 ? FoldedClosConfig.largest(4, 2, 3)
            : new FoldedClosConfig(8, 4, 2, 2, 2, List.of(4)));
        Deployment some = Deployment.full(clos);
        for (int cut = random.nextInt(25); cut > 0; cut--) {
            final int port = random.nextInt(clos.ports());
            some = clos.peer(port) == FoldedClos.NONE ? some : some.withoutLink(port);
        }
        for (int gone = random.nextInt(4); gone > 0; gone--) {
            some = some.without(random.nextInt(clos.fas(), clos.devices()));
        }
        final UpDownReach reach = new UpDownReach(some);
        for (int fa = 0; fa < clos.fas(); fa++) {
            final long[] paths = ShortestPaths.to(fa, reach.deployment());
            for (int device = 0; device < clos.devices(); device++) {
                final List<Integer> lengths = new ArrayList<>();
                walk(some, device, fa, false, 0, lengths);
                final String at = "seed=" + seed + " device=" + device + " fa=" + fa;
                final int shortest = lengths.stream().min(Integer::compare).orElse(-1);
                assertEquals(!lengths.isEmpty(), reach.reaches(device, fa), at);
                assertEquals(lengths.stream().filter(length -> length == shortest).count(), paths[device], at);
                assertEquals(!lengths.isEmpty() && device != fa, reach.linkSets(device).setOf(fa) != LinkSets.NONE, at);
            }
        }
    }

    /** Up, then down, without a table: the lengths of all paths. */
    private static void walk(final Deployment some, final int device, final int fa, final boolean fallen,
        final int length, final List<Integer> lengths) {
        if (device == fa) {
            lengths.add(length);
            return;
        }
        final FoldedClos clos = some.clos();
        if (!some.isPresent(device)) {
            return;
        }
        for (int local = 0; local < clos.ports(device); local++) {
            final boolean down = local < clos.downPorts(device);
            final int port = clos.firstPort(device) + local;
            if ((down || !fallen) && some.isLive(port)) {
                walk(some, clos.deviceOf(clos.peer(port)), fa, down, length + 1, lengths);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 31", "63, 31", "64, 32", "255, 32"})
    void shouldSurviveALostElement(final int fa, final int links) {
        final UpDownReach reach = new UpDownReach(Deployment.full(N62).without(256));
        assertTrue(ShortestPaths.connectAll(reach));
        assertEquals(links, reach.linkSets(fa).size(0));
    }

    /** An FA loses its only link: it reaches itself, and no other FA reaches it. */
    @Test
    void shouldSeeAnAdapterThatIsCutOff() {
        final FoldedClos small = new FoldedClos(new FoldedClosConfig(4, 1, 1, 4, 0, List.of()));
        final Deployment full = Deployment.full(small);
        assertTrue(ShortestPaths.connectAll(new UpDownReach(full)));
        for (int cut = 0; cut < small.fas(); cut++) {
            final UpDownReach reach = new UpDownReach(full.withoutLink(small.firstPort(cut)));
            assertFalse(ShortestPaths.connectAll(reach));
            for (int fa = 0; fa < small.fas(); fa++) {
                for (int to = 0; to < small.fas(); to++) {
                    assertEquals(fa == to || fa != cut && to != cut, reach.reaches(fa, to));
                    assertEquals(fa == to, reach.reachesDown(fa, to));
                }
            }
        }
    }

    /** Connections and shortest paths of a deployed folded Clos, counted tier by tier. */
    private static final class ShortestPaths {
        private final Deployment deployment;
        private final FoldedClos clos;
        private final long[] paths;
        private final int[] hops;

        private ShortestPaths(final Deployment deployment) {
            this.deployment = deployment;
            this.clos = deployment.clos();
            this.paths = new long[clos.devices()];
            this.hops = new int[clos.devices()];
            Arrays.fill(hops, Integer.MAX_VALUE - 1);
        }

        /** By device: shortest paths to an FA, parallel links counted each; 0 if it does not reach it, 1 for itself. */
        static long[] to(final int fa, final Deployment deployment) {
            final ShortestPaths to = new ShortestPaths(deployment);
            final FoldedClos clos = to.clos;
            to.paths[fa] = 1;
            to.hops[fa] = 0;
            for (int device = clos.fas(); device < clos.devices(); device++) {
                to.count(device, 0, clos.downPorts(device));
            }
            for (int device = clos.devices() - 1; device >= 0; device--) {
                if (to.paths[device] == 0) {
                    to.count(device, clos.downPorts(device), clos.ports(device));
                }
            }
            return to.paths;
        }

        static boolean connectAll(final UpDownReach reach) {
            final int fas = reach.deployment().clos().fas();
            for (int pair = 0; pair < fas * fas; pair++) {
                if (!reach.reaches(pair / fas, pair % fas)) {
                    return false;
                }
            }
            return true;
        }

        private void count(final int device, final int from, final int to) {
            for (int local = from; local < to; local++) {
                final int port = clos.firstPort(device) + local;
                if (deployment.isLive(port)) {
                    final int other = clos.deviceOf(clos.peer(port));
                    if (paths[other] != 0 && hops[other] + 1 <= hops[device]) {
                        paths[device] = Math.addExact(hops[other] + 1 == hops[device] ? paths[device] : 0,
                            paths[other]);
                        hops[device] = hops[other] + 1;
                    }
                }
            }
        }
    }
}
