package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The invariants of docs/spec/shale.md §2.2 in every fabric of up to 512 nodes and in the largest of more phases; in
 * the long test in every fabric of up to 4096 nodes.
 *
 * <p>With one phase the work grows with the cube of the largest radix, so above {@link #WHOLE_RADIX} most radixes are
 * checked in some slots for all nodes and for some nodes in all slots; those of {@link #LARGE_RADIXES} entirely.
 */
class PhasedInvariantsTest {
    private static final int WHOLE_RADIX = 150;
    private static final BitSet LARGE_RADIXES = of(511, 512, 1023, 1024);
    private static final long DISTANT_EPOCH = 1L << 40;

    @Test
    void shouldHoldInEveryFabric() {
        // radix 2 .. 512, 22, 8, 4, 3, 2, 2, 2
        assertEquals(511 + 21 + 7 + 3 + 2 + 1 + 1 + 1, checkFabrics(512));
    }

    @Tag("long")
    @Test
    void shouldHoldInEveryLargeFabric() {
        // radix 2 .. 4096, 64, 16, 8, 5, 4, 3, 2
        assertEquals(4095 + 63 + 15 + 7 + 4 + 3 + 2 + 1, checkFabrics(4096));
    }

    private static int checkFabrics(final int most) {
        int fabrics = 0;
        for (int phases = 1; phases <= Phased.MAX_PHASES; phases++) {
            for (int radix = 2; Math.pow(radix, phases) <= most; radix++) {
                final Phased schedule = new Phased(phases, radix);
                final boolean whole = phases > 1 || radix <= WHOLE_RADIX || LARGE_RADIXES.get(radix);
                final int slots = schedule.epochSlots();
                for (int slot = 0; slot < slots; slot = whole ? slot + 1 : next(slot, slots)) {
                    checkSlot(schedule, slot);
                }
                checkNodes(schedule, whole);
                fabrics++;
            }
        }
        return fabrics;
    }

    @ParameterizedTest
    @CsvSource({"2, 64", "3, 16", "4, 8", "5, 5", "6, 4", "7, 3"})
    void shouldHoldInTheLargestFabrics(final int phases, final int radix) {
        checkWhole(new Phased(phases, radix));
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {2048, 3001, 4096})
    void shouldHoldInEverySlotOfALargeFabric(final int radix) {
        checkWhole(new Phased(1, radix));
    }

    private static void checkWhole(final Phased schedule) {
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            checkSlot(schedule, slot);
        }
        checkNodes(schedule, true);
    }

    /** Invariants 1, 3, 4 and 5: a permutation without fixed points, its inverse, the way back, the period. */
    private static void checkSlot(final Phased schedule, final int slot) {
        final int phase = slot / schedule.linksPerPhase();
        final int link = slot % schedule.linksPerPhase();
        final int back = schedule.reverseLink(link);
        final long later = slot + DISTANT_EPOCH * schedule.epochSlots();
        final BitSet reached = new BitSet(schedule.nodes());
        final long[] senders = new long[schedule.nodes()];
        schedule.senders(slot, 0, schedule.nodes(), senders);
        for (int node = 0; node < schedule.nodes(); node++) {
            final int peer = schedule.peerOf(node, (long) slot);
            reached.set(peer);
            if (peer == node || schedule.peerOf(node, phase, link) != peer || schedule.peerOf(node, later) != peer
                || schedule.senderTo(peer, (long) slot) != node || schedule.senderTo(peer, phase, link) != node
                || senders[peer] != node || schedule.senderTo(peer, later) != node
                || schedule.peerOf(peer, phase, back) != node || schedule.linkTowards(node, peer, phase) != link
                || schedule.linkTowards(peer, node, phase) != back) {
                fail(describe(schedule) + " slot=" + slot + " node=" + node + " peer=" + peer);
            }
        }
        // as many peers as nodes: every node receives exactly one cell, and none beyond the last node does
        if (reached.cardinality() != schedule.nodes() || reached.length() != schedule.nodes()) {
            fail(describe(schedule) + " slot=" + slot + " is no permutation");
        }
    }

    /** Invariant 2: in an epoch a node meets each node at distance 1 once, and no other. */
    private static void checkNodes(final Phased schedule, final boolean whole) {
        final Coordinates coordinates = schedule.coordinates();
        final int[] metBy = new int[schedule.nodes()];
        Arrays.fill(metBy, -1);
        for (int node = 0; node < schedule.nodes(); node = whole ? node + 1 : next(node, schedule.nodes())) {
            for (int phase = 0; phase < schedule.phases(); phase++) {
                for (int link = 0; link < schedule.linksPerPhase(); link++) {
                    final int peer = schedule.peerOf(node, phase, link);
                    final int weight = coordinates.weight(phase);
                    final boolean neighbour = peer % weight == node % weight && peer != node
                        && peer / weight / schedule.radix() == node / weight / schedule.radix();
                    if (!neighbour || metBy[peer] == node) {
                        fail(describe(schedule) + " node=" + node + " phase=" + phase + " link=" + link);
                    }
                    // E different neighbours are all of them
                    metBy[peer] = node;
                }
            }
        }
    }

    /** Visits 0, 1, 2, the middle and the last two of {@code end} numbers. */
    private static int next(final int at, final int end) {
        if (at < 2 || at >= end - 2) {
            return at + 1;
        }
        return at < end / 2 ? end / 2 : end - 2;
    }

    private static String describe(final Phased schedule) {
        return "phases=" + schedule.phases() + " radix=" + schedule.radix();
    }

    private static BitSet of(final int... numbers) {
        final BitSet set = new BitSet();
        for (final int number : numbers) {
            set.set(number);
        }
        return set;
    }
}
