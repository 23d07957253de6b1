package dev.skerry.tools.cosim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * The rows that {@code skerry cosim} feeds to a device with the same seed and weights, for test benches that drive a
 * device. A node may make its own choices, because what its neighbours can send is derived from what it sent.
 *
 * <pre>
 *   in    what the device answered to the row before, a row of outputs of the model; ignored in the first step
 *   out   the next row for the device, a row of inputs of the model
 * </pre>
 */
final class StimulusTwin implements Twin {
    private final Supplier<Twin> models;
    private final SplittableRandom seeds;
    private final Stimulus stimulus;
    private final Names names;
    private final long[] row;
    private final long[] answer;
    private Twin model;
    private SplittableRandom random;
    private boolean isFirst;

    /**
     * Creates the stimulus for a model, starting at its reset.
     *
     * @param models  creates a model in its initial state.
     * @param weights weights that differ from the defaults.
     * @throws IllegalArgumentException if rows cannot be drawn for such a model.
     */
    StimulusTwin(final Supplier<Twin> models, final long seed, final Map<String, Integer> weights) {
        this.models = models;
        this.seeds = new SplittableRandom(seed);
        this.model = models.get();
        this.stimulus = model.stimulus(weights);
        this.names = new Names(List.of(model.names().outputs()), List.of(model.names().inputs()));
        this.row = new long[names.outputs().length];
        this.answer = new long[names.inputs().length];
        begin();
    }

    private void begin() {
        random = seeds.split();
        stimulus.begin(model);
        isFirst = true;
    }

    @Override
    public Names names() {
        return names;
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final MemorySegment rows = MemorySegment.ofArray(row);
        final MemorySegment answers = MemorySegment.ofArray(answer);
        if (!isFirst) {
            MemorySegment.copy(in, inAt, answers, 0, answers.byteSize());
            model.follow(rows, answers);
        }
        isFirst = false;
        stimulus.draw(random, row);
        model.resolve(rows, 0);
        MemorySegment.copy(row, 0, out, ValueLayout.JAVA_LONG, outAt, row.length);
    }

    /** Starts the next sequence, after a reset of the device. */
    @Override
    public void beginAt(final long slot) {
        if (slot != 0) {
            throw new IllegalArgumentException("stimulus begins at a reset of the device: slot=" + slot);
        }
        model.close();
        model = models.get();
        begin();
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> others) {
        throw new IllegalArgumentException("this is stimulus already");
    }

    @Override
    public void close() {
        model.close();
    }
}
