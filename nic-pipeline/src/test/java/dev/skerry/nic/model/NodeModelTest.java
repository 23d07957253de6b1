package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.memory.StateImage;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Schedule;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A single node behaves as it did in the fabric, whether a slot holds a cell, a dummy or nothing. */
final class NodeModelTest {
    /** Of the tests of states. */
    private static final int SLOTS = 600;
    private static final int NODE = 3;

    private static CircuitFabric fabric(final String name, final int propagation) {
        return switch (name) {
            case "shale" -> Recorded.shale(propagation);
            case "shoal" -> Recorded.shoal(propagation, 1);
            case "shoal3" -> Recorded.shoal(propagation, 3);
            default -> Recorded.shoal(propagation, 2);
        };
    }

    @ParameterizedTest
    @CsvSource({"shale, 9, 5, 5000", "shoal, 3, 2, 5000", "shale, 0, 0, 5000", "shoal, 0, 7, 5000",
        "shoal2, 5, 3, 5000"})
    void shouldRepeatWhatItSentInTheFabric(final String name, final int propagation, final int node, final int slots) {
        repeat(name, propagation, node, slots);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"shale, 9, 5, 100000", "shoal, 3, 2, 100000"})
    void shouldRepeatWhatItSentInALongRun(final String name, final int propagation, final int node, final int slots) {
        repeat(name, propagation, node, slots);
    }

    private static void repeat(final String name, final int propagation, final int node, final int slots) {
        final Recorded record = Recorded.of(fabric(name, propagation), slots, node);
        final Mismatches mismatches = new Mismatches();
        long cells = 0;
        try (NodeModel model = record.model()) {
            for (int slot = 0; slot < slots; slot++) {
                final NodeCells sent = model.step(slot, record.received.get(slot));
                mismatches.expect(slot, sent, record.sent.get(slot));
                assertArrayEquals(record.signals.get(slot), record.values(model.probes()), "slot=" + slot);
            }
            cells = model.count(NicCounter.CELLS_FORWARDED);
        }
        assertTrue(mismatches.none(), mismatches.explain());
        assertTrue(cells > slots / 10, "too few cells to tell: forwarded=" + cells);
    }

    @ParameterizedTest
    @CsvSource({"shale, 9, 3456", "shoal, 3, 3456", "shoal2, 5, 777"})
    void shouldGoOnFromASavedState(final String name, final int propagation, final int at) {
        final int slots = at + 3000;
        final Recorded record = Recorded.of(fabric(name, propagation), slots, 3);
        final byte[] state;
        final byte[] end;
        try (NodeModel model = record.model()) {
            for (int slot = 0; slot < at; slot++) {
                model.step(slot, record.received.get(slot));
            }
            state = model.save();
            for (int slot = at; slot < slots; slot++) {
                model.step(slot, record.received.get(slot));
            }
            end = model.save();
            // Restores the earlier state in the model that has run on.
            model.restore(state);
            assertArrayEquals(state, model.save());
        }
        try (NodeModel model = record.model()) {
            model.restore(state);
            assertEquals(at, model.slot());
            assertEquals(List.of(), NodeModel.differences(state, model.save()));
            for (int slot = at; slot < slots; slot++) {
                assertEquals(record.sent.get(slot), model.step(slot, record.received.get(slot)), "slot=" + slot);
            }
            assertArrayEquals(end, model.save());
        }
    }

    /** The other process gets only the state, and runs without {@code --enable-native-access}. */
    @ParameterizedTest
    @CsvSource({"shale", "shoal"})
    void shouldGoOnInAnotherProcess(final String name) throws IOException, URISyntaxException, InterruptedException {
        final Recorded record = Recorded.of(fabric(name, 4), 4000, 1);
        final byte[] state;
        try (NodeModel model = record.model()) {
            for (int slot = 0; slot < 2000; slot++) {
                model.step(slot, record.received.get(slot));
            }
            state = model.save();
        }
        final Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath(), getClass().getName(), name)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        process.getOutputStream().write(state);
        process.getOutputStream().close();
        final String[] lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
            .split("\n");
        assertEquals(0, process.waitFor());
        assertEquals(2000, lines.length);
        for (int slot = 2000; slot < 4000; slot++) {
            assertEquals(record.sent.get(slot).toString(), lines[slot - 2000], "slot=" + slot);
        }
    }

    /** The other process: restores a state and runs 2,000 slots. */
    public static void main(final String[] arguments) throws IOException {
        final Recorded record = Recorded.of(fabric(arguments[0], 4), 4000, 1);
        final StringBuilder lines = new StringBuilder();
        try (NodeModel model = record.model()) {
            model.restore(System.in.readAllBytes());
            for (int slot = 2000; slot < 4000; slot++) {
                lines.append(model.step(slot, record.received.get(slot))).append('\n');
            }
        }
        System.out.print(lines);
    }

    private static String classPath() throws URISyntaxException {
        final List<String> parts = new ArrayList<>(List.of(Path.of("target", "classes").toString(),
            Path.of("target", "test-classes").toString()));
        for (final Class<?> type : List.of(Region.class, CellFormat.class, Phased.class, Agent.class)) {
            parts.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        return String.join(File.pathSeparator, parts);
    }

    @Test
    void shouldLiveAThousandTimesInAProcess() {
        final Recorded record = Recorded.of(Recorded.shale(9), 200, 5);
        final List<NodeModel> models = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            models.add(record.model());
        }
        for (int slot = 0; slot < 200; slot++) {
            for (final NodeModel model : models) {
                assertEquals(record.sent.get(slot), model.step(slot, record.received.get(slot)), "slot=" + slot);
            }
        }
        models.forEach(NodeModel::close);
    }

    @Test
    void shouldSayWhatDiffersAndSinceWhen() {
        final Recorded record = Recorded.of(Recorded.shale(9), 2000, 5);
        final Mismatches mismatches = new Mismatches();
        try (NodeModel model = record.model(); NodeModel broken = record.model()) {
            final NodeCells lost = new NodeCells(1);
            byte[] state = null;
            byte[] other = null;
            for (int slot = 0; slot < 2000; slot++) {
                model.step(slot, record.received.get(slot));
                // The other side loses the cell that arrives in slot 1,000, together with its tokens.
                broken.step(slot, slot == 1000 ? lost : record.received.get(slot));
                for (int i = 0; i < model.probes().signals().size(); i++) {
                    mismatches.expect(slot, model.probes().signals().get(i).name(), model.probes().value(i),
                        broken.probes().value(i));
                }
                if (slot == 999) {
                    assertTrue(mismatches.none(), mismatches.explain());
                    assertEquals(List.of(), NodeModel.differences(model.save(), broken.save()));
                } else if (slot == 1000) {
                    state = model.save();
                    other = broken.save();
                    break;
                }
            }
            final List<StateImage.Difference> differences = NodeModel.differences(state, other);
            assertFalse(differences.isEmpty());
            assertTrue(mismatches.explain().contains("since slot 1000"), mismatches.explain());
        }
    }

    @Test
    void shouldRefuseWhatDoesNotFit() {
        final Recorded record = Recorded.of(Recorded.shale(9), 10, 5);
        try (NodeModel model = record.model();
            NodeModel other = new NodeModel(Parts.of(Recorded.shoal(9, 1)), Recorded.flows(8, 10, 1), 5)) {
            assertThrows(IllegalArgumentException.class, () -> model.step(1, record.received.get(0)));
            assertThrows(IllegalArgumentException.class, () -> model.step(0, new NodeCells(2)));
            assertThrows(IllegalArgumentException.class, () -> model.restore(other.save()));
            final byte[] damaged = model.save();
            damaged[damaged.length / 2] ^= 1;
            assertThrows(IllegalArgumentException.class, () -> model.restore(damaged));
            assertThrows(IllegalArgumentException.class, () -> model.restore(new byte[4]));
            assertThrows(IllegalArgumentException.class, () -> model.probes().value("queue99_length"));
        }
        assertThrows(IllegalArgumentException.class, () -> new NodeModel(Parts.of(record.fabric), record.flows, 16));
    }

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

    /** Nothing comes before the first delay; a channel without a circuit carries nothing either way. */
    @ParameterizedTest
    @CsvSource({"shale, 0", "shale, 5", "shoal, 3", "shoal3, 2"})
    void shouldCarryNothingWithoutACircuit(final String kind, final int propagation) {
        final Recorded record = Recorded.of(fabric(kind, propagation), SLOTS, NODE);
        final int channels = record.fabric.channels();
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
    @CsvSource({"shale, 5", "shoal, 3", "shoal3, 2"})
    void shouldTakeNothingAsItTakesADummy(final String kind, final int propagation) {
        final Recorded record = Recorded.of(fabric(kind, propagation), SLOTS, NODE);
        final int channels = record.fabric.channels();
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
