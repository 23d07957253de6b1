package dev.skerry.tools.cosim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Feeds a Java model and a verilated one the same rows from reset until their answers differ. Every sequence starts
 * with new instances. One thread.
 */
final class TestBench {
    private final Verilated verilated;
    private final Description description;
    private final String[] inputs;
    private final String[] outputs;

    TestBench(final Verilated verilated, final Description description) {
        this.verilated = verilated;
        this.description = description;
        try (Arena arena = Arena.ofConfined()) {
            final Twin twin = description.twin(arena);
            inputs = twin.inputs();
            outputs = twin.outputs();
            twin.close();
        }
    }

    /** Names of the words of an input row. */
    String[] inputs() {
        return inputs;
    }

    /** Names of the words of an output row. */
    String[] outputs() {
        return outputs;
    }

    /** A stimulus for the model. */
    Stimulus stimulus(final Map<String, Integer> weights) {
        try (Arena arena = Arena.ofConfined()) {
            final Twin twin = description.twin(arena);
            final Stimulus stimulus = Stimulus.of(twin, weights);
            twin.close();
            return stimulus;
        }
    }

    /**
     * Draws rows until the models differ.
     *
     * @param random source of the rows.
     * @param rows   receives the rows drawn; the last one differs.
     * @param length maximum number of rows.
     * @return whether the models differ.
     */
    boolean explore(final Stimulus stimulus, final SplittableRandom random, final List<long[]> rows, final int length) {
        try (Pair pair = new Pair()) {
            stimulus.begin(pair.twin);
            for (int i = 0; i < length; i++) {
                final long[] row = new long[inputs.length];
                stimulus.draw(random, row);
                rows.add(row);
                pair.step(row);
                stimulus.covered(row, pair.expected);
                if (!Arrays.equals(pair.expected, pair.got)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Replays a sequence.
     *
     * @return index of the first row with different answers; -1 if there is none, or if a row before it is refused.
     */
    int differsAt(final List<long[]> rows) {
        try (Pair pair = new Pair()) {
            for (int i = 0; i < rows.size(); i++) {
                pair.step(rows.get(i));
                if (!Arrays.equals(pair.expected, pair.got)) {
                    return i;
                }
            }
            return -1;
        } catch (final IllegalArgumentException e) {
            // Shrinking can make a row invalid. A refused row is no difference.
            return -1;
        }
    }

    /** One row with both answers; {@code in} is what the models received. */
    record Step(long[] in, long[] expected, long[] got) {
    }

    /** Replays rows and returns both answers to each. */
    List<Step> steps(final List<long[]> rows) {
        try (Pair pair = new Pair()) {
            return rows.stream().map(row -> {
                pair.step(row);
                return new Step(pair.resolved(), pair.expected.clone(), pair.got.clone());
            }).toList();
        }
    }

    /** One instance of each model. */
    private final class Pair implements AutoCloseable {
        private final Arena arena = Arena.ofConfined();
        private final Twin twin = description.twin(arena);
        private final MemorySegment instance = verilated.create();
        private final MemorySegment in = arena.allocate(ValueLayout.JAVA_LONG, inputs.length);
        private final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, outputs.length);
        private final long[] expected = new long[outputs.length];
        private final long[] got = new long[outputs.length];

        private void step(final long[] row) {
            MemorySegment.copy(row, 0, in, ValueLayout.JAVA_LONG, 0, row.length);
            twin.resolve(in, 0);
            twin.step(in, 0, out, 0);
            MemorySegment.copy(out, ValueLayout.JAVA_LONG, 0, expected, 0, expected.length);
            verilated.step(instance, in, out);
            MemorySegment.copy(out, ValueLayout.JAVA_LONG, 0, got, 0, got.length);
        }

        private long[] resolved() {
            return in.toArray(ValueLayout.JAVA_LONG);
        }

        @Override
        public void close() {
            verilated.destroy(instance);
            twin.close();
            arena.close();
        }
    }
}
