package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.NodeTwinTest.FAULT_SLOTS;
import static dev.skerry.tools.cosim.TwinRig.CELL_WORDS;
import static dev.skerry.tools.cosim.TwinRig.DUMMY;
import static dev.skerry.tools.cosim.TwinRig.choice;
import static dev.skerry.tools.cosim.TwinRig.put;
import static dev.skerry.tools.cosim.TwinRig.step;
import static dev.skerry.tools.cosim.TwinRig.text;
import static dev.skerry.tools.cosim.TwinRig.twin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.run.NodeChoice;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A follower through the rows of words and texts that C reads, beside the hardware of Shale's authors. */
final class FollowTwinTest {
    private static final int NODES = 9;
    private static final int EPOCH = 4;
    private static final int PROPAGATION = 3;
    private static final long NONE = -1;
    private static final String RUN = " nodes=9 h=2 tokens=1 propagation=3 sprayTies=lowest ";
    private static final String LIMITED = "workload=permutation seed=1 firstHopTokens=4";
    private static final int LIMIT_SLOTS = 160;
    private static final int SLOTS = 2000;
    private static final int NEVER = SLOTS;
    private static HardwareTrace trace;

    @TempDir
    private Path folder;

    @BeforeAll
    static void read() throws IOException {
        trace = HardwareTrace.read("n9-h2-p0");
    }

    private ModelHandle open(final String more) throws IOException {
        final Path flows = Files.writeString(folder.resolve("flows.csv"), IntStream.range(0, NODES)
            .mapToObj(node -> node + "," + node + "," + (node + 1) % NODES + ",2440000,0")
            .collect(Collectors.joining("\n")));
        return ModelHandle.open("shale-follower node=3 nodes=9 h=2 tokens=1 firstHopTokens=1 propagation=0 flows="
            + flows + more);
    }

    /** Follows node 3; returns the last row of outputs. */
    private static long[] follow(final ModelHandle model, final int silentIn) {
        final NodeCells cells = new NodeCells(1);
        final long[] row = new long[8];
        long[] last = row;
        for (int slot = 0; slot < SLOTS && slot <= silentIn; slot++) {
            row[0] = slot;
            trace.received(slot, 3, cells);
            put(cells, row, 1, CELL_WORDS);
            trace.sent(slot, 3, cells);
            if (slot == silentIn) {
                cells.set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
            }
            put(cells, row, 4, CELL_WORDS);
            row[7] = -1;
            last = step(model, row);
        }
        return last;
    }

    @Test
    void shouldFollowHardware() throws IOException {
        final ModelHandle model = open("");
        final long[] last = follow(model, NEVER);
        assertEquals("", text(model, 5));
        assertEquals(0, last[0]);
        assertEquals(-1, last[2]);
        model.close();
    }

    @Test
    void shouldSayWhatItFound() throws IOException {
        final ModelHandle model = open(" limit=3");
        final long[] last = follow(model, 77);
        assertEquals(0, last[2], "schedule");
        assertEquals(77 % 4, last[3]);
        assertEquals(last[0], last[1]);
        final String text = text(model, 5);
        assertTrue(text.startsWith("first: slot 77 node 3 link 1: schedule: expected a cell or a dummy, seen nothing"
            + "\n"), text);
        model.close();
        final ModelHandle permitted = open(" mayBeSilent=1");
        assertEquals(0, follow(permitted, 77)[0]);
        permitted.close();
    }

    /** Names of rows and of every probe there is, in lines. */
    @Test
    void shouldListNames() throws IOException {
        final ModelHandle follower = open("");
        final List<String> lines = text(follower, 4).lines().toList();
        assertEquals("slot rx_route rx_cell rx_feedback tx_route tx_cell tx_feedback joined", lines.getFirst());
        assertEquals("findings new law link destination sprays held open", lines.get(1));
        follower.close();
        final ModelHandle node = ModelHandle.open("shale-node node=1 nodes=4 h=2 workload=permutation");
        final String[] probes = text(node, 4).lines().toList().getLast().split(" ");
        assertTrue(List.of(probes).containsAll(List.of("queue0_length", "cells_held", "queue1_outstanding_d3n1")));
        node.close();
        ModelHandle.open("shale-node node=1 nodes=4 h=2 workload=permutation probes=" + String.join(",", probes))
            .close();
    }

    /** Two nodes of Shoal with two channels, joined; each is followed. What one lets out of a turn is found. */
    @Test
    void shouldFollowNodesOfShoal() {
        final String line = " nodes=3 channels=2 propagation=1 workload=permutation";
        final Twin[] nodes = new Twin[3];
        final Twin[] followers = new Twin[3];
        final long[][] sent = new long[3][6];
        for (int node = 0; node < 3; node++) {
            nodes[node] = twin("shoal-node node=" + node + line);
            followers[node] = twin("shoal-follower node=" + node + line);
            assertEquals(14, followers[node].names().inputs().length);
        }
        for (int slot = 0; slot < 200; slot++) {
            final long[][] rows = new long[3][14];
            for (int node = 0; node < 3; node++) {
                Arrays.fill(rows[node], -1);
                rows[node][0] = slot;
                // Each of three nodes sends to both others in every slot: on channel c to the node c + 1 further on.
                for (int channel = 0; channel < 2 && slot > 0; channel++) {
                    System.arraycopy(sent[(node + 2 - channel) % 3], channel * 3, rows[node], 1 + channel * 3, 3);
                }
            }
            for (int node = 0; node < 3; node++) {
                sent[node] = step(nodes[node], Arrays.copyOf(rows[node], 7));
                System.arraycopy(sent[node], 0, rows[node], 7, 6);
                final boolean planted = slot == 199 && node == 1;
                rows[node][7] = planted ? InFlightCells.SILENCE : rows[node][7];
                final long[] found = step(followers[node], rows[node]);
                assertEquals(planted ? 1 : 0, Math.min(found[0], 1), followers[node].report());
                assertEquals(planted ? 0 : -1, found[2]);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> followers[0].registers());
        assertThrows(IllegalArgumentException.class, () -> followers[0].beginAt(5));
        Arrays.stream(nodes).forEach(Twin::close);
    }

    /** Nothing is found until a link that is up is silent. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"shale|1|nodes=16 h=2 propagation=5 workload=permutation",
        "shale|2|nodes=16 h=4 propagation=9 workload=permutation missLimit=2",
        "shoal|1|nodes=16 channels=1 propagation=5 workload=permutation"})
    void shouldFollowWhatItDidInTheFabric(final String kind, final int node, final String settings)
        throws IOException {
        final String fabricOf = settings + " faults="
            + Files.writeString(folder.resolve("script"), NodeTwinTest.SCRIPT);
        final NodeChoice run = choice(kind, fabricOf);
        final String all = fabricOf + " node=" + node;
        final Twin twin = twin(kind + "-node " + all);
        final Twin follower = twin(kind + "-follower " + all);
        final NodeCells cells = new NodeCells(1);
        final long[] in = new long[twin.names().inputs().length];
        try (FabricModel fabric = new FabricModel(FabricKind.partsOf(run.fabric()), run.flows(), run.faults())) {
            long[] found = {0, 0, -1};
            for (int slot = 0; slot < FAULT_SLOTS || found[0] == 0 && slot < 2 * FAULT_SLOTS; slot++) {
                fabric.step();
                fabric.received(node, cells);
                put(cells, in, 1, in.length - 1);
                in[0] = slot;
                final long[] out = step(twin, in);
                final boolean isPlanted = slot >= FAULT_SLOTS && InFlightCells.isCell(out[0]);
                out[0] = isPlanted ? -2 : out[0];
                found = step(follower, LongStream.concat(LongStream.concat(Arrays.stream(in), Arrays.stream(out)),
                    LongStream.of(-1)).toArray());
                assertEquals(isPlanted ? 1 : 0, found[0], "slot=" + slot + " " + follower.report());
            }
            assertEquals(0, found[2], "schedule");
        } finally {
            twin.close();
            follower.close();
        }
    }

    /** A cell that leaves with another payload than it came with. */
    @Test
    void shouldComparePayloads() {
        final Twin follower = twin("shale-follower node=0 nodes=9 h=2 propagation=0 pairs=2>8 payload=1");
        final long cell = Route.first(8, 1, 0);
        final long onwards = Route.first(8, 0, 0);
        assertEquals(0, step(follower, 0, cell, 0, -1, -1, 0, -1, 2, 0xabc, 0)[0]);
        assertEquals(0, step(follower, 1, -1, 0, -1, -1, 0, -1, -1, 0, 0)[0]);
        assertEquals(1, step(follower, 2, -1, 0, -1, onwards, 0, -1, -1, 0, 0xabd)[0]);
        assertEquals("first: slot 2 node 0 link 2: payload: expected cell 2>8 seq 0 with payload 0xabc, as at node 0 "
            + "in slot 0, seen 0xabd\n", follower.report());
        follower.close();
    }

    @Test
    void shouldTellAFollowerThatItsDeviceStops() {
        final Twin follower = twin("shale-follower node=0 nodes=16 propagation=0 failures=1");
        step(follower, 0, -1, 0, -1, -1, 0, -1, -1);
        follower.setDown(true);
        assertThrows(IllegalArgumentException.class, () -> follower.setDown(true));
        assertEquals(0, step(follower, 1, -2, 0, -1, -2, 0, -1, -1)[0], "a device that is down sends nothing");
        assertEquals(1, step(follower, 2, -2, 0, -1, -1, 0, -1, -1)[0], "a dummy");
        assertThrows(IllegalArgumentException.class, follower::registers);
        follower.close();
        final Twin sound = twin("shale-follower node=0 nodes=16 propagation=0");
        assertThrows(IllegalArgumentException.class, () -> sound.setDown(true));
        sound.close();
    }

    /** The node whose cell of a slot arrives at a node. */
    private static int sender(final int node, final long slot) {
        final int position = (int) (slot % EPOCH);
        final int weight = position < 2 ? 1 : 3;
        final int digit = node / weight % 3;
        return node + ((digit + 2 - position % 2) % 3 - digit) * weight;
    }

    /**
     * Runs nine devices with limited hardware and a follower of each; returns the findings of all: a follower that is
     * told the limit finds nothing, while one that is told none, or another, does.
     */
    private long run(final String flows, final String device, final String follower, final boolean shuffles) {
        final Twin[] nodes = new Twin[NODES];
        final Twin[] followers = new Twin[NODES];
        for (int node = 0; node < NODES; node++) {
            nodes[node] = twin("shale-node node=" + node + RUN + flows + " " + device);
            followers[node] = twin("shale-follower node=" + node + RUN + flows + " " + follower);
        }
        final long[][][] sent = new long[LIMIT_SLOTS][NODES][];
        for (int slot = 0; slot < LIMIT_SLOTS; slot++) {
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
        final String stalls = "owedFifo=1 full=stall";
        assertEquals(0, run(LIMITED, stalls, stalls, false));
        assertEquals(0, run(LIMITED, stalls + " tokensASlot=1", stalls + " tokensASlot=1", false));
        assertTrue(run(LIMITED, stalls, "", false) > 0, "cells that wait are not missed");
        assertTrue(run(LIMITED, stalls, "owedFifo=1 full=drop", false) > 0, "a device that loses nothing is not seen");
        assertTrue(run(LIMITED, stalls, "owedFifo=2 full=stall", false) > 0, "another limit is not seen");
        assertTrue(run(LIMITED, "", stalls, false) > 0, "a device without the limit is not seen");
        assertTrue(run(LIMITED, "owedFifo=1", stalls, false) > 0, "a device that loses tokens is not seen");
    }

    /** Devices that are late, or look at the first cells of a queue only. */
    @ParameterizedTest
    @CsvSource({"owedLatency=2, owedLatency=1", "owedLatency=10, owedLatency=5",
        "owedLatency=5 tokensASlot=1, owedLatency=5", "owedLatency=2 owedFifo=2 full=drop, owedFifo=2 full=drop",
        "owedLatency=2 owedFifo=2 full=stall, owedLatency=2 owedFifo=1 full=stall",
        "tokenDelay=3, tokenDelay=12", "cellDelay=1 tokenDelay=1, ''", "cellDelay=3, cellDelay=2",
        "order=receive-first, cellDelay=1", "scanDepth=1, scanDepth=2", "scanDepth=2, ''",
        "scanDepth=1 owedLatency=2 cellDelay=2 tokenDelay=5 order=receive-first, owedLatency=2 cellDelay=2"})
    void shouldFollowLateDevices(final String device, final String other) {
        assertEquals(0, run(LIMITED, device, device, false));
        assertTrue(run(LIMITED, device, other, false) > 0, "another delay is not seen");
        assertTrue(run(LIMITED, device, "", false) > 0, "the delay is not seen");
        assertTrue(device.startsWith("scanDepth") || run(LIMITED, "", device, false) > 0, "a device without it");
    }

    /** What has no room is a finding of capacity, where the device is said to count. */
    @ParameterizedTest
    @CsvSource({"owedFifo=1", "queueCells=2"})
    void shouldCountWhatHasNoRoom(final String limit) {
        assertTrue(run(LIMITED, "", limit, false) > 0);
        assertEquals(0, run(LIMITED, "", limit.replaceAll("\\d", "99"), false));
    }

    @Test
    void shouldFollowAStoreWithoutOrder() {
        assertEquals(0, run(LIMITED, "", "order=free", true));
        assertTrue(run(LIMITED, "", "", true) > 0);
        assertEquals(0, run(LIMITED, "", "order=free", false));
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
