package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.stream.IntStream;

/** S1 to S5 of docs/spec/shoal.md §2, checked on every connection of an epoch. */
class RoundRobinInvariantsTest {
    private static final int NEVER = -1;

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

    /** All gaps, each compared with the schedule's answer. */
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
