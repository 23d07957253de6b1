package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** What is drawn for a Shale node is what neighbours may send, also when rows are left out, as shrinking does. */
final class ShaleNodeStimulusTest {
    private static final int SLOTS = 5_000;
    private static final String NODE = "shale-node node=5 nodes=16 h=2 firstHopTokens=2 propagation=3 "
        + "workload=permutation";

    private final Arena arena = Arena.ofAuto();

    /** Resolves and steps; the row becomes what the node received. A node throws if a law is broken. */
    private long[] step(final Twin twin, final long[] row) {
        final MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG, row);
        final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, twin.names().outputs().length);
        twin.resolve(in, 0);
        MemorySegment.copy(in, ValueLayout.JAVA_LONG, 0, row, 0, row.length);
        twin.step(in, 0, out, 0);
        return out.toArray(ValueLayout.JAVA_LONG);
    }

    private List<long[]> drawn(final String line, final Stimulus stimulus, final long seed) {
        final Twin twin = Description.of(line).twin(arena);
        final SplittableRandom random = new SplittableRandom(seed);
        final List<long[]> rows = new ArrayList<>();
        stimulus.begin(twin);
        for (int slot = 0; slot < SLOTS; slot++) {
            final long[] row = new long[twin.names().inputs().length];
            stimulus.draw(random, row);
            stimulus.covered(row, step(twin, row));
            rows.add(row);
        }
        twin.close();
        return rows;
    }

    private Stimulus stimulus(final String line) {
        final Twin twin = Description.of(line).twin(arena);
        try {
            return twin.stimulus(Map.of());
        } finally {
            twin.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {NODE, "shale-node node=5 nodes=9 h=2 tokens=3 propagation=0 workload=permutation",
        "shale-node node=7 nodes=27 h=3 firstHopTokens=2 propagation=11 workload=permutation sprayTies=rotating"})
    void shouldCoverEveryCase(final String line) {
        final Stimulus stimulus = stimulus(line);
        drawn(line, stimulus, 1);
        assertFalse(stimulus.coverage.toString().matches(".* 0(,.*|$)"), line + " seed 1: " + stimulus.coverage);
    }

    @Test
    void shouldStayLawfulWhereRowsAreLeftOut() {
        for (long seed = 1; seed <= 4; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final List<long[]> rows = drawn(NODE, stimulus(NODE), seed);
            rows.removeIf(row -> random.nextInt(3) == 0);
            final Twin twin = Description.of(NODE).twin(arena);
            final List<long[]> received = new ArrayList<>();
            final List<long[]> answers = new ArrayList<>();
            for (final long[] row : rows) {
                answers.add(step(twin, row));
                received.add(row.clone());
            }
            twin.close();
            assertTrue(received.stream().filter(row -> row[1] >= 0).count() > SLOTS / 10, "seed " + seed);
            shouldRepeat(received, answers, "seed " + seed);
        }
    }

    /** What a node received is lawful as it stands, so a replay changes nothing of it. */
    private void shouldRepeat(final List<long[]> received, final List<long[]> answers, final String where) {
        final Twin twin = Description.of(NODE).twin(arena);
        for (int slot = 0; slot < received.size(); slot++) {
            final long[] row = received.get(slot).clone();
            assertArrayEquals(answers.get(slot), step(twin, row), where + " slot " + slot);
            assertArrayEquals(received.get(slot), row, where + " slot " + slot);
        }
        twin.close();
    }

    @Test
    void shouldTakeOutWhatNoNeighbourSends() {
        final Twin twin = Description.of(NODE).twin(arena);
        for (int slot = 0; slot < 3; slot++) {
            // Nothing can arrive before the propagation delay.
            final long[] row = {0, 8, 0, 120};
            step(twin, row);
            assertArrayEquals(new long[] {slot, -2, 0, -1}, row);
        }
        // Tokens that the node never spent, a flow that goes elsewhere, a sequence number below 0, two sprays too many.
        for (final long[] row : List.of(new long[] {0, -1, 0, 120}, new long[] {0, 8 * 15, 0, -1},
            new long[] {0, 0, 0x8000_0000L, -1}, new long[] {0, 3, 0, -1})) {
            step(twin, row);
            assertEquals(-1, row[1]);
            assertEquals(-1, row[3]);
        }
        twin.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shoal-node node=3 nodes=8 workload=permutation",
        "shale-node node=3 nodes=16 cc=rd workload=permutation"})
    void shouldRefuseOtherNodes(final String line) {
        assertThrows(IllegalArgumentException.class, () -> stimulus(line));
    }
}
