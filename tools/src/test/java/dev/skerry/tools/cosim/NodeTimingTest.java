package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.run.NodeChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** How a device counts, and flows and registers that come while it runs, in models that a line of text describes. */
final class NodeTimingTest {
    private static final int EPOCH = 6;
    private static final long NONE = -1;

    private final Arena arena = Arena.ofAuto();

    private Twin twin(final String line) {
        return Description.of(line).twin(arena);
    }

    private long[] step(final Twin twin, final long... row) {
        final MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG, row);
        final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, twin.names().outputs().length);
        twin.step(in, 0, out, 0);
        return out.toArray(ValueLayout.JAVA_LONG);
    }

    /** What such a device receives at the start of a slot, one that sends first receives at the end of the last. */
    @ParameterizedTest
    @CsvSource({"shale, nodes=16 h=2 firstHopTokens=2 workload=permutation seed=3, 4, 5",
        "shoal, nodes=8 channels=2 workload=permutation seed=3, 0, 3"})
    void shouldReceiveFirst(final String fabric, final String run, final int propagation, final int node) {
        final NodeChoice choice = NodeChoice.of(fabric, Description.of("x propagation=" + propagation + " " + run)
            .values());
        final Twin twin = twin(fabric + "-node node=" + node + " order=receive-first propagation=" + (propagation + 1)
            + " " + run);
        final int channels = choice.fabric().channels();
        final NodeCells before = new NodeCells(channels);
        final NodeCells sent = new NodeCells(channels);
        long cells = 0;
        try (FabricModel model = new FabricModel(FabricKind.partsOf(choice.fabric()), choice.flows())) {
            for (int slot = 0; slot < 2000; slot++) {
                final long[] row = new long[1 + 3 * channels];
                row[0] = slot;
                final long[] expected = new long[3 * channels];
                model.step();
                model.sent(node, sent);
                for (int channel = 0; channel < channels; channel++) {
                    put(before, channel, row, 1 + 3 * channel);
                    put(sent, channel, expected, 3 * channel);
                    cells += sent.route(channel) == InFlightCells.NO_CELL ? 0 : 1;
                }
                assertArrayEquals(expected, step(twin, row), "slot=" + slot);
                model.received(node, before);
            }
        }
        assertTrue(cells > 1000, "cells=" + cells);
        twin.close();
    }

    private static void put(final NodeCells cells, final int channel, final long[] row, final int at) {
        row[at] = cells.route(channel);
        row[at + 1] = cells.cell(channel);
        row[at + 2] = cells.feedback(channel);
    }

    /** One token a link: after it has come back the next cell leaves on that link, as late as the device counts. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3, 8, 9, 13})
    void shouldCountTokensLater(final int delay) {
        final Twin twin = twin("shale-node node=5 nodes=16 h=2 firstHopTokens=1 propagation=1 pairs=5>10 tokenDelay="
            + delay);
        // The cell of slot 0 goes to node 4 or another neighbour on link 0; that link is link 2 seen from there, so
        // what comes back on it was sent in a slot of that position: slots 2, 8, 14.
        final long own = Route.bucket(10, 1);
        long next = NONE;
        for (long slot = 0; slot < 60 && next < 0; slot++) {
            final boolean returns = slot == 9;
            final long[] out = step(twin, slot, NONE, 0, returns ? 0xFFFFFFFF00000000L | own : NONE);
            next = slot > 0 && slot % EPOCH == 0 && out[0] != NONE ? slot : NONE;
        }
        assertEquals((9 + 1 + delay + EPOCH - 1) / EPOCH * EPOCH, next, "delay=" + delay);
        twin.close();
    }

    @Test
    void shouldBeginAtASlot() {
        final Twin twin = twin("shale-node node=5 nodes=16 propagation=3 pairs=5>10,1>2 start=100");
        assertEquals(100, twin.slot());
        assertThrows(IllegalArgumentException.class, () -> step(twin, 0, NONE, 0, NONE));
        assertEquals(Route.first(10, 1, 100), step(twin, 100, NONE, 0, NONE)[0]);
        twin.close();
    }

    /** A device in mid-run: one model goes on, and one that was given its registers. */
    @Test
    void shouldGoOnFromRegistersBehindTheLibrary() {
        final String line = "shale-node node=5 nodes=16 h=2 firstHopTokens=2 propagation=4 offers=8 probes=all";
        final ModelHandle first = ModelHandle.open(line);
        final ModelHandle second = ModelHandle.open(line);
        for (final ModelHandle each : new ModelHandle[] {first, second}) {
            assertEquals(0, each.offer(0, 5, 9, 1_000));
            assertEquals(1, each.offer(3, 2, 5, 10));
            assertEquals(2, each.offer(3, 5, 2, 20));
        }
        for (int slot = 0; slot < 50; slot++) {
            step(first, slot);
        }
        second.copyFrom(first);
        assertArrayEquals(new long[] {50}, second.get("slot"));
        assertTrue(first.get("queue0_outstanding_d9n1")[0] > 0);
        assertArrayEquals(first.get("flow2_sent"), second.get("flow2_sent"));
        assertThrows(IllegalArgumentException.class, () -> second.set("slot", new long[] {60}));
        assertThrows(IllegalArgumentException.class, () -> second.set("queue0_pointer", new long[] {1}));
        assertThrows(IllegalArgumentException.class, () -> second.offer(49, 5, 9, 1));
        for (int slot = 50; slot < 300; slot++) {
            final long[] one = step(first, slot);
            final long[] other = step(second, slot);
            // The last three count from the beginning.
            assertArrayEquals(Arrays.copyOf(one, one.length - 3),
                Arrays.copyOf(other, other.length - 3), "slot=" + slot);
        }
        first.close();
        second.close();
    }

    @SuppressWarnings("restricted")
    private static long[] step(final ModelHandle model, final long slot) {
        final MemorySegment in = MemorySegment.ofAddress(model.property(0)).reinterpret(4 * Long.BYTES);
        final long words = model.property(2);
        in.setAtIndex(ValueLayout.JAVA_LONG, 0, slot);
        in.setAtIndex(ValueLayout.JAVA_LONG, 1, NONE);
        in.setAtIndex(ValueLayout.JAVA_LONG, 2, 0);
        in.setAtIndex(ValueLayout.JAVA_LONG, 3, NONE);
        model.steps(1);
        return MemorySegment.ofAddress(model.property(0) + model.property(3) * model.property(1) * Long.BYTES)
            .reinterpret(words * Long.BYTES).toArray(ValueLayout.JAVA_LONG);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shale-node nodes=16 order=sideways", "shale-node nodes=16 order=receive-first",
        "shale-node nodes=16 order=receive-first propagation=0", "shale-node nodes=16 tokenDelay=-1",
        "shoal-node nodes=8 tokenDelay=2", "shoal-node nodes=8 failures=1 start=2", "shale-node nodes=16 pairs=0>16",
        "shale-node nodes=16 pairs=0", "shale-node nodes=16 pairs=3>3", "shale-node nodes=16 offers=0",
        "shale-node nodes=16 offers=x", "shale-node nodes=16 probes=queue0_tokens_d16n0"})
    void shouldRefuse(final String line) {
        assertThrows(IllegalArgumentException.class, () -> twin(line));
    }

    /** Flows that are offered leave as if the description named them. */
    @Test
    void shouldBeOfferedFlowsAsTheyCome() {
        final Twin offered = twin("shale-node node=5 nodes=16 propagation=4 offers=2");
        final Twin known = twin("shale-node node=5 nodes=16 propagation=4 pairs=5>9");
        assertEquals(0, offered.offer(0, 5, 9, Integer.MAX_VALUE));
        for (int slot = 0; slot < 100; slot++) {
            assertArrayEquals(step(known, slot, NONE, 0, NONE), step(offered, slot, NONE, 0, NONE), "slot=" + slot);
        }
        assertThrows(IllegalArgumentException.class, () -> known.offer(200, 5, 9, 1));
        offered.close();
        known.close();
    }
}
