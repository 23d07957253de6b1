package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dummies that an engine counts are the cells that nodes receive and that carry nothing. */
final class ShoalDummiesTest {
    private static final int SLOTS = 900;

    @ParameterizedTest
    @CsvSource({"9, 1, 20, 1", "16, 1, 400, 2", "16, 1, 0, 3", "8, 1, 60, 4"})
    void shouldCountWhatArrivesEmpty(final int nodes, final int channels, final int count, final long seed) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, true, 0);
        final FlowSet flows = Flows.random(seed, nodes, count, SLOTS / 2, 30);
        final Outcome outcome;
        try (LockStep engine = new LockStep(Parts.of(shoal), flows, 2, false)) {
            engine.run(SLOTS);
            outcome = engine.outcome();
        }
        long empty = 0;
        final NodeCells received = new NodeCells(channels);
        try (FabricModel model = new FabricModel(Parts.of(shoal), flows)) {
            for (int slot = 0; slot < outcome.slots(); slot++) {
                model.step();
                for (int node = 0; node < nodes; node++) {
                    model.received(node, received);
                    empty += InFlightCells.isCell(received.route(0)) ? 0 : 1;
                }
            }
        }
        assertEquals(empty, outcome.sampled().dummies(), "seed=" + seed);
        assertTrue(outcome.slots() > 0 && empty > 0 && empty <= outcome.slots() * nodes, "empty=" + empty);
    }

    /** A node that failed sends none, and none is sent to it: each two of the others meet once an epoch. */
    @ParameterizedTest
    @CsvSource({"9, 1, 2", "9, 2, 7", "16, 3, 5", "16, 1, 0"})
    void shouldCountNoneOfFailedNodesNorToThem(final int nodes, final int channels, final int failed) {
        final RoundRobin schedule = RoundRobin.plain(nodes, channels);
        final Shoal shoal = Shoal.of(schedule, ReleaseRule.EXACT, true, 0).withFailedNodes(failed);
        final FlowSet flows = new FlowSet();
        flows.add(0, nodes - 1, nodes - 2, 1 << 20, 1000, 3);
        final int epochs = 20;
        final long pairs = (long) (nodes - failed) * (nodes - failed - 1);
        long sent = 0;
        final NodeCells received = new NodeCells(channels);
        try (LockStep engine = new LockStep(Parts.of(shoal), flows, 1, false);
            FabricModel model = new FabricModel(Parts.of(shoal), flows)) {
            engine.run((long) epochs * schedule.epochSlots());
            for (int slot = 0; slot < epochs * schedule.epochSlots(); slot++) {
                model.step();
                for (int node = 0; node < nodes; node++) {
                    model.received(node, received);
                    for (int channel = 0; channel < channels; channel++) {
                        sent += InFlightCells.isCell(received.route(channel)) ? 1 : 0;
                    }
                }
            }
            assertEquals(epochs * pairs - sent, engine.outcome().sampled().dummies());
            assertTrue(sent >= epochs, "sent=" + sent);
        }
    }
}
