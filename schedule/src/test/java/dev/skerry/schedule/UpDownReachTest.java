package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Reachability, shortest paths, partial population and growth (docs/spec/stardust.md §2, §3.6, §4). */
final class UpDownReachTest {
    private static final FoldedClos N62 = new FoldedClos(FoldedClosConfig.N62);
    private static final FoldedClos N432 = new FoldedClos(FoldedClosConfig.N432);
    private static final FoldedClos N612 = new FoldedClos(FoldedClosConfig.N612);

    @Test
    void shouldCountShortestPaths() {
        final long[] toN62 = ShortestPaths.to(255, Deployment.full(N62));
        assertEquals(65_536, toN62[0]);
        assertEquals(32, toN62[192]);
        assertEquals(1, toN62[255]);
        final long[] toN432 = ShortestPaths.to(0, Deployment.full(N432));
        assertEquals(36, toN432[71]);
        assertEquals(6, toN432[5]);
        assertEquals(5 * 12 * 5, ShortestPaths.to(3, Deployment.full(N612))[20]);
    }

    @Test
    void shouldShareSetsOfLinks() {
        final UpDownReach reach = new UpDownReach(Deployment.full(N62));
        final LinkSets adapter = reach.linkSets(70);
        assertEquals(1, adapter.count());
        assertEquals(32, adapter.size(0));
        assertEquals(LinkSets.NONE, adapter.setOf(70));
        assertEquals(0, adapter.setOf(71));
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
        assertThrows(IllegalArgumentException.class,
            () -> Deployment.full(N612).withoutLink(N612.firstPort(24) + 127));
    }

    /** Without the elements from one on. */
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
}
