package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The worked examples of docs/spec/shoal.md §2.1-2.3 and what is refused. */
class RoundRobinTest {
    private static final int NEVER = -1;

    /** Figure 3 of the paper, and the examples of Appendix A: rows of nodes, counted from 1. */
    @ParameterizedTest
    @CsvSource({"8, false, 1 2 8, 2 3 4 5 6 7 8|3 4 5 6 7 8 1|1 2 3 4 5 6 7, 0",
        "7, true, 1 2 7, 2 3 4 7 6 5|3 4 5 1 7 6|1 2 3 6 5 4, 3",
        "8, true, 1 5 8, 2 3 4 5 8 7 6 -|6 7 8 - 4 3 2 1|1 2 3 - 7 6 5 4, 4"})
    void shouldConnectNodesAsInTheExamples(final int nodes, final boolean rearranged, final String some,
        final String rows, final int gap) {
        final RoundRobin schedule = rearranged ? RoundRobin.rearranged(nodes, 1, 0) : RoundRobin.plain(nodes, 1);
        assertEquals(rows, Arrays.stream(some.split(" ")).map(node -> row(schedule, Integer.parseInt(node)))
            .collect(Collectors.joining("|")));
        assertEquals(gap, schedule.minGapSlots());
        assertEquals(rearranged, schedule.isRearranged());
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
        assertArrayEquals(new int[] {128, 128, 64, 0}, new int[] {plain.epochSlots(), rearranged.epochSlots(),
            rearranged.minGapSlots(), plain.minGapSlots()});
        // column 0 on channel 0 in slot 0, its partner half an epoch and half the channels on
        assertArrayEquals(new int[] {1, 511, 129, 383}, new int[] {rearranged.shiftAt(0, 0), rearranged.shiftAt(2, 64),
            rearranged.shiftAt(1, 0), rearranged.shiftAt(3, 64)});
    }

    @Test
    void shouldFindThePlaceOfAPair() {
        final RoundRobin eight = RoundRobin.rearranged(8, 1, 3);
        assertArrayEquals(new int[] {3, 7, 4, 4}, new int[] {eight.slotTo(2, 6), eight.slotTo(6, 2),
            eight.gapSlots(2, 6), eight.gapSlots(6, 2)});
        assertArrayEquals(new int[] {1, 0, 0}, new int[] {RoundRobin.plain(8, 2).channelTo(7, 4),
            RoundRobin.plain(8, 2).slotTo(7, 4), RoundRobin.plain(8, 1).gapSlots(1, 5)});
        // there in slot 2, back in slot 4
        assertEquals(2, RoundRobin.plain(8, 1).gapSlots(5, 0));
        assertEquals(5, RoundRobin.plain(8, 1).gapSlots(0, 5));
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

    /** S1 to S5 of docs/spec/shoal.md §2, checked on every connection of an epoch. */
    @Test
    void shouldConnectEveryPairOfAnyFabricOnce() {
        for (final int nodes : sizes()) {
            final RoundRobin schedule = RoundRobin.plain(nodes, 1);
            assertEquals(nodes - 1, schedule.epochSlots());
            final int[] slotOf = slots(schedule);
            // a column of the base round robin is a whole permutation
            for (int slot = 0; slot < nodes - 1; slot++) {
                for (int node = 0; node < nodes; node++) {
                    if (schedule.peerAt(node, 0, slot) != (node + slot + 1) % nodes
                        || schedule.senderAt(node, 0, slot) != Math.floorMod(node - slot - 1, nodes)) {
                        fail(describe(schedule) + " slot=" + slot + " node=" + node);
                    }
                }
            }
            // 0, 1 .. N-2 for even N, 1, 3 .. N-2 for odd N
            final int step = 1 + nodes % 2;
            final BitSet expected = new BitSet();
            IntStream.iterate(step - 1, gap -> gap <= nodes - 2, gap -> gap + step).forEach(expected::set);
            assertEquals(expected, gaps(schedule, slotOf), describe(schedule));
        }
    }

    @Test
    void shouldConnectEveryPairOnceOverChannels() {
        for (int nodes = 2; nodes <= 64; nodes++) {
            for (int channels = 2; channels < Math.min(nodes, 10); channels++) {
                final RoundRobin schedule = RoundRobin.plain(nodes, channels);
                assertEquals((nodes - 1 + channels - 1) / channels, schedule.epochSlots());
                slots(schedule);
            }
        }
        slots(RoundRobin.plain(512, 4));
        slots(RoundRobin.plain(1024, 4));
        slots(RoundRobin.plain(1023, 4));
    }

    @Test
    void shouldLeaveHalfAnEpochBothWaysWhenRearranged() {
        for (final int nodes : sizes()) {
            final RoundRobin schedule = RoundRobin.rearranged(nodes, 1, 0);
            assertEquals(nodes - nodes % 2, schedule.epochSlots());
            assertEquals(only(nodes / 2), gaps(schedule, slots(schedule)), describe(schedule));
            checkIdle(schedule);
        }
    }

    @Test
    void shouldLeaveHalfAnEpochBothWaysOverChannelsToo() {
        int fabrics = 0;
        for (int channels = 2; channels <= 16; channels += 2) {
            for (int nodes = 2 * channels; nodes <= 64; nodes += 2 * channels) {
                final RoundRobin schedule = RoundRobin.rearranged(nodes, channels, 0);
                assertEquals(nodes / channels, schedule.epochSlots());
                assertEquals(only(schedule.epochSlots() / 2), gaps(schedule, slots(schedule)), describe(schedule));
                checkIdle(schedule);
                fabrics++;
            }
        }
        assertEquals(16 + 8 + 5 + 4 + 3 + 2 + 2 + 2, fabrics);
        slots(RoundRobin.rearranged(512, 4, 63));
        slots(RoundRobin.rearranged(1024, 4, 127));
    }

    /** Sizes and channels between those above, drawn: 64 fabrics of up to 1,024 nodes. */
    @Test
    void shouldConnectEveryPairOfDrawnFabricsOnce() {
        final Random random = new Random(19);
        for (int i = 0; i < 32; i++) {
            final int nodes = 65 + random.nextInt(RoundRobin.MAX_NODES - 64);
            slots(RoundRobin.plain(nodes, 1 + random.nextInt(nodes - 1)));
            final int channels = 2 + 2 * random.nextInt(16);
            final int even = 2 * channels * (1 + random.nextInt(RoundRobin.MAX_NODES / 2 / channels));
            final RoundRobin schedule = RoundRobin.rearranged(even, channels, 0);
            assertEquals(only(schedule.epochSlots() / 2), gaps(schedule, slots(schedule)), describe(schedule));
        }
    }

    /** S1, S2, S3, S5: the slot of every ordered pair, each met once, in columns that are partial permutations. */
    private static int[] slots(final RoundRobin schedule) {
        final int nodes = schedule.nodes();
        final int[] slotOf = new int[nodes * nodes];
        Arrays.fill(slotOf, NEVER);
        int met = 0;
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                final BitSet heard = new BitSet(nodes);
                for (int node = 0; node < nodes; node++) {
                    final int peer = schedule.peerAt(node, channel, slot);
                    if (peer == Schedule.IDLE) {
                        continue;
                    }
                    if (peer == node || heard.get(peer) || schedule.senderAt(peer, channel, slot) != node
                        || slotOf[node * nodes + peer] != NEVER || schedule.slotTo(node, peer) != slot
                        || schedule.channelTo(node, peer) != channel) {
                        fail(describe(schedule) + " channel=" + channel + " slot=" + slot + " node=" + node);
                    }
                    heard.set(peer);
                    slotOf[node * nodes + peer] = slot;
                    met++;
                }
                for (int node = 0; node < nodes; node++) {
                    assertEquals(heard.get(node), schedule.senderAt(node, channel, slot) != Schedule.IDLE);
                }
            }
        }
        assertEquals(nodes * (nodes - 1), met, describe(schedule));
        return slotOf;
    }

    private static BitSet gaps(final RoundRobin schedule, final int[] slotOf) {
        final int nodes = schedule.nodes();
        final BitSet gaps = new BitSet();
        for (int from = 0; from < nodes; from++) {
            for (int to = 0; to < nodes; to++) {
                if (from != to) {
                    final int gap = Math.floorMod(slotOf[to * nodes + from] - slotOf[from * nodes + to],
                        schedule.epochSlots());
                    if (schedule.gapSlots(from, to) != gap) {
                        fail(describe(schedule) + " from=" + from + " to=" + to);
                    }
                    gaps.set(gap);
                }
            }
        }
        assertEquals(gaps.nextSetBit(0), schedule.minGapSlots());
        return gaps;
    }

    /** With an even number of nodes one idle slot to send and one to receive, otherwise none. */
    private static void checkIdle(final RoundRobin schedule) {
        final int idle = schedule.nodes() % 2 == 0 ? 1 : 0;
        for (int node = 0; node < schedule.nodes(); node++) {
            int sends = 0;
            int receives = 0;
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                    sends += schedule.peerAt(node, channel, slot) == Schedule.IDLE ? 0 : 1;
                    receives += schedule.senderAt(node, channel, slot) == Schedule.IDLE ? 0 : 1;
                }
            }
            final int all = schedule.channels() * schedule.epochSlots();
            if (sends != all - idle || receives != all - idle) {
                fail(describe(schedule) + " node=" + node + " sends=" + sends + " receives=" + receives);
            }
        }
    }

    private static BitSet only(final int number) {
        final BitSet set = new BitSet();
        set.set(number);
        return set;
    }

    private static int[] sizes() {
        return IntStream.concat(IntStream.rangeClosed(2, 64), IntStream.of(512, 1024)).toArray();
    }

    private static String describe(final RoundRobin schedule) {
        return "nodes=" + schedule.nodes() + " channels=" + schedule.channels() + " rearranged="
            + schedule.isRearranged();
    }
}
