package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.tools.cosim.Twin.Words;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A follower through the rows of words and texts that C reads, beside the hardware of Shale's authors. */
final class FollowTwinTest {
    private static final int NODES = 9;
    private static final int TEXT_BYTES = 1 << 16;
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

    @SuppressWarnings("restricted")
    private static MemorySegment at(final long address, final long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /** Follows node 3; returns the last row of outputs. */
    private static long[] follow(final ModelHandle model, final int slots, final int silentIn) {
        final MemorySegment in = at(model.property(0), 8 * Long.BYTES);
        final MemorySegment out = at(model.property(0) + model.property(3) * 8 * Long.BYTES, 8 * Long.BYTES);
        final NodeCells cells = new NodeCells(1);
        for (int slot = 0; slot < slots; slot++) {
            Words.set(in, 0, 0, slot);
            trace.received(slot, 3, cells);
            set(in, 1, cells);
            trace.sent(slot, 3, cells);
            if (slot == silentIn) {
                cells.set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
            }
            set(in, 4, cells);
            Words.set(in, 0, 7, -1);
            model.steps(1);
            if (slot == silentIn) {
                break;
            }
        }
        return IntStream.range(0, 8).mapToLong(i -> Words.get(out, 0, i)).toArray();
    }

    private static void set(final MemorySegment in, final int first, final NodeCells cells) {
        Words.set(in, 0, first, cells.route(0));
        Words.set(in, 0, first + 1, cells.cell(0));
        Words.set(in, 0, first + 2, cells.feedback(0));
    }

    @Test
    void shouldFollowHardware() throws IOException {
        final ModelHandle model = open("");
        final long[] last = follow(model, 2000, -1);
        assertEquals(0, last[0], at(model.property(5), TEXT_BYTES).getString(0));
        assertEquals(-1, last[2]);
        assertEquals("", at(model.property(5), TEXT_BYTES).getString(0));
        model.close();
    }

    @Test
    void shouldSayWhatItFound() throws IOException {
        final ModelHandle model = open(" limit=3");
        final long[] last = follow(model, 2000, 77);
        assertEquals(0, last[2], "schedule");
        assertEquals(77 % 4, last[3]);
        assertEquals(last[0], last[1]);
        final String text = at(model.property(5), TEXT_BYTES).getString(0);
        assertTrue(text.startsWith("first: slot 77 node 3 link 1: schedule: expected a cell or a dummy, seen nothing"
            + "\n"), text);
        model.close();
        final ModelHandle permitted = open(" mayBeSilent=1");
        assertEquals(0, follow(permitted, 2000, 77)[0]);
        permitted.close();
    }

    /** Names of rows and of every probe there is, in lines. */
    @Test
    void shouldListNames() throws IOException {
        final ModelHandle follower = open("");
        final List<String> lines = at(follower.property(4), TEXT_BYTES).getString(0).lines().toList();
        assertEquals("slot rx_route rx_cell rx_feedback tx_route tx_cell tx_feedback joined", lines.getFirst());
        assertEquals("findings new law link destination sprays held open", lines.get(1));
        follower.close();
        final ModelHandle node = ModelHandle.open("shale-node node=1 nodes=4 h=2 workload=permutation");
        final String[] probes = at(node.property(4), TEXT_BYTES).getString(0).lines().toList().getLast().split(" ");
        assertTrue(List.of(probes).containsAll(List.of("queue0_length", "cells_held", "queue1_outstanding_d3n1")));
        node.close();
        ModelHandle.open("shale-node node=1 nodes=4 h=2 workload=permutation probes=" + String.join(",", probes))
            .close();
    }

    @Test
    void shouldRefuseWhatCannotBeFollowed() {
        assertThrows(IllegalArgumentException.class, () -> open(" cc=hbh+priority"));
        assertThrows(IllegalArgumentException.class, () -> open(" limit=0"));
        assertThrows(IllegalArgumentException.class, () -> open(" colour=red"));
        assertThrows(IllegalArgumentException.class,
            () -> ModelHandle.open("shale-follower node=9 nodes=9 workload=permutation"));
    }

    /** Two nodes of Shoal with two channels, joined; each is followed. What one lets out of a turn is found. */
    @Test
    void shouldFollowNodesOfShoal() {
        final String line = " nodes=3 channels=2 propagation=1 workload=permutation";
        final Arena arena = Arena.ofAuto();
        final Twin[] nodes = new Twin[3];
        final Twin[] followers = new Twin[3];
        final MemorySegment[] sent = new MemorySegment[3];
        for (int node = 0; node < 3; node++) {
            nodes[node] = Description.of("shoal-node node=" + node + line).twin(arena);
            followers[node] = Description.of("shoal-follower node=" + node + line).twin(arena);
            assertEquals(14, followers[node].names().inputs().length);
            sent[node] = arena.allocate(ValueLayout.JAVA_LONG, 6);
        }
        final MemorySegment[] rows = {row(arena), row(arena), row(arena)};
        final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, 8);
        for (int slot = 0; slot < 200; slot++) {
            for (int node = 0; node < 3; node++) {
                Words.set(rows[node], 0, 0, slot);
                // Each of three nodes sends to both others in every slot: on channel c to the node c + 1 further on.
                for (int channel = 0; channel < 2; channel++) {
                    MemorySegment.copy(sent[(node + 2 - channel) % 3], channel * 24L, rows[node], 8 + channel * 24L,
                        24);
                }
            }
            for (int node = 0; node < 3; node++) {
                nodes[node].step(rows[node], 0, sent[node], 0);
                MemorySegment.copy(sent[node], 0, rows[node], 56, 48);
                if (slot == 199 && node == 1) {
                    Words.set(rows[node], 0, 7, InFlightCells.SILENCE);
                }
                followers[node].step(rows[node], 0, out, 0);
                final boolean planted = slot == 199 && node == 1;
                assertEquals(planted ? 1 : 0, Math.min(Words.get(out, 0, 0), 1), followers[node].report());
                assertEquals(planted ? 0 : -1, Words.get(out, 0, 2));
            }
        }
        assertThrows(IllegalArgumentException.class, () -> followers[0].registers());
        assertThrows(IllegalArgumentException.class, () -> followers[0].beginAt(5));
        assertThrows(IllegalArgumentException.class,
            () -> Description.of("shoal-follower node=0 queueCells=5" + line).twin(arena));
        Arrays.stream(nodes).forEach(Twin::close);
    }

    /** A row in which nothing has come yet. */
    private static MemorySegment row(final Arena arena) {
        final MemorySegment row = arena.allocate(ValueLayout.JAVA_LONG, 14);
        for (int word = 1; word < 14; word++) {
            Words.set(row, 0, word, -1);
        }
        return row;
    }
}
