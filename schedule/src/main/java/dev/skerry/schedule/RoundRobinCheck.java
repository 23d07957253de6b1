package dev.skerry.schedule;

import java.util.Arrays;

/**
 * The invariants of a round robin, checked connection by connection, independently of its columns (docs/spec/shoal.md
 * §2.1 and §2.3). S1: a column is a partial permutation without fixed point. S2, S5: an epoch connects every ordered
 * pair exactly once. S3: both views of a column agree. S4: re-arranged, all gaps are the same half epoch. For set-up.
 */
final class RoundRobinCheck {
    private static final int NEVER = -1;

    private RoundRobinCheck() {
    }

    /**
     * Checks a schedule.
     *
     * @throws IllegalStateException if an invariant is broken; the message names it and the place.
     */
    static void check(final RoundRobin schedule) {
        final int nodes = schedule.nodes();
        final int[] columnOfPair = new int[nodes * nodes];
        Arrays.fill(columnOfPair, NEVER);
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                checkColumn(schedule, channel, slot, columnOfPair);
            }
        }
        checkPairs(schedule, columnOfPair);
    }

    private static void checkColumn(final RoundRobin schedule, final int channel, final int slot,
        final int[] columnOfPair) {
        final int nodes = schedule.nodes();
        int senders = 0;
        int receivers = 0;
        for (int node = 0; node < nodes; node++) {
            receivers += schedule.senderAt(node, channel, slot) == Schedule.IDLE ? 0 : 1;
            final int peer = schedule.peerAt(node, channel, slot);
            if (peer == Schedule.IDLE) {
                continue;
            }
            senders++;
            refuseIf(peer == node || peer < 0 || peer >= nodes, "S1: a column connects a node to no other", channel,
                slot, node);
            refuseIf(schedule.senderAt(peer, channel, slot) != node, "S3: a receiver looks for another sender", channel,
                slot, node);
            refuseIf(columnOfPair[node * nodes + peer] != NEVER, "S5: a pair is connected twice", channel, slot, node);
            columnOfPair[node * nodes + peer] = channel * schedule.epochSlots() + slot;
        }
        // As many receivers as senders, and every receiver names its sender: no two senders share a receiver.
        refuseIf(senders != receivers, "S1: a column is no permutation", channel, slot, NEVER);
    }

    private static void checkPairs(final RoundRobin schedule, final int[] columnOfPair) {
        final int nodes = schedule.nodes();
        final int epoch = schedule.epochSlots();
        final int gap = (nodes - nodes % 2) / 2 / schedule.channels();
        for (int from = 0; from < nodes; from++) {
            for (int to = 0; to < nodes; to++) {
                if (from != to) {
                    final int there = columnOfPair[from * nodes + to];
                    final int back = columnOfPair[to * nodes + from];
                    final int channel = there / epoch;
                    final int slot = there % epoch;
                    refuseIf(there == NEVER || back == NEVER, "S2: a pair is never connected", NEVER, NEVER, from);
                    refuseIf(schedule.slotTo(from, to) != slot || schedule.channelTo(from, to) != channel,
                        "S2: a pair is looked for elsewhere", channel, slot, from);
                    refuseIf(schedule.isRearranged() && Math.floorMod(back - there, epoch) != gap,
                        "S4: a pair's directions are not half an epoch apart", channel, slot, from);
                }
            }
        }
    }

    private static void refuseIf(final boolean broken, final String what, final int channel, final int slot,
        final int node) {
        if (broken) {
            throw new IllegalStateException(what + ": channel=" + channel + " slotInEpoch=" + slot + " node=" + node);
        }
    }
}
