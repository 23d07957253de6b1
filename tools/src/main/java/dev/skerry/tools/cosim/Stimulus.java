package dev.skerry.tools.cosim;

import java.util.Map;
import java.util.SplittableRandom;

/**
 * Rows that a model takes, drawn at random with the interesting ones more likely than chance has them, and what they
 * covered. One thread.
 */
sealed interface Stimulus permits PieoStimulus, ShaleStimulus, ShoalStimulus, SwitchStimulus {
    /** The stimulus of a model, weights replaced as asked for. */
    static Stimulus of(final Twin twin, final Map<String, Integer> weights) {
        return switch (twin) {
            case final PieoTwin model -> new PieoStimulus(model.pieo().layout(), weights);
            case final SwitchTwin model -> new SwitchStimulus(model.table(), weights);
            case final ShoalTwin model -> new ShoalStimulus(model.header(), weights);
            case final NodeTwin model -> throw new IllegalArgumentException(
                "no rows are drawn for a node, what it receives is recorded: outputs=" + model.outputs().length);
            case final ShaleTwin model -> new ShaleStimulus(model.header(), weights);
        };
    }

    /** The model has been reset. */
    void begin(Twin twin);

    /** Draws the next row; the model it is for has made all rows before it. */
    void draw(SplittableRandom random, long[] row);

    /** What the model answered to a row. */
    void covered(long[] row, long[] answer);

    /** What was met so far. */
    Coverage coverage();
}
