package dev.skerry.tools.cosim;

import dev.skerry.tools.input.InputException;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Relative weights of some choices. */
final class Weights {
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
            if (!weights.containsKey(name)) {
                throw new InputException("--weight", name, "this model has no such choice",
                    "choose of " + String.join(", ", weights.keySet()));
            }
            if (weight < 0 || weight > MOST) {
                throw new InputException("--weight", name + "=" + weight, "a weight is from 0 to " + MOST,
                    "give a number in this range");
            }
            weights.put(name, weight);
        });
        add();
        if (sum == 0) {
            throw new InputException("--weight", others.toString(), "nothing is left to choose from",
                "give one choice a weight above 0");
        }
        return this;
    }

    private void add() {
        sum = weights.values().stream().mapToInt(Integer::intValue).sum();
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

    @Override
    public String toString() {
        return weights.toString();
    }
}
