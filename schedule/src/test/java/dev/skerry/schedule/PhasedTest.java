package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

/** The worked examples of docs/spec/shale.md §2.3. */
class PhasedTest {
    private static final Phased NINE = new Phased(2, 3);
    private static final Phased SIXTEEN = new Phased(2, 4);

    @Test
    void shouldConnectNineNodesAsInTheExample() {
        assertEquals(4, NINE.epochSlots());
        assertArrayEquals(new int[]{1, 2, 0, 4, 5, 3, 7, 8, 6}, peers(NINE, 0));
        assertArrayEquals(new int[]{2, 0, 1, 5, 3, 4, 8, 6, 7}, peers(NINE, 1));
        assertArrayEquals(new int[]{3, 4, 5, 6, 7, 8, 0, 1, 2}, peers(NINE, 2));
        assertArrayEquals(new int[]{6, 7, 8, 0, 1, 2, 3, 4, 5}, peers(NINE, 3));
        assertArrayEquals(new int[]{1, 0, 3, 2}, reverseSlots(NINE));
    }

    @Test
    void shouldConnectSixteenNodesAsInTheExample() {
        assertEquals(6, SIXTEEN.epochSlots());
        for (int slot = 0; slot < 6; slot++) {
            final int up = slot % 3 + 1;
            final boolean low = slot < 3;
            final int[] expected = IntStream.range(0, 16)
                .map(node -> low ? node / 4 * 4 + (node + up) % 4 : (node + 4 * up) % 16).toArray();
            assertArrayEquals(expected, peers(SIXTEEN, slot));
        }
        assertArrayEquals(new int[]{7, 4, 5, 10, 14, 2},
            IntStream.range(0, 6).map(slot -> SIXTEEN.peerOf(6, (long) slot)).toArray());
        assertArrayEquals(new int[]{5, 4, 7, 2, 14, 10},
            IntStream.range(0, 6).map(slot -> SIXTEEN.senderTo(6, (long) slot)).toArray());
        assertArrayEquals(new int[]{2, 1, 0, 5, 4, 3}, reverseSlots(SIXTEEN));
    }

    /** Senders to consecutive nodes, for every beginning and end, and no others. */
    @Test
    void shouldListTheSendersToSomeNodes() {
        for (int slot = 0; slot < 6; slot++) {
            for (int first = 0; first <= 16; first++) {
                for (int count = 0; count <= 16 - first; count++) {
                    final long[] senders = new long[count + 1];
                    senders[count] = -1;
                    SIXTEEN.senders(slot, first, count, senders);
                    for (int i = 0; i < count; i++) {
                        assertEquals(SIXTEEN.senderTo(first + i, (long) slot), senders[i], "slot=" + slot);
                    }
                    assertEquals(-1, senders[count]);
                }
            }
        }
    }

    /** AA, BA, BB, CB, CC of the paper: one hop every second slot without propagation delay. */
    @Test
    void shouldLeadAlongThePathOfThePaper() {
        final int[] path = {0, 1, 4, 5, 8};
        for (int hop = 0; hop < 4; hop++) {
            assertEquals(path[hop + 1], NINE.peerOf(path[hop], 2L * hop));
            assertEquals(path[hop], NINE.senderTo(path[hop + 1], 2L * hop));
            assertEquals(0, NINE.linkTowards(path[hop], path[hop + 1], hop % 2));
        }
        // sprayed to node 4 in phase 1: the direct hops follow in phases 0 and 1
        assertEquals(0, NINE.coordinates().nextDifference(4, 8, 1));
        assertEquals(1, NINE.coordinates().nextDifference(5, 8, 0));
    }

    /** The first slot in which each node of that path can return a token after it has forwarded the cell. */
    @Test
    void shouldReachBackInTheSlotsOfTheExample() {
        assertEquals(5, firstSlotTo(1, 0, 2));
        assertEquals(7, firstSlotTo(4, 1, 4));
        assertEquals(9, firstSlotTo(5, 4, 6));
    }

    @Test
    void shouldHaveASelfReverseLinkWithEvenRadixOnly() {
        for (int radix = 2; radix < 40; radix++) {
            final Phased schedule = new Phased(2, radix);
            for (int link = 0; link < radix - 1; link++) {
                assertEquals(radix % 2 == 0 && link == radix / 2 - 1, schedule.reverseLink(link) == link);
            }
        }
    }

    @Test
    void shouldKnowEpochsOfDistantSlots() {
        final long epochs = 1_000_000_007L * 4_000_000_007L;

        assertEquals(3, NINE.slotInEpoch(epochs / 4 * 4 + 3));
        assertEquals(NINE.peerOf(5, 3L), NINE.peerOf(5, epochs / 4 * 4 + 3));
        assertEquals(NINE.senderTo(5, 3L), NINE.senderTo(5, epochs / 4 * 4 + 3));
    }

    private static int[] peers(final Phased schedule, final long slot) {
        return IntStream.range(0, schedule.nodes()).map(node -> schedule.peerOf(node, slot)).toArray();
    }

    /** By slot of the epoch: the slot in which the receiver sends back. */
    private static int[] reverseSlots(final Phased schedule) {
        final int links = schedule.linksPerPhase();
        return IntStream.range(0, schedule.epochSlots())
            .map(slot -> slot / links * links + schedule.reverseLink(slot % links)).toArray();
    }

    private static long firstSlotTo(final int node, final int peer, final long from) {
        long slot = from;
        while (NINE.peerOf(node, slot) != peer) {
            slot++;
        }
        return slot;
    }
}
