package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.schedule.Schedule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A slot holds a cell, a dummy or nothing; models tell the three apart, and nothing does what a dummy does. */
final class SlotStatesTest {
    private static final int SLOTS = 600;
    private static final int NODE = 3;

    @Test
    void shouldHaveThreeStates() {
        final NodeCells cells = new NodeCells(3);
        cells.set(0, 8, 77, 5);
        cells.set(1, InFlightCells.NO_CELL, 77, 5);
        cells.set(2, InFlightCells.SILENCE, 77, 5);
        assertEquals(SlotState.CELL, cells.state(0));
        assertEquals(SlotState.DUMMY, cells.state(1));
        assertEquals(SlotState.NOTHING, cells.state(2));
        assertEquals("0000000000000008:000000000000004d:0000000000000005 ffffffffffffffff:0000000000000000:"
            + "0000000000000005 fffffffffffffffe:0000000000000000:ffffffffffffffff", cells.toString());
        cells.setNothing(0);
        assertEquals(SlotState.NOTHING, cells.state(0));
        cells.clear();
        assertEquals(SlotState.DUMMY, cells.state(2));
    }

    private static CircuitFabric fabric(final String kind, final int channels, final int propagation) {
        return kind.equals("shale") ? Recorded.shale(propagation) : Recorded.shoal(propagation, channels);
    }

    /** Nothing comes before the first delay; a channel without a circuit carries nothing either way. */
    @ParameterizedTest
    @CsvSource({"shale, 1, 0", "shale, 1, 5", "shoal, 1, 3", "shoal, 3, 2"})
    void shouldCarryNothingWithoutACircuit(final String kind, final int channels, final int propagation) {
        final Recorded record = Recorded.of(fabric(kind, channels, propagation), SLOTS, NODE);
        final Schedule schedule = record.fabric.schedule();
        int nothing = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            for (int channel = 0; channel < channels; channel++) {
                final boolean sends = schedule.peerAt(NODE, channel, schedule.slotInEpoch(slot)) != Schedule.IDLE;
                assertEquals(!sends, record.sent.get(slot).state(channel) == SlotState.NOTHING, "slot=" + slot);
                final long sentIn = slot - propagation;
                final boolean comes = sentIn >= 0
                    && schedule.senderAt(NODE, channel, schedule.slotInEpoch(sentIn)) != Schedule.IDLE;
                assertEquals(!comes, record.received.get(slot).state(channel) == SlotState.NOTHING, "slot=" + slot);
                nothing += comes ? 0 : 1;
            }
        }
        assertTrue(channels > 1 ? nothing > SLOTS / 4 : nothing == propagation, "nothing=" + nothing);
    }

    /** A node of its own repeats what it did, whether dummies without feedback or nothing comes in their place. */
    @ParameterizedTest
    @CsvSource({"shale, 1, 5", "shoal, 1, 3", "shoal, 3, 2"})
    void shouldTakeNothingAsItTakesADummy(final String kind, final int channels, final int propagation) {
        final Recorded record = Recorded.of(fabric(kind, channels, propagation), SLOTS, NODE);
        final NodeCells words = new NodeCells(channels);
        int replaced = 0;
        try (NodeModel model = record.model()) {
            for (int slot = 0; slot < SLOTS; slot++) {
                words.set(record.received.get(slot));
                for (int channel = 0; channel < channels; channel++) {
                    final SlotState state = words.state(channel);
                    if (state == SlotState.NOTHING) {
                        words.set(channel, InFlightCells.NO_CELL, 0, InFlightCells.NO_FEEDBACK);
                        replaced++;
                    } else if (state == SlotState.DUMMY && words.feedback(channel) == InFlightCells.NO_FEEDBACK) {
                        words.setNothing(channel);
                        replaced++;
                    }
                }
                assertEquals(record.sent.get(slot), model.step(slot, words), kind + " slot=" + slot);
                assertArrayEquals(record.signals.get(slot), record.values(model.probes()), kind + " slot=" + slot);
            }
        }
        assertTrue(replaced >= propagation, "replaced=" + replaced);
    }
}
