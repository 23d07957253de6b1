package dev.skerry.tools.cosim;

import java.util.Map;
import java.util.SplittableRandom;

/** Draws random rows for a model, with interesting rows more likely, and counts the cases they cover. One thread. */
sealed interface Stimulus permits PieoStimulus, ShaleNodeStimulus, ShaleStimulus, ShoalStimulus, SwitchStimulus {
    /** The stimulus of a model, with some weights replaced. */
    static Stimulus of(final Twin twin, final Map<String, Integer> weights) {
        return switch (twin) {
            case final PieoTwin model -> new PieoStimulus(model.pieo().layout(), weights);
            case final SwitchTwin model -> new SwitchStimulus(model.table(), weights);
            case final ShoalTwin model -> new ShoalStimulus(model.header(), weights);
            case final NodeTwin model -> new ShaleNodeStimulus(model, weights);
            case final ShaleTwin model -> new ShaleStimulus(model.header(), weights);
            case DeviceTwin _ -> throw new IllegalArgumentException("rows of a device of Stardust are not drawn");
            case FollowTwin _ -> throw new IllegalArgumentException("a follower needs a device to follow");
            case HeaderTwin _ -> throw new IllegalArgumentException("headers that a text describes are not drawn");
        };
    }

    /** Starts a sequence. The model was reset. */
    void begin(Twin twin);

    /** Draws the next row. The model has executed all rows before it. */
    void draw(SplittableRandom random, long[] row);

    /** Counts the cases of an executed row. */
    void covered(long[] row, long[] answer);

    /** Counts so far. */
    Coverage coverage();
}
