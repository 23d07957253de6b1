package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The worked examples of docs/spec/shoal.md §2.1-2.3 and what is refused. */
class RoundRobinTest {
    /** Figure 3 of the paper. */
    @Test
    void shouldConnectEightNodesAsInTheFigure() {
        final RoundRobin eight = RoundRobin.plain(8, 1);

        assertEquals(7, eight.epochSlots());
        assertEquals("2 3 4 5 6 7 8", row(eight, 1));
        assertEquals("3 4 5 6 7 8 1", row(eight, 2));
        assertEquals("1 2 3 4 5 6 7", row(eight, 8));
    }

    @Test
    void shouldRearrangeSevenNodesAsInTheExample() {
        final RoundRobin seven = RoundRobin.rearranged(7, 1, 0);

        assertEquals("2 3 4 7 6 5", row(seven, 1));
        assertEquals("3 4 5 1 7 6", row(seven, 2));
        assertEquals("1 2 3 6 5 4", row(seven, 7));
        assertEquals(3, seven.minGapSlots());
    }

    @Test
    void shouldRearrangeEightNodesAsInTheExample() {
        final RoundRobin eight = RoundRobin.rearranged(8, 1, 0);

        assertEquals("2 3 4 5 8 7 6 -", row(eight, 1));
        assertEquals("6 7 8 - 4 3 2 1", row(eight, 5));
        assertEquals("1 2 3 - 7 6 5 4", row(eight, 8));
        assertEquals(4, eight.minGapSlots());
    }

    @Test
    void shouldSpreadColumnsOverChannels() {
        final RoundRobin eight = RoundRobin.plain(8, 2);

        assertEquals(4, eight.epochSlots());
        assertArrayEquals(new int[]{1, 2, 3, 4}, shifts(eight, 0));
        assertArrayEquals(new int[]{5, 6, 7, 0}, shifts(eight, 1));
        assertEquals(Schedule.IDLE, eight.peerAt(3, 1, 3));
        assertEquals(Schedule.IDLE, eight.senderAt(3, 1, 3));
        assertEquals(0, eight.endSenderAt(1, 3));
        // 9 shifts on 4 channels of 3 slots: one channel stays dark
        assertArrayEquals(new int[]{0, 0, 0}, shifts(RoundRobin.plain(10, 4), 3));
    }

    /** Appendix A costs the largest fabric of the paper only the rounding of 127.75 slots. */
    @Test
    void shouldRearrangeFourChannelsInTheSameEpoch() {
        final RoundRobin plain = RoundRobin.plain(512, 4);
        final RoundRobin rearranged = RoundRobin.rearranged(512, 4, 63);

        assertEquals(128, plain.epochSlots());
        assertEquals(128, rearranged.epochSlots());
        assertEquals(64, rearranged.minGapSlots());
        assertEquals(0, plain.minGapSlots());
        // column 0 on channel 0 in slot 0, its partner half an epoch and half the channels on
        assertEquals(1, rearranged.shiftAt(0, 0));
        assertEquals(511, rearranged.shiftAt(2, 64));
        assertEquals(129, rearranged.shiftAt(1, 0));
        assertEquals(383, rearranged.shiftAt(3, 64));
    }

    @Test
    void shouldFindThePlaceOfAPair() {
        final RoundRobin eight = RoundRobin.rearranged(8, 1, 3);

        assertEquals(3, eight.slotTo(2, 6));
        assertEquals(7, eight.slotTo(6, 2));
        assertEquals(4, eight.gapSlots(2, 6));
        assertEquals(4, eight.gapSlots(6, 2));
        assertEquals(1, RoundRobin.plain(8, 2).channelTo(7, 4));
        assertEquals(0, RoundRobin.plain(8, 2).slotTo(7, 4));
        assertEquals(0, RoundRobin.plain(8, 1).gapSlots(1, 5));
        // there in slot 2, back in slot 4
        assertEquals(2, RoundRobin.plain(8, 1).gapSlots(5, 0));
        assertEquals(5, RoundRobin.plain(8, 1).gapSlots(0, 5));
    }

    @Test
    void shouldKnowEpochsOfDistantSlots() {
        final long epochs = 1_000_000_007L * 1_000_009L;

        assertEquals(5, RoundRobin.plain(8, 1).slotInEpoch(epochs * 7 + 5));
        assertEquals(127, RoundRobin.plain(512, 4).slotInEpoch(epochs * 128 + 127));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, nodes=1", "1025, 1, nodes=1025", "8, 0, channels=0", "8, 8, channels=8"})
    void shouldRefuseFabricsThatDoNotExist(final int nodes, final int channels, final String named) {
        refused(named, () -> RoundRobin.plain(nodes, channels));
        refused(named, () -> RoundRobin.rearranged(nodes, channels, 0));
    }

    @ParameterizedTest
    @CsvSource({"9, 2", "8, 3", "12, 4", "510, 4", "7, 3"})
    void shouldRefuseChannelsThatCannotBeRearranged(final int nodes, final int channels) {
        refused("nodes=" + nodes + " channels=" + channels, () -> RoundRobin.rearranged(nodes, channels, 0));
    }

    /** A receiver that applies a cell after its own transmission of that slot needs one slot more than the delay. */
    @ParameterizedTest
    @CsvSource({"7, 1, 3", "8, 1, 4", "8, 2, 2", "512, 4, 64", "2, 1, 1", "3, 1, 1"})
    void shouldRefuseADelayThatTheGapDoesNotCover(final int nodes, final int channels, final int gapSlots) {
        assertEquals(gapSlots, RoundRobin.rearranged(nodes, channels, gapSlots - 1).minGapSlots());
        refused("propagationSlots=" + gapSlots, () -> RoundRobin.rearranged(nodes, channels, gapSlots));
        refused("propagationSlots=-1", () -> RoundRobin.rearranged(nodes, channels, -1));
    }

    private static void refused(final String named, final Runnable made) {
        final String message = assertThrows(IllegalArgumentException.class, made::run).getMessage();
        assertTrue(message.contains(named), message);
    }

    /** The peers of a node, both counted from 1 as in the paper. */
    private static String row(final RoundRobin schedule, final int node) {
        return IntStream.range(0, schedule.epochSlots()).map(slot -> schedule.peerAt(node - 1, 0, slot))
            .mapToObj(peer -> peer == Schedule.IDLE ? "-" : Integer.toString(peer + 1))
            .collect(Collectors.joining(" "));
    }

    private static int[] shifts(final RoundRobin schedule, final int channel) {
        return IntStream.range(0, schedule.epochSlots()).map(slot -> schedule.shiftAt(channel, slot)).toArray();
    }

    /** In a halved column of Appendix A only half of the nodes send. */
    @Test
    void shouldNameTheSendersOfEveryColumn() {
        for (final RoundRobin schedule : new RoundRobin[] {RoundRobin.rearranged(8, 1, 0),
            RoundRobin.rearranged(16, 4, 0), RoundRobin.rearranged(7, 1, 0), RoundRobin.plain(8, 3)}) {
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                    for (int node = 0; node < schedule.nodes(); node++) {
                        final boolean sends = node >= schedule.firstSenderAt(channel, slot)
                            && node < schedule.endSenderAt(channel, slot);
                        assertEquals(sends, schedule.peerAt(node, channel, slot) != Schedule.IDLE,
                            "nodes=" + schedule.nodes() + " channel=" + channel + " slot=" + slot + " node=" + node);
                    }
                }
            }
        }
        assertEquals(4, RoundRobin.rearranged(8, 1, 0).firstSenderAt(0, 7));
        assertEquals(8, RoundRobin.rearranged(8, 1, 0).endSenderAt(0, 7));
    }
}
