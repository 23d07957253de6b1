package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.schedule.Clos;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Wiring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Table 1 of the paper at N = 512, k = sqrt(2N) = 32 by failing parts of the fabric (docs/spec/shoal.md §5.5). */
class LostSlotsTest {
    private static final int NODES = 512;
    private static final int PORTS = 32;
    private static final int LEAVES = 32;
    private static final int SPINES = 16;

    private static final Clos BALANCED = clos(Clos.SpineRule.BALANCED);
    private static final Clos RECIPROCAL = clos(Clos.SpineRule.RECIPROCAL);

    /** 1/N: the slot to the node that is gone; exact. */
    @ParameterizedTest
    @EnumSource(value = Clos.SpineRule.class, names = {"BALANCED", "RECIPROCAL"})
    void shouldLoseOneSlotWithANodeOrItsLink(final Clos.SpineRule rule) {
        final Clos clos = clos(rule);
        final LostSlots lost = new LostSlots(clos.wiring());
        for (final int node : new int[]{0, 17, 300, 511}) {
            final int port = clos.wiring().ports().ofNode(node, 0, 0);
            for (final LostSlots.Share share : new LostSlots.Share[]{lost.ofNode(node), lost.ofLink(port),
                lost.ofLink(clos.wiring().target(port))}) {
                assertEquals(1.0 / 511, share.least(), 1e-12);
                assertEquals(1.0 / 511, share.mean(), 1e-12);
                assertEquals(1.0 / 511, share.most(), 1e-12);
            }
        }
        assertEquals(0.00196, 1.0 / 511, 0.000005);
    }

    /** 1/sqrt(2N): the slots to the nodes of the leaf; exact. */
    @ParameterizedTest
    @EnumSource(value = Clos.SpineRule.class, names = {"BALANCED", "RECIPROCAL"})
    void shouldLoseTheNodesOfALeaf(final Clos.SpineRule rule) {
        final Clos clos = clos(rule);
        final LostSlots lost = new LostSlots(clos.wiring());
        for (final int leaf : new int[]{0, 13, 31}) {
            final LostSlots.Share share = lost.ofSwitch(clos.leafSwitch(0, leaf));
            assertEquals(16.0 / 511, share.least(), 1e-12);
            assertEquals(0.03131, share.mean(), 0.000005);
            assertEquals(16.0 / 511, share.most(), 1e-12);
        }
    }

    /** 2/N on paper; some pairs lose both directions at once, so slightly less. */
    @Test
    void shouldLoseBothWaysOverALinkToASpine() {
        final double mean = meanOfSpineLinks(BALANCED);

        assertEquals(0.00378, mean, 0.000005);
        assertTrue(mean < 2.0 / 511);
    }

    /** 2 sqrt(2) / sqrt(N) on paper, 0.125. */
    @Test
    void shouldLoseBothWaysOverASpine() {
        final LostSlots lost = new LostSlots(BALANCED.wiring());
        final LostSlots.Share[] shares = each(SPINES, spine -> lost.ofSwitch(BALANCED.spineSwitch(0, spine)));

        assertEquals(0.1207, mean(shares), 0.00005);
        for (final LostSlots.Share share : shares) {
            assertTrue(share.least() >= 0.11545 && share.most() <= 0.12135, share.toString());
        }
    }

    @Test
    void shouldLoseHalfOfThatIfReciprocal() {
        final LostSlots lost = new LostSlots(RECIPROCAL.wiring());

        // 1/511, of which the specification prints 0.0019, and 0.0625
        assertEquals(1.0 / 511, meanOfSpineLinks(RECIPROCAL), 1e-9);
        assertEquals(0.0625, mean(each(SPINES, spine -> lost.ofSwitch(RECIPROCAL.spineSwitch(0, spine)))), 0.00005);
    }

    /** With fewer leaves than spines no node may depend on a few spines: the fabric of the paper's simulation. */
    @Test
    void shouldSpreadTheLossOfASpineOverAllNodes() {
        final Clos clos = Clos.of(RoundRobin.plain(NODES, 1), 64);
        final LostSlots lost = new LostSlots(clos.wiring());
        for (int spine = 0; spine < 32; spine += 4) {
            final LostSlots.Share share = lost.ofSwitch(clos.spineSwitch(0, spine));
            assertTrue(share.least() > 0.230 && share.most() < 0.241, share.toString());
        }
    }

    /** A phase group's switch cuts each of its nodes off the others of the group; no other node is affected. */
    @Test
    void shouldLoseAPhaseGroup() {
        final Phased schedule = new Phased(2, 4);
        final Wiring wiring = PhaseGroupSwitches.wiring(schedule);

        assertEquals(new LostSlots.Share(0, 0, 0), new LostSlots(wiring).ofSwitch(0));
        // node 6 has 3 peers in either phase
        assertEquals(new LostSlots.Share(6.0 / 6 / 15, 0, 1.0 / 6), new LostSlots(wiring).ofNode(6));
    }

    /** Over twice as many links as there are leaves: at least two of each leaf and each spine. */
    private static double meanOfSpineLinks(final Clos clos) {
        final LostSlots lost = new LostSlots(clos.wiring());
        return mean(each(2 * LEAVES, i -> lost.ofLink(clos.wiring().ports().ofSwitch(
            clos.leafSwitch(0, i % LEAVES), SPINES + (i + i / LEAVES * 5) % SPINES))));
    }

    private static LostSlots.Share[] each(final int count, final IntFunction<LostSlots.Share> ask) {
        return IntStream.range(0, count).mapToObj(ask).toArray(LostSlots.Share[]::new);
    }

    private static double mean(final LostSlots.Share[] shares) {
        double sum = 0;
        for (final LostSlots.Share share : shares) {
            sum += share.mean();
        }
        return sum / shares.length;
    }

    private static Clos clos(final Clos.SpineRule rule) {
        return new Clos(RoundRobin.plain(NODES, 1), PORTS, rule);
    }
}
