package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.memory.StateImage;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.schedule.Phased;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A single node behaves as it did in the fabric. */
final class NodeModelTest {
    private static CircuitFabric fabric(final String name, final int propagation) {
        return switch (name) {
            case "shale" -> Recorded.shale(propagation);
            case "shoal" -> Recorded.shoal(propagation, 1);
            default -> Recorded.shoal(propagation, 2);
        };
    }

    @ParameterizedTest
    @CsvSource({"shale, 9, 5, 5000", "shoal, 3, 2, 5000", "shale, 0, 0, 5000", "shoal, 0, 7, 5000",
        "shoal2, 5, 3, 5000"})
    void shouldRepeatWhatItSentInTheFabric(final String name, final int propagation, final int node,
        final int slots) {
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
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath(), NodeModelOther.class.getName(), name)
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

    private static String classPath() throws URISyntaxException {
        final List<String> parts = new ArrayList<>(List.of(Path.of("target", "classes").toString(),
            Path.of("target", "test-classes").toString()));
        for (final Class<?> type : List.of(Region.class, CellFormat.class, Phased.class, Agent.class)) {
            parts.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        return Stream.of(parts).flatMap(List::stream).collect(Collectors.joining(File.pathSeparator));
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
}
