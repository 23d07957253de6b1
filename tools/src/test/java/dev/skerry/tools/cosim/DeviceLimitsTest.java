package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.TwinRig.DUMMY;
import static dev.skerry.tools.cosim.TwinRig.choice;
import static dev.skerry.tools.cosim.TwinRig.step;
import static dev.skerry.tools.cosim.TwinRig.twin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.cosim.DeviceNode.NodeLimits;
import dev.skerry.tools.run.NodeChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Devices with limited hardware: nine of them are a fabric, and a follower of each that is told the limit finds
 * nothing, while one that is told none, or another, does.
 */
final class DeviceLimitsTest {
    private static final int NODES = 9;
    private static final int EPOCH = 4;
    private static final int PROPAGATION = 3;
    private static final long NONE = -1;
    private static final String RUN = " nodes=9 h=2 tokens=1 propagation=3 sprayTies=lowest ";
    private static final int SLOTS = 160;

    private static Map<String, String> values(final String limits) {
        return new TreeMap<>(Description.of(("x " + limits).strip()).values());
    }

    /** The node whose cell of a slot arrives at a node. */
    private static int sender(final int node, final long slot) {
        final int position = (int) (slot % EPOCH);
        final int weight = position < 2 ? 1 : 3;
        final int digit = node / weight % 3;
        return node + ((digit + 2 - position % 2) % 3 - digit) * weight;
    }

    /** Runs nine devices and a follower of each; returns the findings of all. */
    private long run(final String flows, final String device, final String follower, final boolean shuffles) {
        final NodeChoice choice = choice("shale", RUN + flows);
        final Twin[] nodes = new Twin[NODES];
        final Twin[] followers = new Twin[NODES];
        for (int node = 0; node < NODES; node++) {
            nodes[node] = new NodeTwin(choice, node, "", DeviceNode.Timing.USUAL, NodeLimits.of(values(device)));
            followers[node] = new FollowTwin(choice, node, NodeLimits.rules(values(follower), false), 20);
        }
        final long[][][] sent = new long[SLOTS][NODES][];
        for (int slot = 0; slot < SLOTS; slot++) {
            for (int node = 0; node < NODES; node++) {
                final int before = slot - PROPAGATION;
                final long[] in = before < 0 ? DUMMY : sent[before][sender(node, before)];
                if (shuffles) {
                    reverse(nodes[node], slot % EPOCH);
                }
                sent[slot][node] = Arrays.copyOf(step(nodes[node], slot, in[0], in[1], in[2]), 3);
                final long[] out = sent[slot][node];
                step(followers[node], slot, in[0], in[1], in[2], out[0], out[1], out[2], NONE);
            }
        }
        long findings = 0;
        for (int node = 0; node < NODES; node++) {
            findings += followers[node].reported();
            nodes[node].close();
        }
        return findings;
    }

    /** The last cell of a queue comes first, as in a store without an order. */
    private static void reverse(final Twin node, final int link) {
        final String name = "queue" + link + "_cells";
        final long[] words = node.registers().get(name);
        final long[] reversed = new long[words.length];
        for (int at = 0; at < words.length; at += 5) {
            System.arraycopy(words, at, reversed, words.length - 5 - at, 5);
        }
        node.registers().set(name, reversed);
    }

    @ParameterizedTest
    @CsvSource({
        "workload=permutation seed=1 firstHopTokens=2, tokensASlot=1, tokensASlot=2",
        "workload=permutation seed=1 firstHopTokens=4, owedFifo=1, owedFifo=3 full=drop",
        "workload=permutation seed=1 firstHopTokens=4, queueCells=2, queueCells=3 full=drop",
    })
    void shouldBeFollowedByWhoKnowsTheLimit(final String flows, final String limit, final String other) {
        final String told = limit.startsWith("tokens") ? limit : limit + " full=drop";
        assertEquals(0, run(flows, limit, told, false));
        assertTrue(run(flows, limit, other, false) > 0, "another limit is not seen");
        assertTrue(run(flows, limit, "", false) > 0, "the limit is not seen");
        assertTrue(run(flows, "", told, false) > 0, "a device without the limit is not seen");
    }

    /** Where the FIFO of owed tokens is full, cells wait that would owe another one. */
    @Test
    void shouldFollowADeviceThatStalls() {
        final String flows = "workload=permutation seed=1 firstHopTokens=4";
        final String stalls = "owedFifo=1 full=stall";
        assertEquals(0, run(flows, stalls, stalls, false));
        assertEquals(0, run(flows, stalls + " tokensASlot=1", stalls + " tokensASlot=1", false));
        assertTrue(run(flows, stalls, "", false) > 0, "cells that wait are not missed");
        assertTrue(run(flows, stalls, "owedFifo=1 full=drop", false) > 0, "a device that loses nothing is not seen");
        assertTrue(run(flows, stalls, "owedFifo=2 full=stall", false) > 0, "another limit is not seen");
        assertTrue(run(flows, "", stalls, false) > 0, "a device without the limit is not seen");
        assertTrue(run(flows, "owedFifo=1", stalls, false) > 0, "a device that loses tokens is not seen");
    }

    /** What has no room is a finding of capacity, where the device is said to count. */
    @ParameterizedTest
    @CsvSource({"owedFifo=1", "queueCells=2"})
    void shouldCountWhatHasNoRoom(final String limit) {
        final String flows = "workload=permutation seed=1 firstHopTokens=4";
        assertTrue(run(flows, "", limit, false) > 0);
        assertEquals(0, run(flows, "", limit.replaceAll("\\d", "99"), false));
    }

    @Test
    void shouldFollowAStoreWithoutOrder() {
        final String flows = "workload=permutation seed=1 firstHopTokens=4";
        assertEquals(0, run(flows, "", "order=free", true));
        assertTrue(run(flows, "", "", true) > 0);
        assertEquals(0, run(flows, "", "order=free", false));
    }

    /** A counter of one bit shows whether the value is odd. */
    @Test
    void shouldWrapCounters() {
        final String run = "shale-node node=5" + RUN + "workload=permutation firstHopTokens=4 ";
        final Twin full = twin(run + "probes=queue1_outstanding,queue1_head");
        final Twin bit = twin(run + "probes=queue1_outstanding,queue1_head registerBits=1");
        long most = 0;
        for (int slot = 0; slot < 40; slot++) {
            final long[] one = step(full, slot, NONE, 0, NONE);
            final long[] other = step(bit, slot, NONE, 0, NONE);
            most = Math.max(most, one[3]);
            assertEquals(one[3] & 1, other[3]);
            assertEquals(one[4], other[4]);
        }
        assertTrue(most > 1, "most=" + most);
        full.close();
        bit.close();
    }
}
