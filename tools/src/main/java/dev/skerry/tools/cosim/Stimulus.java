package dev.skerry.tools.cosim;

import dev.skerry.nic.follow.Coverage;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Draws random rows for a model, with interesting rows more likely, and counts the cases they cover. Not thread-safe.
 */
abstract class Stimulus {
    final Weights weights;
    final Coverage cases = new Coverage("");
    final Coverage.Point coverage;

    /** @param cases names of the cases that are counted. */
    Stimulus(final Weights weights, final String... cases) {
        this.weights = weights;
        this.coverage = this.cases.point("stimulus.case", cases);
    }

    /** Starts a sequence. The model was reset. */
    void begin(final Twin twin) {
    }

    /** Draws the next row. The model has executed all rows before it. */
    abstract void draw(SplittableRandom random, long[] row);

    /** Counts the cases of an executed row. */
    abstract void covered(long[] row, long[] answer);

    /** Relative weights of some choices. */
    static final class Weights {
        private static final int MOST = 1_000_000;

        private final Map<String, Integer> weights = new LinkedHashMap<>();
        private int sum;

        /** Sets defaults, each {@code name=weight}. */
        Weights(final String... defaults) {
            for (final String each : defaults) {
                final String[] parts = each.split("=");
                weights.put(parts[0], Integer.parseInt(parts[1]));
            }
            add();
        }

        /**
         * Returns a copy with some weights replaced.
         *
         * @throws InputException if a choice is unknown, a weight is invalid, or all weights are 0.
         */
        Weights with(final Map<String, Integer> others) {
            others.forEach((name, weight) -> {
                Choices.refuseIf(!weights.containsKey(name), "--weight", name, "this model has no such choice",
                    "choose one of " + String.join(", ", weights.keySet()));
                Choices.refuseIf(weight < 0 || weight > MOST, "--weight", name + "=" + weight, "a weight is from 0 to "
                    + MOST, "give a number in this range");
                weights.put(name, weight);
            });
            add();
            Choices.refuseIf(sum == 0, "--weight", others, "nothing is left to choose from",
                "give one choice a weight above 0");
            return this;
        }

        private void add() {
            sum = weights.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** Names of the choices. */
        Set<String> choices() {
            return weights.keySet();
        }

        /** Draws a choice. */
        String draw(final SplittableRandom random) {
            int left = random.nextInt(sum);
            for (final Map.Entry<String, Integer> each : weights.entrySet()) {
                left -= each.getValue();
                if (left < 0) {
                    return each.getKey();
                }
            }
            throw new IllegalStateException("weights do not add up: sum=" + sum);
        }
    }
}
