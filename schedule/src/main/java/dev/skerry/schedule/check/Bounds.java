package dev.skerry.schedule.check;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Checks of arguments; both bounds are inclusive. Pure functions, any thread. */
public final class Bounds {
    private Bounds() {
    }

    /**
     * Checks that an argument is within bounds.
     *
     * @param name  name of the argument, for the message.
     * @param value the argument.
     * @param least the minimum.
     * @param most  the maximum.
     * @return the value.
     * @throws IllegalArgumentException if the value is out of bounds; the message names the argument, its value and the
     *                                  bounds.
     */
    public static long require(final String name, final long value, final long least, final long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                name + " must be " + least + " to " + most + ": " + name + "=" + value);
        }
        return value;
    }

    /** Checks an argument that has a minimum only. */
    public static long atLeast(final String name, final long value, final long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ": " + name + "=" + value);
        }
        return value;
    }

    /**
     * Refuses an argument.
     *
     * @param wrong   whether the argument is wrong.
     * @param message the reason, in parts that are joined only if the argument is wrong.
     * @throws IllegalArgumentException if {@code wrong}.
     */
    public static void refuseIf(final boolean wrong, final Object... message) {
        if (wrong) {
            throw new IllegalArgumentException(text(message));
        }
    }

    static String text(final Object... parts) {
        return Arrays.stream(parts).map(String::valueOf).collect(Collectors.joining());
    }
}
